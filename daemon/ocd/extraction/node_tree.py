"""A page's visible content as a flat list in document order, with elements as ranges."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

_BLOCKS = frozenset(
    (  # noqa: SIM905 - a list of words a line
        "address article aside blockquote body dd details dialog div dl dt fieldset"
        " figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li main nav ol"
        " p pre section summary table tbody td tfoot th thead tr ul caption br iframe"
    ).split()
)


def squeeze(text: str) -> str:
    """Return the text on one line."""
    return " ".join(text.split())


@dataclass(slots=True)
class PageCapture:
    """The capture of a page and its frames: entries for each scope, meta tags, language."""

    url: str
    scopes: list[list[list[Any]]] = field(default_factory=list)
    metas: list[tuple[str, str]] = field(default_factory=list)
    lang: str = ""
    title: str = ""
    cut: bool = False


_NO_ATTRS: dict[str, str] = {}


@dataclass(eq=False, slots=True)
class Node:
    """One element: entries `at` to `end` of its tree are it and what is inside.

    Its place among the tree's elements is `place`; those up to `end_place` are inside.
    """

    tree: "Tree"
    at: int
    place: int
    depth: int
    tag: str
    attrs: dict[str, str]
    parent: "Node | None"
    first_text: int
    end: int = 0
    end_text: int = 0
    end_place: int = 0
    children: Sequence["Node"] = ()
    _text: str | None = None

    @property
    def text(self) -> str:
        """Its visible text, on one line."""
        if self._text is None:
            self._text = squeeze("".join(self.tree.texts[self.first_text : self.end_text]))
        return self._text

    @property
    def lines(self) -> list[str]:
        """Its visible text, one line for each block; no empty lines."""
        raw = "".join(self.tree.texts[self.first_text : self.end_text]).split("\v")
        return [line for line in map(squeeze, raw) if line]

    @property
    def own_text(self) -> str:
        """The words directly in it."""
        return squeeze(" ".join(self.tree.owned.get(self.at, ())))

    def contains_any(self, *signs: str) -> bool:
        """Return whether one of the signs is in its text."""
        texts = self.tree.texts
        for place in range(self.first_text, self.end_text):
            text = texts[place]
            if any(sign in text for sign in signs):
                return True
        return False

    def inside(self) -> Iterator["Node"]:
        """Return the elements inside, in document order."""
        return iter(self.tree.nodes[self.place + 1 : self.end_place])

    def first(self, *tags: str) -> "Node | None":
        """Return the first element inside with one of the tags, or None."""
        return next((node for node in self.inside() if node.tag in tags), None)

    def within(self, *tags: str) -> "Node | None":
        """Return the closest ancestor with one of the tags, or None."""
        at = self.parent
        while at is not None and at.tag not in tags:
            at = at.parent
        return at

    def __repr__(self) -> str:
        return f"Node(<{self.tag}> {self.text[:40]!r})"


class Tree:
    """The entries of extraction_capture.js: [depth, tag, attributes] and [depth, text]."""

    def __init__(self, entries: Iterable[list[Any]]) -> None:
        self.nodes: list[Node] = []
        self.texts: list[str] = []
        self.owned: dict[int, list[str]] = {}
        self.json: list[str] = []
        self._stack: list[Node] = []
        self._broken = False
        at = -1
        for at, entry in enumerate(entries):
            if self._stack and self._stack[-1].depth >= entry[0]:
                self._close(entry[0], at)
            if len(entry) == 2:
                self._text(str(entry[1]))
            elif entry[1] == "script":
                self.json.append(entry[2]["json"])
            else:
                self._open(at, entry)
        self._close(-1, at + 1)

    @property
    def root(self) -> Node:
        """The outermost element."""
        return self.nodes[0]

    def _open(self, at: int, entry: list[Any]) -> None:
        depth, tag, attrs = entry[0], entry[1], entry[2] or _NO_ATTRS
        parent = self._stack[-1] if self._stack else None
        node = Node(self, at, len(self.nodes), depth, tag, attrs, parent, len(self.texts))
        self._broken = self._broken or _breaks(node)
        self.nodes.append(node)
        if parent is not None and isinstance(parent.children, list):
            parent.children.append(node)
        elif parent is not None:
            parent.children = [node]
        self._stack.append(node)

    def _text(self, text: str) -> None:
        self.texts.append(("\v" if self._broken else "") + text)
        self._broken = False
        if self._stack:
            self.owned.setdefault(self._stack[-1].at, []).append(text)

    def _close(self, depth: int, at: int) -> None:
        while self._stack and self._stack[-1].depth >= depth:
            node = self._stack.pop()
            node.end, node.end_text, node.end_place = at, len(self.texts), len(self.nodes)
            self._broken = self._broken or _breaks(node)


def _breaks(node: Node) -> bool:
    flow = node.attrs.get("flow")
    return flow == "block" if flow else node.tag in _BLOCKS
