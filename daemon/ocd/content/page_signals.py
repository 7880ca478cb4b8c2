"""A page's signals for crawlers: links beside anchors, robots, canonical URL."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_QUOTES = "\"'"
# Robots directives with a value after a colon, which is not a robot's name.
_WITH_VALUE = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")
_MAX_DIRECTIVES = 20
_MAX_DESCRIPTION = 2000
_MAX_LANGUAGE = 35
_GRAPH = "og:"
_MAX_GRAPH = 20
_MAX_GRAPH_NAME = 60
_MAX_GRAPH_VALUE = 1000


@dataclass(slots=True)
class PageSignals:
    """Hrefs as they are written. links: (href, "") of frames, refreshes and `link` elements.

    kinds: "frame", "refresh" or "link", for each of the links. unfollowed: hrefs of anchors with
    rel=nofollow. robots: directives in lower case. open_graph: by name without "og:", the first of
    each. Of description, language and open_graph a bounded part.
    """

    links: list[tuple[str, str]] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    description: str = ""
    language: str = ""
    open_graph: dict[str, str] = field(default_factory=dict)
    unfollowed: list[str] = field(default_factory=list)
    canonical: str = ""
    robots: list[str] = field(default_factory=list)


def read_signals(
    tree: "LexborHTMLParser", rels: Collection[str], product: str, *, may_unfollow: bool
) -> PageSignals:
    """Return the signals of a page.

    rels: relations of `link` elements that count as links. product: the robot whose own
    directives count beside those for all. may_unfollow: the page has the word "nofollow".
    """
    found = PageSignals()
    if tree.root is not None:
        found.language = (tree.root.attributes.get("lang") or "").strip()[:_MAX_LANGUAGE]
    for node in tree.css("meta, link[href], frame[src], iframe[src]"):
        if node.tag == "meta":
            _read_meta(found, node, product)
        elif node.tag == "link":
            _read_link(found, node, rels)
        else:
            found.links.append(((node.attributes.get("src") or "").strip(), ""))
            found.kinds.append("frame")
    if may_unfollow:
        marked = tree.css("a[rel~=nofollow i][href], area[rel~=nofollow i][href]")
        found.unfollowed = [(node.attributes.get("href") or "").strip() for node in marked]
    return found


def _read_meta(found: PageSignals, node: "LexborNode", product: str) -> None:
    attributes = node.attributes
    content = attributes.get("content") or ""
    if (attributes.get("http-equiv") or "").lower() == "refresh":
        if target := refresh_target(content):
            found.links.append((target, ""))
            found.kinds.append("refresh")
        return
    name = (attributes.get("name") or attributes.get("property") or "").lower()
    if name in ("robots", product.lower()):
        found.robots += _directives(content)
    elif name == "description":
        found.description = found.description or _one_line(content, _MAX_DESCRIPTION)
    elif name.startswith(_GRAPH) and content and len(found.open_graph) < _MAX_GRAPH:
        key = _one_line(name[len(_GRAPH) :], _MAX_GRAPH_NAME)
        found.open_graph.setdefault(key, _one_line(content, _MAX_GRAPH_VALUE))


def _one_line(text: str, length: int) -> str:
    return " ".join(text[: 4 * length].split())[:length]


def _read_link(found: PageSignals, node: "LexborNode", rels: Collection[str]) -> None:
    relations = (node.attributes.get("rel") or "").lower().split()
    href = (node.attributes.get("href") or "").strip()
    if "canonical" in relations:
        found.canonical = found.canonical or href
    elif any(relation in rels for relation in relations) and "stylesheet" not in relations:
        found.links.append((href, ""))
        found.kinds.append("link")


def refresh_target(content: str) -> str:
    """Return the address of a refresh (`5; url=/next`), "" for one of the page itself."""
    rest = content.strip().lstrip("0123456789.").lstrip(" \t\n\r\f;,")
    if rest[:3].lower() == "url" and (after := rest[3:].lstrip()).startswith("="):
        rest = after[1:].lstrip()
    if rest[:1] in _QUOTES and rest:
        rest = rest[1:].partition(rest[0])[0]
    return rest.strip()


def robots_tags(headers: Iterable[str], product: str) -> list[str]:
    """Return the directives of X-Robots-Tag headers that are meant for all robots, or for us."""
    found: list[str] = []
    for header in headers:
        name, colon, rest = header.partition(":")
        is_named = colon and "," not in name and name.strip().lower() not in _WITH_VALUE
        if not is_named:
            found += _directives(header)
        elif name.strip().lower() == product.lower():
            found += _directives(rest)
    return found


def _directives(text: str) -> list[str]:
    words = [word.strip().lower() for word in text.split(",")][:_MAX_DIRECTIVES]
    return [word for word in words if word]
