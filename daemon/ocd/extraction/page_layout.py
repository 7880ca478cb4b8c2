"""Values from a page's layout: labels, tables, lists and repeated cards."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from ocd.extraction.field_names import words_of
from ocd.extraction.node_tree import Node

_COLON = re.compile(r"^([^:\uff1a]{1,40}?)\s*[:\uff1a]\s*(?!//)(\S.*)$", re.DOTALL)
_LABEL_CLASS = re.compile(r"label|key|term|caption|prop|field-?name|title|head", re.I)
_LABEL_TAGS = {"b", "strong", "label", "dt", "th", "em", "h3", "h4", "h5", "h6", "small"}
_TEXT_BLOCKS = {"p", "li", "div", "td", "dd", "span", "address", "figcaption", "section", "pre"}
_NO_LINES = (_TEXT_BLOCKS - {"span"}) | {"ul", "ol", "table"}
_CELLS = {"cell", "gridcell", "columnheader", "rowheader"}
_NO_CARDS = frozenset(
    (  # noqa: SIM905 - a list of words a line
        "br option td th tr col source track meta link hr dt dd tbody thead tfoot input path"
        " b i em strong"
    ).split()
)
_NO_PAIRS = {"tr", "dl", "tbody", "thead", "table", "select"}
HINTS = (
    "class", "id", "data-testid", "data-test", "data-qa", "data-field", "data-name", "name",
    "data-key", "rel", "itemprop",
)  # fmt: skip
MAX_HINTS = 30_000
MAX_CARDS = 10_000
# So many elements before a table are looked at for its heading: a page may have 10,000 tables.
_LOOK_BACK = 50


@dataclass(frozen=True, slots=True)
class LabelledValue:
    """A label and the value beside it; `node` is its place, `layer` its layout."""

    words: tuple[str, ...]
    label: str
    text: str
    node: Node
    layer: str


@dataclass(slots=True)
class Table:
    """A table with headers; rows are those below them."""

    node: Node
    caption: str
    headers: list[str]
    rows: list[list[Node]] = field(default_factory=list)


@dataclass(slots=True)
class Group:
    """Elements of one kind beside each other: cards, entries of a list."""

    parent: Node
    items: list[Node]


def _with_descendants(root: Node) -> Iterator[Node]:
    yield root
    yield from root.inside()


def facts(root: Node) -> list[LabelledValue]:
    """Return the labels and values of definition lists, tables, pairs of elements and fields."""
    found: list[LabelledValue] = []
    labels = {
        node.attrs["for"]: node.text
        for node in root.inside()
        if node.tag == "label" and "for" in node.attrs
    }
    for node in _with_descendants(root):
        if node.tag == "dl":
            found += _definitions(node)
        elif node.tag == "table":
            found += _table_facts(node)
        elif node.tag in ("input", "select", "textarea"):
            found += _control(node, labels)
        else:
            found += _pair(node) or _colons(node)
    return found


def _fact(label: str, text: str, node: Node, layer: str) -> list[LabelledValue]:
    words = words_of(label)
    return (
        [LabelledValue(words, label, text, node, layer)]
        if words and text and len(label) <= 60
        else []
    )


def _definitions(node: Node) -> list[LabelledValue]:
    found: list[LabelledValue] = []
    label = ""
    for inner in node.inside():
        if inner.within("dl") is not node:
            continue
        if inner.tag == "dt":
            label = inner.text.rstrip(":\uff1a ")
        elif inner.tag == "dd":
            found += _fact(label, inner.text, inner, "definition-list")
    return found


def rows_of(node: Node) -> list[list[Node]]:
    """Return the cells of a table's own rows."""
    rows = [row for row in node.inside() if row.tag == "tr" and row.within("table") is node]
    if not rows:
        rows = [row for row in node.inside() if row.attrs.get("role") == "row"]
        return [
            [child for child in row.children if child.attrs.get("role") in _CELLS] for row in rows
        ]
    return [[child for child in row.children if child.tag in ("td", "th")] for row in rows]


def _is_head(cell: Node) -> bool:
    return cell.tag == "th" or cell.attrs.get("role") == "columnheader" or bool(
        (part := cell.within("thead", "tbody", "table")) and part.tag == "thead"
    )  # fmt: skip


def _table_facts(node: Node) -> list[LabelledValue]:
    rows = [row for row in rows_of(node) if row]
    if not rows or any(len(row) != 2 for row in rows):
        return []
    headed = len(rows) > 1 and all(_is_head(cell) for cell in rows[0])
    found: list[LabelledValue] = []
    for label, value in rows[1:] if headed else rows:
        if value.tag != "th" or label.tag == "th":
            found += _fact(label.text.rstrip(":\uff1a "), value.text, value, "table")
    return found


