"""Declarative shadow DOM flattened to where a reader of the page sees it.

`<template shadowrootmode>` declares a custom element's shadow tree: its content replaces the
element's own children, which appear in its slots.
"""

import re
import secrets
from typing import TYPE_CHECKING

from ocd.content.depth_limit import flatten
from ocd.content.html_parser import parse_html

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_SIGN = "shadowrootmode"
_ROOTS = f"template[{_SIGN}]"
# Trees inside trees; what is deeper stays a template, which nobody sees.
_MAX_DEPTH = 32
_OPENING = re.compile(r"<template\b(?:[^>\"']|\"[^\"]*\"|'[^']*')*>", re.IGNORECASE)
# Stands for a piece until the tree is HTML again; no page can guess it.
_MARK = secrets.token_hex(8)
_PLACE = re.compile(rf"\[{_MARK}:(\d+)\]")


def compose(html: str) -> str:
    """Return the HTML with its shadow trees in place; the same string if it has none."""
    return _compose(flatten(html), 0) if _SIGN in html else html


def _compose(html: str, depth: int) -> str:
    tree = parse_html(html)
    pieces: list[str] = []
    # From the last to the first, so that hosts among a host's children are done before it.
    for template in reversed(tree.css(_ROOTS)):
        host = template.parent
        if host is None or not _is_first(template):
            continue
        kids = [one for one in host.iter(include_text=True) if one.mem_id != template.mem_id]
        inner = _inner(template)
        if _SIGN in inner and depth < _MAX_DEPTH:
            inner = _compose(inner, depth + 1)
        # What stands among the kids has been put in place before: pieces are whole.
        pieces.append(_join_pieces(_fill_slots(inner, kids), pieces))
        for one in [*kids, template]:
            one.decompose()
        host.insert_child(f"[{_MARK}:{len(pieces) - 1}]")
    return _join_pieces(_serialise(tree, fragment=depth > 0), pieces)


def _is_first(template: "LexborNode") -> bool:
    # A second one is an ordinary template.
    before = template.prev
    while before is not None:
        if before.tag == "template" and _SIGN in before.attributes:
            return False
        before = before.prev
    return True


def _inner(template: "LexborNode") -> str:
    # Selectors do not reach into a template, but its HTML has everything.
    html = template.html or ""
    opening = _OPENING.match(html)
    return html[opening.end() : -len("</template>")] if opening else ""


def _fill_slots(shadow: str, kids: list["LexborNode"]) -> str:
    """Return the shadow tree's HTML with the host's children in its slots."""
    if "<slot" not in shadow:
        return shadow
    waiting: dict[str, list[str]] = {}
    for child in kids:
        name = "" if child.tag == "-text" else child.attributes.get("slot") or ""
        waiting.setdefault(name, []).append(child.html or "")
    tree = parse_html(shadow)
    pieces: list[str] = []
    for slot in tree.css("slot"):
        assigned = waiting.pop(slot.attributes.get("name") or "", None)
        if assigned:  # else what the slot itself has stands there
            pieces.append("".join(assigned))
            slot.replace_with(f"[{_MARK}:{len(pieces) - 1}]")
    return _join_pieces(_serialise(tree, fragment=True), pieces)


def _serialise(tree: "LexborHTMLParser", *, fragment: bool) -> str:
    if not fragment:
        return tree.html or ""
    head, body = tree.head, tree.body
    return (head.inner_html or "" if head else "") + (body.inner_html or "" if body else "")


def _join_pieces(html: str, pieces: list[str]) -> str:
    return _PLACE.sub(lambda place: pieces[int(place[1])], html)
