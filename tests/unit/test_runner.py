"""Tasks in this process: started, queued, running, cancelled, failed, waited for, stopped."""

import asyncio
import errno
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ocd.api.errors import OcdError
from ocd.ledger import states, task_run
from ocd.ledger.events import Tail
from ocd.ledger.runner import Runner, TaskKind
from ocd.ledger.states import TaskMeta
from ocd.ledger.store import TaskStore
from ocd.ledger.task_handle import TaskHandle
from ocd.storage.payload import JSON, JsonLinesFile, Payload, Rows


def of_units(meta: TaskMeta, units: Rows) -> Payload:
    data = {"summary": {"task": meta.task_id}, "pages": []}
    return Payload(JSON, data, ("pages",), units)


class Pages:
    """A kind that finishes a page each time the test lets it; `then` is what it does at the end."""

    def __init__(self, then: Callable[[TaskHandle], Any] = lambda _work: None) -> None:
        self.go = asyncio.Semaphore(0)
        self.then = then
        self.work: TaskHandle | None = None

    def kind(self) -> TaskKind:
        return TaskKind("pages", self.prepare, self.run, of_units)

    def prepare(self, args: dict[str, Any]) -> int:
        if set(args) - {"n", "password"}:
            raise OcdError("invalid_argument", "pages takes n")
        return int(args.get("n", 1))

    async def run(self, work: TaskHandle, count: int) -> Payload:
        self.work = work
        for number in range(count):
            await self._next(work)
            if work.stopping:
                break
            work.add(json.dumps({"n": number}).encode())
            work.progress(number + 1, count, f"page {number}")
        self.then(work)
        return of_units(
            TaskMeta(task_id="x", kind="", status="RUNNING", created_at=""), units(work)
        )

    async def _next(self, work: TaskHandle) -> None:
        async with asyncio.TaskGroup() as group:
            waits = [group.create_task(w) for w in (self.go.acquire(), work.stop.wait())]
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for one in waits:
                one.cancel()

    async def finish(self, count: int) -> None:
        """Let it finish that many pages, and return once they are kept."""
        for _ in range(count):
            self.go.release()
        await until(lambda: self.work is not None and self.work.finished >= count)


def units(work: TaskHandle) -> JsonLinesFile:
    return JsonLinesFile(work.units)


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(300):
        while not condition():  # noqa: ASYNC110 - conditions of any kind, with a deadline
            await asyncio.sleep(0.005)


@asynccontextmanager
async def runner_of(
    root: Path,
    *kinds: TaskKind,
    max_concurrent: int = 4,
    max_tasks: int = 100,
    admit: Callable[[str], None] = lambda _kind: None,
) -> AsyncIterator[Runner]:
    async with asyncio.TaskGroup() as group:
        runner = Runner(
            TaskStore(root),
            {kind.name: kind for kind in kinds},
            group.create_task,
            max_concurrent=max_concurrent,
            max_tasks=max_tasks,
            admit=admit,
        )
        await runner.recover()
        yield runner
        await runner.stop()


def on_disk(root: Path, task_id: str) -> TaskMeta:
    return TaskStore(root).read(task_id)


def modes_below(root: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in root.glob("*/*")}


async def kinds_of_events(runner: Runner, task_id: str) -> list[str]:
    return [msgspec.json.decode(line)["kind"] async for line in runner.events(task_id)]


