"""Verbs for resuming work later: oc_checkpoint, oc_session_snapshot, oc_session_resume."""

import asyncio
from typing import Annotated, Any, Literal, NotRequired, TypedDict, TypeVar

import msgspec
from msgspec import Meta, field

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.api.timestamps import now
from ocd.ledger.task_handle import TaskHandle
from ocd.memory.checkpoints import Checkpoint, Snapshot, new_snapshot_id
from ocd.memory.session_resume import SessionSnapshots
from ocd.safety.redact import redact
from ocd.verb_api.declaration import PAYLOAD, Output, Params, daemon_verb, task_verb

MAX_BYTES = 1 << 20
Name = Annotated[str, Meta(min_length=1, max_length=10_240)]
Text = Annotated[str, Meta(min_length=1)]


class CheckpointParams(Params):
    """Save, load, list or delete checkpoints of a task

    Checkpoints have names. save also records the session's tabs, and replaces the checkpoint of
    that name.
    """

    action: Annotated[Literal["save", "load", "list", "delete"], Meta(description="What to do")]
    name: Annotated[
        Name | None,
        Meta(description="Default: the session's name; load falls back to the newest"),
    ] = None
    task_description: Annotated[str, Meta(description="The task", extra=PAYLOAD)] = ""
    completed_steps: Annotated[list[Any], Meta(description="Finished steps", extra=PAYLOAD)] = (
        field(default_factory=list[Any])
    )
    pending_steps: Annotated[list[Any], Meta(description="Remaining steps", extra=PAYLOAD)] = field(
        default_factory=list[Any]
    )
    extracted_data: Annotated[
        dict[str, Any] | list[Any] | str | int | float | bool | None,
        Meta(description="Any JSON; secrets are masked", extra=PAYLOAD),
    ] = None
    limit: Annotated[int, Meta(ge=1, le=500, description="Max number to list")] = 50


class SavedTab(TypedDict):
    """A tab's saved state."""

    tab_id: str
    url: str
    title: str


class CheckpointSummary(TypedDict):
    """A checkpoint without its lists."""

    name: str
    saved_at: str
    session: str
    task_description: str
    current_url: str | None
    completed: int
    pending: int
    tab_count: int


class CheckpointResult(TypedDict, total=False):
    """The checkpoint, or all of them."""

    saved: bool
    name: str
    saved_at: str
    session: str
    task_description: str
    current_url: str | None
    completed: int
    pending: int
    tab_count: int
    path: str
    pruned: list[str]
    replaced: Annotated[dict[str, str], Meta(description="The earlier one of this name")]
    completed_steps: list[Any]
    pending_steps: list[Any]
    extracted_data: Any
    tabs: list[SavedTab]
    checkpoints: list[CheckpointSummary]
    count: int
    total: int
    unreadable: list[str]
    deleted: bool


@daemon_verb(
    "oc_checkpoint", CheckpointParams, needs=SessionSnapshots,
    returns=CheckpointResult,
    capability="core", tier=3,
    aliases={"checkpoint_id": "name"},
    page_keys=("title",),
    example={"action": "save", "name": "half-way"},
)  # fmt: skip
async def oc_checkpoint(snapshots: SessionSnapshots, params: CheckpointParams) -> Output:
    act = {"save": _save, "load": _load, "list": _list_checkpoints, "delete": _delete}
    return Output(data=await act[params.action](snapshots, params))


async def _save(snapshots: SessionSnapshots, params: CheckpointParams) -> dict[str, Any]:
    session = call_context.current().session
    tabs, current = await snapshots.tabs(session)
    url = next((tab.url for tab in tabs if tab.tab_id == current), None)
    draft = Checkpoint(
        name=params.name or session, saved_at=now(), session=session,
        task_description=params.task_description, completed_steps=params.completed_steps,
        pending_steps=params.pending_steps, extracted_data=params.extracted_data,
        current_url=url, tabs=tabs,
    )  # fmt: skip
    checkpoint = _redact_record(draft, "task_description", *_LISTS)
    old, pruned = await asyncio.to_thread(snapshots.checkpoints.put, checkpoint)
    saved = _checkpoint_to_dict(checkpoint, summary_only=True) | (
        {"pruned": pruned} if pruned else {}
    )
    replaced = {"replaced": {"saved_at": old.saved_at, "session": old.session}} if old else {}
    path = {"path": str(snapshots.checkpoints.path(checkpoint.name))}
    return {"saved": True, **saved, **path, **replaced}


_LISTS = ("completed_steps", "pending_steps", "extracted_data")


async def _load(snapshots: SessionSnapshots, params: CheckpointParams) -> dict[str, Any]:
    if params.name is not None:
        return _checkpoint_to_dict(await asyncio.to_thread(snapshots.checkpoints.get, params.name))
    return _checkpoint_to_dict(
        await asyncio.to_thread(snapshots.checkpoints.latest, call_context.current().session)
    )


async def _list_checkpoints(
    snapshots: SessionSnapshots, params: CheckpointParams
) -> dict[str, Any]:
    found, unreadable = await asyncio.to_thread(snapshots.checkpoints.all)
    summaries = [
        _checkpoint_to_dict(checkpoint, summary_only=True) for checkpoint in found[: params.limit]
    ]
    data = {"checkpoints": summaries, "count": len(summaries), "total": len(found)}
    return data | ({"unreadable": unreadable} if unreadable else {})


async def _delete(snapshots: SessionSnapshots, params: CheckpointParams) -> dict[str, Any]:
    name = params.name or call_context.current().session
    gone = await asyncio.to_thread(snapshots.checkpoints.delete, name)
    return {"deleted": True, "name": gone.name}


