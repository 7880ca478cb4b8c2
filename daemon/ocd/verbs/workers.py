"""Verbs about isolated workers of a session, and the reports of workflow workers."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.browser.sessions.browser_contexts import BrowserContext as Isolated
from ocd.browser.sessions.session import Session
from ocd.oversight.leases import check_free
from ocd.safety.domain_policy import parse_url_argument
from ocd.verb_api.declaration import PAYLOAD, SENDS_TO, Output, Params, daemon_verb, session_verb
from ocd.workflows.service import Workflows
from ocd.workflows.states import WorkerReport


class Worker(Params):
    """Create, list, open or delete isolated workers

    A worker is a separate browser context with its own cookies and storage; its tabs belong to the
    session and work with every tool by tab_id. open: another tab. delete closes its tabs.
    """

    action: Annotated[
        Literal["create", "open", "list", "delete", "close"],
        Meta(description="close: same as delete"),
    ]
    name: Annotated[
        Annotated[str, Meta(max_length=20_000)] | None, Meta(description="create: its name")
    ] = None
    id: Annotated[
        Annotated[str, Meta(min_length=1, max_length=100)] | None,
        Meta(description="create: its id; default: w1, w2, …"),
    ] = None
    worker_id: Annotated[str | None, Meta(description="open, delete: its id or name")] = None
    url: Annotated[str | None, Meta(description="create, open: page to open", extra=SENDS_TO)] = (
        None
    )
    share_cookies: Annotated[
        bool, Meta(description="create: copy the profile's cookies for url")
    ] = False


class IsolatedWorker(TypedDict):
    """A separate browser context, with its own cookies and storage."""

    worker_id: str
    name: str
    created_at: str
    tab_ids: list[str]
    tab_count: int
    workflow_id: NotRequired[str]


class WorkerResult(TypedDict, total=False):
    """The worker, or all of them."""

    worker_id: str
    name: str
    created_at: str
    tab_ids: list[str]
    tab_count: int
    workflow_id: str
    tab_id: str
    url: str
    session: str
    worker_count: int
    workers: list[IsolatedWorker]
    deleted: bool
    closed_tabs: Any
    message: str
    next_step: dict[str, Any]


@session_verb(
    "worker",
    Worker,
    returns=WorkerResult,
    capability="workflow",
    tier=3,
    timeout_ms=60_000,
    example={"action": "create", "name": "guest", "url": "https://example.com"},
)
async def worker(session: Session, params: Worker) -> Output:
    match params.action:
        case "create":
            return Output(data=await _create(session, params))
        case "open":
            return Output(data=await _open(session, params))
        case "list":
            return Output(data=_list_workers(session))
        case "delete" | "close":
            removed = _find_worker(session, params)
            for tab in session.workers.tabs(removed):
                check_free(tab)
            closed = await session.workers.close(removed)
            data = {"deleted": True, "worker_id": removed.id, "closed_tabs": closed}
            return Output(data={**data, "message": f"{removed.name} and its tabs are closed"})


async def _create(session: Session, params: Worker) -> dict[str, Any]:
    url = parse_url_argument(params.url) if params.url else None
    created = await session.workers.create(params.name or "", worker_id=params.id or "")
    try:
        if params.share_cookies and url:
            await session.workers.share_cookies(created, url)
        tab = await session.workers.open(created, url)
    except BaseException:  # cancelled, too: nobody knows this worker yet
        await session.workers.close(created)
        raise
    return {
        **_worker_to_dict(session, created),
        "tab_id": tab.id,
        "message": f"Its tab is {tab.id}: pass this tab_id to use it",
        "next_step": {"verb": "read_page", "arguments": {"tab_id": tab.id}},
    }


async def _open(session: Session, params: Worker) -> dict[str, Any]:
    url = parse_url_argument(params.url) if params.url else None
    tab = await session.workers.open(_find_worker(session, params), url)
    return {"worker_id": _find_worker(session, params).id, "tab_id": tab.id, "url": tab.url}


def _find_worker(session: Session, params: Worker) -> Isolated:
    if worker_id := params.worker_id or params.id or params.name:
        return session.workers.get(worker_id)
    raise OcdError(
        "invalid_argument", f"worker: {params.action} needs worker_id",
        hint=f"List them: {tool_call('worker', action='list')}", parameter="worker_id",
    )  # fmt: skip


def _list_workers(session: Session) -> dict[str, Any]:
    workers = [_worker_to_dict(session, worker) for worker in session.workers]
    return {"session": session.name, "worker_count": len(workers), "workers": workers}


def _worker_to_dict(session: Session, worker: Isolated) -> dict[str, Any]:
    tabs = [tab.id for tab in session.workers.tabs(worker)]
    owner = {"workflow_id": worker.workflow_id} if worker.workflow_id else {}
    named = {"worker_id": worker.id, "name": worker.name, "created_at": worker.created_at}
    return {**named, "tab_ids": tabs, "tab_count": len(tabs), **owner}


# --- what workers of a workflow report -------------------------------------------------------

Workflow = Annotated[str | None, Meta(description="Workflow id; default: newest")]
WorkerName = Annotated[str, Meta(min_length=1, description="The worker's name")]
Data = Annotated[
    Any, Meta(description="Data found (JSON); objects merge key by key", extra=PAYLOAD)
]


class WorkerUpdate(Params):
    """Report the progress of a workflow worker

    What is not given stays unchanged. Too many updates in a row without new data end the worker
    as PARTIAL.
    """

    worker_name: WorkerName
    workflow_id: Workflow = None
    status: Annotated[
        Literal["INIT", "IN_PROGRESS", "SUCCESS", "PARTIAL", "FAIL"] | None,
        Meta(description="Default: unchanged"),
    ] = None
    iteration: Annotated[Annotated[int, Meta(ge=0)] | None, Meta(description="Step number")] = None
    action: Annotated[
        Annotated[str, Meta(max_length=2000)] | None, Meta(description="What was done")
    ] = None
    result: Annotated[
        Literal["SUCCESS", "FAIL", "IN_PROGRESS"] | None, Meta(description="Result of the action")
    ] = None
    extracted_data: Data = None
    error: Annotated[
        Annotated[str, Meta(max_length=5000)] | None, Meta(description="What went wrong")
    ] = None


class WorkerComplete(Params):
    """Report that a workflow worker is done

    Data reported earlier is kept; if called again, the last call counts.
    """

    worker_name: WorkerName
    status: Annotated[Literal["SUCCESS", "PARTIAL", "FAIL"], Meta(description="How it ended")]
    result_summary: Annotated[str, Meta(max_length=5000, description="The result in one sentence")]
    workflow_id: Workflow = None
    extracted_data: Data = None


class WorkerUpdateResult(TypedDict):
    """The worker's current state."""

    status: str
    workflow_id: str
    worker_name: str
    worker_status: str
    iteration: int
    workflow_status: str
    ended_by: NotRequired[str | None]
    message: NotRequired[str]


