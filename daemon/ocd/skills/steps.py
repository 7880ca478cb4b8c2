"""Steps of a skill: from a recording, a session's last actions, or a list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ocd.api.errors import OcdError
from ocd.recording.element_locators import Target, action_line, targets
from ocd.safety.redact import MASK, mask_values, redact
from ocd.skills.store import SkillStep

MAX_STEPS = 200
_VERB = ("verb", "tool", "name", "action")
_PARAMS = ("params", "args", "arguments", "parameters")


@dataclass(slots=True)
class SkillSteps:
    """Steps; parameters: secrets that were not stored, by name; left_out: actions that are not
    replayed. setup_steps: how many of the first steps only load the start page.
    """

    steps: list[SkillStep] = field(default_factory=list[SkillStep])
    parameters: dict[str, str] = field(default_factory=dict[str, str])
    left_out: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    setup_steps: int = 0

    def add(self, action: Mapping[str, Any]) -> None:
        """Add an action that has the shape of a recorded one."""
        description = action.get("description") or action_line(action)
        self.steps.append(
            SkillStep(
                verb=action["verb"],
                params=self._with_secret_params(dict(action["params"]), description),
                description=description,
                targets=[dict(target) for target in targets(action)],
                tab=action.get("tab_id"),
            )
        )

    def _with_secret_params(self, value: Any, description: str) -> Any:  # noqa: ANN401 - any JSON value
        """Return the value with a parameter for each secret that was not kept."""
        if isinstance(value, dict):
            return {key: self._with_secret_params(item, description) for key, item in value.items()}
        if isinstance(value, list):
            return [self._with_secret_params(item, description) for item in value]
        if isinstance(value, str) and MASK in value:
            name = f"secret_{len(self.parameters) + 1}"
            self.parameters[name] = description
            return value.replace(MASK, f"${{{name}}}")
        return value


def from_actions(actions: Sequence[Mapping[str, Any]]) -> SkillSteps:
    """Return the steps that replay recorded actions, starting on the same page."""
    made = SkillSteps()
    for action in actions:
        if not action["ok"]:
            why = f"it failed: {action['error']['code']}"
            made.left_out.append({"tool": action["verb"], "why": why})
            continue
        if not made.steps:
            _add_start_page(made, action)
        made.add(action)
    _check(made)
    return made


def _add_start_page(steps: SkillSteps, action: Mapping[str, Any]) -> None:
    url = action.get("url_before", "")
    navigates = action["verb"] == "tabs_create" or "url" in action["params"]
    if url and url != "about:blank" and not navigates:
        params = {"url": url}
        steps.add({"verb": "navigate", "params": params, "description": f"navigate to {url}"})
        steps.setup_steps = 1


def from_list(calls: Sequence[Mapping[str, Any]], elements: Mapping[str, Target]) -> SkillSteps:
    """Return the steps of a list as a caller writes it.

    elements: those of the session's recent actions, by the words that named them.
    """
    made = SkillSteps()
    for number, step in enumerate(calls, 1):
        verb = _get_any(step, _VERB, str, number)
        clean = redact(_get_any(step, _PARAMS, dict, number))
        found = {word: elements[word] for word in _strings(clean) if word in elements}

        def is_password_field(names: set[str], found: Mapping[str, Target] = found) -> bool:
            return any(found[name].get("secret") for name in names if name in found)

        action = {
            "verb": verb,
            "params": mask_values(clean, is_password_field),
            "targets": [*found.values()],
        }
        description = step.get("description")
        made.add(action | ({"description": str(redact(description))[:1000]} if description else {}))
    _check(made)
    return made


def _check(steps: SkillSteps) -> None:
    if not 0 < len(steps.steps) <= MAX_STEPS:
        raise OcdError(
            "invalid_argument", f"A skill must have 1 to {MAX_STEPS} steps, not {len(steps.steps)}",
            parameter="steps", limit=MAX_STEPS,
        )  # fmt: skip


def _get_any(step: Mapping[str, Any], names: Sequence[str], type_: type, number: int) -> Any:  # noqa: ANN401
    """Return the value of the first of these keys; parameters may be left out."""
    for name in names:
        if isinstance(step.get(name), type_):
            return step[name]
    if type_ is dict and not any(name in step for name in names):
        return {}
    raise OcdError(
        "invalid_argument", f"steps: step {number} has no {names[0]}", parameter="steps",
        expected='{"verb": "interact", "params": {…}}', step=number,
    )  # fmt: skip


def _strings(value: object) -> list[str]:
    """Return all strings of a JSON value, each once."""
    if isinstance(value, str):
        return [value]
    items = (
        value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    )
    return list(dict.fromkeys(word for item in items for word in _strings(item)))
