"""Hints for Python: tool calls become calls of a client's methods."""

from __future__ import annotations

import json
import re
from typing import Any

from openchrome.verbs import Verbs

# A call in the daemon's texts: `navigate {"url": "back"}`.
_CALL = re.compile(r"`([a-z_]+)(?: (\{[^`]*))?`")


def in_python(found: Any) -> None:
    """Rewrite the calls in an object's `hint`: `oc.navigate(url='back')`."""
    if isinstance(found, dict) and isinstance(found.get("hint"), str):
        found["hint"] = _CALL.sub(_method_call, found["hint"])


def _method_call(match: re.Match[str]) -> str:
    name, text = match.groups()
    try:
        arguments: dict[str, Any] = json.loads(text or "{}")
    except ValueError:
        return match[0]
    if not hasattr(Verbs, name):
        return match[0]
    return f"`oc.{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})`"
