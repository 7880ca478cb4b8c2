"""What a page tells those who follow links: targets beside anchors, robots, the canonical URL."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_QUOTES = "\"'"
# Directives of robots that have a value behind a colon, which is no name of a robot.
_WITH_VALUE = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")
_MAX_DIRECTIVES = 20


@dataclass(slots=True)
class PageSignals:
    """Hrefs as they are written. links: (href, "") of frames, refreshes and `link` elements.

    unfollowed: hrefs of anchors with rel=nofollow. robots: directives in lower case.
    """

    links: list[tuple[str, str]] = field(default_factory=list)
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
    for node in tree.css("meta, link[href], frame[src], iframe[src]"):
        if node.tag == "meta":
            _read_meta(found, node, product)
        elif node.tag == "link":
            _read_link(found, node, rels)
        else:
            found.links.append(((node.attributes.get("src") or "").strip(), ""))
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
    elif (attributes.get("name") or "").lower() in ("robots", product.lower()):
        found.robots += _directives(content)


def _read_link(found: PageSignals, node: "LexborNode", rels: Collection[str]) -> None:
    relations = (node.attributes.get("rel") or "").lower().split()
    href = (node.attributes.get("href") or "").strip()
    if "canonical" in relations:
        found.canonical = found.canonical or href
    elif any(one in rels for one in relations) and "stylesheet" not in relations:
        found.links.append((href, ""))


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
