"""oc_ask_human without a browser: how it ends when its task is asked to stop."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.ledger.task_handle import TaskHandle
from ocd.oversight.approvals import Approvals
from ocd.verbs.ask_human import AskHuman, HumanRequests, oc_ask_human


class FakeTab:
    id, session_name, url = "t1", "s", "http://x/"

    def state(self, _kind: type) -> None:
        return None


async def read_page(*_args: object, **_named: object) -> SimpleNamespace:
    return SimpleNamespace(content="- page")


def requests(approvals: Approvals) -> HumanRequests:
    session = SimpleNamespace(tab=lambda _tab_id: FakeTab())
    dashboard = SimpleNamespace(tab_address=lambda _session, _tab_id: None)
    parts: dict[str, Any] = {
        "approvals": approvals,
        "leases": SimpleNamespace(watch=lambda _listener: lambda: None),
        "sessions": SimpleNamespace(get=lambda _name: session),
        "calls": SimpleNamespace(run=read_page),
        "dashboard": lambda: dashboard,
    }
    return HumanRequests(**parts)


async def test_a_cancelled_task_withdraws_its_question_at_once(tmp_path: Path) -> None:
    """The question leaves the queue when the task is cancelled, not after the grace period."""
    approvals = Approvals(lambda _event: None)
    work = TaskHandle("a1", "s", tmp_path)
    asked = asyncio.Event()
    approvals.watch(asked.set)

    async def cancel() -> None:
        await asked.wait()
        assert len(await approvals.list()) == 1
        work.stop.set()

    call_context.enter(call_context.CallContext(session="s"))
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        group.create_task(cancel())
        with pytest.raises(OcdError) as raised:
            await oc_ask_human.run(requests(approvals), work, AskHuman(reason="Pay"))
    assert raised.value.code == "cancelled"
    assert await approvals.list() == []
