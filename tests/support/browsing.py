"""A Chromium of the test's own, held by the browser room's classes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ocd.api.errors import OcdError
from ocd.browser.process.chromium import Chromium, ChromiumOptions
from ocd.browser.sessions.session import Session, Sessions
from ocd.safety.domain_policy import DomainPolicy


async def refusal(call: Awaitable[object]) -> OcdError:
    """Return the error that `call` ends with."""
    with pytest.raises(OcdError) as caught:
        await call
    return caught.value


@dataclass(frozen=True)
class Browsing:
    chromium: Chromium
    sessions: Sessions

    @property
    def session(self) -> Session:
        return self.sessions.get("default")


@asynccontextmanager
async def browsing(
    folder: Path,
    *,
    policy: DomainPolicy | None = None,
    max_tabs: int = 20,
    **options: Any,  # noqa: ANN401
) -> AsyncIterator[Browsing]:
    tasks: set[asyncio.Task[None]] = set()

    def spawn(work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    settings = {"profile": folder / "profile", "run_dir": folder, "log_dir": folder, **options}
    chromium = Chromium(ChromiumOptions(policy=policy or DomainPolicy(), **settings), spawn)
    try:
        yield Browsing(chromium, Sessions(chromium, max_tabs=max_tabs))
    finally:
        await chromium.close()
        while tasks:
            await asyncio.wait(tasks)
