"""Formulas in pages, as LaTeX between dollar signs.

MathML, and the markup of KaTeX, MathJax, MediaWiki and documentation generators. LaTeX source in
the page is used as it is; only MathML without source is translated.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ocd.content.depth_limit import flat_tree
from ocd.content.page_features import Features
from ocd.content.visible_html import is_hidden_by_markup

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

# Characters that no text has (Unicode's noncharacters), around the number of a formula.
BEGIN, END = "\ufdd8", "\ufdd9"
_PLACE = re.compile(f"{BEGIN}([0-9]{{1,9}}){END}")
# MathJax 2 shows a formula beside the script that keeps its source.
_RENDERED = (
    ".MathJax, .MathJax_Display, .MathJax_Preview, .MathJax_CHTML, .MathJax_SVG, "
    ".MathJax_SVG_Display, .MJXc-display"
)
_PICTURES = (
    "img.mwe-math-fallback-image-inline, img.mwe-math-fallback-image-display, img.tex, img.latex, "
    "img.math"
)
_FORMULAS = (
    ".katex-display, .katex, mjx-container, .mwe-math-element, math, script[type^='math/'], "
    f".math, .arithmatex, math-renderer, [data-math-style], {_PICTURES}"
)
_DISPLAY_CLASSES = frozenset(
    (
        *("katex-display", "mwe-math-element-block", "mwe-math-fallback-image-display", "display"),
        *("mwe-math-mathml-display",),
    )
)
_SOURCE_ATTRIBUTE = "mjx-math[data-latex], math[data-latex], svg [data-latex]"
_PANDOC = frozenset(("inline", "display"))
# Between these stands the source of a formula that scripts are to draw; and whether it is a block.
_DELIMITERS = {r"\(": (r"\)", False), r"\[": (r"\]", True), "$$": ("$$", True), "$": ("$", False)}
_DELIMITER = re.compile(r"\\.|\$\$|\$", re.DOTALL)
_LOADS_MATH = re.compile(r"mathjax|katex", re.IGNORECASE)
_SETS_DOLLARS = re.compile(r"""["']\\?\$["']""")
_NO_TEXT = ("pre", "code", "script", "style", "textarea", "kbd", "samp", "title", "noscript")
# No block can stand in these.
_ONE_LINE = ("td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "a", "dt", "caption", "summary")
_CELLS = ("td", "th")
# Between lone dollar signs.
_MAX_INLINE = 1000
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_BLANKS = re.compile(r"\s+")
_STYLE = re.compile(r"\{\\(?:displaystyle|textstyle)\b ?(.*)\}", re.DOTALL)
_BAR = re.compile(r"\\?\|")


class _Formula(NamedTuple):
    node: "LexborNode"
    latex: str
    display: bool


class Formulas:
    """The formulas of one document: taken out of its tree, and put back into its text."""

    def __init__(self, tree: "LexborHTMLParser", html: str, features: Features) -> None:
        self._tree = tree
        self._written: list[str] = []
        if "formulas" in features:
            self._take_elements()
            if _LOADS_MATH.search(html):
                self._take_texts(dollars=_SETS_DOLLARS.search(html) is not None)

    def __bool__(self) -> bool:
        return bool(self._written)

    def write(self, text: str) -> str:
        """Return the text with each mark replaced by its formula."""
        return _PLACE.sub(lambda place: self._written[int(place[1])], text) if self else text

    def _take_elements(self) -> None:
        found = list(_outermost(self._tree.css(_FORMULAS)))
        if any(formula.node.tag == "script" for formula in found):
            for node in reversed(list(_without_inner(self._tree.css(_RENDERED)))):
                node.decompose()
        for formula in reversed(found):
            self._replace(formula)

    def _replace(self, formula: _Formula) -> None:
        above = list(_ancestors(formula.node))
        display = formula.display and not any(ancestor.tag in _ONE_LINE for ancestor in above)
        is_cell = any(ancestor.tag in _CELLS for ancestor in above)
        place = self._add(formula.latex, display=display, is_cell=is_cell)
        if display:
            block = self._tree.create_node("div")
            block.insert_child(place)
            formula.node.replace_with(block)
        else:
            formula.node.replace_with(place)

    def _add(self, latex: str, *, display: bool, is_cell: bool = False) -> str:
        """Store a formula and return the mark that represents it in the text; "" if it is empty."""
        if "%" in latex:
            latex = _COMMENT.sub("", latex)
        if is_cell:
            latex = _BAR.sub(lambda bar: r"\Vert " if bar[0] == r"\|" else r"\vert ", latex)
        latex = _BLANKS.sub(" ", latex).strip()
        if not latex:
            return ""
        mark = "$$" if display else "$"
        self._written.append(f"{mark}{latex}{mark}")
        return f"{BEGIN}{len(self._written) - 1}{END}"

    def _take_texts(self, *, dollars: bool) -> None:
        body = self._tree.body
        texts = [] if body is None else [
            node for node in body.traverse(include_text=True)
            if node.is_text_node and ("\\" in (text := node.text()) or (dollars and "$" in text))
        ]  # fmt: skip
        for node in texts:
            if not any(ancestor.tag in _NO_TEXT for ancestor in _ancestors(node)):
                text = node.text()
                parts = [
                    self._add(part, display=display) if display is not None else part
                    for part, display in _split(text, dollars=dollars)
                ]
                if len(parts) > 1 or parts[0] != text:
                    node.replace_with("".join(parts))


def _outermost(nodes: "list[LexborNode]") -> Iterator[_Formula]:
    """Yield the outermost formulas among elements that may be nested."""
    taken: set[int] = set()
    for node in nodes:
        if node.mem_id in taken or any(ancestor.mem_id in taken for ancestor in _ancestors(node)):
            continue
        formula = _formula(node)
        if formula is not None:
            taken.add(node.mem_id)
            yield formula


def _without_inner(nodes: "list[LexborNode]") -> "Iterator[LexborNode]":
    taken: set[int] = set()
    for node in nodes:
        if node.mem_id not in taken and not any(
            ancestor.mem_id in taken for ancestor in _ancestors(node)
        ):
            taken.add(node.mem_id)
            yield node


def _ancestors(node: "LexborNode") -> "Iterator[LexborNode]":
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def _formula(node: "LexborNode") -> _Formula | None:
    attributes = node.attributes
    classes = frozenset((attributes.get("class") or "").split())
    if node.tag == "script":
        return _from_script(node, attributes.get("type") or "")
    if node.tag == "math":
        return None if is_hidden_by_markup(node) else _from_math(node, node, classes)
    if node.tag == "img":
        return _of_source(node, attributes.get("alt"), display=bool(classes & _DISPLAY_CLASSES))
    if classes & {"katex-display", "katex", "mwe-math-element"} or node.tag == "mjx-container":
        return _from_container(node, classes)
    style = attributes.get("data-math-style")
    if style is not None:
        return _of_source(node, node.text(), display=style == "display")
    return _from_text(node, classes)


def _of_source(node: "LexborNode", source: str | None, *, display: bool) -> _Formula | None:
    source = (source or "").strip()
    styled = _STYLE.fullmatch(source)
    source = styled[1] if styled else source
    return _Formula(node, source, display) if source else None


def _from_script(node: "LexborNode", kind: str) -> _Formula | None:
    kind = kind.lower()
    if kind.startswith("math/tex"):
        return _of_source(node, node.text(), display="mode=display" in kind)
    if not kind.startswith("math/mml"):
        return None
    math = flat_tree(node.text()).css_first("math")
    return _from_math(node, math, frozenset()) if math is not None else None


def _from_math(node: "LexborNode", math: "LexborNode", classes: frozenset[str]) -> _Formula | None:
    from ocd.content.mathml import latex_of  # its tables are for pages with formulas

    attributes = math.attributes
    display = attributes.get("display") == "block" or attributes.get("mode") == "display"
    source = attributes.get("data-latex") or latex_of(math)
    return _of_source(node, source, display=display or bool(classes & _DISPLAY_CLASSES))


def _from_container(node: "LexborNode", classes: frozenset[str]) -> _Formula | None:
    display = bool(classes & _DISPLAY_CLASSES) or node.attributes.get("display") == "true"
    source = node.css_first(_SOURCE_ATTRIBUTE)
    if source is not None:
        return _of_source(node, source.attributes.get("data-latex"), display=display)
    picture = node.css_first(_PICTURES)
    if picture is not None and picture.attributes.get("alt"):
        display = display or "display" in (picture.attributes.get("class") or "")
        return _of_source(node, picture.attributes.get("alt"), display=display)
    math = node.css_first("math")
    found = _from_math(node, math, classes) if math is not None else None
    return found._replace(display=found.display or display) if found else None


def _from_text(node: "LexborNode", classes: frozenset[str]) -> _Formula | None:
    """Return the formula of an element that holds nothing but its source, between delimiters."""
    if any(one.is_element_node for one in node.iter(include_text=True)):
        return None
    text = node.text().strip()
    pieces = list(_split(text, dollars=True))
    if len(pieces) == 1 and (display := pieces[0][1]) is not None:
        return _of_source(node, pieces[0][0], display=display)
    if classes & _PANDOC and "math" in classes:
        return _of_source(node, text, display="display" in classes)
    return None


def _split(text: str, *, dollars: bool) -> "Iterator[tuple[str, bool | None]]":
    """Yield the text in pieces: (source, whether it is a block) of a formula, (text, None) else."""
    done, opening = 0, None
    for match in _DELIMITER.finditer(text):
        sign = match[0]
        if opening is not None:
            closing, display = _DELIMITERS[opening[0]]
            if sign == closing and _closes(text, opening.end(), match):
                if opening.start() > done:
                    yield text[done : opening.start()], None
                yield text[opening.end() : match.start()], display
                done, opening = match.end(), None
                continue
        # Money does not close: a dollar sign that stands open is left as it is.
        if (opening is None or opening[0] == "$") and _opens(text, match, dollars=dollars):
            opening = match
    if done < len(text) or not text:
        yield text[done:], None


def _opens(text: str, match: re.Match[str], *, dollars: bool) -> bool:
    sign = match[0]
    if sign == "$":
        return dollars and not text[match.end() : match.end() + 1].isspace()
    return sign in _DELIMITERS


def _closes(text: str, start: int, match: re.Match[str]) -> bool:
    """Return whether a delimiter ends a formula; a lone dollar sign may be one of money."""
    if match[0] != "$":
        return True
    before, after = text[match.start() - 1], text[match.end() : match.end() + 1]
    return start < match.start() <= start + _MAX_INLINE and not (
        before.isspace() or after.isdecimal()
    )
