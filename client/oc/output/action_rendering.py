"""The reply of an acting verb as text: the state, the element, what changed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def is_action(result: Mapping[str, Any]) -> bool:
    """Return whether a result is that of an action."""
    return isinstance(result.get("now"), str) and "changed" in result


def action_text(result: Mapping[str, Any], params: Mapping[str, Any]) -> str:
    """Return the text of an action's result; the daemon's own lines are included unchanged.

    params: the caller's; an element named by its ref is not named again.
    """
    lines = [result["now"]] if result["now"] else []
    lines += [_field_line(field) for field in result.get("fields", ())]
    named = "target" in result and result["target"].get("role") != "html"
    if named and ("value" in result or not params.get("ref")):
        lines.append(_target_line(result))
    content = result.get("content") or ""
    if not (content or result["changed"] or "value" in result or result.get("fields")):
        lines.append("No visible change")
    return "\n".join(lines) + "\n" + content


def _target_line(result: Mapping[str, Any]) -> str:
    action = f"{result['action']}: " if "action" in result else ""
    return action + _field_line(result)


def _field_line(field: Mapping[str, Any]) -> str:
    target = field["target"]
    name = f' "{target["name"]}"' if target.get("name") else ""
    ref = f" [ref={field['ref']}]" if field.get("ref") else ""
    return f"{target.get('role', 'element')}{name}{ref}{_value(field.get('value'))}"


def _value(value: object) -> str:
    import json

    return "" if value is None else f" = {json.dumps(value, ensure_ascii=False)}"
