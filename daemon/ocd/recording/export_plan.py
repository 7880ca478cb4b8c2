"""A recording as a plan that execute_plan can run, also on pages that have changed since."""

from collections.abc import Mapping, Sequence
from typing import Any

from ocd.recording.element_locators import action_line
from ocd.recording.replay_steps import Recorded, omission_reason, replay_call
from ocd.safety.redact import MASK


def plan_of(about: Mapping[str, Any], actions: Sequence[Recorded]) -> dict[str, Any]:
    """Return the plan: {"name", "version", "description", "parameters", "steps", "left_out"}.

    A step is {"order", "tool", "args", "description"}, and `parseResult` where it opens a tab that
    later steps name. Secrets that were not recorded are parameters.
    """
    made = _Plan(actions)
    for action in actions:
        made.add(action)
    return {
        "name": about["name"] or about["recording_id"],
        "version": 1,
        "description": f"Recorded as {about['recording_id']} at {about['started_at']}",
        "parameters": made.parameters,
        "steps": [{"order": number, **step} for number, step in enumerate(made.steps, 1)],
        "left_out": made.left_out,
    }


class _Plan:
    def __init__(self, actions: Sequence[Recorded]) -> None:
        self.steps: list[dict[str, Any]] = []
        self.left_out: list[dict[str, Any]] = []
        self.parameters: dict[str, Any] = {}
        self._tabs: set[str] = set()
        self._has_several_tabs = len({a["tab_id"] for a in actions if a.get("tab_id")}) > 1

    def add(self, action: Recorded) -> None:
        why = omission_reason(action)
        if why:
            left = {"seq": action["seq"], "tool": action["verb"], "why": why}
            self.left_out.append(left)
            return
        tab_id = action.get("tab_id")
        if tab_id and not self._tabs:
            self._begin(action)
        tool, args = replay_call(action)
        self._name_tabs(args)
        step: dict[str, Any] = {"tool": tool, "args": self._with_secret_params(args, action)}
        step["description"] = action_line(action)
        if tab_id and tab_id not in self._tabs:
            self._tabs.add(tab_id)
            if self._has_several_tabs:
                parse = {"format": "json", "extractField": "tab_id", "storeAs": f"tab_{tab_id}"}
                step["parseResult"] = parse
        self.steps.append(step)

    def _begin(self, action: Recorded) -> None:
        """Begin with a navigation to where the recording began, unless its first step navigates."""
        url = action.get("url_before", "")
        navigates = action["verb"] == "navigate" and "url" in action["params"]
        if url and url != "about:blank" and not navigates and action["verb"] != "tabs_create":
            step = {"tool": "navigate", "args": {"url": url}, "description": "where it began"}
            self.steps.append(step)

    def _name_tabs(self, args: dict[str, Any]) -> None:
        # One tab is the session's latest; of several, those that were open before have no name.
        tab_id = args.pop("tab_id", None)
        if tab_id in self._tabs and self._has_several_tabs:
            args["tab_id"] = f"${{tab_{tab_id}}}"
        if isinstance(args.get("tab_ids"), list):
            args["tab_ids"] = [f"${{tab_{tab_id}}}" for tab_id in args["tab_ids"]]

    def _with_secret_params(self, value: Any, action: Recorded) -> Any:  # noqa: ANN401 - any JSON value
        """Return the value with a parameter for each secret that was not recorded."""
        if isinstance(value, dict):
            return {key: self._with_secret_params(item, action) for key, item in value.items()}
        if isinstance(value, list):
            return [self._with_secret_params(item, action) for item in value]
        if isinstance(value, str) and MASK in value:
            name = f"secret_{len(self.parameters) + 1}"
            self.parameters[name] = {"source": "runtime", "description": action_line(action)}
            return value.replace(MASK, f"${{{name}}}")
        return value
