"""Markup without a form in the converter: marked in the HTML, and written out afterwards.

Definitions become list items with a colon as bullet, columns get their alignment, and backticks in
text are escaped. Also corrects what the converter leaves in text: superfluous escapes, blank lines,
and comment openers. Code is never changed.
"""

import re
from collections.abc import Iterator
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING
from urllib.parse import quote

from ocd.content.formulas import BEGIN, END, Formulas

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

# Characters that no text has (Unicode's noncharacters).
_DEFINITION, _TICK, _LEFT, _CENTRE, _RIGHT = "\ufdd3", "\ufdd4", "\ufdd5", "\ufdd6", "\ufdd7"
_DOLLAR, _EMPTY_LINE, _EXCLAMATION, _BRACKET = "\ufdda", "\ufddb", "\ufddc", "\ufdd2"
# Between quotes, and between lists, that follow each other.
_APART, _LISTS_APART = "\ufddd", "\ufdde"
_SIGNS = re.compile("[\ufdd0-\ufddf]")
_ALL = (
    _DEFINITION, _TICK, _LEFT, _CENTRE, _RIGHT, _DOLLAR, _EMPTY_LINE, _EXCLAMATION, _APART,
    _LISTS_APART, _BRACKET, BEGIN, END,
)  # fmt: skip
_SIGN_OF = {"left": _LEFT, "center": _CENTRE, "right": _RIGHT}
_RULE_OF = {_LEFT: ":--", _CENTRE: ":-:", _RIGHT: "--:"}
_ALIGNMENT = re.compile(r"(?:^|;)\s*text-align\s*:\s*(left|center|right)", re.IGNORECASE)
_ALIGNED_CELL_SELECTOR = "tr > [align], tr > [style*='text-align' i]"
_MAX_COLUMNS = 100

_DEFINITIONS = re.compile(r"<dd\s(?:[^<>=]++|=\"[^\"]*\"|=)*+>(?!\s*+</dd>)")
_EMPTY_DEFINITION = re.compile(r"<dd>\s*+</dd>")
_CODE_TAGS = ("pre", "code", "kbd", "samp", "tt")
_LINES_TAGS = ("pre", "textarea")  # that keep their lines

_ALIGNED = re.compile(r"^(?P<head>[ >]*+\|[^\n]*+)\n(?P<rule>[ >]*+\|[ |-]*+)$", re.MULTILINE)
_ALIGNED_CELL = re.compile(r"\\\||(?P<pipe>\|)|(?P<sign>[\ufdd5-\ufdd7])")
# A block of another kind than a paragraph cannot stand behind a colon.
_DEFINED = re.compile(
    r"\n\n(?P<indent>[ >]*)\ufdd3(?:\n+[ >]*)?(?P<block>(?=```|\||[-+*>#] |\d+\. ))?"
)
_BLANK_LINES = re.compile(r"\n{3,}")
_BEFORE_FENCE = re.compile(r"[ >]*(?:(?:[-:]|\d+\.) +)*")
# Each begins with a plain character, and looks behind after it: what begins with looking behind is
# tried at each character of the text.
_ESCAPED_INSIDE = re.compile(r"\\_(?<=[^\W_]\\_)(?=[^\W_])")
# Spans of code first, so that they are passed over; then what is put right outside of them.
_REPAIRS = re.compile(
    r"`(?<![\\`]`)(?P<span>`(?!`)(?:[^`\n]++|`(?!`))*+``(?!`)|[^`\n]++`)"
    r"|\\(?P<word>_)(?<=[^\W_]\\_)(?=[^\W_])"
    r"|\\(?P<lone>\*)(?<=[^\S\n]\\\*)(?=\s)"
    r"|<(?P<comment>!--)(?<!\\<!--)"
)
_REFERENCE = re.compile(r"^([ >]*+(?:(?:[-*:]|\d++[.)]) ++)*+\[[^\[\]\n]++)\]:", re.MULTILINE)
_TO_REPAIR = ("\\", "\n\n\n", "<!--", "]:")
_WRITTEN = [
    (sign, quote(sign), character)
    for sign, character in ((_TICK, "`"), (_DOLLAR, "$"), (_EXCLAMATION, "!"), (_BRACKET, "]"))
]
# What both signs have in common there.
_QUOTED = quote(_TICK)[:-1]
_REPAIRED = {"word": "_", "lone": "*", "comment": r"\<!--"}