async def test_a_task_runs_to_its_end(tmp_path: Path) -> None:
    """PENDING on disk before the answer, then RUNNING, then COMPLETED with a result and events."""
    pages = Pages()
    async with runner_of(tmp_path, pages.kind()) as runner:
        meta = await runner.start("pages", {"n": 2, "password": "hunter2"}, "mine")
        assert on_disk(tmp_path, meta.task_id).session == "mine"
        await pages.finish(1)
        now = await runner.get(meta.task_id)
        assert (now.status, now.progress.done, now.progress.total) == ("RUNNING", 1, 2)
        await pages.finish(2)
        ended = await runner.wait(meta.task_id, 60)
        assert ended == on_disk(tmp_path, meta.task_id)
        assert (ended.status, ended.progress.done, ended.error) == ("COMPLETED", 2, None)
        assert ended.created_at <= str(ended.started_at) <= str(ended.ended_at)
        assert "hunter2" not in (tmp_path / meta.task_id / "meta.json").read_text()
        result = runner.result(ended)
        assert result is not None
        assert list(result.rows or ()) == [b'{"n": 0}', b'{"n": 1}']
        said = await kinds_of_events(runner, meta.task_id)
        assert [kind for kind in said if kind != "progress"] == [
            *("created", "started", "unit", "unit", "completed")
        ]
        modes = modes_below(tmp_path)
        assert set(modes.values()) == {0o600}
        assert set(modes) == {"meta.json", "events.jsonl", "result.idx", "result.json", "lock"}


async def test_bad_arguments_make_no_task(tmp_path: Path) -> None:
    """What the direct call would refuse is refused before anything is on disk."""
    async with runner_of(tmp_path, Pages().kind()) as runner:
        for kind, args in (("pages", {"m": 1}), ("page", {})):
            with pytest.raises(OcdError) as caught:
                await runner.start(kind, args)
            assert caught.value.code == "invalid_argument"
        assert "Did you mean 'pages'?" in caught.value.hint
    assert modes_below(tmp_path) == {}


async def test_a_disabled_kind_makes_no_task(tmp_path: Path) -> None:
    """The capability filter applies to kinds, too."""

    def admit(kind: str) -> None:
        raise OcdError("CAPABILITY_DISABLED", kind, capability="crawl")

    async with runner_of(tmp_path, Pages().kind(), admit=admit) as runner:
        with pytest.raises(OcdError, match="pages"):
            await runner.start("pages", {})
    assert modes_below(tmp_path) == {}


async def test_no_secret_reaches_the_files_of_a_task(tmp_path: Path) -> None:
    """Progress messages and errors contain URLs, and are redacted."""
    url = "https://ada:lovelace@example.org/?token=tok123"

    async def leaky(work: TaskHandle, _prepared: object) -> Payload:
        work.progress(1, 2, url + "x" * 5000)
        raise OcdError("fetch_failed", f"no route to {url}", url=url)

    async with runner_of(tmp_path, TaskKind("leaky", dict, leaky)) as runner:
        meta = await runner.start("leaky", {"url": url})
        ended = await runner.wait(meta.task_id, 60)
        assert ended.error is not None
        assert ended.error["code"] == "fetch_failed"
        written = [text_of(path) for path in tmp_path.glob("*/*")]  # noqa: ASYNC240
        assert not [text for text in written if "lovelace" in text or "tok123" in text]
        assert max(map(len, written)) < 4096


def text_of(path: Path) -> str:
    return path.read_text()


async def test_tasks_are_queued(tmp_path: Path) -> None:
    """Beyond max_concurrent they are PENDING, in order; raising it lets the next one run."""
    pages = Pages()
    async with runner_of(tmp_path, pages.kind(), max_concurrent=1, max_tasks=4) as runner:
        first, second, third = [await runner.start("pages", {"n": 1}) for _ in range(3)]
        await until(lambda: runner.counts()["running"] == 1)
        assert (await runner.get(second.task_id)).status == "PENDING"
        direct = await runner.start("pages", {"n": 1}, direct=True)
        await until(lambda: runner.counts()["running"] == 2)
        assert (await runner.get(direct.task_id)).status == "RUNNING"
        with pytest.raises(OcdError) as caught:
            await runner.start("pages", {"n": 1})
        assert caught.value.code == "limit_reached"
        runner.max_concurrent = 2
        await until(lambda: runner.counts()["running"] == 3)
        assert (await runner.get(third.task_id)).status == "PENDING"
        assert runner.counts() == {"total": 4, "running": 3, "pending": 1, "unreadable": 0}
        for _ in range(4):
            pages.go.release()
        for meta in (first, second, third, direct):
            assert (await runner.wait(meta.task_id, 60)).status == "COMPLETED"


