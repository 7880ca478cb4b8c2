"""Recovery of tasks left by earlier processes, and waiting for tasks of other processes."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from ocd.api.errors import OcdError
from ocd.api.timestamps import rfc3339
from ocd.calls import durable_tasks
from ocd.ledger import completion, states
from ocd.ledger.events import Tail
from ocd.ledger.index import TaskIndex
from ocd.ledger.resumption import Arguments, write_arguments
from ocd.ledger.runner import Runner
from ocd.ledger.states import Outcome, Status, TaskMeta, TaskProgress
from ocd.ledger.store import TaskStore
from ocd.ledger.task_kind import TaskKind
from ocd.storage.payload import JSON, JsonLinesFile, Payload
from ocd.storage.process_identity import boot_id, own_identity, start_ticks

TASK = "00000000000000aa"

# A process that has a task running, says so, and lives until its standard input closes.
OWNER = """
import sys
from pathlib import Path
from ocd.api.timestamps import rfc3339
from ocd.storage.process_identity import own_identity
from ocd.ledger.states import TaskMeta
from ocd.ledger.store import TaskStore
store, own = TaskStore(Path(sys.argv[1])), own_identity()
store.create(TaskMeta(
    task_id=sys.argv[2], kind="pages", status=sys.argv[3], pid=own.pid,
    pid_started_at=rfc3339(own.started_at), boot_id=own.boot_id,
    created_at="2026-03-01T12:00:00.000Z",
))
units = store.units(sys.argv[2]).path
units.write_bytes(b'{"n":0}\\n{"n":1}\\n{"n":')
print("ready", flush=True)
sys.stdin.read()
"""


async def never(_work: object, _prepared: object) -> Payload:
    raise AssertionError


def of_units(meta: TaskMeta, units: JsonLinesFile) -> Payload:
    data = {"summary": {"finished": meta.progress.done}, "pages": []}
    return Payload(JSON, data, ("pages",), units)


KINDS = {"pages": TaskKind("pages", dict, never, of_units)}


@contextmanager
def owner(root: Path, status: Status = "RUNNING") -> Iterator[subprocess.Popen[str]]:
    """Run a process that owns the task TASK; it is gone after the block."""
    command = [sys.executable, "-c", OWNER, str(root), TASK, status]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def recover(store: TaskStore) -> list[TaskMeta]:
    return completion.recover(store, TaskIndex(store), KINDS)


@pytest.mark.parametrize("status", ["RUNNING", "PENDING"])
def test_a_task_of_a_dead_process_is_orphaned_with_its_pages(
    tmp_path: Path, status: Status
) -> None:
    """FAILED, `orphaned`; pages finished before are in the result, a torn last one is not."""
    with owner(tmp_path, status):
        pass
    store = TaskStore(tmp_path)
    (meta,) = recover(store)
    assert meta == store.read(TASK)
    assert meta.error is not None
    assert (meta.status, meta.error["code"], meta.progress.done) == ("FAILED", "orphaned", 2)
    assert meta.ended_at is not None
    result = json.loads((tmp_path / TASK / "result.json").read_bytes())
    assert result == {"summary": {"finished": 2}, "pages": [{"n": 0}, {"n": 1}]}
    last = Tail(tmp_path / TASK / "events.jsonl").new_lines()[-1]
    assert json.loads(last)["kind"] == "orphaned"


def test_a_zombie_is_dead(tmp_path: Path) -> None:
    """A process that has ended but was not waited for owns no task."""
    with owner(tmp_path) as process:
        process.kill()
        assert os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT) is not None
        (meta,) = recover(TaskStore(tmp_path))
        assert meta.status == "FAILED"


def test_a_task_of_a_living_process_is_left_alone(tmp_path: Path) -> None:
    """Same pid, same start time: another process is working on it."""
    with owner(tmp_path):
        store = TaskStore(tmp_path)
        assert recover(store) == []
        assert store.read(TASK).status == "RUNNING"


@pytest.mark.parametrize(
    "changes",
    [
        {"pid_started_at": "2001-01-01T00:00:00.000Z"},
        {"pid_started_at": "nonsense"},
        {"boot_id": "an earlier boot"},
        {"start_ticks": 7},
        {"pid": None},
    ],
    ids=str,
)
def test_a_reused_pid_is_not_taken_for_the_owner(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    """The pid lives, but it is another process's: its start or the machine's boot differs."""
    if {"boot_id", "start_ticks"} & changes.keys() and not boot_id():
        pytest.skip("this system does not name its boots")
    with owner(tmp_path):
        store = TaskStore(tmp_path)
        store.update(TASK, lambda meta: replace(meta, **changes))
        (meta,) = recover(store)
        assert meta.status == "FAILED"


def test_an_owner_is_recognised_after_a_clock_change(tmp_path: Path) -> None:
    """Its start is counted from the machine's boot: another date makes it no other process."""
    with owner(tmp_path) as process:
        store = TaskStore(tmp_path)
        moved = {"pid_started_at": "2001-01-01T00:00:00.000Z"}
        ticks = start_ticks(process.pid)
        assert ticks
        store.update(TASK, lambda meta: replace(meta, start_ticks=ticks, **moved))
        assert recover(store) == []


