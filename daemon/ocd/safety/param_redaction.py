"""Redaction of a call's parameters for storage: no secrets, nothing long."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from ocd.safety import secrets
from ocd.safety.redact import MASK, MAX_DEPTH, mask_values, redact, without_header_values

# A longer string is cut; an action with such a string cannot be replayed unchanged.
MAX_CHARACTERS = 20_000
MAX_ITEMS = 100
# So many characters beyond the cut are searched, too: half of a secret is not recognised.
_BEYOND = 4096
# With these errors no element was found, so the value that was meant for it may be a password.
_NOT_FOUND = frozenset(("stale_ref", "element_not_found", "ambiguous"))

# Whether the value for an element of these names may be a password.
IsPasswordField = Callable[[set[str]], bool]


class RedactedParams:
    """A call's parameters as journal, recording and recent actions store them.

    The caller's own values are kept as long as this object: whoever keeps it for longer than the
    call keeps `shortened()`.
    """

    __slots__ = ("_params", "_redacted")

    def __init__(self, params: Mapping[str, Any], secret_names: Collection[str] = ()) -> None:
        """`secret_names`: the parameters that are declared as secret."""
        self._params: Mapping[str, Any] = {
            name: MASK if value is not None and name in secret_names else value
            for name, value in params.items()
        }
        self._redacted: Any = None

    def prepare(self) -> None:
        """Redact the parts that do not depend on how the call ends, unless that is done already."""
        if self._redacted is None:
            self._redacted = redact(without_header_values(truncate(self._params, MAX_CHARACTERS)))

    def written(
        self,
        is_password_field: IsPasswordField | None,
        error: str | None,
        max_chars: int = MAX_CHARACTERS,
    ) -> Any:  # noqa: ANN401 - any JSON value
        """Return the parameters without secrets and passwords, their strings cut.

        Args:
            is_password_field: tells whether a parameter was typed into a password field; None if
                the call has touched none.
            error: the code of the error that the call ended with.
            max_chars: the longest string, at most MAX_CHARACTERS.
        """
        if self._redacted is None and max_chars < MAX_CHARACTERS:
            short = redact(without_header_values(truncate(self._params, max_chars)))
            return _without_passwords(short, is_password_field, error)
        self.prepare()
        params = _without_passwords(self._redacted, is_password_field, error)
        return truncate(params, max_chars) if max_chars < MAX_CHARACTERS else params

    def shortened(self) -> "RedactedParams":
        """Return the same with its long strings cut."""
        return RedactedParams(truncate(self._params, MAX_CHARACTERS))

    def __repr__(self) -> str:
        return f"RedactedParams({', '.join(self._params)})"


def _without_passwords(
    params: Any,  # noqa: ANN401
    is_password_field: IsPasswordField | None,
    error: str | None,
) -> Any:  # noqa: ANN401
    if error in _NOT_FOUND:
        return mask_values(params, bool)
    return params if is_password_field is None else mask_values(params, is_password_field)


def truncate(value: Any, max_chars: int, depth: int = 0) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value with its long strings cut: redacting megabytes would hold up the loop.

    Values nested deeper than redaction goes become `[redacted]`.
    """
    if depth > MAX_DEPTH:
        return MASK
    if isinstance(value, Mapping):
        return {key: truncate(item, max_chars, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [truncate(item, max_chars, depth + 1) for item in value[:MAX_ITEMS]]
    if isinstance(value, str) and len(value) > max_chars:
        shown = secrets.current().mask_text(value[: max_chars + _BEYOND])
        return f"{shown[:max_chars]}… ({len(value)} characters)"
    return value
