"""Verbs about recordings of a session's actions."""

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import msgspec
from msgspec import Meta

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.ledger.task_handle import TaskHandle
from ocd.recording import export_html, export_plan, export_python
from ocd.recording.active_recording import ActiveRecording
from ocd.recording.film.export import FilmFormat, export_film
from ocd.recording.recorder import Recorder
from ocd.recording.store import MAX_ACTIONS, RecordingMeta, Recordings, Screenshots
from ocd.storage.files import write_whole
from ocd.storage.payload import Rows
from ocd.verb_api.declaration import UNLISTED, WRITES_PATH, Output, Params, daemon_verb, task_kind

Name = Annotated[str, Meta(max_length=200)]
Format = Literal["json", "html", "python_pyppeteer", "python_playwright", "plan"]


class Record(Params):
    """Record the session's actions until the task is cancelled

    The result is the recording with its actions; actions recorded before a crash survive it.
    """

    name: Annotated[Name | None, Meta(description="Name of the recording")] = None
    label: Annotated[Name | None, Meta(description="Same as name", extra_json_schema=UNLISTED)] = (
        None
    )
    screenshots: Annotated[
        Screenshots, Meta(description="Screenshots of the viewport around every action")
    ] = "none"
    video: Annotated[
        bool, Meta(description="Record a video of the tab (needs the extra `video`)")
    ] = False
    max_actions: Annotated[
        int,
        Meta(
            ge=1,
            le=MAX_ACTIONS,
            description="Stop after N actions",
            extra_json_schema=UNLISTED,
        ),
    ] = MAX_ACTIONS
    duration_s: Annotated[
        Annotated[float, Meta(gt=0, le=604_800)] | None,
        Meta(description="Stop after N seconds", extra_json_schema=UNLISTED),
    ] = None


class RecordingStart(Record):
    """Start recording the session's actions

    Calls that act on pages or read them are recorded with the elements they used; secrets are
    not. Stop it with oc_recording_stop; oc_recording_export makes a program of it. One per
    session; the newest 50 are kept, and `pruned` names the one deleted for it.
    """


class RecordingStop(Params):
    """Stop the session's recording"""


class RecordingList(Params):
    """List recordings, newest first"""

    limit: Annotated[int, Meta(ge=1, le=200, description="Max number to list")] = 20


class RecordingExport(Params):
    """Export a recording as data, report, program or plan

    html: one file with its screenshots. python_*: a program that repeats the actions. plan:
    steps for execute_plan. webm, gif: its film, to a file.
    """

    recording_id: Annotated[
        str | None, Meta(description="Id or name; default: the session's latest")
    ] = None
    format: Annotated[Literal[Format, FilmFormat], Meta(description="Output format")] = "json"
    path: Annotated[
        str | None, Meta(description="Write it to this file instead", extra=WRITES_PATH)
    ] = None


def _new_meta(params: Record, session: str, task_id: str | None = None) -> RecordingMeta:
    return RecordingMeta(
        recording_id="",
        started_at="",
        session=session,
        name=params.name or params.label or "",
        screenshots=params.screenshots,
        video=params.video,
        max_actions=params.max_actions,
        duration_s=params.duration_s,
        task_id=task_id,
    )


class RecordingReport(TypedDict):
    """A recording."""

    recording_id: str
    session: str
    started_at: str
    name: str
    screenshots: str
    max_actions: int
    duration_s: float | None
    task_id: str | None
    ended_at: str | None
    ended_by: str | None
    action_count: int
    lost: NotRequired[Annotated[int, Meta(description="Actions that could not be written")]]
    video: NotRequired[bool]
    film_s: NotRequired[float | None]
    film_ended_by: NotRequired[str | None]
    film: NotRequired[str]
    status: Annotated[str, Meta(description="active, ended or interrupted")]
    path: str


class RecordingStartResult(RecordingReport):
    """The started recording."""

    pruned: NotRequired[list[str]]


@daemon_verb(
    "oc_recording_start",
    RecordingStart,
    needs=Recorder,
    returns=RecordingStartResult,
    capability="recording",
    tier=2,
    example={"name": "order"},
)
async def oc_recording_start(recorder: Recorder, params: RecordingStart) -> Output:
    active, pruned = await recorder.start(_new_meta(params, call_context.current().session))
    return Output(data=recorder.public(active.meta) | ({"pruned": pruned} if pruned else {}))


class RecordingStopResult(RecordingReport):
    """The ended recording."""

    next_step: dict[str, Any]


@daemon_verb(
    "oc_recording_stop",
    RecordingStop,
    needs=Recorder,
    returns=RecordingStopResult,
    capability="recording",
    tier=2,
)
async def oc_recording_stop(recorder: Recorder, _params: RecordingStop) -> Output:
    meta = await recorder.stop(call_context.current().session)
    arguments = {"recording_id": meta.recording_id, "format": "html"}
    step = {"verb": "oc_recording_export", "arguments": arguments}
    return Output(data=recorder.public(meta) | {"next_step": step})


class RecordingListResult(TypedDict):
    """Recordings, newest first."""

    recordings: list[RecordingReport]
    count: int
    total: int
    unreadable: NotRequired[list[str]]


