"""HTML without what its markup hides. What style sheets hide is marked by the browser."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_NEVER = frozenset(("script", "style", "template", "noscript", "datalist", "noembed", "noframes"))
_NEVER_SHOWN = f"{', '.join(sorted(_NEVER))}, input[type=hidden i]"
# How a browser, which knows the layout, marks an element that nobody can see
# (injected/pool/mark_hidden.js).
UNSEEN = "data-openchrome-unseen"
_HIDDEN = f"[hidden], dialog:not([open]), [{UNSEEN}]"
_LOOKED_AT = "[style], a[href^='javascript:' i], a[href*='@'], svg"
_HIDING_STYLE = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)"
    r"|opacity\s*:\s*(?:0++(?:\.0++)?|\.0++)|font-size\s*:\s*0(?:px|em|rem|%|pt)?"
    r"|content-visibility\s*:\s*hidden)"
    r"\s*(?:!important\s*)?(?:;|$)",
    re.IGNORECASE,
)
# "user:password@" before a host.
_LOGIN = re.compile(r"^(\s*(?:[a-z][a-z0-9+.-]*:)?//)[^/?#@\s]*@", re.IGNORECASE)
# Characters: what is shorter may be the beginning of a name.
_MIN_LABEL = 4
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def visible_html(tree: "LexborHTMLParser", *, without_spans: bool = False) -> str:
    """Return the HTML of what is shown, and use the tree up; drawings become their titles.

    without_spans: leave out `span` tags, which mean nothing to a converter and are a third of its
    work in code that is highlighted.
    """
    done: set[int] = set()
    # Inner ones first: an element that went with its parent must not be touched again. One that
    # several selectors match comes several times.
    for node in reversed(tree.css(f"{_NEVER_SHOWN}, {_HIDDEN}, {_LOOKED_AT}")):
        if node.mem_id not in done:
            done.add(node.mem_id)
            _show(node)
    if without_spans:
        _part_captions(tree)
        tree.unwrap_tags(["span"])
    return _without_comments(tree.html or "")


def _part_captions(tree: "LexborHTMLParser") -> None:
    """Put a space where a label in a caption, of a span, runs into the name that follows it."""
    for node in tree.css("figcaption span"):
        label, after = node.text(), node.next
        if after and len(label) >= _MIN_LABEL and label[-1].islower() and _is_name(after):
            node.insert_after(" ")


def _is_name(node: "LexborNode") -> bool:
    return (node.text() or "")[:1].isupper()


def shown_elements(tree: "LexborHTMLParser") -> str:
    """Return the HTML without elements that never show: scripts, templates, comments."""
    for node in reversed(tree.css(_NEVER_SHOWN)):
        node.decompose()
    return _without_comments(tree.html or "")


def is_hidden_by_markup(node: "LexborNode") -> bool:
    """Return whether an element's own markup hides it."""
    return _is_hidden(node, node.attributes)


def _show(node: "LexborNode") -> None:
    attributes = node.attributes
    if _is_hidden(node, attributes):
        node.decompose()
    elif node.tag == "svg":
        named = node.css_first("title")
        # A picture: the text beside it does not go on from its words.
        node.replace_with(f" {named.text()} " if named else "")
    elif node.tag == "a" and (href := attributes.get("href")):
        if href.lower().startswith("javascript:"):
            del node.attrs["href"]
        elif "@" in href:
            node.attrs["href"] = _LOGIN.sub(r"\1", href)


def _is_hidden(node: "LexborNode", attributes: Mapping[str, str | None]) -> bool:
    if node.tag in _NEVER or "hidden" in attributes or UNSEEN in attributes:
        return True
    if node.tag == "dialog":
        return "open" not in attributes
    if node.tag == "input" and (attributes.get("type") or "").lower() == "hidden":
        return True
    style = attributes.get("style")
    return style is not None and _HIDING_STYLE.search(style) is not None


def _without_comments(html: str) -> str:
    # A serialised document has "<!--" nowhere but in comments.
    return _COMMENT.sub("", html) if "<!--" in html else html
