"""How long the texts of an error may be.

Much of an error comes from elsewhere at any length: an address, a script's exception, what the
caller named. Errors are not stored as outputs, so nothing else keeps them from filling a model's
context or a task's meta.json.
"""

from typing import Any

from ocd.api.errors import OcdError

# A path of the longest length that systems allow still fits.
MAX_TEXT_CHARS = 4_096


def bound_error(error: OcdError) -> OcdError:
    """Return the error with its texts cut to MAX_TEXT_CHARS; secrets must be masked before."""
    details = _bounded(error.details)
    return OcdError(error.code, _cut(error.message), hint=_cut(error.hint), **details)


def _bounded(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        return _cut(value)
    if isinstance(value, dict):
        return {_bounded(key): _bounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_bounded(item) for item in value]
    return value


def _cut(text: str) -> str:
    if len(text) <= MAX_TEXT_CHARS:
        return text
    note = f"… ({len(text):,} characters)"
    return text[: MAX_TEXT_CHARS - len(note)] + note