@daemon_verb(
    "oc_recording_list",
    RecordingList,
    needs=Recorder,
    returns=RecordingListResult,
    capability="recording",
    tier=3,
    reads=True,
)
async def oc_recording_list(recorder: Recorder, params: RecordingList) -> Output:
    metas, unreadable = await recorder.all()
    listed_metas = [recorder.public(meta) for meta in metas[: params.limit]]
    data: dict[str, Any] = {
        "recordings": listed_metas,
        "count": len(listed_metas),
        "total": len(metas),
    }
    return Output(data=data | ({"unreadable": unreadable} if unreadable else {}))


class RecordingExportResult(TypedDict, total=False):
    """The file that was written; without one, by the format: a recording, a plan or a text."""

    recording_id: str
    format: str
    path: str
    size_bytes: int
    recording: RecordingReport
    actions: list[dict[str, Any]]
    name: str
    version: int
    description: str
    parameters: dict[str, Any]
    steps: list[dict[str, Any]]
    left_out: list[dict[str, Any]]
    action_count: int
    content: Annotated[str, Meta(description="The program or the page")]


@daemon_verb(
    "oc_recording_export",
    RecordingExport,
    needs=Recorder,
    timeout_ms=600_000,
    returns=RecordingExportResult,
    capability="recording",
    tier=2,
    large=True,
    reads=True,
    page_keys=("title_before", "title_after", "target", "targets", "changed", "lines"),
    example={"format": "python_playwright", "path": "/home/ada/steps.py"},
)
async def oc_recording_export(recorder: Recorder, params: RecordingExport) -> Output:
    meta = await recorder.find(params.recording_id, call_context.current().session)
    form = params.format
    if form == "webm" or form == "gif":
        return await _export_film(recorder, meta, form, params.path)
    exported = await asyncio.to_thread(_export, recorder.store, meta, recorder.public(meta), form)
    if params.path is not None:
        chunks = (chunk.data for chunk in exported.payload(None))
        size = await asyncio.to_thread(write_whole, Path(params.path), chunks)
        data = {"recording_id": meta.recording_id, "format": params.format}
        return Output(data=data | {"path": params.path, "size_bytes": size})
    return exported


async def _export_film(
    recorder: Recorder, meta: RecordingMeta, form: FilmFormat, path: str | None
) -> Output:
    film = recorder.store.film(meta.recording_id)
    if not await asyncio.to_thread(film.exists):
        raise OcdError(
            "not_found", f"The recording {meta.recording_id} has no video",
            hint=f"Start one with video: {tool_call('oc_recording_start', video=True)}",
        )  # fmt: skip
    target = (
        Path(path)
        if path
        else recorder.sessions.folder_of(meta.session) / f"{meta.recording_id}.{form}"
    )
    size = await export_film(film, form, target)
    data = {"recording_id": meta.recording_id, "format": form}
    return Output(data=data | {"path": str(target), "size_bytes": size})


def _export(
    store: Recordings, meta: RecordingMeta, about: dict[str, Any], format_: Format
) -> Output:
    """Return the recording in that format; blocks. `about` is the recording as callers know it."""
    actions = store.actions(meta.recording_id)
    if format_ == "json":
        return Output(data={"recording": about, "actions": actions}, items=("actions",))
    if format_ == "plan":
        return Output(data=export_plan.plan_of(about, actions), items=("steps",))
    if format_ == "html":
        picture = partial(store.picture, meta.recording_id)
        text, kind = export_html.html(about, actions, picture), "text/html"
    else:
        text, kind = export_python.program(about, actions, format_), "text/x-python"
    data = {"recording_id": meta.recording_id, "format": format_, "action_count": len(actions)}
    return Output(data=data, content=text, content_type=kind)


# --- the kind of the ledger ------------------------------------------------------------------


def _partial_result(meta: Mapping[str, Any], lines: Rows) -> dict[str, Any]:
    first = next(iter(lines), b"{}")
    ended = {
        "recording_id": msgspec.json.decode(first).get("recording_id"),
        "session": meta["session"],
        "task_id": meta["task_id"],
        "status": "interrupted",
        "action_count": sum(1 for _ in lines),
    }
    return {"recording": ended}


class RecordingResult(TypedDict):
    """The ended recording, with its actions."""

    recording: RecordingReport
    actions: list[dict[str, Any]]


@task_kind(
    "recording",
    Record,
    needs=Recorder,
    returns=RecordingResult,
    capability="recording",
    tier=2,
    items=("actions",),
    recover=_partial_result,
    reports_begin=True,
)
async def recording(recorder: Recorder, work: TaskHandle, params: Record) -> Output:
    active, _ = await recorder.start(_new_meta(params, work.session, work.task_id))
    recording_id = active.meta.recording_id
    work.progress(0, params.max_actions, recording_id)

    def add_action(line: bytes) -> None:
        # The task's record is written now and then, its units at once.
        work.add(line[:-1] + b',"recording_id":"%s"}' % recording_id.encode())
        work.progress(work.finished, params.max_actions, recording_id)

    active.on_action = add_action
    work.begun.set()
    try:
        await _until_over(recorder, work, active)
    finally:
        recorder.end_soon(active, "cancel")
    actions = await asyncio.to_thread(recorder.store.actions, recording_id)
    return Output(data={"recording": recorder.public(active.meta), "actions": actions})


async def _until_over(recorder: Recorder, work: TaskHandle, active: ActiveRecording) -> None:
    async def end_on_stop() -> None:
        await work.stop.wait()
        await recorder.end(active, "cancel")

    async with asyncio.TaskGroup() as group:
        watcher = group.create_task(end_on_stop())
        await active.ended.wait()
        watcher.cancel()
