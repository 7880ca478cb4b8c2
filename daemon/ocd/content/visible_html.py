"""HTML without what its markup hides. What style sheets hide is marked by the browser."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from ocd.content.page_features import ALL_FEATURES, UNSEEN, Feature, Features

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_NEVER = frozenset(("script", "style", "template", "noscript", "datalist", "noembed", "noframes"))
_NEVER_SHOWN = f"{', '.join(sorted(_NEVER))}, input[type=hidden i]"
# What is looked at if the document may contain it.
_LOOKED_AT: dict[Feature, str] = {
    "data lists": "datalist",
    "dialogs": "dialog:not([open])",
    "hidden": "[hidden]",
    "inputs": "input[type=hidden i]",
    "logins": "a[href*='@']",
    "no frames": "noembed, noframes",
    "no scripts": "noscript",
    "script links": "a[href^='javascript:' i]",
    "scripts": "script",
    "style sheets": "style",
    "styles": "[style]",
    "templates": "template",
    "unseen": f"[{UNSEEN}]",
    "vector graphics": "svg",
}
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


def visible_html(
    tree: "LexborHTMLParser", features: Features = ALL_FEATURES, *, without_spans: bool = False
) -> str:
    """Return the HTML of what is shown, and use the tree up; drawings become their titles.

    Args:
        tree: the parsed document.
        features: what it may contain.
        without_spans: leave out `span` tags, which mean nothing to a converter and are a third of
            its work in code that is highlighted.
    """
    done: set[int] = set()
    selector = _selector(features)
    # Inner ones first: an element that went with its parent must not be touched again. One that
    # several selectors match comes several times.
    for node in reversed(tree.css(selector) if selector else ()):
        if node.mem_id not in done:
            done.add(node.mem_id)
            _show(node)
    if without_spans and "spans" in features:
        if "captions" in features:
            _part_captions(tree)
        tree.unwrap_tags(["span"])
    return _without_comments(tree.html or "")


@lru_cache(256)
def _selector(features: Features) -> str:
    return ", ".join(selector for feature, selector in _LOOKED_AT.items() if feature in features)


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
