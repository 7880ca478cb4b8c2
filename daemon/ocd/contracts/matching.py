"""Matching in contracts: regular expressions in linear time, spellings, comparisons."""

import operator
import re
from collections.abc import Callable
from typing import Any, Literal

from ocd.api.errors import OcdError
from ocd.safety import regex

Op = Literal["eq", "ne", "lt", "lte", "gt", "gte"]
OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt,
    "lte": operator.le, "gt": operator.gt, "gte": operator.ge,
}  # fmt: skip
SIGNS = {"eq": "=", "ne": "≠", "lt": "<", "lte": "≤", "gt": ">", "gte": "≥"}
_MAX_PATTERN_LENGTH = 2000
_SPACES = re.compile(r"\s+")


def invalid(place: str, what: str, hint: str = "") -> OcdError:
    """Return the invalid_argument error of something at `place`, such as contract.and[1].op."""
    return OcdError(
        "invalid_argument", f"{place}: {what}", hint=hint, parameter=place, expected=what
    )


def collapse_whitespace(text: str) -> str:
    """Return the text with every run of white space as one space."""
    return _SPACES.sub(" ", text).strip()


def compile_pattern(pattern: str, place: str) -> Any:  # noqa: ANN401 - google-re2 has no types
    """Return the compiled pattern; invalid_argument, naming the place, for an invalid one."""
    return regex.compile_pattern(pattern, place, max_length=_MAX_PATTERN_LENGTH)


def pattern_matches(pattern: str, text: str) -> bool:
    """Return whether the pattern matches somewhere in the text; in linear time."""
    # Lone surrogates, which pages can hold, have no bytes.
    clean = text.encode("utf-8", "replace").decode()
    return compile_pattern(pattern, "").search(clean) is not None
