"""What a page shows as a flat list in document order, and the elements in it as ranges."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

_BLOCKS = frozenset(
    (  # noqa: SIM905 - a list of words a line
        "address article aside blockquote body dd details dialog div dl dt fieldset"
        " figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li main nav ol"
        " p pre section summary table tbody td tfoot th thead tr ul caption br iframe"
    ).split()
)
_SPACES = re.compile(r"\s+")


def squeeze(text: str) -> str:
    """Return the text on one line."""
    return _SPACES.sub(" ", text).strip()


@dataclass(eq=False)
class Node:
    """One element: entries `at` to `end` of its tree are it and what is inside."""

    tree: "Tree"
    at: int
    depth: int
    tag: str
    attrs: dict[str, str]
    parent: "Node | None"
    first_text: int
    end: int = 0
    end_text: int = 0
    kids: list["Node"] = field(default_factory=list)

    @cached_property
    def text(self) -> str:
        """What is shown of it, on one line."""
        return squeeze("".join(self.tree.texts[self.first_text : self.end_text]))

    @cached_property
    def lines(self) -> list[str]:
        """What is shown of it, a line for each block."""
        raw = "".join(self.tree.texts[self.first_text : self.end_text]).split("\v")
        return [line for line in map(squeeze, raw) if line]

    @cached_property
    def own_text(self) -> str:
        """The words directly in it."""
        return squeeze(" ".join(self.tree.owned.get(self.at, ())))

    def inside(self) -> Iterator["Node"]:
        """Yield the elements inside, in document order."""
        nodes = self.tree.nodes
        for place in range(self.tree.places[self.at] + 1, len(nodes)):
            if nodes[place].at >= self.end:
                return
            yield nodes[place]

    def first(self, *tags: str) -> "Node | None":
        """Return the first element inside with one of the tags."""
        return next((node for node in self.inside() if node.tag in tags), None)

    def within(self, *tags: str) -> "Node | None":
        """Return the closest element around it with one of the tags."""
        at = self.parent
        while at is not None and at.tag not in tags:
            at = at.parent
        return at

    def __repr__(self) -> str:
        return f"Node(<{self.tag}> {self.text[:40]!r})"


class Tree:
    """The entries that page/harvesting.js gives: [depth, tag, attributes] and [depth, text]."""

    def __init__(self, entries: list[list[Any]]) -> None:
        self.nodes: list[Node] = []
        self.texts: list[str] = []
        self.owned: dict[int, list[str]] = {}
        self.places: dict[int, int] = {}
        self.json: list[str] = []
        self._stack: list[Node] = []
        self._broken = False
        for at, entry in enumerate(entries):
            self._close(int(entry[0]), at)
            if len(entry) == 2:
                self._text(str(entry[1]))
            elif entry[1] == "script":
                self.json.append(entry[2]["json"])
            else:
                self._open(at, entry)
        self._close(-1, len(entries))

    @property
    def root(self) -> Node:
        """The element that everything is in."""
        return self.nodes[0]

    def _open(self, at: int, entry: list[Any]) -> None:
        depth, tag, attrs = int(entry[0]), str(entry[1]), entry[2] or {}
        parent = self._stack[-1] if self._stack else None
        node = Node(self, at, depth, tag, attrs, parent, len(self.texts))
        self._broken = self._broken or _breaks(node)
        self.places[at] = len(self.nodes)
        self.nodes.append(node)
        if parent is not None:
            parent.kids.append(node)
        self._stack.append(node)

    def _text(self, text: str) -> None:
        self.texts.append(("\v" if self._broken else "") + text)
        self._broken = False
        if self._stack:
            self.owned.setdefault(self._stack[-1].at, []).append(text)

    def _close(self, depth: int, at: int) -> None:
        while self._stack and self._stack[-1].depth >= depth:
            node = self._stack.pop()
            node.end, node.end_text = at, len(self.texts)
            self._broken = self._broken or _breaks(node)


def _breaks(node: Node) -> bool:
    flow = node.attrs.get("flow")
    return flow == "block" if flow else node.tag in _BLOCKS