def mark_alignment(tree: "LexborHTMLParser") -> None:
    """Put a sign into the first cell of each column whose cells are aligned by their markup."""
    if tree.css_first(_ALIGNED_CELL_SELECTOR) is None:
        return
    for table in tree.css("table"):
        first = table.css_first("tr")
        second = table.css_first("tr + tr, thead + tbody > tr")
        heads = _cells(first)
        for head, cell in zip_longest(heads, _cells(second)[: len(heads)]):
            sign = (cell and _sign(cell)) or _sign(head)
            if sign:
                head.insert_child(sign)


def _cells(row: "LexborNode | None") -> "list[LexborNode]":
    """Return the cells of a row, [] if one of them spans several columns."""
    cells = [cell for cell in row.iter() if cell.tag in ("td", "th")] if row is not None else []
    return [] if any("colspan" in cell.attributes for cell in cells) else cells[:_MAX_COLUMNS]


def _sign(cell: "LexborNode") -> str:
    attributes = cell.attributes
    styled = _ALIGNMENT.search(attributes.get("style") or "")
    return _SIGN_OF.get((styled[1] if styled else attributes.get("align") or "").lower(), "")


def mark_definitions(html: str) -> str:
    """Return serialised HTML with signs where definitions begin."""
    html = _EMPTY_DEFINITION.sub("", html).replace("<dd>", f"<dd>{_DEFINITION}")
    return _DEFINITIONS.sub(rf"\g<0>{_DEFINITION}", html) if "<dd " in html else html


def mark_empty_lines(html: str) -> str:
    """Return serialised HTML with a sign on the last line of each block of code that ends empty."""
    for end in ("</pre>", "</code></pre>"):
        html = html.replace(f"\n\n{end}", f"\n{_EMPTY_LINE}{end}")
    return html


# A break within a text before what would begin a block of its own in Markdown, or one with empty
# lines, which would part it; code keeps both.
_BREAK = re.compile(
    r"\n(?:\s*+(?=(?:[-+*]|#{1,6}|\d{1,9}[.)])\s|-+[ \t]*+[\n<]|=+[ \t]*+[\n<]|&gt;|~~~)(?P<sign>)"
    r"|[ \t]*+\n\s*+)"
)
_BROKEN_WORDS = re.compile(r' (?:alt|title)="[^"\n]*+\n[^"]*+"')
_ADJACENT_QUOTES = re.compile(r"</blockquote>\s*+(?=<blockquote)")
_APART_LINE = re.compile(rf"\n[ >]*{_APART}")

_BULLET, _OTHER_BULLET = "-", "*"
# Elements that may stand around a list and leave no trace in Markdown.
_WRAPPERS = (
    "div|section|article|nav|aside|header|footer|main|span|p|center|form|fieldset|figure|address"
)
_ADJACENT_LISTS = re.compile(
    rf"</(?:ul|menu)>(?:\s++|</?(?:{_WRAPPERS})(?:\s(?:[^<>=]++|=\"[^\"]*\"|=)*+)?>)*+"
    r"(?=<(?:ul|menu)[\s>])"
)


def join_lines(html: str) -> str:
    """Return serialised HTML without line breaks that would begin blocks within a text."""
    joined, done, depth = list[str](), 0, 0
    for match in _BREAK.finditer(html):
        start, end = match.span()
        if html[end : end + 1] == "<" and html[start - 1] == ">":
            continue  # between tags, most of them
        before = html[done:start]
        depth += sum(before.count(f"<{tag}") - before.count(f"</{tag}") for tag in _LINES_TAGS)
        one_line = "\n" if match["sign"] is None else " "
        joined += (before, match[0] if depth > 0 else one_line)
        done = end
    return "".join((*joined, html[done:]))


def join_attributes(html: str) -> str:
    """Return the same with the descriptions of pictures and titles of links on one line."""
    return _BROKEN_WORDS.sub(lambda match: " " + " ".join(match[0].split()), html)


