"""Verbs that do one thing many times: batch_execute, batch_paginate."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, TypedDict

import msgspec
from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.browser.sessions.session import Sessions
from ocd.ledger.task_handle import TaskHandle
from ocd.safety.domain_policy import parse_url_argument
from ocd.storage.payload import JsonLinesFile, Rows
from ocd.verb_api.declaration import PAYLOAD, Output, Params, task_verb
from ocd.verb_api.nested_calls import NestedCalls
from ocd.workflows.batch import BatchJob, BatchRun, sum_results
from ocd.workflows.pagination import PaginationRun
from ocd.workflows.viewer_capture import Capture, PaginationPlan, Strategy, ViewerCapture


class BatchTask(msgspec.Struct, forbid_unknown_fields=True):
    """One script of a batch."""

    script: Annotated[str, Meta(min_length=1, description="JavaScript, as in javascript_tool")]
    tab_id: Annotated[str | None, Meta(description="Tab id; default: latest")] = None
    url: Annotated[str | None, Meta(description="Or: page to open, and close afterwards")] = None
    worker_id: Annotated[str | None, Meta(description="Worker in which to open url")] = None
    timeout_ms: Annotated[int, Meta(ge=1, le=600_000, description="Time limit in ms")] = 30_000


class BatchExecute(Params):
    """Run JavaScript in several tabs or pages at once

    For a list of URLs to open, or tabs to read, without following links (crawl does). Returns
    {results: [{index, tab_id, success, data | error, duration_ms}], summary} in the order of
    tasks; fails only if every task fails.
    """

    tasks: Annotated[
        list[BatchTask],
        Meta(
            min_length=1,
            max_length=1000,
            description="What to run where",
            extra=PAYLOAD,
        ),
    ]
    concurrency: Annotated[int, Meta(ge=1, le=20, description="Tasks at once")] = 10
    fail_fast: Annotated[bool, Meta(description="Stop after a failure")] = False

    def __post_init__(self) -> None:
        for number, task in enumerate(self.tasks):
            if task.url is not None and task.tab_id is not None:
                raise OcdError(
                    "invalid_argument", f"batch_execute: tasks[{number}] has both tab_id and url",
                    hint="Pass only one of them.", parameter=f"tasks[{number}]",
                )  # fmt: skip
            if task.url is not None:
                parse_url_argument(task.url)


def _partial_result(meta: Mapping[str, Any], results: Rows) -> dict[str, Any]:
    """Return the result of an unfinished batch."""
    return {"summary": sum_results([msgspec.json.decode(line) for line in results])}


class ScriptOutcome(TypedDict):
    """The result of one script."""

    index: int
    tab_id: str | None
    worker_id: str | None
    url: NotRequired[str]
    success: bool
    data: NotRequired[Annotated[Any, Meta(description="What it returned")]]
    error: NotRequired[dict[str, Any]]
    duration_ms: int


class BatchSummary(TypedDict):
    """How many there were."""

    total: int
    succeeded: int
    failed: int
    total_duration_ms: int
    concurrency: NotRequired[int]
    wall_clock_duration_ms: NotRequired[int]


class BatchExecuteResult(TypedDict):
    """The results of the scripts, in order."""

    results: list[ScriptOutcome]
    summary: BatchSummary


@task_verb(
    "batch_execute", BatchExecute, needs=NestedCalls,
    returns=BatchExecuteResult,
    capability="crawl", tier=2, large=True,
    items=("results",), recover=_partial_result, page_keys=("data",),
    example={"tasks": [{"url": "https://example.com", "script": "document.title"}]},
)  # fmt: skip
async def batch_execute(calls: NestedCalls, work: TaskHandle, params: BatchExecute) -> Output:
    jobs = [
        BatchJob(
            task.script, task.tab_id, parse_url_argument(task.url) if task.url else None,
            task.worker_id, task.timeout_ms,
        )
        for task in params.tasks
    ]  # fmt: skip
    batch = BatchRun(calls, work, jobs, params.concurrency, params.fail_fast)
    return Output(data=await batch.run())


# --- paged services -----------------------------------------------------------------------------

_Words = Annotated[str, Meta(max_length=2000)] | None


@dataclass(frozen=True, slots=True)
class PaginationServices:
    """A part: the nested calls of the steps, and the sessions of the services' tabs."""

    calls: NestedCalls
    sessions: Sessions


