"""The language of a code block, as the markup gives it: on the block, inside it, or around it."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

# The class names of an element and of each around it, nearest first, by the element's identity.
ClassesAbove = dict[int, tuple[str, ...]]
# The class names of what is around a block, nearest first, each before a "|": how a browser hands
# them over (injected/capture/serialise_html.js).
WRAPPERS = "data-openchrome-wrappers"
_NAMED = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-(?:source-|text-)?|mw-highlight-lang-|src-|brush:\s?"
    r"|(?:sourceCode|hljs|prettyprint|highlight)\s(?=[a-z0-9+#]+(?:\s|;|$)))"
    r"(?P<name>[a-z0-9][\w+#.-]*)",
    re.IGNORECASE,
)
# Beyond this many ancestors only `language-` counts: it is what highlighters inherit.
_NEAR = 4
# Words in the same places that name no language of code.
_NOT_CODE = frozenset(
    (
        *("none", "notranslate", "nohighlight", "no-highlight", "code", "toggle", "linenums"),
        *("ar", "de", "en", "es", "fr", "he", "it", "ja", "ko", "nl", "pt", "ru", "sv", "zh"),
    )
)
# Names of languages that count as a class of their own on the block.
_BARE = frozenset(
    (
        *("bash", "c", "cpp", "csharp", "css", "go", "html", "java", "javascript", "js", "json"),
        *("kotlin", "php", "perl", "python", "ruby", "rust", "scala", "sh", "shell", "sql"),
        *("swift", "toml", "typescript", "xml", "yaml"),
    )
)
_ATTRIBUTES = ("data-lang", "data-language", "lang")
# Sphinx's word for code that is Python if it can be read as Python: then its words are marked.
_PYTHON_OR_NONE = "default"


def mark_languages(tree: "LexborHTMLParser") -> None:
    """Give each block of code of the tree its language as the one class that converters know."""
    above: ClassesAbove = {}
    for node in tree.css("pre, pre a[href]"):
        if node.tag == "a":
            del node.attrs["href"]  # links have no form inside of code
        elif language := language_of(node, above):
            node.attrs["class"] = f"language-{language}"
            inner = node.child
            if inner is not None and inner.tag == "code":
                inner.attrs["class"] = f"language-{language}"


def language_of(block: "LexborNode", above: ClassesAbove) -> str:
    """Return the language of a `pre` as the page names it, "" if it does not.

    above: a cache for the blocks of one tree.
    """
    language = _own_language(block) or _language_around(block, above)
    if language == _PYTHON_OR_NONE:
        return "python" if block.css_first("span ~ span") is not None else ""
    return language


def _own_language(block: "LexborNode") -> str:
    inner = block.child
    nodes = [block, inner] if inner is not None and inner.tag == "code" else [block]
    for attributes in filter(None, (node.attributes for node in nodes)):
        classes = attributes.get("class") or ""
        first = classes.split(" ", 1)[0]
        for name in (_language_in(classes), *map(attributes.get, _ATTRIBUTES), first):
            if name and name not in _NOT_CODE and (name is not first or first in _BARE):
                return name
    return ""


def _language_around(block: "LexborNode", above: ClassesAbove) -> str:
    wrappers = block.attributes.get(WRAPPERS)
    if wrappers is None:
        return _inherited_language(_classes_upward(block.parent, above))
    return _inherited_language(tuple(wrappers.split("|")))


def _classes_upward(node: "LexborNode | None", above: ClassesAbove) -> tuple[str, ...]:
    """Return the class names of an element and of each around it, nearest first."""
    unknown: list[LexborNode] = []
    while node is not None and node.mem_id not in above:
        unknown.append(node)
        node = node.parent
    classes = () if node is None else above[node.mem_id]
    for one in reversed(unknown):
        classes = above[one.mem_id] = (one.attributes.get("class") or "", *classes)
    return classes


@lru_cache(1000)  # a site has few of them
def _inherited_language(classes_above: tuple[str, ...]) -> str:
    """Return the language of the nearest class names that give one, "" if none do."""
    for place, classes in enumerate(classes_above):
        if (place < _NEAR or "language-" in classes) and (language := _language_in(classes)):
            return language
    return ""


@lru_cache(1000)
def _language_in(classes: str) -> str:
    """Return the language that class names give, "" if none does."""
    for match in _NAMED.finditer(classes):
        name = match["name"].lower().rstrip(".-")
        if name not in _NOT_CODE:
            return name
    return ""
