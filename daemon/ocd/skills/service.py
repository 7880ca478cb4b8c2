"""Skills (a part of the daemon): recording and replaying them."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.api.timestamps import now
from ocd.browser.sessions.session import Sessions
from ocd.memory.notes import domain_of
from ocd.pages.locate.locators import Locator
from ocd.pages.locate.target import identify_element
from ocd.recording.active_recording import describe_target
from ocd.recording.element_locators import Target, targets
from ocd.recording.recent_actions import RecentActions
from ocd.recording.recorder import Recorder
from ocd.safety.redact import redact, redact_text
from ocd.skills.replay import SkillReplayRun, StepFailedError, assert_contract
from ocd.skills.steps import SkillSteps, from_actions, from_list
from ocd.skills.store import Outcome, Skill, Skills, skill_id
from ocd.verb_api.nested_calls import NestedCalls

MAX_SKILL_BYTES = 1 << 18
_REF = re.compile(r"@?e[0-9]+")
_OUTCOMES: dict[str, Outcome] = {"pass": "pass", "fail": "fail"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRequest:
    """A skill to record; exactly one of the last three fields is the source of its steps."""

    domain: str
    name: str
    description: str
    contract: Any
    contract_id: str | None
    steps: list[dict[str, Any]] | None
    recording_id: str | None
    last_actions: int | None


@dataclass(frozen=True, slots=True)
class SkillService:
    """Records skills and replays them.

    check: raises the error that a call with these parameters would get before it runs.
    """

    skills: Skills
    recent_actions: RecentActions
    recorder: Recorder
    sessions: Sessions
    calls: NestedCalls
    check: Callable[[str, Mapping[str, Any]], None]

    async def record(self, request: SkillRequest, session: str) -> dict[str, Any]:
        """Record a skill and return the reply of oc_skill_record."""
        skill_steps = await self._make_steps(request, session)
        self._check(skill_steps)
        contract, contract_id = request.contract, request.contract_id
        if contract is None and contract_id is not None:
            contract = await asyncio.to_thread(self.skills.contract, contract_id)
        domain = domain_of(request.domain)
        skill = Skill(
            skill_id=skill_id(domain, request.name), domain=domain, name=request.name,
            description=redact_text(request.description), steps=skill_steps.steps,
            contract=redact(contract), contract_id=contract_id, parameters=skill_steps.parameters,
            stored_at=now(), recorded_verdict=await self._verdict(contract, skill_steps, session),
        )  # fmt: skip
        if (size := len(msgspec.json.encode(skill))) > MAX_SKILL_BYTES:
            raise OcdError(
                "invalid_argument", f"The skill has {size} bytes, at most {MAX_SKILL_BYTES}",
                parameter="steps", limit=MAX_SKILL_BYTES,
            )  # fmt: skip
        skill, replaced, evicted = await asyncio.to_thread(self.skills.put, skill)
        more = {
            "left_out": skill_steps.left_out,
            "evicted": evicted,
            "warning": _unknown_contract_warning(skill),
        }
        more = {key: value for key, value in more.items() if value}
        return {
            **skill_to_dict(skill),
            "replaced": replaced,
            **more,
            "next_step": _replay_step(skill),
        }

    async def _make_steps(self, request: SkillRequest, session: str) -> SkillSteps:
        if request.steps is not None:
            known = self._recent_elements(session)
            await self._resolve_refs(request.steps, known, session)
            return from_list(request.steps, known)
        if request.recording_id is not None:
            meta = await self.recorder.find(request.recording_id, session)
            actions = await asyncio.to_thread(self.recorder.store.actions, meta.recording_id)
            return from_actions(
                [action for action in actions if not action["verb"].startswith("oc_")]
            )
        return from_actions(self.recent_actions.last(session, request.last_actions or 1))

    def _recent_elements(self, session: str) -> dict[str, Target]:
        """Return the elements of the session's last actions, by the words that named them."""
        actions = self.recent_actions.last(session)
        return {target["named"]: target for action in actions for target in targets(action)}

    async def _resolve_refs(
        self, steps: Sequence[Mapping[str, Any]], targets: dict[str, Target], session: str
    ) -> None:
        """Resolve refs that no recent action used: they mean nothing in a later session."""
        for number, step in enumerate(steps, 1):
            for params in step.values():
                ref = params.get("ref") if isinstance(params, dict) else None
                if not isinstance(ref, str) or not _REF.fullmatch(ref) or ref in targets:
                    continue
                try:
                    targets[ref] = await self._describe_element(ref, session)
                except OcdError as error:
                    raise OcdError(
                        "invalid_argument",
                        f"steps: step {number} names {ref}, which no longer exists",
                        hint="Identify the element by query or selector.", parameter="steps",
                        step=number, why=error.code,
                    ) from error  # fmt: skip

    async def _describe_element(self, ref: str, session: str) -> Target:
        tab = self.sessions.get(session).tab()
        with self.sessions.chromium.hold():
            async with tab.lock:
                about = await identify_element(tab, Locator(ref=ref))
        found: Target = describe_target(ref, about)
        return {**found, "named": ref}

    def _check(self, skill_steps: SkillSteps) -> None:
        """Raise invalid_argument, naming the step, if a step could never run."""
        for number, step in enumerate(skill_steps.steps, 1):
            try:
                self.check(step.verb, step.params)
            except OcdError as error:
                raise OcdError(
                    error.code, f"steps: step {number} ({step.verb}): {error.message}",
                    hint=error.hint, **error.details, step=number,
                ) from error  # fmt: skip

    async def _verdict(self, contract: object, skill_steps: SkillSteps, session: str) -> str | None:
        """Return the verdict about the current page, if the steps are the last ones performed."""
        steps = [step.verb for step in skill_steps.steps[skill_steps.setup_steps :]]
        done = [action["verb"] for action in self.recent_actions.last(session, len(steps))]
        if contract is None or done != steps or not self.sessions.get(session).tabs:
            return None
        return str((await assert_contract(self.calls, contract, session, 0))["verdict"])

    async def replay(
        self, skill: Skill, session: str, values: Mapping[str, str], times: tuple[int, int]
    ) -> dict[str, Any]:
        """Replay a skill and return the verdict; step_failed names the step that failed.

        times: milliseconds to wait for an element, and for the contract to pass.
        """
        self._check_values(skill, values)
        for step in skill.steps:
            self.check(step.verb, {})
        arguments = {name: value for name, value in values.items() if name in skill.parameters}
        replay = SkillReplayRun(
            skill,
            session,
            arguments,
            self.sessions,
            self.calls,
            self.recent_actions,
            times[0] / 1000,
        )
        try:
            await replay.run()
        except StepFailedError as failure:
            raise await self._step_failure(replay, failure) from failure
        report = await replay.check_contract(times[1])
        verdict = report["verdict"]
        outcome = _OUTCOMES.get(verdict, "inconclusive")
        resolved_steps = replay.resolved_steps if verdict == "pass" else None
        after = await asyncio.to_thread(
            self.skills.record_replay, skill.skill_id, outcome, resolved_steps
        )
        if verdict == "fail":
            report["evidence"] = await replay.evidence()
        known = skill.recorded_verdict
        same = {} if known is None else {"matches_recording": known == verdict}
        return {
            **_skill_summary(after or skill), "completed": True, "steps": replay.done, **report,
            "recorded_verdict": known, **same,
        }  # fmt: skip

    def _check_values(self, skill: Skill, values: Mapping[str, str]) -> None:
        missing = {name: what for name, what in skill.parameters.items() if name not in values}
        if missing:
            raise OcdError(
                "invalid_argument", f"parameters: missing {', '.join(missing)}",
                parameter="parameters", missing=missing,
                hint='Secret values are not stored: parameters={"name": "…"}',
            )  # fmt: skip

    async def _step_failure(self, replay: SkillReplayRun, failure: StepFailedError) -> OcdError:
        skill, number = replay.skill, failure.number
        step, error = skill.steps[number - 1], failure.error
        evidence = await replay.evidence()
        after = await asyncio.to_thread(self.skills.record_replay, skill.skill_id, "broken", None)
        return OcdError(
            "step_failed",
            f"Step {number} of {len(skill.steps)} of the skill {skill.name[:200]!r} failed "
            f"({step.description[:200]}): {error.message}",
            hint="Look at the page or at the evidence, then record the skill again.",
            **_skill_summary(after or skill), verdict="fail", completed=False,
            step={"step": number, "verb": step.verb, "description": step.description},
            error=error.body(), steps=replay.done, evidence=evidence,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"SkillService({self.skills!r})"


def _unknown_contract_warning(skill: Skill) -> str:
    """Return a warning if the skill names an unknown contract, else an empty string."""
    if skill.contract_id is None or skill.contract is not None:
        return ""
    return (
        f"There is no stored contract {skill.contract_id[:200]!r}: replays of this skill stay "
        "inconclusive until it is recorded with `contract`"
    )


def _skill_summary(skill: Skill) -> dict[str, Any]:
    replays = msgspec.to_builtins(skill.replays)
    about = {"skill_id": skill.skill_id, "domain": skill.domain, "name": skill.name}
    return {**about, "status": skill.status, "replays": replays}


def skill_to_dict(skill: Skill) -> dict[str, Any]:
    """Return a skill as callers see it: its steps by what they do."""
    steps = [{"verb": step.verb, "description": step.description} for step in skill.steps]
    return {
        **_skill_summary(skill), "description": skill.description, "steps": steps,
        "step_count": len(steps), "parameters": skill.parameters,
        "contract_id": skill.contract_id, "contract": skill.contract,
        "stored_at": skill.stored_at, "last_used_at": skill.last_used_at or None,
        "recorded_verdict": skill.recorded_verdict,
    }  # fmt: skip


def _replay_step(skill: Skill) -> dict[str, Any]:
    arguments: dict[str, Any] = {"skill_id": skill.skill_id}
    if skill.parameters:
        arguments["parameters"] = dict.fromkeys(skill.parameters, "…")
    return {"verb": "oc_skill_replay", "arguments": arguments}
