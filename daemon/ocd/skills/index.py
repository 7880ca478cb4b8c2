"""The search index of skills: the best matches first, with a few set operations."""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from itertools import chain
from typing import Protocol

from ocd.content.tokens import terms
from ocd.memory.notes import domain_of

_CONTRACT_WEIGHT = 0.15

RankKey = tuple[float, str, str]  # rank, when it was last used, id


class IndexedSkill(Protocol):
    """The part of a skill that the index reads."""

    @property
    def domain(self) -> str:
        """Its domain."""
        ...

    @property
    def contract_id(self) -> str | None:
        """The name of its contract."""
        ...

    @property
    def stored_at(self) -> str:
        """When it was stored."""
        ...

    @property
    def last_used_at(self) -> str:
        """When it was replayed."""
        ...

    @property
    def status(self) -> str:
        """Its status after its replays: unproven, proven, quarantined."""
        ...

    @property
    def rank(self) -> float:
        """The share of its score that comes from replays."""
        ...

    @property
    def search_text(self) -> str:
        """The text that a recall's words are searched in."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallQuery:
    """A recall query; see the verb oc_skill_recall."""

    domain: str | None = None
    words: str = ""
    contract_id: str | None = None
    ranked: bool = True
    limit: int = 20
    quarantined: bool = False
    unproven: bool = True


@dataclass(slots=True)
class SkillIndex:
    """Ids of skills by search terms."""

    _orders: dict[str, RankKey] = field(default_factory=dict[str, RankKey])
    _stored: dict[str, str] = field(default_factory=dict[str, str])
    _sets: dict[tuple[str, str], set[str]] = field(default_factory=dict[tuple[str, str], set[str]])

    def add(self, key: str, skill: IndexedSkill) -> None:
        """Add a skill."""
        self._orders[key] = (skill.rank, skill.last_used_at, key)
        self._stored[key] = skill.stored_at
        for name in _names(skill):
            self._sets.setdefault(name, set()).add(key)

    def remove(self, key: str, skill: IndexedSkill) -> None:
        """Remove a skill, which is unchanged since it was added."""
        del self._orders[key], self._stored[key]
        for name in _names(skill):
            keys = self._sets[name]
            keys.discard(key)
            if not keys:
                del self._sets[name]

    def _set(self, kind: str, name: str) -> set[str]:
        return self._sets.get((kind, name), set())

    def search(self, query: RecallQuery) -> tuple[list[tuple[float, str]], int, int]:
        """Return the best with their scores, how many match, and how many of these are hidden."""
        words = set(terms(query.words))
        hits = Counter(chain.from_iterable(self._set("word", word) for word in words))
        matches: Set[str] = hits.keys() if words else self._orders.keys()
        if query.domain is not None:
            matches = matches & self._set("domain", domain_of(query.domain))
        total = len(matches)
        for status, is_included in (
            ("quarantined", query.quarantined),
            ("unproven", query.unproven),
        ):
            hidden = self._set("status", status)
            if not is_included and hidden:
                matches = matches - hidden
        bound = self._set("contract", query.contract_id) if query.contract_id else set[str]()

        def score(key: str) -> float:
            share = hits[key] / len(words) if words else 0.0
            return share + self._orders[key][0] + (_CONTRACT_WEIGHT if key in bound else 0.0)

        if query.ranked:
            candidates = self._candidates(matches, hits, bound, query.limit)
            best = heapq.nlargest(
                query.limit, ((score(key), *self._orders[key][1:]) for key in candidates)
            )
            found = [(round(points, 3), key) for points, _, key in best]
        else:
            newest = heapq.nlargest(query.limit, matches, key=lambda key: (self._stored[key], key))
            found = [(round(score(key), 3), key) for key in newest]
        return found, total, total - len(matches)

    def _candidates(
        self, matches: Set[str], hits: Counter[str], bound: set[str], limit: int
    ) -> set[str]:
        """Return ids that include the best: of those with equally many words, the best ranked."""
        groups: list[Iterable[str]] = [matches]
        if hits:
            groups = [
                [key for key, count in hits.items() if count == most and key in matches]
                for most in set(hits.values())
            ]
        if bound:
            groups += [[key for key in group if key in bound] for group in groups]
        order = self._orders.__getitem__
        return {key for group in groups for key in heapq.nlargest(limit, group, key=order)}


def _names(skill: IndexedSkill) -> Iterator[tuple[str, str]]:
    yield "domain", skill.domain
    yield "status", skill.status
    if skill.contract_id is not None:
        yield "contract", skill.contract_id
    for word in set(terms(skill.search_text)):
        yield "word", word
