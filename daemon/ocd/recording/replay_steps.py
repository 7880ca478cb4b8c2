"""Recorded actions as replayable steps: verbs that find their elements by role and name."""

import re
from collections.abc import Mapping
from typing import Any

from ocd.recording.element_locators import Target, by_words, locator_params, targets

Recorded = Mapping[str, Any]

# How a caller names an element; with a prefix where a verb takes two of them.
_NAMED = re.compile(r"(?:(?P<which>[a-z]+)_)?(?:ref|selector|query|label)")
# What computer does to an element, as interact says it.
_BY_HAND = {
    "left_click": "click", "double_click": "double_click", "right_click": "right_click",
    "hover": "hover", "mouse_move": "hover", "scroll_to": "scroll_into_view", "type": "type",
    "key": "press",
}  # fmt: skip


def omission_reason(action: Recorded) -> str:
    """Return why an action is not replayed; empty if it is."""
    if not action["ok"]:
        return f"it failed: {action['error']['code']}"
    if action.get("reads") and action["verb"] != "wait_for":
        return "it changed nothing"
    return ""


def replay_call(action: Recorded) -> tuple[str, dict[str, Any]]:
    """Return the verb and the parameters that replay it, also on a page that has changed."""
    params = dict(action["params"])
    if action["verb"] == "computer":
        by_name = _by_name(params, targets(action))
        if by_name is not None:
            return "interact", by_name
    found = {target["named"]: target for target in targets(action)}
    named = _rename_targets(params, found, "query")
    return action["verb"], named


def _by_name(params: dict[str, Any], targets: list[Target]) -> dict[str, Any] | None:
    """Return parameters of `interact` that do the same as `computer`'s; None if there are none.

    The action must be about a named element.
    """
    word = _BY_HAND.get(params.get("action", ""))
    if word is None or not targets or not targets[-1].get("name"):
        return None
    text = str(params.get("text") or "")
    if word == "press" and len(text.split()) > 1:
        return None
    value: dict[str, Any] = {"value": text} if word in ("type", "press") else {}
    keys: dict[str, Any] = {key: params[key] for key in ("tab_id", "modifiers") if key in params}
    return {"action": word, **locator_params(targets[-1]), **value, **keys}


def _rename_targets(value: Any, found: Mapping[str, Target], words: str) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return [_rename_targets(item, found, "label") for item in value]
    if not isinstance(value, dict):
        return value
    replay_call: dict[str, Any] = {}
    for key, item in value.items():
        match = _NAMED.fullmatch(key)
        target = found.get(item) if isinstance(item, str) else None
        if match and target:
            prefix = f"{match['which']}_" if match["which"] else ""
            for name, given in locator_params(target).items():
                replay_call[prefix + (words if name == "query" else name)] = given
        elif key == "submit" and target:
            replay_call[key] = by_words(target)
        else:
            replay_call[key] = _rename_targets(item, found, words)
    return replay_call
