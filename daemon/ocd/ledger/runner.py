"""Starts, runs and ends tasks (signatures only; the room is being built)."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from ocd.ledger.states import TaskMeta
from ocd.ledger.store import TaskStore
from ocd.ledger.work import Work
from ocd.payload import Lines, Payload

Spawn = Callable[[Coroutine[Any, Any, None]], object]


@dataclass(frozen=True, slots=True)
class Kind:
    """A long verb, as the ledger runs it."""

    name: str
    prepare: Callable[[dict[str, Any]], Any]
    run: Callable[[Work, Any], Awaitable[Payload]]
    recover: Callable[[TaskMeta, Lines], Payload] | None = None
    items: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A task's result: `data` without the list that `rows` holds at the keys `items`."""

    data: Any
    rows: Lines | None = None
    items: tuple[str, ...] | None = None


class Runner:
    def __init__(
        self,
        store: TaskStore,
        kinds: Mapping[str, Kind],
        spawn: Spawn,
        *,
        max_concurrent: int = 4,
        max_waiting: int = 1000,
        allowed: Any = None,
    ) -> None: ...
    async def start(
        self, kind: str, args: dict[str, Any], session: str, *, at_once: bool = False
    ) -> TaskMeta: ...
    async def get(self, task_id: str) -> TaskMeta: ...
    async def list(self, **filters: Any) -> tuple[list[TaskMeta], int]: ...
    async def cancel(self, task_id: str) -> TaskMeta: ...
    def request_cancel(self, task_id: str) -> None: ...
    async def wait(self, task_id: str, timeout_s: float) -> TaskMeta: ...
    async def watch(self, task_id: str, tell: Callable[[TaskMeta], None]) -> TaskMeta: ...
    def events(self, task_id: str, *, follow: bool) -> AsyncIterator[bytes]: ...
    def result(self, meta: TaskMeta) -> Result | None: ...  # blocks
    def counts(self) -> dict[str, int]: ...
    def prune(self, retention_days: float) -> int: ...  # blocks
    async def stop(self) -> None: ...
