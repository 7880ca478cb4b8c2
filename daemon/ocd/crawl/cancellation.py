"""Jobs that end when their task is stopped."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def run_until(stop: asyncio.Event, *jobs: Coroutine[Any, Any, None]) -> None:
    """Run the jobs until all have ended, or `stop` is set; raises the first error of any."""
    try:
        async with asyncio.TaskGroup() as outer:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(job) for job in jobs]
                watch = outer.create_task(_cancel_at(stop, tasks))
            watch.cancel()
    except BaseExceptionGroup as errors:
        raise _first(errors) from None


async def _cancel_at(stop: asyncio.Event, tasks: list[asyncio.Task[None]]) -> None:
    await stop.wait()
    for task in tasks:
        task.cancel()


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
