"""MathML to LaTeX. Presentation markup only; content markup becomes its text."""

import re
import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING

from ocd.content.latex_symbols import ACCENTS, FUNCTIONS, SYMBOLS

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_SOURCES = ("application/x-tex", "application/x-latex", "text/x-tex", "tex", "latex")
_NO_MARKUP = ("annotation", "annotation-xml", "none", "mprescripts")
_FONTS = {
    "bold": "mathbf", "bold-italic": "boldsymbol", "double-struck": "mathbb", "script": "mathcal",
    "bold-script": "mathcal", "fraktur": "mathfrak", "bold-fraktur": "mathfrak",
    "sans-serif": "mathsf", "bold-sans-serif": "mathsf", "monospace": "mathtt", "normal": "mathrm",
}  # fmt: skip
# How Unicode calls the letters of those fonts, in the order in which they are looked for.
_NAMED_FONTS = (
    ("DOUBLE-STRUCK", "mathbb"), ("FRAKTUR", "mathfrak"), ("BLACK-LETTER", "mathfrak"),
    ("SCRIPT", "mathcal"), ("SANS-SERIF", "mathsf"), ("MONOSPACE", "mathtt"), ("BOLD", "mathbf"),
)  # fmt: skip
_WITH_LIMITS = (
    r"\sum", r"\prod", r"\coprod", r"\bigcup", r"\bigcap", r"\bigoplus", r"\bigotimes",
    r"\bigvee", r"\bigwedge", r"\lim", r"\limsup", r"\liminf", r"\max", r"\min", r"\sup", r"\inf",
    r"\det", r"\gcd", r"\int", r"\iint", r"\iiint", r"\oint",
)  # fmt: skip
_OPENING = {"(": "(", "[": "[", "{": r"\{", "⟨": r"\langle", "⌊": r"\lfloor", "⌈": r"\lceil"}
_CLOSING = {")": ")", "]": "]", "}": r"\}", "⟩": r"\rangle", "⌋": r"\rfloor", "⌉": r"\rceil"}
_UPRIGHT = {"|": "|", "‖": r"\|", "∥": r"\|"}
_TALL = frozenset(("mfrac", "mtable", "munder", "mover", "munderover", "mroot"))
_MATRICES = {
    ("(", ")"): "pmatrix", ("[", "]"): "bmatrix", (r"\{", r"\}"): "Bmatrix", ("|", "|"): "vmatrix",
    (r"\|", r"\|"): "Vmatrix", (r"\{", ""): "cases",
}  # fmt: skip
_TEXT_ESCAPES = str.maketrans({sign: f"\\{sign}" for sign in "#$%&_{}"} | {"\\": r"\backslash "})
_TABLE_BEGIN, _TABLE_END = r"\begin{matrix}", r"\end{matrix}"
_MAX_DEPTH = 60
_BLANKS = re.compile(r"\s+")


def latex_of(formula: "LexborNode") -> str:
    """Return a `math` element as LaTeX: its own source, or translated from its markup."""
    for annotation in formula.css("annotation"):
        if (annotation.attributes.get("encoding") or "").strip().lower() in _SOURCES:
            return annotation.text().strip()
    return _row(formula, 0)


def _row(node: "LexborNode", depth: int) -> str:
    if depth > _MAX_DEPTH:
        return _text(node.text())
    return _joined(_kids(node), depth)


def _joined(nodes: "list[LexborNode]", depth: int) -> str:
    closings = _closings(nodes)
    parts, place = [], 0
    while place < len(nodes):
        closing = closings.get(place)
        if closing is not None and any(map(_is_tall, nodes[place + 1 : closing])):
            parts.append(_fenced(nodes[place : closing + 1], depth))
            place = closing + 1
        else:
            parts.append(_latex(nodes[place], depth + 1))
            place += 1
    return " ".join(filter(None, parts))


def _kids(node: "LexborNode") -> "list[LexborNode]":
    return [child for child in node.iter() if child.tag not in _NO_MARKUP]


def _latex(node: "LexborNode", depth: int) -> str:
    form = _FORMS.get(node.tag or "")
    return form(node, depth) if form else _row(node, depth)


def _group(node: "LexborNode | None", depth: int) -> str:
    return f"{{{_latex(node, depth + 1) if node is not None else ''}}}"


def _arguments(node: "LexborNode", count: int) -> "list[LexborNode | None]":
    # An empty argument is a `none`, which counts.
    nodes: list[LexborNode | None] = [
        child for child in node.iter() if child.tag not in ("annotation", "annotation-xml")
    ]
    return (nodes + [None] * count)[:count]


# --- letters and signs ------------------------------------------------------------------------


def _symbols(text: str) -> str:
    """Return the text with its signs as commands, with a space before a letter that follows."""
    parts = [SYMBOLS.get(sign) or _letter(sign) for sign in text]
    spaced = [
        f"{part} " if part.startswith("\\") and part[-1].isalpha() and after[:1].isalpha() else part
        for part, after in zip(parts, [*parts[1:], ""], strict=False)
    ]
    return "".join(spaced)


