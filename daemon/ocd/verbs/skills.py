"""Verbs about skills: steps saved with a contract, found again and replayed."""

import asyncio
from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta, field

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.contracts.expression import decode
from ocd.skills.index import RecallQuery
from ocd.skills.service import SkillRequest, SkillService, skill_to_dict
from ocd.verb_api.declaration import PAYLOAD, SECRET, Output, Params, daemon_verb

Name = Annotated[str, Meta(min_length=1, max_length=10_240)]
Milliseconds = Annotated[int, Meta(ge=0, le=600_000)]
REPLAY_MS = 300_000


class SkillRecord(Params):
    """Save steps as a skill, bound to a contract

    Steps come from `steps`, from a recording, or are the session's last successful actions.
    Elements are stored by role and name, so that they are found when ids and order have changed.
    Secrets are not stored: they become parameters. A skill of the same domain and name is replaced.
    """

    domain: Annotated[Name, Meta(description="Host or any name; a URL counts as its host")]
    name: Annotated[Name, Meta(description="Name of the skill")]
    steps: Annotated[
        list[dict[str, Any]] | None,
        Meta(description='[{"verb", "params", "description"?}]', extra=PAYLOAD),
    ] = None
    recording_id: Annotated[Name | None, Meta(description="A recording's id or name")] = None
    last_actions: Annotated[
        Annotated[int, Meta(ge=1, le=100)] | None, Meta(description="Number of last actions")
    ] = None
    contract: Annotated[
        dict[str, Any] | list[Any] | str | None,
        Meta(description="What must be true afterwards, as in oc_assert", extra=PAYLOAD),
    ] = None
    contract_id: Annotated[
        Name | None,
        Meta(description="Name of the contract; without contract: the stored one of that name"),
    ] = None
    description: Annotated[str, Meta(description="What it does", max_length=4_000)] = ""

    def __post_init__(self) -> None:
        if self.contract is not None:
            decode(self.contract)


class ReplayCounts(TypedDict):
    """How a skill's replays ended."""

    passes: int
    fails: int
    inconclusive: int
    broken: int
    streak: Annotated[int, Meta(description="Failures in a row")]
    last: str | None


class SkillStep(TypedDict):
    """One step."""

    verb: str
    description: str


class SkillReport(TypedDict):
    """A skill."""

    skill_id: str
    domain: str
    name: str
    status: str
    replays: ReplayCounts
    description: str
    steps: list[SkillStep]
    step_count: int
    parameters: Annotated[dict[str, str], Meta(description="Parameters that a replay needs")]
    contract_id: str | None
    contract: Any
    stored_at: str
    last_used_at: str | None
    recorded_verdict: str | None


class SkillRecordResult(SkillReport):
    """The skill that was stored."""

    replaced: bool
    left_out: NotRequired[
        Annotated[list[dict[str, Any]], Meta(description="Actions that were left out")]
    ]
    evicted: NotRequired[list[str]]
    warning: NotRequired[str]
    next_step: dict[str, Any]
    unreadable: NotRequired[dict[str, Any]]


@daemon_verb(
    "oc_skill_record",
    SkillRecord,
    needs=SkillService,
    returns=SkillRecordResult,
    capability="core",
    tier=3,
    example={"domain": "example.com", "name": "log in", "last_actions": 3},
)
async def oc_skill_record(service: SkillService, params: SkillRecord) -> Output:
    sources = ("steps", "recording_id", "last_actions")
    if sum(getattr(params, name) is not None for name in sources) != 1:
        raise OcdError(
            "invalid_argument", f"Pass exactly one of {', '.join(sources)}",
            parameter="steps", expected=list(sources),
        )  # fmt: skip
    request = SkillRequest(
        domain=params.domain, name=params.name, description=params.description,
        contract=params.contract, contract_id=params.contract_id, steps=params.steps,
        recording_id=params.recording_id, last_actions=params.last_actions,
    )  # fmt: skip
    data = await service.record(request, call_context.current().session)
    return Output(data=data | service.skills.store.unreadable_note())


class SkillRecall(Params):
    """Find skills, best first

    Score: share of the words matched, plus 0.025 per passed and minus 0.025 per failed replay (10
    at most of each), plus or minus 0.2 for the last one, plus 0.15 for contract_id. Skills whose
    last three replays failed are quarantined.
    """

    domain: Annotated[Name | None, Meta(description="Only skills of this domain")] = None
    query: Annotated[str, Meta(description="Words of name, description or steps")] = ""
    task: Annotated[str, Meta(description="Same as query: the task to do", max_length=1000)] = ""
    contract_id: Annotated[
        Name | None, Meta(description="Prefer skills bound to this contract")
    ] = None
    ranked: Annotated[bool, Meta(description="false: newest first")] = True
    limit: Annotated[int, Meta(ge=1, le=1000, description="Max skills")] = 20
    include_unpromoted: Annotated[
        bool, Meta(description="Include skills never replayed successfully")
    ] = True
    include_quarantined: Annotated[bool, Meta(description="Include quarantined skills")] = False


