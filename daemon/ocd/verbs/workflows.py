"""Verbs about workflows: work divided among isolated workers."""

from typing import Annotated, Any, NotRequired, TypedDict

import msgspec
from msgspec import Meta

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.browser.sessions.browser_contexts import MAX_WORKERS
from ocd.safety.domain_policy import parse_url_argument
from ocd.verb_api.declaration import PAYLOAD, Output, Params, daemon_verb
from ocd.workflows.service import WorkerAssignment, WorkflowLimits, Workflows, prompt, worker_result
from ocd.workflows.states import WorkerState, WorkflowMeta
from ocd.workflows.states import workflow_status as status_of

MAX_MS = 86_400_000
_MILLISECONDS = Meta(ge=1, le=MAX_MS)
Workflow = Annotated[str | None, Meta(description="Workflow id; default: newest")]


class WorkerSpec(msgspec.Struct, forbid_unknown_fields=True):
    """One worker of a workflow."""

    name: Annotated[str, Meta(min_length=1, max_length=20_000, description="Unique name")]
    task: Annotated[str, Meta(min_length=1, max_length=100_000, description="Task of the worker")]
    url: Annotated[str, Meta(description="Start URL")] = ""
    success_criteria: Annotated[
        str, Meta(max_length=20_000, description="When the task counts as done")
    ] = ""
    share_cookies: Annotated[bool, Meta(description="Copy the profile's cookies for url")] = False
    timeout_ms: Annotated[
        Annotated[int, _MILLISECONDS] | None, Meta(description="Default: worker_timeout_ms")
    ] = None


class WorkflowInit(Params):
    """Start a workflow: divide work among agents, each with a tab and a task

    Every worker gets an isolated browser context. Returns worker_prompts: give each to one of your
    own agents, which reports with worker_update and worker_complete; then workflow_collect.
    """

    name: Annotated[str, Meta(min_length=1, max_length=20_000, description="Name of the workflow")]
    workers: Annotated[
        list[WorkerSpec],
        Meta(min_length=1, max_length=MAX_WORKERS, description="The workers", extra=PAYLOAD),
    ]
    worker_timeout_ms: Annotated[
        Annotated[int, _MILLISECONDS],
        Meta(description="Time limit of a worker, which then ends as PARTIAL"),
    ] = 60_000
    max_stale_iterations: Annotated[
        int, Meta(ge=1, le=1000, description="Updates in a row without new data that end a worker")
    ] = 5
    global_timeout_ms: Annotated[
        Annotated[int, _MILLISECONDS], Meta(description="Time limit of all workers")
    ] = 300_000

    def __post_init__(self) -> None:
        names = [worker.name for worker in self.workers]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise OcdError(
                "invalid_argument", f"workflow_init: two workers are named {twice[:200]!r}",
                hint="Give each worker a unique name.", parameter="workers",
            )  # fmt: skip
        for worker in self.workers:
            if worker.url:
                parse_url_argument(worker.url)


class WorkflowStatus(Params):
    """Show a workflow's progress"""

    workflow_id: Workflow = None
    include_worker_details: Annotated[bool, Meta(description="Include each worker's progress")] = (
        False
    )


class WorkflowCollect(Params):
    """Collect the results of all workers

    Does not wait; includes what running workers have reported so far.
    """

    workflow_id: Workflow = None


class WorkflowCollectPartial(Params):
    """Collect the results of workers that have ended"""

    workflow_id: Workflow = None
    only_successful: Annotated[bool, Meta(description="Only workers with SUCCESS")] = False


class WorkflowCleanup(Params):
    """End a workflow: close its workers' contexts and tabs

    Running workers become PARTIAL. Reported results are kept and can still be collected. Without
    this call, the contexts of an ended workflow are closed when a new one needs the room.
    """

    workflow_id: Annotated[
        str | None, Meta(description="Workflow id; default: the session's newest")
    ] = None


class StartedWorker(TypedDict):
    """A worker that is ready."""

    worker_id: str
    worker_name: str
    tab_id: str
    task: str
    url: str
    load_error: NotRequired[str]


class WorkerPrompt(TypedDict):
    """The prompt for the worker's agent."""

    worker_name: str
    prompt: str


class WorkflowInitResult(TypedDict):
    """The started workflow."""

    workflow_id: str
    status: str
    name: str
    workers: list[StartedWorker]
    message: str
    worker_prompts: list[WorkerPrompt]
    next_step: dict[str, Any]
    pruned: NotRequired[list[str]]
    released: NotRequired[list[str]]


