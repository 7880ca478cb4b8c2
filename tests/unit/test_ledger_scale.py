"""The ledger's costs depend on what is requested, not on the number of tasks."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ocd.ledger import completion
from ocd.ledger import index as index_module
from ocd.ledger.events import Events
from ocd.ledger.index import TaskIndex
from ocd.ledger.runner import Runner, TaskKind
from ocd.ledger.states import TaskMeta, timestamp
from ocd.ledger.store import TaskStore
from ocd.ledger.task_run import TaskRun
from ocd.storage.payload import Payload

MANY = 200


class Counted:
    """Counts the calls of a method, and lets them through."""

    def __init__(self, patch: pytest.MonkeyPatch, owner: object, name: str) -> None:
        self.calls = 0
        original: Callable[..., Any] = getattr(owner, name)

        def counted(*args: object, **kwargs: object) -> object:
            self.calls += 1
            return original(*args, **kwargs)

        patch.setattr(owner, name, counted)


@pytest.fixture
def store(tmp_path: Path) -> TaskStore:
    """A store with many tasks that have ended and one that was left running."""
    for number in range(MANY):
        meta = TaskMeta(
            task_id=f"{number:016x}",
            kind="crawl",
            status="RUNNING" if number == MANY // 2 else "COMPLETED",
            created_at=timestamp(number),
        )
        folder = tmp_path / meta.task_id
        folder.mkdir()
        (folder / "meta.json").write_bytes(msgspec.json.encode(meta))
    return TaskStore(tmp_path)


def test_recovery_reads_little_of_ended_tasks(
    store: TaskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One small read for each; only tasks that have not ended are read completely."""
    peeks = Counted(monkeypatch, TaskIndex, "_read")
    whole = Counted(monkeypatch, TaskStore, "read")
    index = TaskIndex(store)
    assert len(completion.recover(store, index, {})) == 1
    assert len(index) == MANY
    assert peeks.calls <= MANY + 1  # the one left running is looked at again
    assert whole.calls <= 3


async def test_a_list_reads_only_the_listed_tasks(
    store: TaskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the metas of listed tasks; the folder is walked only after it has changed."""
    async with asyncio.TaskGroup() as group:
        runner = Runner(store, {}, group.create_task)
        await runner.recover()
        settled = asyncio.Event()
        asyncio.get_running_loop().call_later(0.2, settled.set)
        await settled.wait()  # until the folder's time of change is trusted
        await runner.list()
        whole = Counted(monkeypatch, TaskStore, "read")
        walks = Counted(monkeypatch, index_module, "_folders")
        assert len((await runner.list(limit=7)).metas) == 7
        assert (whole.calls, walks.calls) == (7, 0)
        assert (await runner.list(["CANCELLED"])).metas == []
        assert (whole.calls, walks.calls) == (7, 0)


def test_the_index_keeps_little_per_task(store: TaskStore) -> None:
    """Rows share kind and status: 10,000 tasks take a few MB."""
    index = TaskIndex(store)
    index.refresh()
    rows = list(index._rows.values())
    assert len({id(row.kind) for row in rows}) == 1
    assert len({id(row.status) for row in rows}) == 2


async def test_a_page_costs_two_appends(store: TaskStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A finished page and its event are appended; meta.json is neither read nor written."""
    meta = TaskMeta(task_id="f" * 16, kind="crawl", status="PENDING", created_at=store.now())

    async def never(_work: object, _prepared: object) -> Payload:
        raise AssertionError

    run = TaskRun(store, TaskKind("crawl", dict, never), None, meta)
    await asyncio.to_thread(run.save_new)
    run.mark_started()
    await asyncio.to_thread(run.save_started)
    reads = Counted(monkeypatch, TaskStore, "read")
    updates = Counted(monkeypatch, TaskStore, "update")
    appends = Counted(monkeypatch, Events, "append")
    for _ in range(100):
        run.work.add(b'{"n":1}')
    assert (reads.calls, updates.calls, appends.calls) == (0, 0, 100)
    await asyncio.to_thread(run.save_progress)
    assert updates.calls == 1
    assert (await asyncio.to_thread(store.read, meta.task_id)).progress.done == 100
    run.leave()