class RecalledSkill(SkillReport):
    """A skill and its score."""

    score: float


class SkillRecallResult(TypedDict):
    """Skills, best first."""

    skills: list[RecalledSkill]
    count: int
    total: int
    hidden: int
    promotion_filter_active: bool
    unreadable: NotRequired[dict[str, Any]]


@daemon_verb(
    "oc_skill_recall",
    SkillRecall,
    needs=SkillService,
    returns=SkillRecallResult,
    capability="core",
    tier=3,
    reads=True,
    example={"domain": "example.com", "query": "log in"},
)
async def oc_skill_recall(service: SkillService, params: SkillRecall) -> Output:
    query = RecallQuery(
        domain=params.domain, words=f"{params.query} {params.task}",
        contract_id=params.contract_id, ranked=params.ranked, limit=params.limit,
        quarantined=params.include_quarantined, unproven=params.include_unpromoted,
    )  # fmt: skip
    recalled = await asyncio.to_thread(service.skills.recall, query)
    skills = [{**skill_to_dict(skill), "score": score} for score, skill in recalled.found]
    data: dict[str, Any] = {
        "skills": skills, "count": len(skills), "total": recalled.total,
        "hidden": recalled.hidden, "promotion_filter_active": not params.include_unpromoted,
    }  # fmt: skip
    return Output(data=data | service.skills.store.unreadable_note())


class SkillReplay(Params):
    """Replay a skill and check its contract

    Returns the verdict: pass, fail or inconclusive; it counts for oc_skill_recall. A step that
    cannot be performed is the error step_failed, which names it and the saved evidence.
    """

    skill_id: Annotated[Name | None, Meta(description="Id of the skill")] = None
    name: Annotated[Name | None, Meta(description="or its name")] = None
    domain: Annotated[Name | None, Meta(description="with name: its domain")] = None
    parameters: Annotated[
        dict[str, str], Meta(description="Values of the skill's parameters", extra=PAYLOAD | SECRET)
    ] = field(default_factory=dict[str, str])
    step_timeout_ms: Annotated[
        Milliseconds, Meta(description="Max wait for a step's element, in ms")
    ] = 5_000
    contract_wait_ms: Annotated[
        Milliseconds, Meta(description="Max wait for the contract to pass, in ms")
    ] = 3_000


class ReplayedStep(SkillStep):
    """A step that was done."""

    step: int
    duration_ms: float


class SkillReplayResult(TypedDict):
    """The result of the replay."""

    skill_id: str
    domain: str
    name: str
    status: str
    replays: ReplayCounts
    completed: bool
    steps: list[ReplayedStep]
    verdict: Annotated[str, Meta(description="pass, fail or inconclusive")]
    recorded_verdict: str | None
    matches_recording: NotRequired[bool]
    inconclusive_reason: NotRequired[str | None]
    inconclusive_assertions: NotRequired[list[dict[str, Any]]]
    failed_assertions: NotRequired[list[dict[str, Any]]]
    failure_reason: NotRequired[str | None]
    failure_category: NotRequired[str | None]
    evidence: NotRequired[dict[str, Any]]


@daemon_verb(
    "oc_skill_replay", SkillReplay, needs=SkillService,
    returns=SkillReplayResult,
    capability="core", tier=3,
    timeout_ms=REPLAY_MS, page_keys=("failed_assertions", "inconclusive_assertions"),
    example={"domain": "example.com", "name": "log in"},
)  # fmt: skip
async def oc_skill_replay(service: SkillService, params: SkillReplay) -> Output:
    if (params.skill_id is None) == (params.name is None):
        raise OcdError(
            "invalid_argument", "Pass exactly one of skill_id and name", parameter="skill_id"
        )
    if params.skill_id is not None:
        skill = await asyncio.to_thread(service.skills.get, params.skill_id)
    else:
        skill = await asyncio.to_thread(
            service.skills.find_by_name, params.name or "", params.domain
        )
    times = (params.step_timeout_ms, params.contract_wait_ms)
    return Output(
        data=await service.replay(skill, call_context.current().session, params.parameters, times)
    )