@daemon_verb(
    "workflow_init", WorkflowInit, needs=Workflows,
    returns=WorkflowInitResult,
    capability="workflow", tier=3,
    timeout_ms=120_000,
    example={"name": "prices", "workers": [{"name": "a", "task": "Note the price"}]},
)  # fmt: skip
async def workflow_init(workflows: Workflows, params: WorkflowInit) -> Output:
    assignments = [_assignment(worker) for worker in params.workers]
    limits = WorkflowLimits(
        params.worker_timeout_ms, params.global_timeout_ms, params.max_stale_iterations
    )
    started = await workflows.start(
        call_context.current().session, params.name, assignments, limits
    )
    meta, workers = started.meta, started.workers
    status = {"verb": "workflow_status", "arguments": {"workflow_id": meta.workflow_id}}
    data: dict[str, Any] = {
        "workflow_id": meta.workflow_id,
        "status": "INITIALIZED",
        "name": meta.name,
        "workers": [_started_to_dict(worker) for worker in workers],
        "message": f"{len(workers)} workers are ready; give each its prompt",
        "worker_prompts": [
            {"worker_name": worker.name, "prompt": prompt(meta, worker)} for worker in workers
        ],
        "next_step": status,
    }
    gone = {"pruned": started.pruned, "released": started.released}
    return Output(data=data | {key: ids for key, ids in gone.items() if ids})


def _assignment(spec: WorkerSpec) -> WorkerAssignment:
    url = parse_url_argument(spec.url) if spec.url else ""
    return WorkerAssignment(
        spec.name, spec.task, url, spec.success_criteria, spec.share_cookies, spec.timeout_ms
    )


def _started_to_dict(worker: WorkerState) -> dict[str, Any]:
    return {
        "worker_id": worker.worker_id,
        "worker_name": worker.name,
        "tab_id": worker.tab_id,
        "task": worker.task,
        "url": worker.url,
        **({"load_error": worker.load_error} if worker.load_error else {}),
    }


async def _find_workflow(workflows: Workflows, workflow_id: str | None) -> WorkflowMeta | None:
    """Return the workflow; None if none was named and there is none."""
    try:
        return await workflows.find(workflow_id, call_context.current().session)
    except OcdError as error:
        if error.code != "workflow_not_found" or workflow_id is not None:
            raise
        return None


class WorkerProgress(TypedDict):
    """A worker's progress."""

    worker_id: str
    worker_name: str
    tab_id: str
    status: str
    iteration: int


class WorkflowStatusResult(TypedDict):
    """The workflow's progress; only `status` if there is none."""

    status: str
    workflow_id: NotRequired[str]
    name: NotRequired[str]
    workers: NotRequired[list[WorkerProgress]]
    worker_count: NotRequired[int]
    completed_workers: NotRequired[int]
    partial_workers: NotRequired[int]
    failed_workers: NotRequired[int]
    pending_workers: NotRequired[int]
    timed_out_workers: NotRequired[int]
    duration_ms: NotRequired[int]
    cleaned_at: NotRequired[str]
    worker_details: NotRequired[list[dict[str, Any]]]


@daemon_verb(
    "workflow_status",
    WorkflowStatus,
    needs=Workflows,
    returns=WorkflowStatusResult,
    capability="workflow",
    tier=3,
    reads=True,
    example={"workflow_id": "wf_1"},
)
async def workflow_status(workflows: Workflows, params: WorkflowStatus) -> Output:
    meta = await _find_workflow(workflows, params.workflow_id)
    if meta is None:
        return Output(data={"status": "NO_WORKFLOW"})
    workers = await workflows.workers(meta)
    details = {"worker_details": [_worker_details(worker) for worker in workers]}
    data: dict[str, Any] = {
        "workflow_id": meta.workflow_id,
        "status": status_of(workers),
        "name": meta.name,
        "workers": [
            {"worker_id": w.worker_id, "worker_name": w.name, "tab_id": w.tab_id,
             "status": w.status, "iteration": w.iteration}
            for w in workers
        ],
        **_counts(workers),
        "duration_ms": workflows.duration_ms(meta, workers),
        **({"cleaned_at": meta.cleaned_at} if meta.cleaned_at else {}),
    }  # fmt: skip
    return Output(data=data | (details if params.include_worker_details else {}))


def _counts(workers: list[WorkerState]) -> dict[str, int]:
    """Count workers by outcome; those that were stopped do not count as completed."""
    return {
        "worker_count": len(workers),
        "completed_workers": sum(w.status == "SUCCESS" for w in workers),
        "partial_workers": sum(w.status == "PARTIAL" for w in workers),
        "failed_workers": sum(w.status == "FAIL" for w in workers),
        "pending_workers": sum(not w.ended for w in workers),
        "timed_out_workers": sum(w.ended_by in ("timeout", "global_timeout") for w in workers),
    }


