"""Steps of a skill, made of what was done: a recording, a session's last actions, or a list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ocd.api.errors import OcdError
from ocd.recording.element_locators import Target, sentence, targets
from ocd.safety.redact import MASK, mask_values, redact
from ocd.skills.store import SkillStep

MAX_STEPS = 200
_VERB = ("verb", "tool", "name", "action")
_PARAMS = ("params", "args", "arguments", "parameters")


@dataclass(slots=True)
class SkillSteps:
    """Steps; parameters: secrets that were not kept, by name; left_out: what is not done again.

    begun: how many steps only go to where the others began.
    """

    steps: list[SkillStep] = field(default_factory=list[SkillStep])
    parameters: dict[str, str] = field(default_factory=dict[str, str])
    left_out: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    begun: int = 0

    def add(self, action: Mapping[str, Any]) -> None:
        """Add an action that has the shape of a recorded one."""
        said = action.get("description") or sentence(action)
        self.steps.append(
            SkillStep(
                verb=action["verb"],
                params=self._with_secret_params(dict(action["params"]), said),
                description=said,
                targets=[dict(one) for one in targets(action)],
                tab=action.get("tab_id"),
            )
        )

    def _with_secret_params(self, value: Any, said: str) -> Any:  # noqa: ANN401 - any JSON value
        """Return the value with a parameter for each secret that was not kept."""
        if isinstance(value, dict):
            return {key: self._with_secret_params(item, said) for key, item in value.items()}
        if isinstance(value, list):
            return [self._with_secret_params(item, said) for item in value]
        if isinstance(value, str) and MASK in value:
            name = f"secret_{len(self.parameters) + 1}"
            self.parameters[name] = said
            return value.replace(MASK, f"${{{name}}}")
        return value


def of_actions(actions: Sequence[Mapping[str, Any]]) -> SkillSteps:
    """Return the steps that do recorded actions again, beginning where they began."""
    made = SkillSteps()
    for action in actions:
        if not action["ok"]:
            why = f"it failed: {action['error']['code']}"
            made.left_out.append({"tool": action["verb"], "why": why})
            continue
        if not made.steps:
            _begin(made, action)
        made.add(action)
    _check(made)
    return made


def _begin(made: SkillSteps, action: Mapping[str, Any]) -> None:
    url = action.get("url_before", "")
    goes = action["verb"] == "tabs_create" or "url" in action["params"]
    if url and url != "about:blank" and not goes:
        params = {"url": url}
        made.add({"verb": "navigate", "params": params, "description": f"navigate to {url}"})
        made.begun = 1


def of_steps(given: Sequence[Mapping[str, Any]], met: Mapping[str, Target]) -> SkillSteps:
    """Return the steps of a list as a caller writes it.

    met: elements that the session has met lately, by the words that named them.
    """
    made = SkillSteps()
    for number, step in enumerate(given, 1):
        verb = _one(step, _VERB, str, number)
        clean = redact(_one(step, _PARAMS, dict, number))
        found = {word: met[word] for word in _strings(clean) if word in met}

        def hides(names: set[str], found: Mapping[str, Target] = found) -> bool:
            return any(found[name].get("secret") for name in names if name in found)

        action = {"verb": verb, "params": mask_values(clean, hides), "targets": [*found.values()]}
        said = step.get("description")
        made.add(action | ({"description": str(redact(said))[:1000]} if said else {}))
    _check(made)
    return made


def _check(made: SkillSteps) -> None:
    if not 0 < len(made.steps) <= MAX_STEPS:
        raise OcdError(
            "invalid_argument", f"A skill has 1 to {MAX_STEPS} steps, not {len(made.steps)}",
            parameter="steps", limit=MAX_STEPS,
        )  # fmt: skip


def _one(step: Mapping[str, Any], names: Sequence[str], of: type, number: int) -> Any:  # noqa: ANN401
    """Return what stands under one of the names; parameters may be left out."""
    for name in names:
        if isinstance(step.get(name), of):
            return step[name]
    if of is dict and not any(name in step for name in names):
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