async def test_a_cancelled_task_keeps_its_pages(tmp_path: Path) -> None:
    """CANCELLED within a unit, cancel_requested_at set, the finished pages in the result."""
    pages = Pages()
    async with runner_of(tmp_path, pages.kind()) as runner:
        meta = await runner.start("pages", {"n": 5})
        await pages.finish(2)
        ended = await runner.cancel(meta.task_id)
        assert (ended.status, ended.error, ended.progress.done) == ("CANCELLED", None, 2)
        assert ended.cancel_requested_at is not None
        result = runner.result(ended)
        assert result is not None
        assert list(result.rows or ()) == [b'{"n": 0}', b'{"n": 1}']
        assert await runner.cancel(meta.task_id) == ended
        said = await kinds_of_events(runner, meta.task_id)
        assert said.index("cancel_requested") < said.index("cancelled") == len(said) - 1


async def test_a_waiting_task_is_cancelled_at_once(tmp_path: Path) -> None:
    """PENDING becomes CANCELLED without having run."""
    pages = Pages()
    async with runner_of(tmp_path, pages.kind(), max_concurrent=0) as runner:
        meta = await runner.start("pages", {"n": 5})
        ended = await runner.cancel(meta.task_id)
        assert (ended.status, ended.started_at) == ("CANCELLED", None)
        assert pages.work is None
        assert on_disk(tmp_path, meta.task_id).status == "CANCELLED"


async def test_a_kind_that_ignores_cancelling_is_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the grace period it is cancelled where it waits; its finished units are kept."""
    monkeypatch.setattr(task_run, "GRACE_S", 0.05)
    entered = asyncio.Event()

    async def deaf(work: TaskHandle, _prepared: object) -> Payload:
        work.add(b"1")
        entered.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with runner_of(tmp_path, TaskKind("deaf", dict, deaf, of_units)) as runner:
        meta = await runner.start("deaf", {})
        await entered.wait()
        ended = await runner.cancel(meta.task_id)
        result = runner.result(ended)
        assert ended.status == "CANCELLED"
        assert result is not None
        assert list(result.rows or ()) == [b"1"]


async def test_a_cancelled_task_has_its_grace_to_finish_a_unit(tmp_path: Path) -> None:
    """What it was working on when it was asked to stop is in the result."""
    entered = asyncio.Event()

    async def thorough(work: TaskHandle, _prepared: object) -> Payload:
        entered.set()
        await work.stop.wait()
        for _ in range(20):
            await asyncio.sleep(0)
        work.add(b"1")
        return of_units(
            TaskMeta(task_id="x", kind="", status="RUNNING", created_at=""), units(work)
        )

    async with runner_of(tmp_path, TaskKind("thorough", dict, thorough, of_units)) as runner:
        meta = await runner.start("thorough", {})
        await entered.wait()
        ended = await runner.cancel(meta.task_id)
        result = runner.result(ended)
        assert ended.status == "CANCELLED"
        assert result is not None
        assert list(result.rows or ()) == [b"1"]


async def test_a_failing_task_has_the_verbs_error(tmp_path: Path) -> None:
    """The error body is the direct call's; pages finished before it are kept."""

    def fail(_work: TaskHandle) -> None:
        raise OcdError("fetch_failed", "no route", url="http://x/")

    pages = Pages(fail)
    async with runner_of(tmp_path, pages.kind()) as runner:
        meta = await runner.start("pages", {"n": 1})
        await pages.finish(1)
        ended = await runner.wait(meta.task_id, 60)
        assert ended.status == "FAILED"
        assert ended.error == {"code": "fetch_failed", "message": "no route", "url": "http://x/"}
        result = runner.result(ended)
        assert result is not None
        assert list(result.rows or ()) == [b'{"n": 0}']