def _worker_details(worker: WorkerState) -> dict[str, Any]:
    left_out = ("format", "version", "fingerprint", "unchanged", "name")
    fields = msgspec.to_builtins(worker)
    return {"worker_name": worker.name} | {k: v for k, v in fields.items() if k not in left_out}


class WorkerOutcome(TypedDict):
    """A worker's report."""

    worker_id: str
    worker_name: str
    tab_id: str
    status: str
    result_summary: str
    data_extracted: Any
    iterations: int
    errors: list[Any]
    ended_by: NotRequired[str]


class WorkflowCollectResult(TypedDict):
    """The workers' reports."""

    status: str
    workflow_id: NotRequired[str]
    completed_count: NotRequired[int]
    partial_count: NotRequired[int]
    failed_count: NotRequired[int]
    pending_count: NotRequired[int]
    duration_ms: NotRequired[int]
    worker_results: list[WorkerOutcome]


@daemon_verb(
    "workflow_collect", WorkflowCollect, needs=Workflows,
    returns=WorkflowCollectResult,
    capability="workflow", tier=3,
    reads=True, large=True, items=("worker_results",), page_keys=("data_extracted",),
    example={"workflow_id": "wf_1"},
)  # fmt: skip
async def workflow_collect(workflows: Workflows, params: WorkflowCollect) -> Output:
    meta = await _find_workflow(workflows, params.workflow_id)
    if meta is None:
        return Output(data={"status": "NO_RESULTS", "worker_results": []})
    workers = await workflows.workers(meta)
    counts = _counts(workers)
    data = {
        "workflow_id": meta.workflow_id,
        "status": status_of(workers),
        "completed_count": counts["completed_workers"],
        "partial_count": counts["partial_workers"],
        "failed_count": counts["failed_workers"],
        "pending_count": counts["pending_workers"],
        "duration_ms": workflows.duration_ms(meta, workers),
        "worker_results": [worker_result(worker) for worker in workers],
    }
    return Output(data=data)


class WorkflowCollectPartialResult(TypedDict):
    """The reports of ended workers."""

    status: str
    workflow_id: NotRequired[str]
    progress: NotRequired[
        Annotated[dict[str, int], Meta(description="total, completed, failed, forced, pending")]
    ]
    completed_workers: list[WorkerOutcome]
    pending_worker_names: NotRequired[list[str]]
    duration_ms: NotRequired[int]


@daemon_verb(
    "workflow_collect_partial", WorkflowCollectPartial, needs=Workflows,
    returns=WorkflowCollectPartialResult,
    capability="workflow",
    tier=3, reads=True, large=True, items=("completed_workers",), page_keys=("data_extracted",),
    example={"workflow_id": "wf_1"},
)  # fmt: skip
async def workflow_collect_partial(workflows: Workflows, params: WorkflowCollectPartial) -> Output:
    meta = await _find_workflow(workflows, params.workflow_id)
    if meta is None:
        return Output(data={"status": "NO_WORKFLOW", "completed_workers": []})
    workers = await workflows.workers(meta)
    ended = [w for w in workers if w.ended]
    chosen = [w for w in ended if w.status == "SUCCESS" or not params.only_successful]
    progress = {
        "total": len(workers),
        "completed": sum(w.status != "FAIL" and not w.forced for w in ended),
        "failed": sum(w.status == "FAIL" for w in ended),
        "forced": sum(w.forced for w in ended),
        "pending": len(workers) - len(ended),
    }
    data = {
        "workflow_id": meta.workflow_id,
        "status": status_of(workers),
        "progress": progress,
        "completed_workers": [worker_result(worker) for worker in chosen],
        "pending_worker_names": [w.name for w in workers if not w.ended],
        "duration_ms": workflows.duration_ms(meta, workers),
    }
    return Output(data=data)


class WorkflowCleanupResult(TypedDict):
    """What was closed."""

    status: str
    workflow_id: str
    closed_workers: list[str]
    closed_tabs: list[str]
    next_step: dict[str, Any]


@daemon_verb(
    "workflow_cleanup", WorkflowCleanup, needs=Workflows,
    returns=WorkflowCleanupResult,
    capability="workflow", tier=3,
    timeout_ms=60_000,
    example={"workflow_id": "wf_1"},
)  # fmt: skip
async def workflow_cleanup(workflows: Workflows, params: WorkflowCleanup) -> Output:
    meta = await workflows.find(params.workflow_id, call_context.current().session, own=True)
    closed, tabs = await workflows.clean_up(meta)
    step = {"verb": "workflow_collect", "arguments": {"workflow_id": meta.workflow_id}}
    named = {"status": "CLEANED", "workflow_id": meta.workflow_id}
    return Output(data={**named, "closed_workers": closed, "closed_tabs": tabs, "next_step": step})