class BatchPaginate(Params):
    """Step through a paged viewer and capture each page

    auto: follow the page's own pagination. click: a next button. keyboard: key_action. url:
    url_template. scroll: capture only new content. Ends when there is no next page, nothing changes
    or a page repeats. Screenshots are saved as files.
    """

    tab_id: Annotated[str | None, Meta(description="Tab id; default: latest")] = None
    strategy: Annotated[
        Strategy | None, Meta(description="Default: by the other parameters, else auto")
    ] = None
    next_ref: Annotated[_Words, Meta(description="Next button's ref")] = None
    next_selector: Annotated[_Words, Meta(description="or its CSS selector")] = None
    next_query: Annotated[_Words, Meta(description="or words")] = None
    url_template: Annotated[_Words, Meta(description="URL with {page} or {offset}")] = None
    page_size: Annotated[int, Meta(ge=1, le=100_000, description="Step of {offset}")] = 10
    key_action: Annotated[
        Annotated[str, Meta(max_length=100)] | None,
        Meta(description="Key; default: ArrowRight"),
    ] = None
    total_pages: Annotated[
        Annotated[int, Meta(ge=1, le=10_000)] | None,
        Meta(description="Number of pages; default: to the end"),
    ] = None
    start_page: Annotated[int, Meta(ge=0, le=1_000_000, description="First page's number")] = 1
    max_pages: Annotated[int, Meta(ge=1, le=10_000, description="Max pages")] = 100
    capture_mode: Annotated[Capture, Meta(description="both: text and screenshot")] = "text"
    selector: Annotated[
        Annotated[str, Meta(max_length=2000)] | None,
        Meta(description="Only this CSS selector"),
    ] = None
    wait_between_pages: Annotated[
        int, Meta(ge=0, le=60_000, description="Max wait for a change, in ms")
    ] = 5000
    scroll_amount: Annotated[float, Meta(gt=0, le=100, description="Screens per step")] = 1
    max_scrolls: Annotated[int, Meta(ge=1, le=10_000, description="Max steps")] = 50

    def __post_init__(self) -> None:
        chosen_names = [name for name in _NEXT if getattr(self, name) is not None]
        if len(chosen_names) > 1:
            raise _param_error(f"takes only one of {' and '.join(chosen_names)}", chosen_names[1])
        template = self.url_template
        if template is None and self.strategy == "url":
            raise _param_error("needs url_template for strategy url", "url_template")
        if template is not None:
            if not any(name in template for name in ("{page}", "{N}", "{offset}")):
                raise _param_error("url_template lacks {page}, {N} or {offset}", "url_template")
            parse_url_argument(re.sub(r"\{(page|N|offset)\}", "1", template))

    @property
    def effective_strategy(self) -> Strategy:
        """The strategy that is given, or follows from the other parameters."""
        if self.strategy is not None:
            return "auto" if self.strategy == "click" and not self.target else self.strategy
        if self.target:
            return "click"
        if self.url_template is not None:
            return "url"
        return "keyboard" if self.key_action is not None else "auto"

    @property
    def target(self) -> dict[str, str]:
        """How the next button is named, as interact takes it."""
        found = {name: getattr(self, name) for name in _NEXT}
        return {name.removeprefix("next_"): value for name, value in found.items() if value}


_NEXT = ("next_ref", "next_selector", "next_query")


def _param_error(what: str, parameter: str) -> OcdError:
    return OcdError("invalid_argument", f"batch_paginate {what}", parameter=parameter)


def _pages(meta: Mapping[str, Any], pages: Rows) -> dict[str, Any]:
    """Return the result of an unfinished pagination."""
    failed = sum(1 for line in pages if b'"error":{' in line)
    captured = sum(1 for _ in pages) - failed
    return {"total_captured": captured, "total_failed": failed, "ended_by": "error"}


class CapturedPage(TypedDict):
    """One page of the viewer."""

    page_number: int
    url: NotRequired[str]
    text: NotRequired[str]
    dom: NotRequired[str]
    total: NotRequired[int | None]
    next_offset: NotRequired[int]
    screenshot: NotRequired[Annotated[str, Meta(description="Its file")]]
    screenshot_mime_type: NotRequired[str]
    error: NotRequired[dict[str, Any]]


class BatchPaginateResult(TypedDict):
    """The pages, in their order."""

    tab_id: str
    strategy: str
    capture_mode: str
    total_captured: int
    total_failed: int
    ended_by: str
    duration_ms: int
    summary: str
    pages: list[CapturedPage]


@task_verb(
    "batch_paginate", BatchPaginate, needs=PaginationServices,
    returns=BatchPaginateResult,
    capability="crawl", tier=3,
    large=True,
    items=("pages",), recover=_pages, page_keys=("text", "dom"),
    example={"strategy": "click", "next_selector": "a.next"},
)  # fmt: skip
async def batch_paginate(
    services: PaginationServices, work: TaskHandle, params: BatchPaginate
) -> Output:
    session = services.sessions.get(work.session)
    scrolls = params.effective_strategy == "scroll"
    plan = PaginationPlan(
        tab_id=await _tab_id(services, work, params),
        strategy=params.effective_strategy,
        capture=params.capture_mode,
        total=params.total_pages,
        start=params.start_page,
        max_pages=min(params.max_pages, params.max_scrolls + 1) if scrolls else params.max_pages,
        target=params.target,
        url_template=params.url_template or "",
        page_size=params.page_size,
        key=params.key_action or "ArrowRight",
        screens=params.scroll_amount,
        selector=params.selector or "",
        wait_ms=max(params.wait_between_pages, 1),
    )
    folder = session.folder / "pages" / work.task_id
    viewer = ViewerCapture(services.calls, work, plan, folder)
    result = await PaginationRun(work, plan, viewer).run()
    return Output(data=result, rows=JsonLinesFile(work.units))


async def _tab_id(services: PaginationServices, work: TaskHandle, params: BatchPaginate) -> str:
    session = services.sessions.get(work.session)
    if params.tab_id is None and not session.tabs and params.effective_strategy == "url":
        made = await services.calls.run("tabs_create", {}, session=work.session, lent=True)
        return str(made.data["tab_id"])
    return session.tab(params.tab_id).id
