"""Texts that make a backtracking expression slow, made out of the expression itself.

Each shape is a function of a length, so that the same shape can be had at ten times the size:
one character over and over, two in turn, what an expression begins with over and over, and what
each of its repeats takes, over and over, behind what has to come before and with a tail that fails.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from support.expressions import Expression

# The parser of the standard library: private, but the only one that reads what `re` reads.
_parser: Any = importlib.import_module("re._parser")
_MAX_LETTERS = 14
_MAX_TEXT = 400
_FAILING = ("", "\0", "!\n", " \n!")
_WITNESSES = {
    "CATEGORY_SPACE": " ",
    "CATEGORY_DIGIT": "0",
    "CATEGORY_WORD": "a",
    "CATEGORY_NOT_SPACE": "a",
    "CATEGORY_NOT_DIGIT": "a",
    "CATEGORY_NOT_WORD": "-",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """A hostile text of any length: `head`, `pump` over and over, `tail`."""

    head: str
    pump: str
    tail: str

    def text(self, length: int) -> str:
        """Return the text with about `length` characters."""
        room = max(0, length - len(self.head) - len(self.tail))
        return self.head + self.pump * (room // len(self.pump)) + self.tail


# What no text of a single expression makes one think of.
ANY: tuple[Shape, ...] = tuple(
    Shape("", pump, tail)
    for pump, tail in (
        ("a", ""), ("a", "!"), (" ", "x"), ("\n", "x"), ("\t \n", "x"), ("0", "x"), ("9,", "x"),
        ("1.", ""), ("a/", "#"), ("/", "#"), ("..", "/"), ("%41", "%"), ("&a=", "#"), ("<", ""),
        ("<a ", ""), ("<!--", ""), ("<div>", ""), ("[", ""), ("](", ""), ("```\n", ""), ("`", "x"),
        ("{", ""), ('{"a":', ""), ("[1,", ""), ('"', ""), ("\\", '"'), ("é", "\u3000"), ("文", "!"),
        ("\u200b", "x"), ("\u00ad-", ""), ("\U0001f600", ""), ("a b ", "!"), ("a: b\n", ""),
        ("A", "a"), ("aB", "_"), ("a.", "@"), ("a@", ""), ("-", "x"), ("_", "-"), ("'", '"'),
    )
)  # fmt: skip


def shapes(expression: Expression) -> list[Shape]:
    """Return the hostile shapes of an expression."""
    pattern = expression.pattern
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    tree = _parser.parse(text, expression.compiled().flags & ~32)
    letters = _letters(tree)[:_MAX_LETTERS]
    seen: dict[Shape, None] = {}
    for one in letters:
        seen.update({Shape("", one, tail): None for tail in _FAILING[:2]})
    for one, other in pairwise([*letters, *letters[:1]]):
        seen[Shape("", one + other, "")] = None
    for before, body in _repeats(tree, ""):
        for pump in dict.fromkeys(one for one in body if one):
            seen.update({Shape(before, pump, tail): None for tail in _FAILING})
            if before:
                seen[Shape("", before + pump, "")] = None
                seen[Shape("", before, "")] = None
    whole = _least(tree)
    if whole:
        seen.update({Shape("", whole, ""): None, Shape("", whole[:-1] or whole, ""): None})
    return [shape for shape in seen if shape.pump]


def _letters(tree: Any) -> list[str]:  # noqa: ANN401 - the private parser's tree
    """Return the characters that an expression mentions, each class by its ends."""
    found: dict[str, None] = {}
    for op, value in _walk(tree):
        if op in ("LITERAL", "NOT_LITERAL"):
            found[chr(value)] = None
        elif op == "IN":
            found.update(dict.fromkeys(_members(value)))
    return [one for one in found if one < "\ud800" or one > "\udfff"]


def _walk(tree: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    for op, value in tree:
        yield str(op), value
        for part in _parts(str(op), value):
            yield from _walk(part)


def _parts(op: str, value: Any) -> list[Any]:  # noqa: ANN401
    if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return [value[2]]
    if op == "BRANCH":
        return list(value[1])
    if op == "SUBPATTERN":
        return [value[3]]
    if op in ("ASSERT", "ASSERT_NOT"):
        return [value[1]]
    return [value] if op == "ATOMIC_GROUP" else []


def _members(items: Any) -> list[str]:  # noqa: ANN401
    """Return characters that a class takes; one that it does not refuse, for [^…]."""
    found: list[str] = []
    for op, value in items:
        name = str(op)
        if name == "LITERAL":
            found.append(chr(value))
        elif name == "RANGE":
            found.append(chr(value[0]))
        elif name == "CATEGORY":
            found.append(_WITNESSES.get(str(value), "a"))
    if str(items[0][0]) == "NEGATE":
        return [one for one in "a 0-<é" if one not in found]
    return list(dict.fromkeys(found))


def _repeats(tree: Any, before: str) -> Iterator[tuple[str, list[str]]]:  # noqa: ANN401
    """Yield the prefix that each repeat needs, and the texts that its body matches."""
    for op, value in tree:
        name = str(op)
        for part in _parts(name, value):
            yield from _repeats(part, before)
        if name.endswith("REPEAT") and value[1] > 8:
            yield before, _bodies(value[2])
        before = (before + _least([(op, value)]))[:_MAX_TEXT]


def _bodies(tree: Any) -> list[str]:  # noqa: ANN401
    first = tree[0]
    if len(tree) == 1 and str(first[0]) == "IN":
        return _members(first[1])[:8]
    if len(tree) == 1 and str(first[0]) == "SUBPATTERN":
        return _bodies(first[1][3])
    if len(tree) == 1 and str(first[0]) == "BRANCH":
        return [text for part in first[1][1] if len(part) for text in _bodies(part)[:3]]
    if len(tree) == 1 and str(first[0]) in ("ANY", "NOT_LITERAL"):
        return ["a", " ", "<"]
    least = _least(tree)
    more = _least(tree, generous=True)
    return [one for one in (least, more) if one] or ["a"]


def _least(tree: Any, *, generous: bool = False) -> str:  # noqa: ANN401
    """Return a short text that an expression matches, ignoring look-around."""
    said = ""
    for op, value in tree:
        name = str(op)
        if name == "LITERAL":
            said += chr(value)
        elif name == "NOT_LITERAL":
            said += "b" if value == ord("a") else "a"
        elif name == "ANY":
            said += "a"
        elif name == "IN":
            said += (_members(value) or ["a"])[0]
        elif name.endswith("REPEAT"):
            times = max(value[0], 1) if generous and value[1] else value[0]
            said += _least(value[2], generous=generous) * min(times, _MAX_TEXT)
        elif name == "BRANCH":
            said += _least(value[1][0], generous=generous)
        elif name in ("SUBPATTERN", "ATOMIC_GROUP"):
            said += _least(_parts(name, value)[0], generous=generous)
    return said[:_MAX_TEXT]
