"""Calls of a task that end when the task is asked to stop."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from ocd.api.errors import OcdError
from ocd.ledger.task_handle import TaskHandle

T = TypeVar("T")


class TaskStopped(Exception):
    """The task was asked to stop before the call had ended."""


async def stoppable(work: TaskHandle, call: Awaitable[T]) -> T:
    """Return what the call returns, or raise its OcdError; Stopped if the task stops meanwhile."""

    async def attempt() -> T | OcdError:
        try:
            return await call
        except OcdError as error:
            return error

    async def heed() -> None:
        await work.stop.wait()
        calling.cancel()

    async with asyncio.TaskGroup() as group:
        calling = group.create_task(attempt())
        heeding = group.create_task(heed())
        await asyncio.wait({calling})
        heeding.cancel()
    if calling.cancelled():
        raise TaskStopped
    outcome = calling.result()
    if isinstance(outcome, OcdError):
        raise outcome
    return outcome