def _letter(sign: str) -> str:
    if sign.isascii() or sign in SYMBOLS:
        return SYMBOLS.get(sign, sign)
    plain = unicodedata.normalize("NFKC", sign)
    if plain == sign or len(plain) != 1:
        return plain
    name = unicodedata.name(sign, "")
    font = next((font for word, font in _NAMED_FONTS if word in name), "")
    letter = SYMBOLS.get(plain, plain)
    return rf"\{font}{{{letter}}}" if font else letter


def _identifier(node: "LexborNode", _depth: int) -> str:
    text = " ".join(node.text().split())
    variant = node.attributes.get("mathvariant") or ""
    if text in FUNCTIONS:
        return f"\\{text}"
    words = _symbols(text)
    if len(text) > 1 and text.isalpha() and text.isascii():
        return rf"\{_FONTS.get(variant, 'mathrm')}{{{text}}}"
    upright = variant == "normal" and not text.isascii()
    return rf"\{_FONTS[variant]}{{{words}}}" if variant in _FONTS and not upright else words


def _number(node: "LexborNode", _depth: int) -> str:
    words = _symbols("".join(node.text().split()))
    variant = node.attributes.get("mathvariant") or "normal"
    font = _FONTS.get(variant, "mathrm")
    return words if font == "mathrm" else rf"\{font}{{{words}}}"


def _operator(node: "LexborNode", _depth: int) -> str:
    text = " ".join(node.text().split())
    if text in FUNCTIONS:
        return f"\\{text}"
    if len(text) > 1 and text.isalpha() and text.isascii():
        return rf"\operatorname{{{text}}}"
    return _symbols(text)


def _words(node: "LexborNode", _depth: int) -> str:
    return _text(node.text())


def _text(words: str) -> str:
    squeezed = _BLANKS.sub(" ", words)
    return rf"\text{{{squeezed.translate(_TEXT_ESCAPES)}}}" if squeezed.strip() else ""


# --- fractions, roots, scripts ----------------------------------------------------------------


def _fraction(node: "LexborNode", depth: int) -> str:
    above, below = _arguments(node, 2)
    thickness = (node.attributes.get("linethickness") or "").strip()
    if thickness[:1] == "0" and not thickness.strip("0.pxemt%"):
        return rf"{{{_group(above, depth)} \atop {_group(below, depth)}}}"
    return rf"\frac{_group(above, depth)}{_group(below, depth)}"


def _square_root(node: "LexborNode", depth: int) -> str:
    return rf"\sqrt{{{_row(node, depth + 1)}}}"


def _root(node: "LexborNode", depth: int) -> str:
    inner, index = _arguments(node, 2)
    return rf"\sqrt[{_group(index, depth)[1:-1]}]{_group(inner, depth)}"


def _base(node: "LexborNode | None", depth: int) -> str:
    words = _latex(node, depth + 1) if node is not None else ""
    is_one = len(words) <= 1 or (words[0] == "\\" and words[1:].isalpha())
    return words if is_one else f"{{{words}}}"


def _script(node: "LexborNode | None", mark: str, depth: int) -> str:
    words = _latex(node, depth + 1) if node is not None else ""
    if mark == "^" and words and not words.strip("'"):
        return words  # primes
    return f"{mark}{words if len(words) == 1 else f'{{{words}}}'}" if words else ""


def _scripts(marks: str) -> "Callable[[LexborNode, int], str]":
    def write(node: "LexborNode", depth: int) -> str:
        base, *rest = _arguments(node, 1 + len(marks))
        scripts = [_script(one, mark, depth) for one, mark in zip(rest, marks, strict=True)]
        return _base(base, depth) + "".join(scripts)

    return write


def _limits(marks: str) -> "Callable[[LexborNode, int], str]":
    def write(node: "LexborNode", depth: int) -> str:
        base, *rest = _arguments(node, 1 + len(marks))
        words = _base(base, depth)
        for one, mark in zip(rest, marks, strict=True):
            words = _over_or_under(words, one, mark, depth)
        return words

    return write


def _over_or_under(base: str, node: "LexborNode | None", mark: str, depth: int) -> str:
    text = "".join(node.text().split()) if node is not None else ""
    if base.startswith(_WITH_LIMITS):
        return base + _script(node, mark, depth)
    inner = base[1:-1] if base.startswith("{") and base.endswith("}") else base
    if (accent := ACCENTS.get((mark, text))) is not None:
        return rf"{accent}{{{inner}}}"
    if base.startswith((r"\underbrace", r"\overbrace")):
        return base + _script(node, mark, depth)
    command = r"\overset" if mark == "^" else r"\underset"
    return rf"{command}{_group(node, depth)}{{{inner}}}" if text else base