def mark_exclamations(html: str) -> str:
    """Return the same with signs for exclamation marks that would make a picture of a link."""
    return _mark_outside_code(html, "!<a ", f"{_EXCLAMATION}<a ")


def mark_brackets(html: str) -> str:
    """Return the same with signs for brackets that would make a link of a text like `[a](b)`."""
    return _mark_outside_code(html, "](", f"{_BRACKET}(")


def mark_quotes(html: str) -> str:
    """Return the same with signs between quotes, which would become one."""
    return _ADJACENT_QUOTES.sub(f"</blockquote><p>{_APART}</p>", html)


def mark_lists(html: str) -> str:
    """Return serialised HTML with a sign between bulleted lists that follow each other."""
    return _ADJACENT_LISTS.sub(rf"\g<0>{_LISTS_APART}", html)


def without_signs(html: str) -> str:
    """Return the text without the characters that are signs here."""
    return _SIGNS.sub("", html) if any(map(html.__contains__, _ALL)) else html


def mark_ticks(html: str) -> str:
    """Return serialised HTML with signs for its backticks outside code, which has its own."""
    return _mark_outside_code(html, "`", _TICK) if "`" in html else html


def mark_dollars(html: str) -> str:
    """Return the same for dollar signs, which would begin a formula in text that has formulas."""
    return _mark_outside_code(html, "$", _DOLLAR) if "$" in html else html


def _mark_outside_code(html: str, character: str, sign: str) -> str:
    tags = [name for name in _CODE_TAGS if f"<{name}" in html]
    parts = html.split(character)
    marked = [parts[0]]
    depth = 0
    for before, after in pairwise(parts):
        depth += sum(before.count(f"<{name}") - before.count(f"</{name}") for name in tags)
        marked += (character if depth > 0 else sign, after)
    return "".join(marked)


def write_signs(text: str, *, has_backslashes: bool, formulas: Formulas | None = None) -> str:
    """Return the converter's Markdown with the signs written out, and put right outside code.

    has_backslashes: whether the page itself has any; otherwise all of them are escapes.
    """
    if _DEFINITION in text:
        text = _DEFINED.sub(_define, text)
    if any(map(text.__contains__, _RULE_OF)):
        text = _ALIGNED.sub(_align, text)
    text = _part_lists(text)
    text = _separate_quotes(text) if _has_quotes(text) else text
    if any(map(text.__contains__, _TO_REPAIR)):
        repair = _repair_text if has_backslashes or "<!--" in text else _relax_escapes
        text = "".join(
            one if is_code else _escape_references(repair(one)) for one, is_code in _fences(text)
        )
    has_quoted = _QUOTED in text  # in addresses of links
    for sign, quoted, character in _WRITTEN:
        if sign in text:
            text = text.replace(sign, f"\\{character}")
        if has_quoted:
            text = text.replace(quoted, quote(character, "$"))
    return without_signs(formulas.write(text) if formulas else text)


def _part_lists(text: str) -> str:
    """Return Markdown in which every second of such lists has other bullets, without the signs."""
    if _LISTS_APART not in text:
        return text
    lines: list[str] = []
    bullets: dict[str, str] = {}  # by what stands before the lists' items
    parted = ("", -1)
    for line in text.split("\n"):
        if not line.endswith(_LISTS_APART) or line.strip(" >") != _LISTS_APART:
            lines.append(_with_bullets(line, bullets) if bullets else line)
            continue
        prefix = line[: -len(_LISTS_APART)]
        if lines and not lines[-1].strip(" >"):
            lines.pop()
        if parted != (prefix, len(lines)):  # a list between them was not empty
            parted = (prefix, len(lines))
            bullets[prefix] = _other(bullets.get(prefix, _BULLET))
    return "\n".join(lines).replace(f" {_LISTS_APART} ", " ").replace(_LISTS_APART, "")


def _other(bullet: str) -> str:
    return _OTHER_BULLET if bullet == _BULLET else _BULLET


