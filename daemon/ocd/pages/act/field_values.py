"""The values that callers give to fields, as texts and as lists."""

from collections.abc import Sequence

from ocd.pages.act.field_errors import value_error
from ocd.pages.locate.target import Target

Value = str | bool | int | float | Sequence[str] | None

_TRUE_WORDS = {"true", "yes", "on", "1", "checked", "y"}
_FALSE_WORDS = {"false", "no", "off", "0", "unchecked", "n", ""}


def as_text(value: Value) -> str:
    """Return a value as text, in the form that fields accept."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ", ".join(value)
    return "" if value is None else str(value)


def as_values(value: Value) -> list[str]:
    """Return a value as the texts of its parts."""
    return list(value) if isinstance(value, (list, tuple)) else [as_text(value)]


def is_bool(value: Value) -> bool:
    """Whether a value says that a box is to be ticked, or not: a number or no text does not."""
    word = as_text(value).strip().lower()
    return word not in ("", "0", "1") and word in _TRUE_WORDS | _FALSE_WORDS


def as_bool(target: Target, value: Value) -> bool:
    """Return whether a box is to be ticked; raises wrong_value if the value does not say."""
    word = as_text(value).strip().lower()
    if word in _TRUE_WORDS or word in _FALSE_WORDS:
        return word in _TRUE_WORDS
    raise value_error(target, f"it accepts true or false, not {word!r}.", "Pass true or false.")
