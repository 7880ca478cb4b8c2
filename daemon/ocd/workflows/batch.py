"""Scripts in several tabs at once: each is a nested call of javascript_tool."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.ledger.cancellation import TaskStopped, stoppable
from ocd.ledger.task_handle import TaskHandle
from ocd.verb_api.nested_calls import NestedCalls, NestedReply

# How many failures are listed in the error of a batch in which every task failed.
MAX_LISTED_FAILURES = 20
MAX_VALUE_CHARS = 4 << 20


@dataclass(frozen=True, slots=True)
class BatchJob:
    """A script, and where it runs: a tab, a page to open for it (in a worker, if one is named), or
    the session's latest tab.
    """

    script: str
    tab_id: str | None
    url: str | None
    worker_id: str | None
    timeout_ms: int


@dataclass(slots=True)
class BatchRun:
    """One run of several jobs, `concurrency` at a time; results stand in the order of the jobs."""

    calls: NestedCalls
    work: TaskHandle
    jobs: Sequence[BatchJob]
    concurrency: int
    fail_fast: bool
    results: dict[int, dict[str, Any]] = field(default_factory=dict)
    failed: int = 0
    started: float = field(default_factory=time.monotonic)

    async def run(self) -> dict[str, Any]:
        """Run the jobs and return {results, summary}.

        Jobs that were not run because the task was stopped are left out. Raises batch_failed if
        every job has failed, storage_* if a result cannot be kept.
        """
        waiting = iter(list(enumerate(self.jobs)))
        storage: ExceptionGroup[OcdError] | None = None
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.concurrency, len(self.jobs))):
                    group.create_task(self._run_queue(waiting))
        except* OcdError as failures:  # the disk is full: nothing more can be kept
            storage = failures
        if storage is not None:
            raise storage.exceptions[0]
        results = [self.results[index] for index in sorted(self.results)]
        summary = {**sum_results(results), "concurrency": self.concurrency}
        summary["wall_clock_duration_ms"] = round((time.monotonic() - self.started) * 1000)
        if results and self.failed == len(self.jobs):
            first = results[0]["error"]
            raise OcdError(
                "batch_failed", f"All {len(results)} tasks failed; the first: {first['message']}",
                summary=summary, results=results[:MAX_LISTED_FAILURES],
            )  # fmt: skip
        return {"results": results, "summary": summary}

    async def _run_queue(self, waiting: Iterator[tuple[int, BatchJob]]) -> None:
        for index, job in waiting:
            if self.work.stopping:
                return
            if self.fail_fast and self.failed:
                error = OcdError("cancelled", "Not run: an earlier task failed (fail_fast)")
                self._keep(index, job, time.monotonic(), {}, error)
                continue
            try:
                await self._run_job(index, job)
            except TaskStopped:
                return

    async def _run_job(self, index: int, job: BatchJob) -> None:
        began, where = time.monotonic(), {"tab_id": job.tab_id}
        limit = asyncio.timeout(job.timeout_ms / 1000)
        try:
            async with limit:
                value = await self._evaluate(job, where)
        except OcdError as error:
            self._keep(index, job, began, where, error)
        except TimeoutError:
            late = OcdError("timeout", f"The script took more than {job.timeout_ms} ms")
            self._keep(index, job, began, where, late)
        else:
            self._keep(index, job, began, where, value)

    async def _evaluate(self, job: BatchJob, where: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
        if job.tab_id is not None or job.url is None:
            return await self._run_script(job, where)
        # Not cancelled half-way: a tab that nobody knows would stay.
        opened: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        try:
            where["tab_id"] = await asyncio.shield(self._open_blank(job, opened))
            await self._call("navigate", {"tab_id": where["tab_id"], "url": job.url})
            return await self._run_script(job, where)
        finally:
            await asyncio.shield(self._close(opened))

    async def _run_script(self, job: BatchJob, where: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
        there = {"tab_id": where["tab_id"]} if where["tab_id"] else {}
        args = {"code": job.script, "timeout_ms": job.timeout_ms, **there}
        answer = await self._call("javascript_tool", args)
        where["tab_id"] = answer.data["tab_id"]
        return _value(answer)

    async def _open_blank(self, job: BatchJob, opened: asyncio.Future[str | None]) -> str:
        verb, args = "tabs_create", {}
        if job.worker_id is not None:
            verb, args = "worker", {"action": "open", "worker_id": job.worker_id}
        try:
            tab_id = str((await self._call_unrestricted(verb, args)).data["tab_id"])
        except BaseException:  # cancelled, too: others wait for this result
            opened.set_result(None)
            raise
        opened.set_result(tab_id)
        return tab_id

    async def _close(self, opened: asyncio.Future[str | None]) -> None:
        tab_id = await opened
        if tab_id is None:
            return
        try:
            await self._call_unrestricted("tabs_close", {"tab_id": tab_id})
        except OcdError:
            return  # it is gone already

    async def _call(self, verb: str, args: dict[str, Any]) -> NestedReply:
        return await stoppable(self.work, self._call_unrestricted(verb, args))

    async def _call_unrestricted(self, verb: str, args: dict[str, Any]) -> NestedReply:
        return await self.calls.run(verb, args, session=self.work.session, lent=True)

    def _keep(
        self,
        index: int,
        job: BatchJob,
        began: float,
        where: dict[str, Any],
        outcome: Any,  # noqa: ANN401
    ) -> None:
        failed = isinstance(outcome, OcdError)
        result: dict[str, Any] = {
            "index": index,
            "tab_id": where.get("tab_id", job.tab_id),
            "worker_id": job.worker_id or where.get("tab_id", job.tab_id),
            **({"url": job.url} if job.url else {}),
            "success": not failed,
            **({"error": outcome.body()} if isinstance(outcome, OcdError) else {"data": outcome}),
            "duration_ms": round((time.monotonic() - began) * 1000),
        }
        self.failed += failed
        self.results[index] = result
        self.work.add(msgspec.json.encode(result))
        self.work.progress(len(self.results), len(self.jobs))


def sum_results(results: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Return the number of results, of successes and failures, and their total duration."""
    good = sum(1 for result in results if result.get("success"))
    took = sum(result.get("duration_ms", 0) for result in results)
    counts = {"total": len(results), "succeeded": good, "failed": len(results) - good}
    return {**counts, "total_duration_ms": took}


def _value(answer: NestedReply) -> Any:  # noqa: ANN401 - any JSON value
    text = answer.content or ""
    if len(text) > MAX_VALUE_CHARS:
        raise OcdError(
            "too_large", f"The script's value has {len(text)} characters",
            hint="Return less, or run the script by itself: "
            + tool_call("javascript_tool", output_mode="handle"),
            limit=MAX_VALUE_CHARS,
        )  # fmt: skip
    if answer.data.get("type") == "string" and text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
