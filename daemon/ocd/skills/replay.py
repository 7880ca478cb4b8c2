"""Replaying a skill: its steps, then its contract."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from ocd.api.errors import OcdError
from ocd.browser.sessions.session import Sessions
from ocd.pages.locate.recorded_elements import RecordedElement, wait_for_recorded
from ocd.recording.element_locators import Target, by_words
from ocd.recording.recent_actions import RecentActions
from ocd.recording.replay_steps import replay_call
from ocd.skills.store import Skill, SkillStep
from ocd.verb_api.nested_calls import NestedCalls

EVIDENCE = ("dom", "screenshot", "network", "console", "facts")
_REPORTED_KEYS = (
    "failed_assertions", "inconclusive_assertions", "inconclusive_reason", "failure_reason",
    "failure_category",
)  # fmt: skip


class StepFailedError(Exception):
    """Step `number` failed with `error`."""

    def __init__(self, number: int, error: OcdError) -> None:
        super().__init__(number, error)
        self.number = number
        self.error = error


@dataclass(slots=True)
class SkillReplayRun:
    """One replay in a session. resolved_steps: the steps with the elements they resolved to."""

    skill: Skill
    session: str
    values: Mapping[str, str]
    sessions: Sessions
    calls: NestedCalls
    recent_actions: RecentActions
    wait_s: float
    resolved_steps: list[SkillStep] = field(default_factory=list[SkillStep])
    done: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _tabs: dict[str, str] = field(default_factory=dict[str, str])

    async def run(self) -> None:
        """Perform all steps; raises StepFailedError for the one that fails."""
        for number, step in enumerate(self.skill.steps, 1):
            try:
                await self._step(number, step)
            except OcdError as error:
                raise StepFailedError(number, error) from error

    async def _step(self, number: int, step: SkillStep) -> None:
        action = {"verb": step.verb, "params": step.params, "targets": step.targets}
        verb, params = replay_call(action)
        params = self._fill(self._with_current_tabs(step, params))
        await self._wait_for_elements(step, params)
        started = time.monotonic()
        answer = await self.calls.run(verb, params, session=self.session)
        took = round((time.monotonic() - started) * 1000, 1)
        entry = {"step": number, "verb": verb, "description": step.description}
        self.done.append({**entry, "duration_ms": took})
        if step.tab is not None and isinstance(answer.data, dict):
            self._tabs[step.tab] = str(answer.data.get("tab_id", ""))
        self.resolved_steps.append(self._record_targets(step))

    def _with_current_tabs(self, step: SkillStep, params: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters with today's tabs: the first of a name is the latest tab."""
        known = self._tabs.get(str(params.get("tab_id", params.get("tabId"))))
        tab = known or self._tabs.get(step.tab or "")
        named = {key: value for key, value in params.items() if key not in ("tab_id", "tabId")}
        if "tab_ids" in named:
            named["tab_ids"] = [self._tabs.get(tab_id, tab_id) for tab_id in named["tab_ids"]]
        several = len({step.tab for step in self.skill.steps if step.tab}) > 1
        # A tab still to be opened has no id yet; with several tabs, no id means the latest.
        if tab and (known or several) and step.verb != "tabs_create":
            named["tab_id"] = tab
        return named

    def _fill(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        if isinstance(value, dict):
            return {key: self._fill(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._fill(item) for item in value]
        if isinstance(value, str) and "${" in value:
            for name, text in self.values.items():
                value = value.replace(f"${{{name}}}", text)
        return value

    async def _wait_for_elements(self, step: SkillStep, params: dict[str, Any]) -> None:
        """Wait until the elements exist that the step will look for by name."""
        words = set(_strings(params))
        targets = [
            RecordedElement(query, bool(target.get("row")))
            for target in step.targets
            if (query := by_words(target)) in words
        ]
        session = self.sessions.get(self.session)
        if targets and session.tabs:
            tab = session.tab(params.get("tab_id"))
            await wait_for_recorded(self.sessions.chromium, tab, targets, self.wait_s)

    def _record_targets(self, step: SkillStep) -> SkillStep:
        """Return the step with the elements it resolved to, if it recorded none."""
        last = self.recent_actions.last(self.session, 1)
        if step.targets or not last or last[0]["verb"] != step.verb:
            return step
        found: list[Target] = last[0].get(
            "targets", [last[0]["target"]] if "target" in last[0] else []
        )
        words = set(_strings(step.params))
        return replace(step, targets=[dict(target) for target in found if target["named"] in words])

    async def check_contract(self, wait_ms: int) -> dict[str, Any]:
        """Return the contract's verdict about the current page, and what failed."""
        return await assert_contract(self.calls, self.skill.contract, self.session, wait_ms)

    async def evidence(self) -> dict[str, Any]:
        """Save evidence of the page; return where it is, or why there is none."""
        try:
            answer = await self.calls.run(
                "oc_evidence_bundle", {"include": list(EVIDENCE)}, session=self.session
            )
        except OcdError as error:
            return {"error": {"code": error.code, "message": error.message}}
        keys = ("bundle_id", "path", "parts", "url", "inconclusive_reason")
        return {key: answer.data[key] for key in keys if answer.data.get(key) is not None}


async def assert_contract(
    calls: NestedCalls,
    contract: Any,  # noqa: ANN401 - JSON
    session: str,
    wait_ms: int,
) -> dict[str, Any]:
    """Return oc_assert's report about the live page: verdict, and what failed."""
    if contract is None:
        reason = "the skill has no contract"
        return {"verdict": "inconclusive", "inconclusive_reason": reason}
    params = {"contract": contract, "wait_ms": wait_ms}
    report = (await calls.run("oc_assert", params, session=session)).data
    details = {key: report[key] for key in _REPORTED_KEYS if report.get(key)}
    return {"verdict": report["verdict"], **details}


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [word for item in items for word in _strings(item)]