def _with_bullets(line: str, bullets: dict[str, str]) -> str:
    """Return a line with the bullet of its list; forget the bullets of lists that have ended."""
    for before in list(bullets):
        rest = line[len(before) :] if line.startswith(before) else ""
        if rest.startswith(f"{_BULLET} ") or rest == _BULLET:
            line = f"{before}{bullets[before]}{rest[1:]}"
        elif not rest.startswith((" ", _LISTS_APART)) if rest else line.strip(" >"):
            del bullets[before]
    return line


_QUOTED_LINE = re.compile(r"(?P<quote>(?:[ ]*+>)++ )(?P<rest>[^\n]*+)")
_LIST_LINE = re.compile(r"(?:[-+*]|\d+[.)]) | ")
_LATER_QUOTE = re.compile(r"\n *+>")


def _has_quotes(text: str) -> bool:
    """Return whether a line begins as one of a quote does."""
    return text.startswith(">") or _LATER_QUOTE.search(text) is not None


def _separate_quotes(text: str) -> str:
    """Return text whose quotes, and the blocks in these, end before what follows."""
    text = _APART_LINE.sub("", text) if _APART in text else text
    return "".join(one if is_code else _end_blocks(one) for one, is_code in _fences(text))


def _end_blocks(text: str) -> str:
    """Return text with an empty line after lists and tables in quotes, which else go on."""
    lines: list[str] = []
    quote, kind = "", ""
    for line in text.split("\n"):
        if line.endswith(">") and lines and lines[-1] == line and not line.strip(" >"):
            continue
        quoted = _QUOTED_LINE.match(line)
        before = (quote, kind)
        quote, kind = (quoted["quote"], _kind_of(quoted["rest"])) if quoted else ("", "")
        ends = kind != "list" and kind != before[1]
        if quoted and ends and before in ((quote, "list"), (quote, "table")):
            lines.append(quote.rstrip())
        lines.append(line)
    return "\n".join(lines)


def _kind_of(line: str) -> str:
    return "list" if _LIST_LINE.match(line) else "table" if line.startswith("|") else "text"


def _define(match: re.Match[str]) -> str:
    return f"\n{match['indent']}: " if match["block"] is None else f"\n\n{match['indent']}"


def _align(match: re.Match[str]) -> str:
    head, rule = match["head"], match["rule"].split("|")
    if not _SIGNS.search(head):
        return match[0]
    column = 0
    for one in _ALIGNED_CELL.finditer(head):
        if one["pipe"]:
            column += 1
        elif one["sign"] and column < len(rule):
            rule[column] = f" {_RULE_OF[one['sign']]} "
    return f"{_SIGNS.sub('', head)}\n{'|'.join(rule)}"


def _fences(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the text in pieces, each with whether it is a fenced code block."""
    done = at = looked = line = 0
    tried = -1  # the line whose first backticks were looked at: others begin no block
    while (at := text.find("```", at)) >= 0:
        end = at + 3
        while text.startswith("`", end):
            end += 1
        line = (text.rfind("\n", looked, at) + 1) or line
        looked = at
        closing = -1
        if line != tried and _BEFORE_FENCE.fullmatch(text, line, at):
            closing = text.find(text[at:end], end)
        tried = line
        if closing >= 0:
            yield text[done:at], False
            done = closing + end - at
            yield text[at:done], True
            end = done
        at = end
    yield text[done:], False


def _relax_escapes(text: str) -> str:
    """Return a text without the escapes of characters inside words, or between spaces."""
    if "\n\n\n" in text:
        text = _BLANK_LINES.sub("\n\n", text)
    if r"\_" in text:
        text = _ESCAPED_INSIDE.sub("_", text)
    return text.replace(r" \* ", " * ")


def _escape_references(text: str) -> str:
    """Return a text in which no line like `[a]: b` is the address of a link, which nobody sees."""
    return _REFERENCE.sub(r"\1\]:", text) if "]:" in text else text


def _repair_text(text: str) -> str:
    """Do the same where spans of code may have what looks like escapes, or comments begin."""
    if "\n\n\n" in text:
        text = _BLANK_LINES.sub("\n\n", text)
    if not (r"\_" in text or r"\*" in text or "<!--" in text):
        return text
    return _REPAIRS.sub(lambda match: _REPAIRED.get(match.lastgroup or "", match[0]), text)