@daemon_verb(
    "worker_update",
    WorkerUpdate,
    needs=Workflows,
    returns=WorkerUpdateResult,
    capability="crawl",
    tier=3,
    example={"worker_name": "a", "iteration": 2, "action": "Opened page 2"},
)
async def worker_update(workflows: Workflows, params: WorkerUpdate) -> Output:
    meta = await workflows.find(params.workflow_id, call_context.current().session)
    report = WorkerReport(
        status=params.status, iteration=params.iteration, action=params.action,
        result=params.result, extracted_data=params.extracted_data, error=params.error,
    )  # fmt: skip
    now, status = await workflows.report(meta, params.worker_name, report)
    data: dict[str, Any] = {
        "status": "UPDATED",
        "workflow_id": meta.workflow_id,
        "worker_name": now.name,
        "worker_status": now.status,
        "iteration": now.iteration,
        "workflow_status": status,
    }
    if now.ended:
        data |= {"ended_by": now.ended_by, "message": f"{now.result_summary}: stop working"}
    return Output(data=data)


class WorkerCompleteResult(TypedDict):
    """The ended worker."""

    status: str
    workflow_id: str
    worker_name: str
    worker_status: str
    workflow_status: str
    next_step: NotRequired[dict[str, Any]]


@daemon_verb(
    "worker_complete",
    WorkerComplete,
    needs=Workflows,
    returns=WorkerCompleteResult,
    capability="crawl",
    tier=3,
    example={"worker_name": "a", "status": "SUCCESS", "result_summary": "3 prices found"},
)
async def worker_complete(workflows: Workflows, params: WorkerComplete) -> Output:
    meta = await workflows.find(params.workflow_id, call_context.current().session)
    report = WorkerReport(
        status=params.status,
        result_summary=params.result_summary,
        extracted_data=params.extracted_data,
    )
    now, status = await workflows.report(meta, params.worker_name, report)
    named = {"workflow_id": meta.workflow_id, "worker_name": now.name}
    answer: dict[str, object] = {"status": "COMPLETED", **named, "worker_status": now.status}
    answer["workflow_status"] = status
    if status not in ("INIT", "RUNNING"):
        collect = {"verb": "workflow_collect", "arguments": {"workflow_id": meta.workflow_id}}
        answer["next_step"] = collect
    return Output(data=answer)
