"""A page's embedded metadata: JSON-LD, microdata, RDFa, OpenGraph and other meta tags."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from ocd.extraction.field_names import words_of
from ocd.extraction.node_tree import Node, Tree

MAX_ENTITIES = 20_000
_DEEP = 4
_MAX_REFERRED = 100_000
_PREFIX = re.compile(r"^(?:https?://(?:www\.)?schema\.org/|[a-z]+:(?!//))", re.I)
_META_PREFIX = re.compile(
    r"^(?:og|twitter|article|product|book|music|video|profile|event|place|business|recipe|dc|dcterms"
    r"|citation|parsely|sailthru|link)[:._-]",
    re.I,
)
# What old pages put around a script.
_WRAPPING = re.compile(
    r"^(?:<!--|(?://|/\*)?\s*<!\[CDATA\[\s*(?:\*/)?)"
    r"|(?:-->|(?:(?://|/\*)\s*)?\]\]>\s*(?:\*/)?)$"
)
# Strings first: what looks like a comment inside them is not one.
_STRING_OR_COMMENT = re.compile(r"\"(?:[^\"\\]++|\\.?)*+\"?|//[^\r\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
# Properties whose own properties belong to the thing itself.
_TRANSPARENT = {"offers", "aggregaterating", "address", "pricespecification", "mainentity", "item"}
# Things that stand on every page of a site.
_ABOUT_SITE = {
    "website", "organization", "breadcrumblist", "webpage", "searchaction", "imageobject",
    "sitenavigationelement", "wpheader", "wpfooter", "corporation", "listitem", "person",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class EntityValue:
    """One value of an entity: the keys that lead to it."""

    keys: tuple[str, ...]
    words: tuple[str, ...]
    last: tuple[str, ...]
    plain: bool  # whether only transparent properties lead to it
    value: Any


@dataclass(eq=False)
class Entity:
    """A thing that a page describes: types and properties in JSON's own forms."""

    layer: str
    types: tuple[str, ...]
    props: dict[str, Any]
    top: bool = True
    node: Node | None = None

    @property
    def about_site(self) -> bool:
        """Whether it is of a kind that is on every page."""
        return bool(self.types) and all(type_.lower() in _ABOUT_SITE for type_ in self.types)

    @cached_property
    def all_values(self) -> list[EntityValue]:
        """All values, those nearest first."""
        return sorted(_property_value(self.props, (), plain=True), key=lambda one: len(one.keys))

    def __repr__(self) -> str:
        return f"Entity({self.layer}, {'/'.join(self.types)}, {list(self.props)[:6]})"


def _property_value(
    props: dict[str, Any], keys: tuple[str, ...], *, plain: bool
) -> Iterator[EntityValue]:
    for key, value in props.items():
        if key.startswith("@") and key != "@id":
            continue
        path = (*keys, key)
        words = tuple(word for part in path for word in words_of(part))
        yield EntityValue(path, words, words_of(key), plain, value)
        inner = value[0] if isinstance(value, list) and value else value
        if isinstance(inner, dict) and len(path) < _DEEP:
            yield from _property_value(inner, path, plain=plain and key.lower() in _TRANSPARENT)


