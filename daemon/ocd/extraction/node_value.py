"""The value of an element for a field: its link, time, number or text."""

import re

from ocd.extraction.node_tree import Node
from ocd.extraction.numbers import minutes_in
from ocd.extraction.schema import SchemaField

_MARKED = ("data-price", "data-value", "data-rating")
_NUMBERS = re.compile(r"\d[\d.,]*(?:[ \u00a0]\d{3})*")


def plain_value_score(value: str, field: SchemaField) -> float:
    """Return a score for how well a text is a single value of the requested kind."""
    if field.kind not in ("number", "integer") or minutes_in(value) is not None:
        return 1
    return 1 if len(value) <= 40 and len(_NUMBERS.findall(value)) == 1 else 0.4


def field_value_of(node: Node, field: SchemaField) -> str:
    """Return an element's value for a field: its link target, its time or its text."""
    attrs = node.attrs
    if attrs.get("content"):
        return attrs["content"]
    if field.format in ("uri", "url"):
        return _address(node)
    if field.format.startswith("date"):
        dated = node if attrs.get("datetime") else node.first("time")
        return (dated.attrs.get("datetime", "") if dated else "") or node.text
    if node.tag in ("input", "select", "textarea", "meter", "data", "progress"):
        return attrs.get("value", "")
    if field.kind in ("number", "integer"):
        marked = next((attrs[key] for key in _MARKED if attrs.get(key)), "")
        return marked or current_text(node) or attrs.get("aria-label", "")
    if node.tag == "img":
        return attrs.get("alt") or attrs.get("src", "")
    return node.text or attrs.get("aria-label", "")


def _address(node: Node) -> str:
    for inner in (node, *node.inside()):
        for key in ("href", "src"):
            if inner.attrs.get(key):
                return inner.attrs[key]
    linked = node.within("a")
    return linked.attrs.get("href", "") if linked else ""


def current_text(node: Node) -> str:
    """Return the text of an element; if it has a struck-through price, the current one."""
    struck = [inner for inner in node.inside() if "struck" in inner.attrs or inner.tag == "del"]
    if not struck:
        return node.text
    for inner in node.inside():
        old = any(one.at <= inner.at < one.end for one in struck)
        if not old and any(letter.isdecimal() for letter in inner.own_text):
            return inner.text
    return node.own_text