def _control(node: Node, labels: dict[str, str]) -> list[LabelledValue]:
    around = node.within("label")
    label = (
        node.attrs.get("aria-label")
        or labels.get(node.attrs.get("id", ""))
        or (around.text if around else "")
        or node.attrs.get("name", "")
    )
    return _fact(label.rstrip(":\uff1a* "), node.attrs.get("value", ""), node, "field")


def _pair(node: Node) -> list[LabelledValue]:
    if len(node.children) < 2 or node.tag in _NO_PAIRS or node.own_text not in ("", ":"):
        return []
    children = [
        child
        for child in node.children
        if child.tag != "br" and (child.text or child.attrs.get("content"))
    ]
    if len(children) != 2:
        return []
    label, value = children
    named = (
        label.text.endswith((":", "\uff1a"))
        or node.own_text == ":"
        or label.tag in _LABEL_TAGS
        or bool(_LABEL_CLASS.search(label.attrs.get("class", "")))
    )
    if not named or len(label.text) > 40 or label.tag == "a":
        return []
    return _fact(label.text.rstrip(":\uff1a "), value.text, value, "label")


def _colons(node: Node) -> list[LabelledValue]:
    if node.tag not in _TEXT_BLOCKS or not node.contains_any(":", "\uff1a"):
        return []
    if any(child.tag in _NO_LINES for child in node.children) or not 3 <= len(node.text) <= 600:
        return []
    found: list[LabelledValue] = []
    for line in node.lines:
        match = _COLON.match(line)
        if match and any(letter.isalpha() for letter in match[1]):
            found += _fact(match[1], match[2], node, "label")
    return found


def hints(root: Node) -> list[tuple[tuple[str, ...], Node]]:
    """Return elements by the words of their classes, ids and test names."""
    found: list[tuple[tuple[str, ...], Node]] = []
    for node in _with_descendants(root):
        names = {word for key in HINTS if key in node.attrs for word in node.attrs[key].split()}
        found += [(words, node) for name in sorted(names) if (words := words_of(name))]
        if len(found) > MAX_HINTS:
            break
    return found


def tables(root: Node) -> list[Table]:
    """Return the tables that have headers."""
    found: list[Table] = []
    for node in _with_descendants(root):
        if node.tag != "table" and node.attrs.get("role") not in ("table", "grid"):
            continue
        rows = [row for row in rows_of(node) if row]
        at = next((i for i, row in enumerate(rows[:3]) if all(map(_is_head, row))), None)
        if at is None or len(rows[at]) < 2:
            continue
        caption = node.first("caption")
        title = caption.text if caption else node.attrs.get("aria-label", "") or heading_of(node)
        headers = [cell.text for cell in rows[at]]
        below = [row for row in rows[at + 1 :] if len(row) > 1 or len(headers) == 1]
        found.append(Table(node, title, headers, below))
    return found


def heading_of(node: Node) -> str:
    """Return the heading that stands before an element, or that of the part it is in."""
    at: Node | None = node
    for _ in range(4):
        parent = at.parent if at else None
        if at is None or parent is None:
            return ""
        place = bisect_left(parent.children, at.at, key=lambda child: child.at)
        for child in reversed(parent.children[max(0, place - _LOOK_BACK) : place]):
            if re.fullmatch(r"h[1-6]|legend|summary|caption|header", child.tag):
                return child.text if len(child.text) <= 120 else ""
            inner = child.first("h1", "h2", "h3", "h4", "h5", "h6")
            if inner is not None:
                return inner.text
        at = parent
    return ""


def groups(root: Node) -> list[Group]:
    """Return elements that repeat beside each other, the richest first."""
    found: list[Group] = []
    for node in _with_descendants(root):
        if len(node.children) < 2:
            continue
        kinds: dict[tuple[str, str], list[Node]] = {}
        for child in node.children:
            if child.tag not in _NO_CARDS and (child.end - child.at > 1):
                kinds.setdefault((child.tag, _kind(child)), []).append(child)
        found += [Group(node, items) for items in kinds.values() if len(items) > 1]
    found.sort(key=lambda group: -sum(min(item.end - item.at, 60) for item in group.items))
    return found[:60]


def repeated_spans(groups_: list[Group]) -> list[tuple[int, int]]:
    """Return the ranges of list entries and cards, whose contents do not describe the page."""
    return [
        (item.at, item.end)
        for group in groups_
        for item in group.items
        if item.tag in ("li", "article") or item.attrs.get("class")
    ]


def _kind(node: Node) -> str:
    tokens = node.attrs.get("class", "").split()
    return node.attrs.get("itemtype") or node.attrs.get("role") or (tokens[0] if tokens else "")
