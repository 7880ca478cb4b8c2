"""Verbs about tasks: long calls that run in the background, recorded in the ledger."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta, field

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.ledger.runner import Runner
from ocd.ledger.states import Status, TaskProgress, milliseconds, public
from ocd.verb_api.declaration import ARGUMENTS_OF_KIND, UNLISTED, Output, Params, daemon_verb
from ocd.verb_api.inline_tasks import task_origins

TaskId = Annotated[str, Meta(description="The task's id")]


class TaskStart(Params):
    """Start a long-running tool in the background

    Returns a `task_id` at once. Follow it with oc_task_wait or oc_task_get; end it with
    oc_task_cancel. It continues when the caller disconnects.
    """

    kind: Annotated[str, Meta(description="The tool to run")]
    args: Annotated[
        dict[str, Any], Meta(description="The tool's own parameters", extra=ARGUMENTS_OF_KIND)
    ] = field(default_factory=dict[str, Any])


class TaskReport(TypedDict):
    """A task in the ledger; times are RFC 3339, UTC."""

    task_id: str
    kind: str
    status: Status
    session: str
    direct: NotRequired[Annotated[bool, Meta(description="A caller waits for it")]]
    pid: int | None
    pid_started_at: str | None
    resumed_from: NotRequired[Annotated[str, Meta(description="The task that continues this one")]]
    created_at: str
    started_at: str | None
    ended_at: str | None
    cancel_requested_at: str | None
    args_summary: Annotated[str, Meta(description="Its parameters as JSON text, cut and masked")]
    progress: TaskProgress
    result_path: str | None
    error: Annotated[dict[str, Any] | None, Meta(description="code, message and more")]


class TaskStarted(TypedDict):
    """The task that goes on."""

    task_id: str
    status: Status
    kind: str


class TaskStartResult(TaskStarted):
    """The started task."""


@daemon_verb(
    "oc_task_start",
    TaskStart,
    needs=Runner,
    returns=TaskStartResult,
    capability="tasks",
    tier=1,
    example={"kind": "crawl", "args": {"url": "https://example.com", "max_pages": 200}},
)
async def oc_task_start(runner: Runner, params: TaskStart) -> Output:
    meta = await runner.start(params.kind, params.args, call_context.current().session)
    return Output(data={"task_id": meta.task_id, "status": meta.status, "kind": meta.kind})


class TaskList(Params):
    """List tasks, newest first

    Omits direct calls that have completed, unless all is set.
    """

    all: Annotated[
        bool,
        Meta(
            description="Include completed direct calls of long tools",
            extra_json_schema=UNLISTED,
        ),
    ] = False
    status: Annotated[
        Status | list[Status] | None,
        Meta(description="Only this, or one of these"),
    ] = None
    kind: Annotated[
        str | list[str] | None, Meta(description="Only of this kind, or one of these")
    ] = None
    limit: Annotated[
        int, Meta(ge=1, le=1000, description="Max number to list", extra_json_schema=UNLISTED)
    ] = 50
    since: Annotated[
        str | int | None,
        Meta(
            description="Only tasks created since: RFC 3339 time, or epoch milliseconds",
            extra_json_schema=UNLISTED,
        ),
    ] = None
    before: Annotated[
        str | int | None,
        Meta(
            description="Only tasks created before this: continues an earlier list",
            extra_json_schema=UNLISTED,
        ),
    ] = None


class TaskListResult(TypedDict):
    """Tasks, newest first."""

    tasks: list[TaskReport]
    count: int
    unreadable: NotRequired[Annotated[int, Meta(description="Tasks that cannot be read")]]


@daemon_verb(
    "oc_task_list",
    TaskList,
    needs=Runner,
    returns=TaskListResult,
    capability="tasks",
    tier=1,
    reads=True,
    example={"status": "RUNNING"},
)
async def oc_task_list(runner: Runner, params: TaskList) -> Output:
    found = await runner.list(
        _as_list(params.status),
        _as_list(params.kind),
        since=_created_ms("since", params.since) or 0,
        before=_created_ms("before", params.before),
        limit=params.limit,
        answered=params.all,
    )
    unreadable = {"unreadable": found.unreadable} if found.unreadable else {}
    metas = [public(meta) for meta in found.metas]
    return Output(data={"tasks": metas, "count": len(metas), **unreadable})


def _as_list(value: str | Sequence[str] | None) -> list[str]:
    if value is None:
        return []
    return [value] if isinstance(value, str) else list(value)


def _created_ms(parameter: str, value: str | int | None) -> int | None:
    if value is None or isinstance(value, int):
        return value
    try:
        return int(value) if value.isdecimal() else milliseconds(value)
    except ValueError:
        raise OcdError(
            "invalid_argument",
            f"oc_task_list: not a valid time in '{parameter}': {value}",
            hint="For example 2026-03-01T12:00:00Z, or epoch milliseconds.",
            parameter=parameter,
            expected="RFC 3339 time or epoch milliseconds",
        ) from None


class TaskGet(Params):
    """Show a task, and its result on request

    `meta.progress` is current. The result of a failed or cancelled task is what it had finished,
    of a running one what it has so far.
    """

    task_id: TaskId
    include_result: Annotated[
        bool, Meta(description="Also return the result, as the direct call would")
    ] = False


class TaskGetResult(TypedDict):
    """The task; with include_result its result, as the verb that it runs returns it."""

    meta: TaskReport
    result: NotRequired[Any]


@daemon_verb(
    "oc_task_get",
    TaskGet,
    needs=Runner,
    returns=TaskGetResult,
    capability="tasks",
    tier=1,
    large=True,
    reads=True,
    page_keys=("result",),
    example={"task_id": "0123456789abcdef", "include_result": True},
)
async def oc_task_get(runner: Runner, params: TaskGet) -> Output:
    meta = await runner.get(params.task_id)
    data = {"meta": public(meta)}
    result = await asyncio.to_thread(runner.result, meta) if params.include_result else None
    if result is None:
        return Output(data=data)
    return Output(
        data={**data, "result": result.data},
        rows=result.rows,
        items=None if result.items is None else ("result", *result.items),
        origins=task_origins(meta, result.data),
        stored_path=("result",),
        file=result.file,
    )


class TaskResume(Params):
    """Continue an ended crawl, as a new task

    Takes over its finished pages and fetches what is left: after a crash, a cancel, an error, or a
    limit that is higher now. Pages that timed out or met a network error are tried again.
    """

    task_id: TaskId
    max_pages: Annotated[
        Annotated[int, Meta(ge=1, le=100_000)] | None, Meta(description="New limit")
    ] = None
    max_depth: Annotated[
        Annotated[int, Meta(ge=0, le=1000)] | None, Meta(description="New limit")
    ] = None
    args: Annotated[
        dict[str, Any],
        Meta(
            description="Other parameters to change: retries, page_timeout_ms, delay_ms, "
            "concurrency, engine; and those with logins, which are not stored",
            extra_json_schema=UNLISTED,
        ),
    ] = field(default_factory=dict[str, Any])


class TaskResumeResult(TaskStarted):
    """The new task."""

    resumed_from: str


@daemon_verb(
    "oc_task_resume",
    TaskResume,
    needs=Runner,
    returns=TaskResumeResult,
    capability="tasks",
    tier=3,
    example={"task_id": "0123456789abcdef", "max_pages": 500},
)
async def oc_task_resume(runner: Runner, params: TaskResume) -> Output:
    limits = {"max_pages": params.max_pages, "max_depth": params.max_depth}
    changes = {**params.args, **{name: one for name, one in limits.items() if one is not None}}
    meta = await runner.resume(params.task_id, changes, call_context.current().session)
    return Output(
        data={
            "task_id": meta.task_id,
            "status": meta.status,
            "kind": meta.kind,
            "resumed_from": params.task_id,
        }
    )


class TaskCancel(Params):
    """Stop a running task; what it has finished is kept

    Returns once it has ended, or after 2 s with its current state.
    """

    task_id: TaskId


class TaskState(TypedDict):
    """The task as it is now."""

    meta: TaskReport


class TaskCancelResult(TaskState):
    """The task's current state: ended, or still ending."""


@daemon_verb(
    "oc_task_cancel",
    TaskCancel,
    needs=Runner,
    returns=TaskCancelResult,
    capability="tasks",
    tier=1,
    example={"task_id": "0123456789abcdef"},
)
async def oc_task_cancel(runner: Runner, params: TaskCancel) -> Output:
    return Output(data={"meta": public(await runner.cancel(params.task_id))})


class TaskWait(Params):
    """Wait until a task has ended

    A failed or cancelled task is returned, too, by its `status` (`oc` then exits with 1).
    After `timeout_ms` the error `timeout` reports the progress; the task continues.
    """

    task_id: TaskId
    timeout_ms: Annotated[int, Meta(ge=0, le=600_000, description="Time to wait, in ms")] = 60_000


class TaskWaitResult(TaskState):
    """The ended task."""


@daemon_verb(
    "oc_task_wait",
    TaskWait,
    needs=Runner,
    returns=TaskWaitResult,
    capability="tasks",
    tier=1,
    reads=True,
    example={"task_id": "0123456789abcdef"},
)
async def oc_task_wait(runner: Runner, params: TaskWait) -> Output:
    return Output(
        data={"meta": public(await runner.wait(params.task_id, params.timeout_ms / 1000))}
    )
