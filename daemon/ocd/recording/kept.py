"""What may be kept of a call's parameters: no secrets, nothing of any length."""

from collections.abc import Mapping
from typing import Any

from ocd.browser.met import Met
from ocd.safety import secrets
from ocd.safety.redact import mask_values, redact

MAX_ITEMS = 100
# So much more is looked at before a string is cut: half of a secret's value is not known as one.
_BEYOND = 4096
# Where the caller's name led to no element, what was to be put there may be a password.
_NOT_FOUND = frozenset(("stale_ref", "element_not_found", "ambiguous"))


def kept(params: Mapping[str, Any], met: Met, error: str | None, most: int) -> Any:  # noqa: ANN401
    """Return the parameters redacted, without values of password fields, strings cut to `most`."""
    clean = redact(brief(params, most))
    if error in _NOT_FOUND:
        return mask_values(clean, bool)
    return mask_values(clean, met.hides) if met.elements else clean


def brief(value: Any, most: int) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value with its long strings cut: redacting megabytes would hold up the loop."""
    if isinstance(value, Mapping):
        return {key: brief(item, most) for key, item in value.items()}
    if isinstance(value, list):
        return [brief(item, most) for item in value[:MAX_ITEMS]]
    if isinstance(value, str) and len(value) > most:
        shown = secrets.current().mask_text(value[: most + _BEYOND])
        return f"{shown[:most]}… ({len(value)} characters)"
    return value
