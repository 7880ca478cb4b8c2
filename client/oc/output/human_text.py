"""Results as text for people: lines, lists, and tables that fit the terminal."""

from __future__ import annotations

import json
import sys

from ocd.api import terminal_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_GAP = "  "
_MIN_COLUMN = 6  # the narrowest column
_URL, _MIN_URL = "url", 32


def for_humans(value: Any, indent: int = 0) -> str:  # noqa: ANN401 - any JSON value
    """Return a result as text: `key: value` lines, tables for lists of objects.

    indent: how far the caller will indent it.
    """
    if isinstance(value, dict):
        return "\n".join(_object_lines(value, indent)) or "Done"
    if isinstance(value, list):
        return _list(value, indent) or "Nothing"
    return scalar(value)


def _object_lines(value: dict[str, Any], indent: int) -> list[str]:
    lines: list[str] = []
    for key, item in value.items():
        if item and isinstance(item, (dict, list)) and not _is_flat(item):
            inner = for_humans(item, indent + 2).split("\n")
            lines += [f"{key}:", *("  " + line if line else "" for line in inner)]
        else:
            text = scalar(item) if not isinstance(item, list) else ", ".join(map(scalar, item))
            text = "none" if item in ([], {}) else text
            lines.append(f"{key}: {text}".rstrip())
    return lines


def _list(items: list[Any], indent: int) -> str:
    if not all(isinstance(item, dict) for item in items):
        return "\n".join(map(scalar, items))
    if any(_is_long(text) for item in items for text in item.values()):
        return "\n\n".join("\n".join(_object_lines(item, indent)) for item in items)
    return table(items, indent=indent)


def _is_flat(item: Any) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(item, list) and not any(isinstance(i, (dict, list)) for i in item)


def _is_long(text: object) -> bool:
    return isinstance(text, str) and (len(text) > 200 or "\n" in text)


def scalar(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return a value on one line: text as it is, booleans as yes and no, else JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return json.dumps(value, ensure_ascii=False)


def table(rows: Iterable[dict[str, Any]], columns: Iterable[str] = (), *, indent: int = 0) -> str:
    """Return rows as aligned columns below a header, no wider than the terminal.

    Long cells are cut to fit, except in the first column, which names the row. URLs of which little
    would be left are printed in full below their rows. If even that does not fit, each row is a
    block of lines. indent: how far the caller will indent it.
    """
    rows = list(rows)
    names = list(columns) or list(dict.fromkeys(name for row in rows for name in row))
    titles = [name.upper().replace("_", " ") for name in names]
    cells = [[_cell(row.get(name)) for name in names] for row in rows]
    widths = [max(map(width_of, column)) for column in zip(titles, *cells, strict=True)]
    limit = terminal_text.columns(sys.stdout)
    if limit is not None and _total(widths) + indent > limit:
        # Titles that are longer than their cells are cut first.
        needed = [max(_MIN_COLUMN, *map(width_of, column)) for column in zip(*cells, strict=True)]
        fitting = _fit(list(map(min, widths, needed)), widths[0], limit - indent)
        if fitting is None:
            return _blocks(titles, cells, limit - indent)
        place = names.index(_URL) if _URL in names else 0
        if place and fitting[place] < min(_MIN_URL, widths[place]):
            return _urls_below(rows, names, limit, indent)
        widths = fitting
    lines = (_GAP.join(map(_pad, line, widths)).rstrip() for line in (titles, *cells))
    return "\n".join(lines)


def _urls_below(rows: list[dict[str, Any]], names: list[str], limit: int, indent: int) -> str:
    """Return a table without its URLs, and below each row its URL, wrapped."""
    import textwrap

    title, *lines = table(rows, [name for name in names if name != _URL], indent=indent).split("\n")
    found = [title]
    for line, row in zip(lines, rows, strict=True):
        below = textwrap.wrap(_cell(row.get(_URL)), limit - indent - 4, break_on_hyphens=False)
        found += [line, *(f"    {part}" for part in below)]
    return "\n".join(found)


def _total(widths: list[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _fit(widths: list[int], first: int, limit: int) -> list[int] | None:
    """Return widths that fit, by narrowing the widest but the first; None if that fails."""
    for most in range(max(widths), _MIN_COLUMN - 1, -1):
        found = [first, *(min(width, most) for width in widths[1:])]
        if _total(found) <= limit:
            break
    else:
        return None
    for place, width in enumerate(widths):
        found[place] += max(0, min(limit - _total(found), width - found[place]))
    return found


def _blocks(titles: list[str], cells: list[list[str]], limit: int) -> str:
    named = ([f"{title.lower()}: {text}" for title, text in zip(titles, row, strict=True) if text]
             for row in cells)  # fmt: skip
    blocks = ([line for one in lines for line in terminal_text.fill(one, limit)] for lines in named)
    return "\n\n".join(map("\n".join, blocks))


def _cell(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return "" if value is None else " ".join(scalar(value).split())


def width_of(text: str) -> int:
    """Return how many columns of the terminal a text takes."""
    if text.isascii():
        return len(text)
    import unicodedata

    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


def _pad(text: str, width: int) -> str:
    cell = cut(text, width, plain=terminal_text.is_ascii(sys.stdout))
    return cell + " " * (width - width_of(cell))


def cut(text: str, width: int, *, plain: bool) -> str:
    """Return the text cut to the width, with dots (ASCII if `plain`) in place of the rest."""
    if width_of(text) <= width:
        return text
    dots = "..." if plain else "…"
    room, length = width - len(dots), 0
    for length, character in enumerate(text):  # noqa: B007 - where it ends is what counts
        room -= width_of(character)
        if room < 0:
            break
    return text[:length].rstrip() + dots