def _multiscripts(node: "LexborNode", depth: int) -> str:
    first, *rest = list(node.iter()) or [node]
    scripts = {"before": "", "after": ""}
    side, mark = "after", "_"
    for child in rest:
        if child.tag == "mprescripts":
            side, mark = "before", "_"
            continue
        if child.tag != "none":
            scripts[side] += _script(child, mark, depth)
        mark = "^" if mark == "_" else "_"
    base = "" if first is node else _base(first, depth)
    return f"{'{}' if scripts['before'] else ''}{scripts['before']}{base}{scripts['after']}"


# --- fences and tables ------------------------------------------------------------------------


def _closings(nodes: "list[LexborNode]") -> dict[int, int]:
    """Return where each fence of a row closes; one past the row's end for the brace of cases."""
    signs = {at: one.text().strip() for at, one in enumerate(nodes) if one.tag == "mo"}
    found: dict[int, int] = {}
    opened: list[int] = []
    for at, sign in signs.items():
        if sign in _OPENING:
            opened.append(at)
        elif opened and sign in _CLOSING:
            found[opened.pop()] = at
    last = len(nodes) - 1
    if last > 1 and signs.get(0, "") in _UPRIGHT and signs.get(last, "") in _UPRIGHT:
        found[0] = last
    if opened and opened[-1] == last - 1 and nodes[-1].tag == "mtable":
        found[last - 1] = last + 1
    return found


def _fenced(nodes: "list[LexborNode]", depth: int) -> str:
    fences = _OPENING | _CLOSING | _UPRIGHT
    closing = fences.get(nodes[-1].text().strip(), "") if nodes[-1].tag == "mo" else ""
    inner = nodes[1:-1] if closing else nodes[1:]
    return _with_fences(fences[nodes[0].text().strip()], closing, _joined(inner, depth + 1))


def _with_fences(opening: str, closing: str, words: str) -> str:
    name = _MATRICES.get((opening, closing), "")
    is_table = words.startswith(_TABLE_BEGIN) and words.endswith(_TABLE_END)
    if name and is_table and words.count(_TABLE_BEGIN) == 1:
        rows = words[len(_TABLE_BEGIN) : -len(_TABLE_END)]
        return rf"\begin{{{name}}}{rows}\end{{{name}}}"
    return rf"\left{opening or '.'} {words} \right{closing or '.'}"


def _is_tall(node: "LexborNode") -> bool:
    return node.tag in _TALL or node.css_first("mfrac, mtable") is not None


def _fence_element(node: "LexborNode", depth: int) -> str:
    attributes = node.attributes
    opening, closing = attributes.get("open", "("), attributes.get("close", ")")
    signs = (attributes.get("separators", ",") or "").replace(" ", "")
    words = ""
    for place, one in enumerate(_kids(node)):
        sign = signs[min(place - 1, len(signs) - 1)] if place and signs else ""
        words += f"{_symbols(sign)}{' ' if place else ''}{_latex(one, depth + 1)}"
    fences = _OPENING | _CLOSING | _UPRIGHT
    return _with_fences(fences.get(opening or "", ""), fences.get(closing or "", ""), words)


def _table(node: "LexborNode", depth: int) -> str:
    rows = [
        " & ".join(_row(cell, depth + 2) for cell in row.iter() if cell.tag == "mtd")
        for row in node.iter()
        if row.tag in ("mtr", "mlabeledtr")
    ]
    lines = r" \\ ".join(rows)
    return f"{_TABLE_BEGIN} {lines} {_TABLE_END}"


def _enclosed(node: "LexborNode", depth: int) -> str:
    inner = _row(node, depth + 1)
    notation = (node.attributes.get("notation") or "").split()
    if "box" in notation or "roundedbox" in notation:
        return rf"\boxed{{{inner}}}"
    if "updiagonalstrike" in notation or "downdiagonalstrike" in notation:
        return rf"\cancel{{{inner}}}"
    if "radical" in notation:
        return rf"\sqrt{{{inner}}}"
    return inner


def _first(node: "LexborNode", depth: int) -> str:
    nodes = _kids(node)
    return _latex(nodes[0], depth + 1) if nodes else ""


def _phantom(node: "LexborNode", depth: int) -> str:
    inner = _row(node, depth + 1)
    return rf"\phantom{{{inner}}}" if inner else ""


def _space(node: "LexborNode", _depth: int) -> str:
    width = node.attributes.get("width") or ""
    return r"\quad" if width in ("1em", "2em") else ""


_FORMS: "dict[str, Callable[[LexborNode, int], str]]" = {
    "mi": _identifier, "mn": _number, "mo": _operator, "mtext": _words, "ms": _words,
    "mspace": _space, "mfrac": _fraction, "msqrt": _square_root, "mroot": _root,
    "msub": _scripts("_"), "msup": _scripts("^"), "msubsup": _scripts("_^"),
    "munder": _limits("_"), "mover": _limits("^"), "munderover": _limits("_^"),
    "mmultiscripts": _multiscripts, "mfenced": _fence_element, "mtable": _table,
    "menclose": _enclosed, "mphantom": _phantom, "semantics": _first, "maction": _first,
}  # fmt: skip
