"""Patterns and words of contracts: regular expressions in linear time, spellings, comparisons."""

import operator
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

from ocd.api.errors import OcdError

Op = Literal["eq", "ne", "lt", "lte", "gt", "gte"]
OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt,
    "lte": operator.le, "gt": operator.gt, "gte": operator.ge,
}  # fmt: skip
SIGNS = {"eq": "=", "ne": "≠", "lt": "<", "lte": "≤", "gt": ">", "gte": "≥"}
_MAX_PATTERN = 2000
_SPACES = re.compile(r"\s+")


def invalid(place: str, what: str, hint: str = "") -> OcdError:
    """Return the invalid_argument error of something at `place`, such as contract.and[1].op."""
    return OcdError(
        "invalid_argument", f"{place}: {what}", hint=hint, parameter=place, expected=what
    )


def snake(name: str) -> str:
    """Return the name in snake_case."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def collapse_whitespace(text: str) -> str:
    """Return the text with every run of white space as one space."""
    return _SPACES.sub(" ", text).strip()


def compile_pattern(pattern: str, place: str) -> None:
    """Raise invalid_argument, naming the place, for what is no regular expression of RE2."""
    import re2

    try:
        _compile(pattern)
    except re2.error as error:
        said = error.args[0]
        reason = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
    except UnicodeEncodeError:
        reason = "lone surrogates"
    else:
        return
    raise invalid(
        place, f"not a regular expression of RE2: {reason}",
        "Syntax: https://github.com/google/re2/wiki/Syntax (no look-around, no \\1).",
    )  # fmt: skip


@lru_cache(256)
def _compile(pattern: str) -> Any:  # noqa: ANN401 - re2 has no types
    import re2  # only contracts with patterns pay for it

    options = re2.Options()
    options.log_errors = False
    if len(pattern) > _MAX_PATTERN:
        raise re2.error(f"longer than {_MAX_PATTERN} characters")
    return re2.compile(pattern, options)


def pattern_matches(pattern: str, text: str) -> bool:
    """Return whether the pattern matches somewhere in the text; in linear time."""
    # Lone surrogates, which pages can hold, have no bytes.
    clean = text.encode("utf-8", "replace").decode()
    return _compile(pattern).search(clean) is not None
