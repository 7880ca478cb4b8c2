"""How texts are written: names in camelCase or snake_case, and long texts cut short."""

import re
from collections.abc import Mapping
from typing import TypeVar

V = TypeVar("V")

_WORD_START = re.compile(r"(?<=[a-z0-9])([A-Z])")


def snake_case(name: str) -> str:
    """Return the name in snake_case: `maxPages` becomes `max_pages`."""
    # Most names are in snake_case already, and this is asked several times a call.
    return name if name.islower() else _WORD_START.sub(r"_\1", name).lower()


def snake_case_keys(mapping: Mapping[str, V]) -> dict[str, V]:
    """Return the mapping with its own keys, but not those further inside, in snake_case."""
    return {snake_case(str(key)): value for key, value in mapping.items()}


def truncate(text: str, max_chars: int) -> str:
    """Return the text; one that is longer than `max_chars` is cut to that, `…` at its end."""
    return text if len(text) <= max_chars else f"{text[: max_chars - 1]}…"
