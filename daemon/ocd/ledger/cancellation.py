"""Work that is cancelled when its task is asked to stop."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from ocd.api.waiting import SpawnTask
from ocd.ledger.task_handle import TaskHandle

T = TypeVar("T")


class TaskStopped(Exception):
    """The task was asked to stop before the call had ended."""


async def run_until(stop: asyncio.Event, *jobs: Coroutine[Any, Any, None]) -> None:
    """Run the jobs until all have ended, or `stop` is set; raises the first error of any."""
    try:
        async with asyncio.TaskGroup() as outer:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(job) for job in jobs]
                watch = outer.create_task(_cancel_at(stop, tasks))
            watch.cancel()
    except BaseExceptionGroup as errors:
        raise _first_error(errors) from None


@asynccontextmanager
async def job_group() -> AsyncIterator[SpawnTask]:
    """Yield a function that starts jobs, which are cancelled at the end of the block.

    The first error of any job ends the block and is raised.
    """
    started: set[asyncio.Task[None]] = set()

    def start(job: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = group.create_task(job)
        started.add(task)
        task.add_done_callback(started.discard)
        return task

    try:
        async with asyncio.TaskGroup() as group:
            try:
                yield start
            finally:
                for task in started:
                    task.cancel()
    except BaseExceptionGroup as errors:
        raise _first_error(errors) from None


async def stoppable(task: TaskHandle, call: Awaitable[T]) -> T:
    """Return what the call returns, or raise its error; TaskStopped if the task stops first."""
    results: list[T] = []

    async def store_result() -> None:
        results.append(await call)

    await run_until(task.stop, store_result())
    if not results:
        raise TaskStopped
    return results[0]


async def _cancel_at(stop: asyncio.Event, tasks: list[asyncio.Task[None]]) -> None:
    await stop.wait()
    for task in tasks:
        task.cancel()


def _first_error(group: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