def test_a_task_with_our_own_pid_belongs_to_an_earlier_process(tmp_path: Path) -> None:
    """In a container every daemon has the same pid, and at start none of its tasks runs yet."""
    own = own_identity()
    store = TaskStore(tmp_path)
    store.create(
        TaskMeta(
            task_id=TASK,
            kind="pages",
            status="RUNNING",
            pid=own.pid,
            pid_started_at=rfc3339(own.started_at),
            created_at=store.now(),
        )
    )
    (meta,) = recover(store)
    assert meta.status == "FAILED"


def orphan(store: TaskStore, kind: str = "pages", task_id: str = TASK) -> None:
    store.create(
        TaskMeta(task_id=task_id, kind=kind, status="RUNNING", pid=None, created_at=store.now())
    )


def test_recovery_may_be_repeated(tmp_path: Path) -> None:
    """After a crash in the middle it does the same again, and changes no task that has ended."""
    store = TaskStore(tmp_path)
    orphan(store)
    part = tmp_path / TASK / ".result.json.123.part"
    part.write_bytes(b"half a resu")
    (tmp_path / TASK / "result.json").write_bytes(b"of a crash before the end was noted")
    (first,) = recover(store)
    assert recover(store) == []
    assert store.read(TASK) == first
    assert not part.exists()
    assert json.loads((tmp_path / TASK / "result.json").read_bytes())["pages"] == []


def test_a_kind_that_is_gone_or_broken_does_not_stop_the_start(tmp_path: Path) -> None:
    """Its tasks end without a result; all others get theirs."""

    def broken(_meta: TaskMeta, _units: JsonLinesFile) -> Payload:
        raise ZeroDivisionError

    store = TaskStore(tmp_path)
    for number, kind in enumerate(("pages", "gone", "broken", "unable")):
        orphan(store, kind, f"{number:016x}")
    kinds = {
        **KINDS,
        "broken": TaskKind("broken", dict, never, broken),
        "unable": TaskKind("unable", dict, never),
    }
    reaped = completion.recover(store, TaskIndex(store), kinds)
    assert {meta.kind: meta.result_path is not None for meta in reaped} == {
        "pages": True,
        "gone": False,
        "broken": False,
        "unable": False,
    }
    assert {meta.status for meta in reaped} == {"FAILED"}


