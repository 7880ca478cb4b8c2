"""Whether a page, as the server sent it, needs its scripts to show its content."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ocd.content.declarative_shadow import compose
from ocd.content.depth_limit import flat_tree
from ocd.crawl.fetch.replaced_elements import replaced_ids
from ocd.safety.regex import compile_re2

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

# A page with more text than this has content without scripts, whatever its markup.
ENOUGH_TEXT = 2000
_LITTLE_TEXT = 120
_DEMAND_TEXT = 500
_EMPTY_ROOT_TEXT = 40
_ROOTS = (
    "#root, #app, #__next, #__nuxt, #___gatsby, #svelte, #q-app, #main-app, #react-root, "
    "#app-root, #application, app-root, [ng-app], [data-ng-app], [data-reactroot]"
)
_ASKS = (
    r"(?i)(enable|require|need|turn on|activate|without)\w*\W+(?:\w+\W+){0,4}?(java\s?script|js)\b"
    r"|java\s?script (is |has been )?(disabled|required|not enabled|turned off)"
)
# Elements that contain the main content, most certain first; and those that never do.
_MAIN = ("main, [role=main]", "#main, #content, #main-content, article")
_AROUND = (
    "nav, header, footer, aside, dialog, [hidden], [role=navigation], [role=banner], "
    "[role=contentinfo], [role=complementary], [role=search], [role=dialog], [aria-hidden=true]"
)
# Where the links of a site are.
_NAVIGATION = "nav, [role=navigation], [id*=nav i], [class*=nav i], [id*=menu i], [class*=menu i]"
_SOMETHING = "img, picture, svg, video, audio, canvas, iframe, object, form, table, a[href]"
# Placeholders for text that scripts will load: by markup, and by words.
_PLACEHOLDERS = (
    "[aria-busy=true], [role=progressbar], [class*=skeleton i], [class*=spinner i], "
    "[class*=shimmer i], [class*=loading i], [class*=loader i], [class*=placeholder i], "
    "[id*=loading i], [id*=loader i]"
)
_MAX_PLACEHOLDER = 80
_WAITING = (
    r"(loading|please wait|one moment|just a moment|fetching|wird geladen|l[äa]dt|bitte warten|"
    r"chargement|veuillez patienter|cargando|carregando|caricamento|laden|laddar|indl[æa]ser|"
    r"[łl]adowanie|wczytywanie|načítání|yükleniyor|загрузка|завантаження|加载|載入|正在|読み込み|"
    r"ロード中|로딩|불러오는)"
)
_PLACEHOLDER_WORDS = rf"(?i)^\W*{_WAITING}\S*(?:\W*$|.*(?:…|\.\.\.)\W*$)"
# In the source of a page with much text around its main part: signs of a placeholder.
_MAY_WAIT = (
    r"(?i)aria-busy=.?true|class=[^<>]{0,200}(?:skeleton|spinner|shimmer)"
    rf"|>\s{{0,50}}{_WAITING}|<main[^<>]{{0,200}}>\s{{0,200}}</main"
)
# What makes a page of XML data, before its first element.
_STYLE_SHEET = (
    r"(?i)<\?xml-stylesheet\s[^<>?]{0,400}type\s?=\s?."
    r"(?:text/xsl|(?:text|application)/(?:xslt\+)?xml)\b"
)
_MAX_PROLOGUE = 2000
# Strings in scripts' data that count as prose: their least length, and number of words.
_PROSE, _PROSE_BLANKS = 40, 5
_DATA_LENGTH = 200_000
_DATA = "script[type='application/json' i]"
_NOSCRIPT = re.compile(r"<noscript\b[^<>]{0,200}>|</noscript", re.IGNORECASE)
_MAX_DEMAND = 2000
_TAG = re.compile(r"<[^<>]*>")
_DATA_SCRIPTS = ("json", "template", "importmap", "speculationrules")
_DROPPED = ("script", "style", "noscript", "template", "svg")


def needs_browser_reason(html: str, *, leads_on: bool = True) -> str:
    """Return why the page needs a browser, "" if it does not.

    leads_on: it has links to other pages of its site.
    """
    tree = flat_tree(compose(html))
    if not _has_scripts(tree):
        return "meta refresh" if _refreshes_blank(tree) else ""
    demand = _noscript_demand(html)
    data = "".join(node.text() for node in tree.css(_DATA))[:_DATA_LENGTH]
    script = "\n".join(node.text() for node in _scripts(tree))[:_DATA_LENGTH]
    tree.strip_tags(list(_DROPPED))
    root = _empty_root(tree)
    text = " ".join(tree.body.text(separator=" ").split()) if tree.body else ""
    if not leads_on and (name := _empty_navigation(tree)):
        return f"empty navigation {name}"
    if len(text) < ENOUGH_TEXT and (reason := _reason_of_little(tree, text, root, demand=demand)):
        return reason
    return _reason_of_main(tree, text, data, script)


def needs_xslt_reason(source: bytes) -> str:
    """Return why a document that is not HTML needs a browser, "" if it does not."""
    is_styled = _pattern(_STYLE_SHEET).search(source[:_MAX_PROLOGUE]) is not None
    return "an XSLT style sheet makes the page" if is_styled else ""


def may_need_browser(source: bytes) -> bool:
    """Return whether a page with much text is worth a call of `needs_browser_reason`."""
    return _pattern(_MAY_WAIT).search(source) is not None


def _reason_of_little(tree: "LexborHTMLParser", text: str, root: str, *, demand: bool) -> str:
    if root:
        return f"empty application root {root}"
    if demand and len(text) < _DEMAND_TEXT:
        return "noscript asks for JavaScript"
    if "{{" in text and "}}" in text:
        return "unfilled template"
    if len(text) < _DEMAND_TEXT and (name := _empty_element(tree)):
        return f"empty custom element <{name}>"
    if len(text) < _LITTLE_TEXT:
        return f"{len(text)} characters of text besides scripts"
    return ""


def _has_scripts(tree: "LexborHTMLParser") -> bool:
    return any(True for _ in _scripts(tree))


def _scripts(tree: "LexborHTMLParser") -> "Iterator[LexborNode]":
    for node in tree.css("script"):
        if not any(word in (node.attributes.get("type") or "") for word in _DATA_SCRIPTS):
            yield node


def _refreshes_blank(tree: "LexborHTMLParser") -> bool:
    node = tree.css_first("meta[http-equiv=refresh i]")
    text = tree.body.text(strip=True) if tree.body else ""
    target = (node.attributes.get("content") or "") if node else ""
    return "url" in target.lower() and len(text) < _LITTLE_TEXT


def _noscript_demand(html: str) -> bool:
    # From the source, because in <head> a parser without scripting moves the text out of it.
    return any(
        _pattern(_ASKS).search(_TAG.sub(" ", text).encode(errors="replace"))
        for text in _noscripts(html)
    )


def _noscripts(html: str) -> Iterator[str]:
    """Yield the contents of short noscript elements; each part of the source is read once."""
    start: int | None = None
    for mark in _NOSCRIPT.finditer(html):
        if mark[0].startswith("</"):
            if start is not None and mark.start() - start <= _MAX_DEMAND:
                yield html[start : mark.start()]
            start = None
        elif start is None or mark.end() - start > _MAX_DEMAND:
            start = mark.end()


@cache
def _pattern(source: str) -> Any:  # noqa: ANN401 - re2 has no types
    # RE2, because `re` would take quadratic time in the length of a word.
    return compile_re2(source.encode())


def _reason_of_main(tree: "LexborHTMLParser", text: str, data: str, script: str) -> str:
    """Return why the main content is still missing, whatever surrounds it."""
    for node in tree.css(_AROUND):
        node.decompose()
    parts = _main_parts(tree)
    main = " ".join(" ".join(node.text(separator=" ") for node in parts).split())
    reason = _reason_of_short_main(parts, main, text, data) if len(main) < _DEMAND_TEXT else ""
    if not reason and len(main) < ENOUGH_TEXT and (replaced := _replaced(parts, main, script)):
        return f"a script replaces #{replaced}"
    return reason


def _reason_of_short_main(parts: "Sequence[LexborNode]", main: str, text: str, data: str) -> str:
    if not parts:
        return ""
    if placeholder := _placeholder(parts):
        return f"placeholder {placeholder!r} in the main content"
    if parts[0].tag != "body" and len(main) < _EMPTY_ROOT_TEXT and not _has_visible_content(parts):
        return "empty main content"
    if _prose_length(data, text) > max(_DEMAND_TEXT, 2 * len(main)):
        return "its data has more than its text"
    return ""


def _main_parts(tree: "LexborHTMLParser") -> "list[LexborNode]":
    for selector in _MAIN:
        if found := tree.css(selector):
            return found
    return [tree.body] if tree.body else []


def _replaced(parts: "Sequence[LexborNode]", main: str, script: str) -> str:
    """Return the id of an element with most of the main content that a script replaces."""
    for element_id in replaced_ids(script):
        # An attribute selector, because an id may begin with a digit.
        nodes = (node for part in parts for node in part.css(f'[id="{element_id}"]'))
        if any(2 * len(" ".join(node.text(separator=" ").split())) > len(main) for node in nodes):
            return element_id
    return ""


def _has_visible_content(parts: "Sequence[LexborNode]") -> bool:
    return any(node.css_first(_SOMETHING) for node in parts)


def _placeholder(parts: "Sequence[LexborNode]") -> str:
    """Return the placeholder for text that scripts will load; "" if there is none."""
    for part in parts:
        for node in part.css(_PLACEHOLDERS):
            node_text = " ".join(node.text(separator=" ").split())
            if len(node_text) <= _MAX_PLACEHOLDER and not node.css_first("a[href], img"):
                return node_text or node.attributes.get("class") or f"<{node.tag}>"
        for text in part.text(separator="\n").splitlines():
            node_text = text.strip()
            if len(node_text) <= _MAX_PLACEHOLDER and _asks_to_wait(node_text):
                return node_text
    return ""


def _asks_to_wait(text: str) -> bool:
    return _pattern(_PLACEHOLDER_WORDS).search(text.encode(errors="replace")) is not None


def _prose_length(data: str, text: str) -> int:
    """Return the length of the prose in the page's data that is not in its text."""
    # Strings end at quotes; an escaped quote inside only cuts one into pieces.
    pieces = (piece for piece in data.split('"') if len(piece) >= _PROSE)
    prose = (piece for piece in pieces if piece.count(" ") >= _PROSE_BLANKS)
    return sum(len(piece) for piece in prose if piece[: _PROSE // 2] not in text)


def _empty_root(tree: "LexborHTMLParser") -> str:
    for node in tree.css(_ROOTS):
        if len(node.text(strip=True)) < _EMPTY_ROOT_TEXT and not node.css_first("img, a[href]"):
            name = node.attributes.get("id")
            return f"#{name}" if name else f"<{node.tag}>"
    return ""


def _empty_navigation(tree: "LexborHTMLParser") -> str:
    for node in tree.css(_NAVIGATION):
        if not node.text(strip=True) and not node.css_first("a[href]"):
            name = node.attributes.get("id")
            return f"#{name}" if name else f"<{node.tag}>"
    return ""


def _empty_element(tree: "LexborHTMLParser") -> str:
    """Return the name of a custom element that is still empty."""
    for node in tree.body.traverse() if tree.body else ():
        if "-" in (node.tag or "") and not (node.tag or "").startswith("-"):
            empty = len(node.text(strip=True)) < _EMPTY_ROOT_TEXT
            if empty and not node.css_first("img, a[href]"):
                return node.tag or ""
    return ""
