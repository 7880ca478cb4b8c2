"""The part of a page in which values are searched: all of it, one card, one row."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import Any

from ocd.extraction import embedded_metadata as embedded
from ocd.extraction import page_layout
from ocd.extraction.embedded_metadata import Entity, EntityValue
from ocd.extraction.field_names import likeness, words_of
from ocd.extraction.node_tree import Node
from ocd.extraction.node_value import field_value_of, plain_value_score
from ocd.extraction.schema import SchemaField
from ocd.extraction.value_heuristics import GUESSES

MIN_SCORE = 0.5
_MIN_HINT = 0.35
_TRUST = {"json-ld": 0.97, "microdata": 0.95, "rdfa": 0.93}
_LAID = {"definition-list": 0.88, "table": 0.88, "label": 0.84, "field": 0.8}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate value for a field."""

    raw: Any
    layer: str
    source: str
    score: float


@dataclass(eq=False)
class SearchScope:
    """Where to look. `entity` is the subject of the scope, if its metadata names one."""

    root: Node
    base: str = ""
    lang: str = ""
    page: bool = False
    entities: list[Entity] = field(default_factory=list)
    metas: list[tuple[str, str]] = field(default_factory=list)
    entity: Entity | None = None

    @cached_property
    def facts(self) -> list[page_layout.LabelledValue]:
        """Labels and values of it."""
        return page_layout.facts(self.root)

    @cached_property
    def _entities_by_place(self) -> tuple[list[int], list[Entity]]:
        """The entities that stand in its markup, in its order, and where they begin."""
        found = [(entity.node.at, entity) for entity in self.entities if entity.node is not None]
        found.sort(key=itemgetter(0))
        return [at for at, _ in found], [one for _, one in found]

    def entities_in(self, node: Node) -> Iterator[Entity]:
        """Yield the entities that stand in the markup of an element, itself included."""
        places, entities = self._entities_by_place
        yield from islice(entities, bisect_left(places, node.at), bisect_left(places, node.end))

    @cached_property
    def hints(self) -> list[tuple[tuple[str, ...], Node]]:
        """Its elements by the words of their classes."""
        return page_layout.hints(self.root)

    @cached_property
    def tables(self) -> list[page_layout.Table]:
        """Its tables with headers."""
        return page_layout.tables(self.root)

    @cached_property
    def groups(self) -> list[page_layout.Group]:
        """Elements of it that repeat."""
        return page_layout.groups(self.root)

    @cached_property
    def repeated(self) -> list[tuple[int, int]]:
        """Where the entries of its lists and cards stand."""
        return page_layout.repeated_spans(self.groups)

    def candidates(self, field: SchemaField) -> list[Candidate]:
        """Return candidates for the field's value, the likeliest first."""
        found = [
            *self.embedded_values(field), *self._meta(field), *self._labelled_values(field),
            *self._hinted_values(field), *self._guessed_values(field),
        ]  # fmt: skip
        return sorted(found, key=lambda one: -one.score)

    def embedded_values(self, field: SchemaField) -> Iterator[Candidate]:
        """Yield the entity's values for a field."""
        entity = self.entity
        if entity is None:
            return
        trust = _TRUST[entity.layer] * (0.6 if entity.about_site else 1)
        kind = entity.types[0] if entity.types else ""
        for candidate in entity.all_values:
            score = score_of(field, candidate)
            if score >= MIN_SCORE:
                where = ".".join((kind, *candidate.keys) if kind else candidate.keys)
                yield Candidate(candidate.value, entity.layer, where, trust * score)

    def _meta(self, field: SchemaField) -> Iterator[Candidate]:
        for key, content in embedded.group_metas(self.metas).items():
            score = name_score(field, embedded.meta_words(key))
            if score >= MIN_SCORE and content:
                open_graph = key.startswith(("og:", "article:", "product:", "book:", "link:"))
                trust = 0.83 if open_graph else 0.75
                yield Candidate(content, "open-graph" if open_graph else "meta", key, trust * score)

    def _labelled_values(self, field: SchemaField) -> Iterator[Candidate]:
        for fact in self.facts:
            score = name_score(field, fact.words)
            if score >= MIN_SCORE:
                value = (
                    field_value_of(fact.node, field) if fact.text == fact.node.text else fact.text
                )
                where = " ".join(fact.words)
                yield Candidate(value, fact.layer, where, _LAID[fact.layer] * score)

    def _hinted_values(self, field: SchemaField) -> Iterator[Candidate]:
        alike: dict[float, int] = {}
        for words, node in self.hints:
            score = name_score(field, words)
            if score < MIN_SCORE or "struck" in node.attrs:
                continue
            # Names that stand on many things are those of a list, not of the page.
            alike[score] = alike.get(score, 0) + 1
            late = 0.02 * min(alike[score], 10)
            value = field_value_of(node, field)
            score = (0.82 * score - late) * self._relevance(node) * plain_value_score(value, field)
            if value and score >= _MIN_HINT:
                yield Candidate(value, "css", f"{node.tag}.{'-'.join(words)}", score)

    def _relevance(self, node: Node) -> float:
        """Return an element's relevance to the scope: lower in an aside or in one of many cards."""
        if not self.page:
            return 1
        beside = node.within("aside", "footer", "nav") is not None
        carded = any(at <= node.at < end for at, end in self.repeated)
        return 0.6 if beside or carded else 1

    # What a value looks like, for want of a name

    def _guessed_values(self, field: SchemaField) -> Iterator[Candidate]:
        for meaning, guess in GUESSES.items():
            if name_score(field, words_of(meaning)) >= 0.9:
                for value, where, score in guess(self, field):
                    yield Candidate(value, "heuristic", where, score)

    def nodes(self, *tags: str) -> Iterator[Node]:
        """Yield the elements of these tags, the root included."""
        if self.root.tag in tags:
            yield self.root
        yield from (node for node in self.root.inside() if node.tag in tags)


def names_of(field: SchemaField) -> tuple[tuple[str, ...], ...]:
    """Return the words of all names of a field."""
    return (field.words, *field.aliases)


def name_score(field: SchemaField, words: tuple[str, ...]) -> float:
    """Return how well a name fits a field."""
    return max(likeness(name, words) for name in names_of(field))


def score_of(field: SchemaField, value: EntityValue) -> float:
    """Return how well a value of an entity fits a field."""
    depth = 0.97 ** (len(value.keys) - 1)
    nested = 1.0 if value.plain else 0.45
    return depth * max(name_score(field, value.words), nested * name_score(field, value.last))
