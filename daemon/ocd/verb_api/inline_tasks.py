"""A long verb that is called directly: a task that the call waits for, for a while."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ocd.api.errors import OcdError, error_from_body
from ocd.api.tool_calls import tool_call
from ocd.api.wire import CallRequest, Progress
from ocd.ledger.runner import Runner
from ocd.ledger.states import TaskMeta
from ocd.safety.origins import origin_of_argument
from ocd.verb_api.declaration import Output

# How long a caller is advised to wait at once for a continuing task.
CONTINUE_WAIT_MS = 45_000

OnProgress = Callable[[Progress], None]

_CALL_ONLY = frozenset(
    {"timeout", "timeout_ms", "timeoutMs", "output_mode", "outputMode"}
    | {"output_inline_limit_bytes", "outputInlineLimitBytes"}
)


async def run_long(
    runner: Runner, request: CallRequest, budget_s: float | None, on_progress: OnProgress | None
) -> Output:
    """Run a long verb as a task and wait for it; the caller's cancellation cancels the task.

    Past the budget the task goes on, and the output says so. Raises what `finished` raises.
    """
    args = without_call_only(request.params)
    meta = await runner.start(request.verb, args, request.session, direct=True)
    return await join_task(runner, meta.task_id, budget_s, on_progress)


async def join_task(
    runner: Runner, task_id: str, budget_s: float | None, on_progress: OnProgress | None
) -> Output:
    """Wait for a task as the call that started it does; raises what `task_output` raises."""
    limit = asyncio.timeout(budget_s)
    try:
        async with limit:
            meta = await runner.watch(task_id, _progress_listener(on_progress))
    except TimeoutError:
        if not limit.expired():
            raise
        runner.detach(task_id)
        return _still_running(await runner.get(task_id))
    except asyncio.CancelledError:
        runner.request_cancel(task_id)
        raise
    return await task_output(runner, meta)


def without_call_only(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that also apply to the task behind the call."""
    return {key: value for key, value in params.items() if key not in _CALL_ONLY}


def _still_running(meta: TaskMeta) -> Output:
    arguments = {"task_id": meta.task_id, "timeout_ms": CONTINUE_WAIT_MS}
    return Output(
        data={
            "task_id": meta.task_id,
            "status": meta.status,
            "kind": meta.kind,
            "progress": msgspec.to_builtins(meta.progress),
            "message": f"{meta.kind} continues in the background as a task",
            "next_step": {"verb": "oc_task_wait", "arguments": arguments},
        },
        unfinished=True,
    )


async def task_output(runner: Runner, meta: TaskMeta) -> Output:
    """Return the output of a task that has ended; raise what its direct call would have."""
    partial = "Its partial result: " + tool_call(
        "oc_task_get", task_id=meta.task_id, include_result=True
    )
    if meta.status == "FAILED" or (meta.status == "CANCELLED" and meta.error):
        some = meta.progress.done or (meta.error or {}).get("failed_pages")
        hint = {"hint": partial} if some else {}
        raise error_from_body({**hint, **(meta.error or {}), "task_id": meta.task_id})
    if meta.status == "CANCELLED":
        message = f"The task behind {meta.kind} was cancelled"
        raise OcdError("cancelled", message, hint=partial, task_id=meta.task_id)
    result = await asyncio.to_thread(runner.result, meta)
    assert result is not None, "a completed task has a result"
    return Output(
        data=result.data,
        rows=result.rows,
        items=result.items,
        file=result.file,
        origins=task_origins(meta, result.data),
    )


class _Summary(msgspec.Struct):
    """What a crawl's summary says of where its pages are from."""

    url: str = ""
    origins: dict[str, int] = {}


class _CrawlResult(msgspec.Struct):
    summary: _Summary


class _Arguments(msgspec.Struct):
    url: str = ""


def task_origins(meta: TaskMeta, result: object) -> tuple[str, ...]:
    """Return the origins of the page text in a task's result.

    They are those of the page that it was given, and those that a crawl's summary names.
    """
    named: list[str] = []
    with contextlib.suppress(msgspec.DecodeError):  # cut, or changed by others
        named.append(msgspec.json.decode(meta.args_summary, type=_Arguments).url)
    with contextlib.suppress(msgspec.ValidationError):  # no crawl's
        summary = msgspec.convert(result, _CrawlResult).summary
        named += [summary.url, *summary.origins]
    return tuple(map(origin_of_argument, named))


def _progress_listener(on_progress: OnProgress | None) -> Callable[[TaskMeta], None]:
    def report(meta: TaskMeta) -> None:
        if on_progress is not None:
            now = meta.progress
            on_progress(
                Progress(now.done, total=now.total, message=now.message, figures=now.figures)
            )

    return report
