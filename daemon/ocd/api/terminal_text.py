"""Text that fits a terminal: its width, its character set, and columns."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

_NARROWEST, _WIDEST = 40, 200
_DEFAULT_COLUMNS = 80
_MIN_SECOND_COLUMN = 30  # columns for a text beside a name; with fewer it stands below


def columns(stream: TextIO) -> int | None:
    """Return the width to write for, 40 to 200 columns; None if the stream is not a terminal."""
    if not stream.isatty():
        return None
    try:
        width = int(os.environ.get("COLUMNS") or os.get_terminal_size(stream.fileno()).columns)
    except (OSError, ValueError):
        return _DEFAULT_COLUMNS
    # A terminal that does not know its size says 0.
    return max(_NARROWEST, min(width, _WIDEST)) if width > 0 else _DEFAULT_COLUMNS


def columns_of_help(stream: TextIO) -> int:
    """Return the width of help: the terminal's; into a pipe $COLUMNS, or 80."""
    piped = os.environ.get("COLUMNS", "")
    width = columns(stream) or (int(piped) if piped.isdecimal() else _DEFAULT_COLUMNS)
    return max(_NARROWEST, min(width, _WIDEST))


def is_ascii(stream: TextIO) -> bool:
    """Return whether only ASCII may be drawn: the encoding has no more, or the locale is C."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_CTYPE", "LANG"))), "C")
    encoding = (stream.encoding or "ascii").lower().replace("-", "")
    return not encoding.startswith("utf") or locale in ("C", "POSIX")


def is_dumb() -> bool:
    """Return whether the terminal cannot go back in a line."""
    return os.environ.get("TERM", "dumb") in ("", "dumb", "unknown")


def fill(text: str, width: int) -> list[str]:
    """Return a paragraph as lines; all but the first are indented."""
    import textwrap

    return textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False)


def two_columns(rows: Iterable[tuple[str, str]], width: int, indent: int = 2) -> list[str]:
    """Return names and texts in two columns; on narrow terminals, the text goes below the name."""
    import textwrap

    rows, lines = list(rows), list[str]()
    left = min(max((len(name) for name, _ in rows), default=0), max(16, width // 3))
    for name, text in rows:
        first = f"{'':{indent}}{name.ljust(left)}  "
        if len(name) > left or width < left + _MIN_SECOND_COLUMN:
            lines += textwrap.wrap(
                name, width, initial_indent=" " * indent, subsequent_indent=" " * (indent + 2),
                break_on_hyphens=False,
            )  # fmt: skip
            first = " " * (indent + 4)
        lines += textwrap.wrap(
            text, width, initial_indent=first, subsequent_indent=" " * len(first),
            break_on_hyphens=False,
        ) or ([] if first.isspace() else [first.rstrip()])  # fmt: skip
    return lines
