"""TOML: change one table of a file without touching the rest of it, comments included."""

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

_HEADER = re.compile(r"\s*\[\[?([^\[\]\n]+)\]\]?\s*(#.*)?$")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def with_table(text: str, path: tuple[str, ...], value: dict[str, Any]) -> str:
    """Return the text with `value` as the table `path`; it stands where an old one stood, or last.

    What the table says inside of another one (`servers = { … }`) is not found: the result then
    does not parse, or means something else. The caller compares.
    """
    line_end = "\r\n" if "\r\n" in text else "\n"
    new = line_end.join(_render(path, value)) + line_end
    lines = text.splitlines(keepends=True)
    blocks = list(_blocks(lines, path))
    if not blocks:
        gap = line_end if text.strip() else ""
        end = "" if not text or text.endswith("\n") else line_end
        return text + end + gap + new
    first = blocks[0][0]
    kept = [line for i, line in enumerate(lines) if not any(a <= i < b for a, b in blocks)]
    # Nothing before the first block is left out.
    return "".join(kept[:first]) + new + "".join(kept[first:])


def _blocks(lines: list[str], path: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield from where to where the table and its subtables stand, each without what follows it."""
    headers = [(i, key) for i, line in enumerate(lines) if (key := _header(lines, i, line))]
    start: int | None = None
    for number, key in [*headers, (len(lines), ())]:
        own = key[: len(path)] == path
        if start is None and own:
            start = number
        elif start is not None and not own:
            # Comments right above the next table are about that.
            end = number
            while not lines[end - 1].partition("#")[0].strip():
                end -= 1
            yield start, end
            start = None


def _header(lines: list[str], number: int, line: str) -> tuple[str, ...]:
    """Return the keys of a table's header; () if the line is none (it may be part of a string)."""
    match = _HEADER.match(line)
    if match is None:
        return ()
    try:
        tomllib.loads("".join(lines[:number]))
        table: Any = tomllib.loads(f"[{match[1]}]")
    except tomllib.TOMLDecodeError:
        return ()
    keys = []
    while table:
        [(key, table)] = table.items()
        keys.append(key)
    return tuple(keys)


def _render(path: tuple[str, ...], value: dict[str, Any]) -> Iterator[str]:
    yield f"[{'.'.join(map(_key, path))}]"
    for key, item in value.items():
        if not isinstance(item, dict):
            yield f"{_key(key)} = {_value(item)}"
    for key, item in value.items():
        if isinstance(item, dict):
            yield ""
            yield from _render((*path, key), item)


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _value(key)


def _value(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(k)} = {_value(v)}' for k, v in value.items())} }}"
    if isinstance(value, (str, bool, int, float)):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value)  # a date or a time