def test_unreadable_tasks_stay_and_are_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The start goes on, the log has the path, the bytes are as they were."""
    store = TaskStore(tmp_path)
    orphan(store)
    path = tmp_path / "00000000000000bb" / "meta.json"
    path.parent.mkdir()
    path.write_bytes(b'{"status": "RUNNING", ')
    assert [meta.task_id for meta in recover(store)] == [TASK]
    assert path.read_bytes() == b'{"status": "RUNNING", '
    assert str(path) in caplog.text


async def test_the_end_of_another_processs_task_is_seen(tmp_path: Path) -> None:
    """wait and the followed events end when somebody else ends the task on disk."""
    with owner(tmp_path):
        store = TaskStore(tmp_path)
        async with asyncio.TaskGroup() as group:
            runner = Runner(store, KINDS, group.create_task)
            waiting = group.create_task(runner.wait(TASK, 60))
            following = group.create_task(all_events(runner))
            await runner.get(TASK)
            store.update(TASK, lambda meta: states.advance(meta, TaskProgress(7)))
            store.update(TASK, lambda meta: states.end(meta, Outcome(status="COMPLETED"), "now"))
        assert (waiting.result().status, waiting.result().progress.done) == ("COMPLETED", 7)
        assert len(following.result()) == 1


async def all_events(runner: Runner) -> list[bytes]:
    return [line async for line in runner.events(TASK, follow=True)]


async def test_a_wait_for_another_processs_task_ends_in_time(tmp_path: Path) -> None:
    """`timeout`, as for one of the process's own tasks."""
    with owner(tmp_path):
        async with asyncio.TaskGroup() as group:
            runner = Runner(TaskStore(tmp_path), KINDS, group.create_task)
            with pytest.raises(OcdError) as caught:
                await runner.wait(TASK, 0.3)
        assert (caught.value.code, caught.value.details["status"]) == ("timeout", "RUNNING")


async def test_an_owner_that_dies_while_somebody_waits(tmp_path: Path) -> None:
    """The task is marked as orphaned then, not at the next start."""
    with owner(tmp_path) as process:
        async with asyncio.TaskGroup() as group:
            runner = Runner(TaskStore(tmp_path), KINDS, group.create_task)
            waiting = group.create_task(runner.wait(TASK, 60))
            await runner.get(TASK)
            process.kill()
        meta = waiting.result()
        assert meta.error is not None
        assert (meta.status, meta.error["code"]) == ("FAILED", "orphaned")
        result = runner.result(meta)
        assert result is not None
        assert result.data["pages"] == [{"n": 0}, {"n": 1}]


async def test_cancelling_another_processs_task_asks_it_to(tmp_path: Path) -> None:
    """cancel_requested_at is set for its owner to see; the answer comes after 2 s at most."""
    with owner(tmp_path):
        async with asyncio.TaskGroup() as group:
            runner = Runner(TaskStore(tmp_path), KINDS, group.create_task)
            meta = await runner.cancel(TASK)
        assert meta.status == "RUNNING"
        assert meta.cancel_requested_at is not None


def test_a_task_that_keeps_killing_its_daemon_is_not_resumed(tmp_path: Path) -> None:
    """A durable task resumes unless its last three starts have ended without a further page."""
    store = TaskStore(tmp_path)

    def keep(number: int, done: int, *, durable: bool | None = True) -> TaskMeta:
        before = f"{number - 1:016x}" if number else None
        meta = TaskMeta(
            task_id=f"{number:016x}", kind="crawl", status="FAILED", resumed_from=before,
            created_at="2026-03-01T12:00:00.000Z", progress=TaskProgress(done),
        )  # fmt: skip
        store.create(
            meta, lambda folder: write_arguments(folder, Arguments(args={"durable": durable}))
        )
        return meta

    starts = [keep(number, done) for number, done in enumerate((5, 5, 7, 7, 7))]
    durable = [durable_tasks.is_durable(store, one, by_default=False) for one in starts]
    assert durable == [True, True, True, True, False]
    unsaid, refused = keep(9, 1, durable=None), keep(10, 2, durable=False)
    assert [durable_tasks.is_durable(store, unsaid, by_default=yes) for yes in (True, False)] == [
        True, False,
    ]  # fmt: skip
    assert not durable_tasks.is_durable(store, refused, by_default=True)