def _checkpoint_to_dict(checkpoint: Checkpoint, *, summary_only: bool = False) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(checkpoint)
    hidden = {"format", "version", *(("tabs", *_LISTS) if summary_only else ())}
    fields = {key: value for key, value in fields.items() if key not in hidden}
    for tab in fields.get("tabs", ()):
        del tab["target_id"]
    if summary_only:
        done, left = len(checkpoint.completed_steps), len(checkpoint.pending_steps)
        fields |= {"completed": done, "pending": left, "tab_count": len(checkpoint.tabs)}
    return fields


class SessionSnapshot(Params):
    """Save the session's goal, progress and tabs

    Restore it with oc_session_resume. The newest 200 are kept.
    """

    objective: Annotated[Text, Meta(description="Overall goal", extra=PAYLOAD)]
    current_step: Annotated[Text, Meta(description="Step in progress", extra=PAYLOAD)]
    next_actions: Annotated[
        list[str] | str, Meta(description="What to do next, in order", extra=PAYLOAD)
    ]
    completed_steps: Annotated[
        list[str] | str, Meta(description="Finished steps", extra=PAYLOAD)
    ] = field(default_factory=list[str])
    notes: Annotated[str, Meta(description="Anything else worth knowing", extra=PAYLOAD)] = ""
    label: Annotated[
        Annotated[str, Meta(max_length=10_240)], Meta(description="Name to resume it by")
    ] = ""


class SessionSnapshotResult(TypedDict):
    """Where it was saved."""

    snapshot_id: str
    label: str
    created_at: str
    session: str
    tab_count: int
    path: str
    next_step: dict[str, Any]
    pruned: NotRequired[list[str]]


@task_verb(
    "oc_session_snapshot",
    SessionSnapshot,
    needs=SessionSnapshots,
    returns=SessionSnapshotResult,
    capability="core",
    tier=3,
    example={"objective": "Order the book", "current_step": "Pay", "next_actions": ["Log in"]},
)
async def oc_session_snapshot(
    snapshots: SessionSnapshots, work: TaskHandle, params: SessionSnapshot
) -> Output:
    tabs, current = await snapshots.tabs(work.session)
    draft = Snapshot(
        name=new_snapshot_id(), saved_at=now(), session=work.session, label=params.label,
        objective=params.objective, current_step=params.current_step,
        next_actions=_lines(params.next_actions), completed_steps=_lines(params.completed_steps),
        notes=params.notes, current=current, tabs=tabs,
    )  # fmt: skip
    texts = ("objective", "current_step", "next_actions", "completed_steps", "notes")
    snapshot = _redact_record(draft, *texts)
    _, pruned = await asyncio.to_thread(snapshots.snapshots.put, snapshot)
    arguments = {"snapshot_id": snapshot.name, "reopen_tabs": True}
    data = {
        "snapshot_id": snapshot.name, "label": snapshot.label, "created_at": snapshot.saved_at,
        "session": snapshot.session, "tab_count": len(tabs),
        "path": str(snapshots.snapshots.path(snapshot.name)),
        "next_step": {"verb": "oc_session_resume", "arguments": arguments},
    }  # fmt: skip
    return Output(data=data | ({"pruned": pruned} if pruned else {}))


def _lines(value: list[str] | str) -> list[str]:
    return [line for line in value.splitlines() if line] if isinstance(value, str) else value


R = TypeVar("R", Checkpoint, Snapshot)


def _redact_record(record: R, *names: str) -> R:
    """Return the record with secrets masked in these fields; invalid_argument if too large."""
    values = {name: getattr(record, name) for name in names}
    size = len(msgspec.json.encode(values))
    if size > MAX_BYTES:
        raise OcdError(
            "invalid_argument", f"Too large: {size} bytes, at most {MAX_BYTES}",
            parameter=max(values, key=lambda name: len(msgspec.json.encode(values[name]))),
            limit=MAX_BYTES,
        )  # fmt: skip
    return msgspec.structs.replace(record, **{name: redact(values[name]) for name in names})


class SessionResume(Params):
    """Restore context from a session snapshot

    Each tab is LIVE, REMAPPED (same URL, different id), CLOSED or REOPENED.
    """

    snapshot_id: Annotated[
        Name | None,
        Meta(description="Id or label; default: the session's newest, else the newest of all"),
    ] = None
    reopen_tabs: Annotated[bool, Meta(description="Reopen closed tabs")] = False


class RestoredTab(SavedTab):
    """A tab of the snapshot, and its current state."""

    status: Annotated[str, Meta(description="LIVE, REMAPPED, CLOSED or REOPENED")]
    tab_id_now: NotRequired[str]
    url_now: NotRequired[str]
    error: NotRequired[dict[str, Any]]


class SessionResumeResult(TypedDict):
    """The saved state, and its tabs."""

    snapshot_id: str
    created_at: str
    session: str
    label: str
    objective: str
    current_step: str
    next_actions: list[str]
    completed_steps: list[str]
    notes: str
    current: str | None
    age_s: int
    tabs: list[RestoredTab]
    guide: Annotated[str, Meta(description="The result as text")]
    warning: NotRequired[str]


@daemon_verb(
    "oc_session_resume", SessionResume, needs=SessionSnapshots,
    returns=SessionResumeResult,
    capability="core", tier=3,
    timeout_ms=120_000, page_keys=("title",),
    example={"snapshot_id": "before-checkout"},
)  # fmt: skip
async def oc_session_resume(snapshots: SessionSnapshots, params: SessionResume) -> Output:
    session = call_context.current().session
    snapshot = await snapshots.find(params.snapshot_id, session)
    return Output(data=await snapshots.resume(snapshot, session, reopen=params.reopen_tabs))
