"""What may be kept of a call's parameters: no secrets, nothing of any length."""

from collections.abc import Mapping
from typing import Any

from ocd.call_context import TouchedElements
from ocd.safety import secrets
from ocd.safety.redact import mask_values, redact

MAX_ITEMS = 100
# So much more is looked at before a string is cut: half of a secret's value is not known as one.
_BEYOND = 4096
# Where the caller's name led to no element, what was to be put there may be a password.
_NOT_FOUND = frozenset(("stale_ref", "element_not_found", "ambiguous"))


def redacted_params(
    params: Mapping[str, Any], met: TouchedElements, error: str | None, most: int
) -> Any:  # noqa: ANN401
    """Return the parameters redacted, without values of password fields, strings cut to `most`."""
    return without_passwords(redact_before_call(params, most), met, error)


def redact_before_call(params: Mapping[str, Any], most: int) -> Any:  # noqa: ANN401
    """Return the parameters redacted as far as that can be before they have met any element."""
    return redact(truncate(params, most))


def without_passwords(params: Any, met: TouchedElements, error: str | None) -> Any:  # noqa: ANN401
    """Return redacted parameters without the values of password fields that the call has met."""
    if error in _NOT_FOUND:
        return mask_values(params, bool)
    return mask_values(params, met.hides) if met.elements else params


def truncate(value: Any, most: int) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value with its long strings cut: redacting megabytes would hold up the loop."""
    if isinstance(value, Mapping):
        return {key: truncate(item, most) for key, item in value.items()}
    if isinstance(value, list):
        return [truncate(item, most) for item in value[:MAX_ITEMS]]
    if isinstance(value, str) and len(value) > most:
        shown = secrets.current().mask_text(value[: most + _BEYOND])
        return f"{shown[:most]}… ({len(value)} characters)"
    return value
