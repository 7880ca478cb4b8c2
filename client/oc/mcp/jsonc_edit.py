"""JSON with comments and trailing commas: read it, and change one member without touching the rest.

Hosts' files are written by hand: comments, order and indentation are preserved.
"""

import json
import re
from typing import Any, NamedTuple

# An unterminated comment or string extends to the end, so that it is only searched once.
_STRING = r'"(?:[^"\\]++|\\.?)*+"?'
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_STRING_OR_COMMENT = re.compile(f"{_STRING}|{_COMMENT.pattern}", re.DOTALL)
_STRING_OR_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]*")


class _Member(NamedTuple):
    key: str
    start: int  # of the key's quote
    value: int
    end: int


def decode(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return the decoded value; raises ValueError, with the line, for invalid JSONC."""
    try:
        return json.loads(_bare(text))
    except json.JSONDecodeError as error:
        line = text.count("\n", 0, error.pos) + 1
        raise ValueError(f"{error.msg} in line {line}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def with_member(text: str, outer: str, name: str, value: dict[str, Any]) -> str:
    """Return the text with `value` as the member `name` of the root's object `outer`."""
    if not text.strip():
        return json.dumps({outer: {name: value}}, indent=2, ensure_ascii=False) + "\n"
    bare = _bare(text)
    root = _SPACE.match(bare)
    start = root.end() if root else 0
    unit = _unit(text, bare, start)
    found = _find(bare, start, outer)
    if found is None:
        return _insert(text, bare, start, outer, {name: value}, unit)
    own = _find(bare, found.value, name)
    if own is None:
        return _insert(text, bare, found.value, name, value, unit)
    margin = _margin(text, own.start) or ""
    return text[: own.value] + _dump(text, value, margin, unit) + text[own.end :]


def _bare(text: str) -> str:
    """Return the text with spaces for comments and trailing commas; positions are unchanged."""

    # Two passes, because a comma is also a trailing one if a comment follows it.
    def blank(match: re.Match[str]) -> str:
        piece = match[0]
        if piece.startswith("/*") and not (len(piece) > 3 and piece.endswith("*/")):
            line = text.count("\n", 0, match.start()) + 1
            raise ValueError(f"the comment that begins in line {line} has no end")
        return piece if piece.startswith('"') else " " * len(piece)

    return _STRING_OR_COMMA.sub(blank, _STRING_OR_COMMENT.sub(blank, text))


def _members(bare: str, start: int) -> list[_Member]:
    """Return the members of the object whose brace is at `start`, in a text that parses."""
    if bare[start : start + 1] != "{":
        raise ValueError("expected an object")
    decoder, found, at = json.JSONDecoder(), list[_Member](), _after_space(bare, start + 1)
    while bare[at] == '"':
        key, end = decoder.raw_decode(bare, at)
        value = _after_space(bare, _after_space(bare, end) + 1)  # after the colon
        _, end = decoder.raw_decode(bare, value)
        found.append(_Member(key, at, value, end))
        at = _after_space(bare, end)
        if bare[at] == ",":
            at = _after_space(bare, at + 1)
    return found


def _find(bare: str, start: int, key: str) -> _Member | None:
    # The last of two members with the same key counts.
    return next((m for m in reversed(_members(bare, start)) if m.key == key), None)


def _insert(
    text: str, bare: str, start: int, key: str, value: dict[str, Any], unit: str
) -> str:  # fmt: skip
    members = _members(bare, start)
    margin = _margin(text, members[0].start) if members else None
    if margin is None:
        margin = _line_margin(text, start) + unit
    line_end = _line_end(text)
    name = json.dumps(key, ensure_ascii=False)
    member = f"{line_end}{margin}{name}: {_dump(text, value, margin, unit)}"
    if not members:
        closing = "" if "\n" in bare[start : bare.index("}", start)] else line_end
        closing += _line_margin(text, start) if closing else ""
        return text[: start + 1] + member + closing + text[start + 1 :]
    last = members[-1].end
    following = _after_space(bare, last)
    newline = bare.find("\n", last, following)
    # A comment after the last member stays beside it.
    place = last if newline < 0 else newline - (bare[newline - 1] == "\r")
    gap = text[last:following]
    comma = "" if "," in _COMMENT.sub("", gap) else ","
    return text[:last] + comma + text[last:place] + member + text[place:]


def _dump(text: str, value: dict[str, Any], margin: str, unit: str) -> str:
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    return f"{_line_end(text)}{margin}".join(lines)


def _unit(text: str, bare: str, start: int) -> str:
    members = _members(bare, start)
    margin = (_margin(text, members[0].start) if members else None) or ""
    return margin.removeprefix(_line_margin(text, start)) or "  "


def _margin(text: str, at: int) -> str | None:
    """Return the indentation of a member that begins its line; None if it does not."""
    before = text[text.rfind("\n", 0, at) + 1 : at]
    return before if not before.strip() and "\n" in text[:at] else None


def _line_margin(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _after_space(bare: str, at: int) -> int:
    match = _SPACE.match(bare, at)
    return match.end() if match else at