def types_of(props: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of an object's types, without their vocabulary."""
    found = props.get("@type", ())
    return tuple(
        _PREFIX.sub("", str(name)) for name in ([found] if isinstance(found, str) else found)
    )


def from_json(texts: Iterable[str]) -> list[Entity]:
    """Return the entities of JSON-LD texts; invalid JSON is skipped."""
    found: list[Entity] = []
    for text in texts:
        for entity in _top(_parse_json(text)):
            _collect(entity, found, top=True, depth=0)
    return found


def _parse_json(text: str) -> Any:  # noqa: ANN401
    text = _WRAPPING.sub("", text.strip())
    bare = _STRING_OR_COMMENT.sub(lambda one: one[0] if one[0][0] == '"' else " ", text)
    for attempt in (text, bare, re.sub(r",(\s*[}\]])", r"\1", bare)):
        try:
            return json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _top(data: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    if isinstance(data, list):
        for item in data:
            yield from _top(item)
    elif isinstance(data, dict):
        graph = data.get("@graph")
        if isinstance(graph, list):
            yield from _top(graph)
        else:
            yield data


def _collect(props: dict[str, Any], found: list[Entity], *, top: bool, depth: int) -> None:
    if len(found) >= MAX_ENTITIES:
        return
    found.append(Entity("json-ld", types_of(props), props, top))
    for value in props.values() if depth < _DEEP else ():
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, dict) and "@type" in inner:
                _collect(inner, found, top=False, depth=depth + 1)


def from_markup(tree: Tree) -> list[Entity]:
    """Return the entities that microdata and RDFa Lite describe."""
    found: list[Entity] = []
    references = _References(tree)
    for node in tree.nodes:
        if "itemscope" in node.attrs:
            props = _item(node, "itemprop", "itemscope", references)
            top = "itemprop" not in node.attrs
            found.append(Entity("microdata", types_of(props), props, top, node))
        elif "typeof" in node.attrs:
            props = _item(node, "property", "typeof", references)
            top = "property" not in node.attrs
            found.append(Entity("rdfa", types_of(props), props, top, node))
        if len(found) >= MAX_ENTITIES:
            break
    return [*found, *_untyped(tree)]


def _untyped(tree: Tree) -> list[Entity]:
    """Return the properties that RDFa gives to resources without a type, and to the page itself."""
    by_subject: dict[str, Entity] = {}
    around: list[Node] = []  # that say what the properties inside of them are about
    past = 0
    for node in tree.nodes:
        if node.at < past:
            continue
        if "typeof" in node.attrs or "itemscope" in node.attrs:
            past = node.end
            continue
        while around and node.at >= around[-1].end:
            around.pop()
        if "about" in node.attrs:
            around.append(node)
        if "property" in node.attrs and not _is_meta_tag(node) and len(by_subject) < MAX_ENTITIES:
            _state(node, around[-1] if around else tree.root, by_subject)
        if "resource" in node.attrs and "about" not in node.attrs:
            around.append(node)
    return list(by_subject.values())


def _is_meta_tag(node: Node) -> bool:
    return node.tag == "meta" and _META_PREFIX.match(node.attrs["property"]) is not None


def _state(node: Node, about: Node, by_subject: dict[str, Entity]) -> None:
    subject = about.attrs.get("about") or about.attrs.get("resource") or ""
    known: dict[str, Any] = {"@id": subject} if subject else {}
    entity = by_subject.setdefault(subject, Entity("rdfa", (), known, node=about))
    value = node.attrs.get("content") or node.attrs.get("resource") or machine_value(node)
    for key in node.attrs["property"].split():
        _add(entity.props, _without_vocabulary(key), value)


def _without_vocabulary(key: str) -> str:
    name = _PREFIX.sub("", key)
    return name.replace("#", "/").rstrip("/").rpartition("/")[2] if "://" in name else name


def _item(
    node: Node, name: str, begins: str, references: "_References", depth: int = 0
) -> dict[str, Any]:
    kind = node.attrs.get("itemtype" if name == "itemprop" else "typeof", "")
    props: dict[str, Any] = {"@type": [word for word in kind.split() if word]}
    for inner in _members(node, begins, references):
        if name in inner.attrs:
            deep = begins in inner.attrs and depth < _DEEP
            value = (
                _item(inner, name, begins, references, depth + 1) if deep else machine_value(inner)
            )
            for key in inner.attrs[name].split():
                _add(props, _PREFIX.sub("", key), value)
    return props


class _References:
    """The elements of a tree by their ids, for `itemref`; followed so far, then no more."""

    def __init__(self, tree: Tree) -> None:
        self._by_id = {
            node.attrs["id"]: node for node in reversed(tree.nodes) if "id" in node.attrs
        }
        self._left = _MAX_REFERRED

    def outside(self, node: Node) -> Iterator[Node]:
        """Yield the elements that an item names, and what is inside of them."""
        for ref in dict.fromkeys(node.attrs.get("itemref", "").split()):
            named = self._by_id.get(ref)
            if named is None or _holds(named, node) or _holds(node, named):
                continue
            self._left -= named.end_place - named.place
            if self._left > 0:
                yield named
                yield from named.inside()


def _members(node: Node, begins: str, references: _References) -> Iterator[Node]:
    """Yield the elements that belong to an item, but not those inside nested items."""
    start = past = 0
    for inner in chain(node.inside(), references.outside(node)):
        if start < inner.at < past:
            continue
        yield inner
        if begins in inner.attrs:
            start, past = inner.at, inner.end


def _holds(outer: Node, inner: Node) -> bool:
    return outer.at <= inner.at < outer.end


def _add(props: dict[str, Any], key: str, value: Any) -> None:  # noqa: ANN401
    if key not in props:
        props[key] = value
    elif isinstance(props[key], list):
        props[key].append(value)
    else:
        props[key] = [props[key], value]


def machine_value(node: Node) -> str:
    """Return an element's machine-readable value, else the text that it shows."""
    attrs = node.attrs
    for name in ("content", "datetime"):
        if attrs.get(name):
            return attrs[name]
    if node.tag in ("a", "area", "link") and attrs.get("href"):
        return attrs["href"]
    if node.tag in ("img", "video", "audio", "source"):
        return attrs.get("src", "")
    if node.tag in ("data", "meter", "input", "select", "textarea"):
        return attrs.get("value", "")
    return node.text


def group_metas(metas: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the meta tags by name; repeated ones as lists."""
    found: dict[str, Any] = {}
    for key, content in metas:
        _add(found, key, content)
    return found


def meta_words(key: str) -> tuple[str, ...]:
    """Return the words of a meta tag's name without what only says whose vocabulary it is."""
    if key == "link:canonical":
        return ("url",)
    return words_of(_META_PREFIX.sub("", key))
