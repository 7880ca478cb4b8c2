"""The skill book (a part of the daemon): what was done once, kept, and done again."""

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
from ocd.skills.steps import SkillSteps, of_actions, of_steps
from ocd.skills.store import Outcome, Skill, Skills, skill_id
from ocd.verb_api.nested_calls import NestedCalls

MAX_BYTES = 1 << 18
_REF = re.compile(r"@?e[0-9]+")
_OUTCOMES: dict[str, Outcome] = {"pass": "pass", "fail": "fail"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRequest:
    """A skill as its recorder wants it; exactly one of the last three says what it does."""

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

    check: raises what a call of the verb with these parameters would before it runs.
    """

    skills: Skills
    trails: RecentActions
    recorder: Recorder
    sessions: Sessions
    calls: NestedCalls
    check: Callable[[str, Mapping[str, Any]], None]

    async def record(self, wish: SkillRequest, session: str) -> dict[str, Any]:
        """Keep a skill; returns what the verb answers."""
        made = await self._make_steps(wish, session)
        self._check(made)
        contract, contract_id = wish.contract, wish.contract_id
        if contract is None and contract_id is not None:
            contract = await asyncio.to_thread(self.skills.contract, contract_id)
        domain = domain_of(wish.domain)
        skill = Skill(
            skill_id=skill_id(domain, wish.name), domain=domain, name=wish.name,
            description=redact_text(wish.description), steps=made.steps,
            contract=redact(contract), contract_id=contract_id, parameters=made.parameters,
            stored_at=now(), recorded_verdict=await self._verdict(contract, made, session),
        )  # fmt: skip
        if (size := len(msgspec.json.encode(skill))) > MAX_BYTES:
            raise OcdError(
                "invalid_argument", f"The skill has {size} bytes, at most {MAX_BYTES}",
                parameter="steps", limit=MAX_BYTES,
            )  # fmt: skip
        skill, replaced, evicted = await asyncio.to_thread(self.skills.put, skill)
        more = {"left_out": made.left_out, "evicted": evicted, "warning": _unbound(skill)}
        more = {key: said for key, said in more.items() if said}
        return {
            **skill_to_dict(skill),
            "replaced": replaced,
            **more,
            "next_step": _replay_step(skill),
        }

    async def _make_steps(self, wish: SkillRequest, session: str) -> SkillSteps:
        if wish.steps is not None:
            met = self._recent_elements(session)
            await self._meet_refs(wish.steps, met, session)
            return of_steps(wish.steps, met)
        if wish.recording_id is not None:
            meta = await self.recorder.find(wish.recording_id, session)
            actions = await asyncio.to_thread(self.recorder.store.actions, meta.recording_id)
            return of_actions([one for one in actions if not one["verb"].startswith("oc_")])
        return of_actions(self.trails.last(session, wish.last_actions or 1))

    def _recent_elements(self, session: str) -> dict[str, Target]:
        """Return the elements that the session's last actions were about, by their words."""
        actions = self.trails.last(session)
        return {one["named"]: one for action in actions for one in targets(action)}

    async def _meet_refs(
        self, steps: Sequence[Mapping[str, Any]], met: dict[str, Target], session: str
    ) -> None:
        """Look up refs that no action was about: they mean nothing on another day."""
        for number, step in enumerate(steps, 1):
            for params in step.values():
                ref = params.get("ref") if isinstance(params, dict) else None
                if not isinstance(ref, str) or not _REF.fullmatch(ref) or ref in met:
                    continue
                try:
                    met[ref] = await self._describe_element(ref, session)
                except OcdError as error:
                    raise OcdError(
                        "invalid_argument",
                        f"steps: step {number} names {ref}, which is not there any more",
                        hint="Name the element by query or selector.", parameter="steps",
                        step=number, why=error.code,
                    ) from error  # fmt: skip

    async def _describe_element(self, ref: str, session: str) -> Target:
        tab = self.sessions.get(session).tab()
        with self.sessions.chromium.hold():
            async with tab.lock:
                about = await identify_element(tab, Locator(ref=ref))
        found: Target = describe_target(ref, about)
        return {**found, "named": ref}

    def _check(self, made: SkillSteps) -> None:
        """Raise invalid_argument, naming the step, if a step could never run."""
        for number, step in enumerate(made.steps, 1):
            try:
                self.check(step.verb, step.params)
            except OcdError as error:
                raise OcdError(
                    error.code, f"steps: step {number} ({step.verb}): {error.message}",
                    hint=error.hint, **error.details, step=number,
                ) from error  # fmt: skip

    async def _verdict(self, contract: object, made: SkillSteps, session: str) -> str | None:
        """Return the verdict about the page as it is, if the steps are what was done last."""
        steps = [step.verb for step in made.steps[made.begun :]]
        done = [action["verb"] for action in self.trails.last(session, len(steps))]
        if contract is None or done != steps or not self.sessions.get(session).tabs:
            return None
        return str((await assert_contract(self.calls, contract, session, 0))["verdict"])

    async def replay(
        self, skill: Skill, session: str, values: Mapping[str, str], times: tuple[int, int]
    ) -> dict[str, Any]:
        """Do a skill again and return the verdict; step_failed names the step that failed.

        times: milliseconds to wait for an element, and for the contract to pass.
        """
        self._check_values(skill, values)
        for step in skill.steps:
            self.check(step.verb, {})
        given = {name: value for name, value in values.items() if name in skill.parameters}
        replay = SkillReplayRun(
            skill, session, given, self.sessions, self.calls, self.trails, times[0] / 1000
        )
        try:
            await replay.run()
        except StepFailedError as failure:
            raise await self._step_failure(replay, failure) from failure
        report = await replay.judge(times[1])
        verdict = report["verdict"]
        outcome = _OUTCOMES.get(verdict, "inconclusive")
        learnt = replay.learnt if verdict == "pass" else None
        after = await asyncio.to_thread(self.skills.record_replay, skill.skill_id, outcome, learnt)
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
                "invalid_argument", f"parameters: {', '.join(missing)} not given",
                parameter="parameters", missing=missing,
                hint='Values that were secrets are not kept: parameters={"name": "…"}',
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
            hint="Look at the page or at the evidence, then record the skill anew.",
            **_skill_summary(after or skill), verdict="fail", completed=False,
            step={"step": number, "verb": step.verb, "description": step.description},
            error=error.body(), steps=replay.done, evidence=evidence,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"Skillbook({self.skills!r})"


def _unbound(skill: Skill) -> str:
    """Return what to say of a skill that names a contract which nobody knows."""
    if skill.contract_id is None or skill.contract is not None:
        return ""
    return (
        f"No skill has stored a contract as {skill.contract_id[:200]!r}: replays of this one stay "
        "inconclusive until it is recorded with `contract`"
    )


def _skill_summary(skill: Skill) -> dict[str, Any]:
    tally = msgspec.to_builtins(skill.replays)
    about = {"skill_id": skill.skill_id, "domain": skill.domain, "name": skill.name}
    return {**about, "status": skill.status, "replays": tally}


def skill_to_dict(skill: Skill) -> dict[str, Any]:
    """Return a skill as callers know it: its steps by what they do."""
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
