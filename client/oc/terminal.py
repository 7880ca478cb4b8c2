"""Writing to the terminal: results to stdout, sentences about them to stderr."""

from __future__ import annotations

import json
import os
import sys

from ocd.api import errors
from ocd.api.errors import OcdError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

# A page's text may hold terminal commands; on a terminal they are shown, not obeyed.
_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)), 0xFFFD)


def write(text: str) -> None:
    """Write a result to stdout: verbatim UTF-8 into a file or pipe, made harmless on a terminal."""
    stdout = sys.stdout
    encoding = "utf-8"
    if stdout.isatty():
        encoding, text = stdout.encoding or encoding, harmless(text)
    write_bytes(text.encode(encoding, "replace"))


def harmless(text: str) -> str:
    """Return text without the characters that command a terminal; tabs and line ends stay."""
    return text.translate(_CONTROLS)


def write_bytes(data: bytes) -> None:
    """Write bytes to stdout as they are, at once."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_line(text: str) -> None:
    """Write text to stdout, with a line end if it has none."""
    write(text if text.endswith("\n") else text + "\n")


def say(sentence: str) -> None:
    """Write one line about what happens to stderr."""
    encoding = sys.stderr.encoding or "utf-8"
    line = harmless(sentence).encode(encoding, "replace").decode(encoding, "replace")
    print(line, file=sys.stderr)


def failure(error: OcdError, *, as_json: bool, body: bytes = b"") -> int:
    """Report an error and return the exit status: Error and Hint on stderr, or JSON on stdout.

    `body` is the daemon's own reply, which then is printed as it came.
    """
    if as_json:
        write_bytes((body or json.dumps({"error": error.body()}).encode()).rstrip(b"\n") + b"\n")
    else:
        say_error(error.body())
    return errors.exit_status(error.code)


def _failures(error: dict[str, Any]) -> list[str]:
    """Return what there is to say of an error beside its message: a line for each part."""
    failed = error.get("failed")
    lines = [
        f"{one['field']!r}: {one['error']['message']}"
        for one in (failed if isinstance(failed, list) and len(failed) > 1 else ())
        if "field" in one
    ]
    choices = error.get("candidates") or error.get("options")
    if not lines and isinstance(choices, (list, tuple)):
        lines += [str(line) for line in choices]
    if "not_done" in error and "steps" in error:
        lines.append(f"Steps done: {len(error['steps'])}. Not done: {'; '.join(error['not_done'])}")
        lines.append(f"Now: {error.get('now', '')}")
    return lines


def say_error(error: dict[str, Any]) -> None:
    """Say an error, with the parts that failed, or its candidates or options."""
    say(f"Error: {error.get('message') or error.get('code')}")
    for one in _failures(error):
        say(f"  {one}")
    if error.get("hint"):
        say_hint(error["hint"])


def say_hint(hint: str, label: str = "Hint: ") -> None:
    """Say what to do, with commands where the daemon names calls."""
    from oc import hints

    say(label + hints.in_commands(hint))


def for_humans(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return a result as text: `key: value` lines, tables for lists of objects."""
    if isinstance(value, dict):
        return "\n".join(_object_lines(value)) or "Done"
    if isinstance(value, list):
        return _list(value) or "Nothing"
    return _scalar(value)


def table(rows: Iterable[dict[str, Any]], columns: Iterable[str] = ()) -> str:
    """Return rows as aligned columns below a header; a terminal's width cuts the last column."""
    rows = list(rows)
    names = list(columns) or list(dict.fromkeys(name for row in rows for name in row))
    lines = [[name.upper().replace("_", " ") for name in names]]
    lines += [[_cell(row.get(name)) for name in names] for row in rows]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    shown = ("  ".join(map(_pad, line, widths)).rstrip() for line in lines)
    return "\n".join(_fit_columns(shown))


def _object_lines(value: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    for key, item in value.items():
        if item and isinstance(item, (dict, list)) and not _is_flat(item):
            inner = for_humans(item).split("\n")
            lines += [f"{key}:", *("  " + line if line else "" for line in inner)]
        else:
            text = _scalar(item) if not isinstance(item, list) else ", ".join(map(_scalar, item))
            lines.append(f"{key}: {text}".rstrip())
    return lines


def _list(items: list[Any]) -> str:
    if not all(isinstance(item, dict) for item in items):
        return "\n".join(map(_scalar, items))
    if any(_is_long(text) for item in items for text in item.values()):
        return "\n\n".join("\n".join(_object_lines(item)) for item in items)
    return table(items)


def _is_flat(item: Any) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(item, list) and not any(isinstance(i, (dict, list)) for i in item)


def _is_long(text: object) -> bool:
    return isinstance(text, str) and (len(text) > 200 or "\n" in text)


def _scalar(value: Any) -> str:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        return value
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return json.dumps(value, ensure_ascii=False)


def _cell(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return "" if value is None else " ".join(_scalar(value).split())


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    import unicodedata

    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


def _pad(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _fit_columns(lines: Iterable[str]) -> Iterable[str]:
    if not sys.stdout.isatty():
        return lines
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
    except (OSError, ValueError):
        return lines
    return (line if _width(line) <= columns else line[: columns - 1] + "…" for line in lines)