@pytest.mark.parametrize("error", [ZeroDivisionError, TimeoutError, asyncio.CancelledError])
async def test_a_bug_in_a_kind_fails_its_task_alone(
    tmp_path: Path, error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    """`internal`, a traceback in the log, the lock free, and the next task runs."""

    def fail(_work: TaskHandle) -> None:
        raise error

    pages = Pages(fail)
    async with runner_of(tmp_path, pages.kind()) as runner:
        meta = await runner.start("pages", {"n": 0})
        ended = await runner.wait(meta.task_id, 60)
        assert ended.error is not None
        assert (ended.status, ended.error["code"]) == ("FAILED", "internal")
        assert "Traceback" in caplog.text
        TaskStore(tmp_path).update(meta.task_id, lambda one: one)
        pages.then = lambda _work: None
        second = await runner.start("pages", {"n": 0})
        assert (await runner.wait(second.task_id, 60)).status == "COMPLETED"


async def test_a_result_that_is_not_json_fails_its_task(tmp_path: Path) -> None:
    """A payload that cannot be encoded is the kind's bug, not the daemon's end."""

    async def odd(_work: TaskHandle, _prepared: object) -> Payload:
        return Payload(JSON, {"x": object()})

    async with runner_of(tmp_path, TaskKind("odd", dict, odd)) as runner:
        meta = await runner.start("odd", {})
        ended = await runner.wait(meta.task_id, 60)
        assert ended.error is not None
        assert (ended.status, ended.error["code"]) == ("FAILED", "internal")
        assert not (tmp_path / meta.task_id / "result.json").exists()


async def test_a_full_disk_fails_the_task_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """storage_full where it can be written, in memory where it cannot; then all is well again."""
    pages = Pages()
    fsync = os.fsync

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async with runner_of(tmp_path, pages.kind()) as runner:
        meta = await runner.start("pages", {"n": 1})
        await until(lambda: pages.work is not None)
        monkeypatch.setattr(os, "fsync", full)
        await pages.finish(1)
        ended = await runner.wait(meta.task_id, 60)
        assert ended.error is not None
        assert (ended.status, ended.error["code"]) == ("FAILED", "storage_full")
        assert await runner.get(meta.task_id) == ended
        result = runner.result(ended)
        assert result is not None
        assert list(result.rows or ()) == [b'{"n": 0}']
        with pytest.raises(OcdError) as caught:
            await runner.start("pages", {"n": 1})
        assert caught.value.code == "storage_full"
        monkeypatch.setattr(os, "fsync", fsync)
        second = await runner.start("pages", {"n": 0})
        assert (await runner.wait(second.task_id, 60)).status == "COMPLETED"


async def test_a_running_task_has_the_result_of_what_it_has_finished(tmp_path: Path) -> None:
    """It does not grow while it is read, and outlives the file when the task ends."""
    pages = Pages()
    async with runner_of(tmp_path, pages.kind()) as runner:
        meta = await runner.start("pages", {"n": 2})
        await until(lambda: pages.work is not None)
        assert runner.result(await runner.get(meta.task_id)) is None
        await pages.finish(1)
        now = await runner.get(meta.task_id)
        result = runner.result(now)
        assert result is not None
        await pages.finish(2)
        await runner.wait(meta.task_id, 60)
        assert not (tmp_path / meta.task_id / "pages.jsonl").exists()
        assert list(result.rows or ()) == list(result.rows or ()) == [b'{"n": 0}']
        # Asked with what was known before the end.
        whole = runner.result(now)
        assert whole is not None
        assert list(whole.rows or ()) == [b'{"n": 0}', b'{"n": 1}']


async def test_waiting_ends_with_the_task_or_the_timeout(tmp_path: Path) -> None:
    """`timeout` has the task, its progress and the next call; the task continues."""
    pages = Pages()
    async with runner_of(tmp_path, pages.kind()) as runner:
        meta = await runner.start("pages", {"n": 2})
        await pages.finish(1)
        with pytest.raises(OcdError) as caught:
            await runner.wait(meta.task_id, 0.02)
        body = caught.value.body()
        assert (body["code"], body["task_id"]) == ("timeout", meta.task_id)
        assert body["status"] == "RUNNING"
        assert body["progress"] == {"done": 1, "total": 2, "message": "page 0"}
        assert "oc_task_wait" in str(body["hint"])
        await pages.finish(2)
        assert (await runner.wait(meta.task_id, 60)).status == "COMPLETED"
        assert (await runner.wait(meta.task_id, 0)).status == "COMPLETED"
        with pytest.raises(OcdError) as unknown:
            await runner.wait("f" * 16, 1)
        assert unknown.value.code == "task_not_found"


async def test_progress_is_reported_as_it_happens(tmp_path: Path) -> None:
    """A direct call gets each change from memory, and finally the ended task."""
    pages = Pages()
    async with runner_of(tmp_path, pages.kind()) as runner:
        meta = await runner.start("pages", {"n": 2})
        heard: list[int] = []
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(
                runner.watch(meta.task_id, lambda now: heard.append(now.progress.done))
            )
            await pages.finish(1)
            await until(lambda: 1 in heard)
            await pages.finish(2)
        assert watching.result().status == "COMPLETED"


async def test_events_are_followed_to_the_end(tmp_path: Path) -> None:
    """Old events first, live ones as they come, and then the stream ends."""
    pages = Pages()
    async with runner_of(tmp_path, pages.kind()) as runner:
        meta = await runner.start("pages", {"n": 1})
        said: list[str] = []

        async def follow() -> None:
            async for line in runner.events(meta.task_id, follow=True):
                said.append(msgspec.json.decode(line)["kind"])

        async with asyncio.TaskGroup() as group:
            group.create_task(follow())
            await until(lambda: "started" in said)
            await pages.finish(1)
        assert said[0] == "created"
        assert said[-1] == "completed"
        assert "unit" in said


async def test_following_an_idle_task_reads_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who follows waits for the next change, and reads the events then."""
    reads: list[float] = []
    new_lines = Tail.new_lines

    def counted(tail: Tail) -> list[bytes]:
        reads.append(1)
        return new_lines(tail)

    monkeypatch.setattr(Tail, "new_lines", counted)
    pages = Pages()
    async with runner_of(tmp_path, pages.kind()) as runner:
        meta = await runner.start("pages", {"n": 1})
        said: list[bytes] = []

        async def follow() -> None:
            async for line in runner.events(meta.task_id, follow=True):
                said.append(line)

        async with asyncio.TaskGroup() as group:
            group.create_task(follow())
            await until(lambda: any(b'"started"' in line for line in said))
            before = len(reads)
            for _ in range(50):
                await asyncio.to_thread(int)
            assert len(reads) - before <= 3
            await pages.finish(1)
        assert b'"completed"' in said[-1]


async def test_another_process_may_cancel_our_task(tmp_path: Path) -> None:
    """cancel_requested_at that appears in meta.json is honoured, and not written over."""
    pages = Pages()
    async with runner_of(tmp_path, pages.kind()) as runner:
        meta = await runner.start("pages", {"n": 5})
        await pages.finish(1)
        asked = "2026-03-01T12:00:00.000Z"
        TaskStore(tmp_path).update(meta.task_id, lambda one: states.ask_cancel(one, asked))
        ended = await runner.wait(meta.task_id, 60)
        assert (ended.status, ended.cancel_requested_at) == ("CANCELLED", asked)


async def test_another_process_may_cancel_a_waiting_task(tmp_path: Path) -> None:
    """Asked on disk while the task was in line: its work never begins."""
    pages = Pages()
    async with runner_of(tmp_path, pages.kind(), max_concurrent=0) as runner:
        meta = await runner.start("pages", {"n": 5})
        asked = "2026-03-01T12:00:00.000Z"
        TaskStore(tmp_path).update(meta.task_id, lambda one: states.ask_cancel(one, asked))
        runner.max_concurrent = 1
        ended = await runner.wait(meta.task_id, 60)
        assert (ended.status, ended.cancel_requested_at) == ("CANCELLED", asked)
        assert pages.work is None


async def test_a_task_ended_on_disk_stays_ended(tmp_path: Path) -> None:
    """A task that another process has ended stays as it is on disk, and its work is stopped."""
    pages = Pages()
    async with runner_of(tmp_path, pages.kind()) as runner:
        meta = await runner.start("pages", {"n": 5})
        await pages.finish(1)
        failed = states.Outcome(status="FAILED", error={"code": "orphaned"})
        TaskStore(tmp_path).update(meta.task_id, lambda one: states.end(one, failed, "then"))
        ended = await runner.wait(meta.task_id, 60)
        assert (ended.status, ended.ended_at, ended.error) == ("FAILED", "then", failed.error)


async def test_a_caller_that_leaves_before_the_id_cancels_its_task(tmp_path: Path) -> None:
    """If the caller leaves before it has the id, the task is CANCELLED, not left running."""
    pages = Pages()
    async with runner_of(tmp_path, pages.kind()) as runner:
        async with asyncio.TaskGroup() as group:
            call = group.create_task(runner.start("pages", {"n": 5}))
            await asyncio.sleep(0)
            call.cancel()
        await until(lambda: runner.counts()["pending"] + runner.counts()["running"] == 0)
        (listed,) = (await runner.list()).metas
        assert listed.status == "CANCELLED"


async def test_stopping_ends_every_task_and_keeps_its_pages(tmp_path: Path) -> None:
    """CANCELLED with daemon_stopped, waiting ones too; nothing is accepted any more."""
    pages = Pages()
    async with runner_of(tmp_path, pages.kind(), max_concurrent=1) as runner:
        first, second = [await runner.start("pages", {"n": 5}) for _ in range(2)]
        await pages.finish(1)
        await runner.stop()
        for meta in (first, second):
            ended = on_disk(tmp_path, meta.task_id)
            assert ended.error is not None
            assert (ended.status, ended.error["code"]) == ("CANCELLED", "daemon_stopped")
            assert ended.cancel_requested_at is None
        result = runner.result(on_disk(tmp_path, first.task_id))
        assert result is not None
        assert list(result.rows or ()) == [b'{"n": 0}']
        with pytest.raises(OcdError) as caught:
            await runner.start("pages", {})
        assert caught.value.code == "shutting_down"


async def test_lists_are_newest_first_and_filtered(tmp_path: Path) -> None:
    """By status, kind and time; running tasks come from memory, the others from disk."""
    pages = Pages()
    other = TaskKind("other", dict, pages.run, of_units)
    async with runner_of(tmp_path, pages.kind(), other) as runner:
        done = await runner.start("pages", {"n": 0})
        await runner.wait(done.task_id, 60)
        live = await runner.start("pages", {"n": 2})
        await pages.finish(1)
        (tmp_path / ("e" * 16)).mkdir()
        (tmp_path / ("e" * 16) / "meta.json").write_text("broken")
        everything = await runner.list()
        assert [meta.task_id for meta in everything.metas] == [live.task_id, done.task_id]
        assert everything.unreadable == 1
        assert everything.metas[0].progress.done == 1
        (completed,) = (await runner.list(["COMPLETED"])).metas
        assert completed.task_id == done.task_id
        assert (await runner.list(kinds=["other"])).metas == []
        since = states.milliseconds(live.created_at)
        assert len((await runner.list(since=since)).metas) == 1
        assert len((await runner.list(limit=1)).metas) == 1
