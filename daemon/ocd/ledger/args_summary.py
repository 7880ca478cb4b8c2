"""args_summary: a task's arguments without secrets, in at most 2 KiB."""

import json
from collections.abc import Mapping
from typing import Any

from ocd.safety.redact import redact, without_header_values

MAX_BYTES = 2048
_MAX_VALUE = 200


def summarise(args: Mapping[str, Any]) -> str:
    """Return the redacted arguments as JSON text of at most 2 KiB, however it is escaped.

    If they are longer, as many keys as fit are kept, with long values cut; `_truncated` is then
    true and `_bytes` is the size of the whole.
    """
    redacted = redact(without_header_values(args))
    if _size(redacted) <= MAX_BYTES:
        return _encode(redacted)
    cut: dict[str, Any] = {"_truncated": True, "_bytes": len(_encode(redacted).encode())}
    for key, value in redacted.items():
        longer = cut | {str(key): _shorten(value)}
        if _size(longer) > MAX_BYTES:
            break
        cut = longer
    return _encode(cut)


def _shorten(value: object) -> object:
    text = value if isinstance(value, str) else _encode(value)
    return value if len(text) <= _MAX_VALUE else f"{text[:_MAX_VALUE]}…"


def _encode(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _size(value: object) -> int:
    # As in meta.json and in replies: a JSON string once more, escaped to ASCII at worst.
    return len(json.dumps(_encode(value)))
