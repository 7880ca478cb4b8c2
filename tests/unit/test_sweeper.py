"""The sweep deletes what has expired, leaves foreign and undeletable files, and continues."""

import asyncio
import logging
import os
from pathlib import Path

import pytest

from ocd.api.errors import OcdError
from ocd.outputs import sweeper
from ocd.outputs.store import OutputStore
from ocd.storage.payload import JSON, Payload
from support.clock import Clock

HOUR = 3600


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> OutputStore:
    return OutputStore(tmp_path / "output", clock=clock)


def names(store: OutputStore) -> set[str]:
    return {str(path.relative_to(store.root)) for path in store.root.rglob("*")}


def leave(path: Path, age_s: float, clock: Clock, data: bytes = b"x") -> Path:
    """Write a file that was last changed so long ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (clock.now - age_s, clock.now - age_s))
    return path


async def test_expired_handles_go_with_their_empty_day(store: OutputStore, clock: Clock) -> None:
    old = await store.put(Payload(JSON, [1], ()), "verb")
    clock.now += 23 * HOUR
    young = await store.put(Payload("text/plain", "x"), "verb")
    assert await store.sweep() == 0
    clock.now += HOUR
    assert await store.sweep() == 1
    assert not any(old.output_handle in name for name in names(store))
    assert (await store.fetch(young.output_handle))["content"] == "x"
    assert [folder.name for folder in store.root.iterdir()] == ["2026-05-29"]
    assert store.stats().count == 1


async def test_a_linked_payload_is_counted_once_and_only_while_no_task_has_it(
    store: OutputStore, clock: Clock, tmp_path: Path
) -> None:
    """Two handles share it; deleting them frees nothing as long as a task has a third name."""
    payload = Payload("text/plain", "x" * 100_000)
    path = await store.path((await store.put(payload, "verb")).output_handle)
    alone = await _swept_bytes(store, clock)
    payload.file = path
    await store.put(payload, "verb")
    assert alone < await _swept_bytes(store, clock) < alone + 10_000
    (tmp_path / "result.json").hardlink_to(path)
    assert await _swept_bytes(store, clock) < 10_000


async def _swept_bytes(store: OutputStore, clock: Clock) -> int:
    """Return the bytes of a store that has just counted what is on disk."""
    counted = OutputStore(store.root, clock=clock)
    await counted.sweep()
    return counted.stats().bytes


async def test_leftovers_of_an_earlier_daemon_are_removed_at_once(
    store: OutputStore, clock: Clock
) -> None:
    leave(store.root / "2026-05-27" / "oh_AAAAAAAAAAAA.json", 0, clock)
    await store.sweep()
    assert names(store) == set()


async def test_leftovers_in_a_shared_folder_have_a_grace_period(
    store: OutputStore, clock: Clock, tmp_path: Path
) -> None:
    """Another daemon may have begun to write there before this one started."""
    shared = tmp_path / "shared"
    store.add_root(shared)
    left = leave(shared / "2026-05-27" / "oh_AAAAAAAAAAAA.json", 1, clock)
    await store.sweep()
    assert left.exists()
    clock.now += 600
    await store.sweep()
    assert list(shared.iterdir()) == []


async def test_young_leftovers_are_removed_after_the_grace_period(
    store: OutputStore, clock: Clock
) -> None:
    clock.now += 1000
    day = store.root / "2026-05-27"
    handle = "oh_AAAAAAAAAAAA"
    for name in (f"{handle}.json", f".{handle}.idx.4711.part", f".{handle}.meta.json.4711.part"):
        leave(day / name, 601, clock)
    leave(day / "oh_BBBBBBBBBBBB.bin", 599, clock)
    await store.sweep()
    assert names(store) == {"2026-05-27", "2026-05-27/oh_BBBBBBBBBBBB.bin"}
    clock.now += 1
    await store.sweep()
    assert names(store) == set()


async def test_one_young_file_keeps_the_others_of_its_handle(
    store: OutputStore, clock: Clock
) -> None:
    """In a long write, the index may be old while the payload still grows."""
    clock.now += 9000
    day = store.root / "2026-05-27"
    leave(day / ".oh_AAAAAAAAAAAA.idx.1.part", 5000, clock)
    leave(day / ".oh_AAAAAAAAAAAA.json.1.part", 1, clock)
    await store.sweep()
    assert len(list(day.iterdir())) == 2


async def test_foreign_files_stay(store: OutputStore, clock: Clock) -> None:
    for name in (
        "notes.txt", "2026-05-01/notes.json", "2026-05-01/oh_short.json", "x/oh_AAAAAAAAAAAA.md",
        "2026-05-01/oh_AAAAAAAAAAAA.exe", "2026-05-01/oh_AAAAAAAAAAAA.json.bak", "2026-5-1/x",
    ):  # fmt: skip
        leave(store.root / name, 10**7, clock)
    before = names(store)
    await store.sweep()
    assert names(store) == before


async def test_links_are_neither_followed_nor_deleted(
    store: OutputStore, clock: Clock, tmp_path: Path
) -> None:
    victim = leave(tmp_path / "elsewhere" / "oh_AAAAAAAAAAAA.json", 10**7, clock)
    store.root.mkdir()
    (store.root / "2026-05-01").symlink_to(victim.parent)
    day = store.root / "2026-05-02"
    day.mkdir()
    (day / "oh_AAAAAAAAAAAA.json").symlink_to(victim)
    await store.sweep()
    assert victim.exists()
    assert (day / "oh_AAAAAAAAAAAA.json").is_symlink()


@pytest.mark.parametrize("damage", [b"", b"{", b'{"version":2}', b"\xff"])
async def test_a_meta_that_cannot_be_read_is_reported_once_and_left_alone(
    store: OutputStore, clock: Clock, caplog: pytest.LogCaptureFixture, damage: bytes
) -> None:
    descriptor = await store.put(Payload("text/plain", "x"), "verb")
    (meta,) = store.root.rglob("*.meta.json")
    meta.write_bytes(damage)
    clock.now += 1000 * HOUR
    reopened = OutputStore(store.root, clock=clock)
    for _ in range(2):
        assert await reopened.sweep() == 0
    assert meta.read_bytes() == damage
    assert len(list(meta.parent.iterdir())) == 3
    assert [str(meta) in record.getMessage() for record in caplog.records] == [True]
    with pytest.raises(OcdError) as caught:
        await reopened.fetch(descriptor.output_handle)
    assert caught.value.code == "unreadable_file"
    assert reopened.stats().count == 0
    assert reopened.stats().bytes > 0


async def test_a_file_that_cannot_be_deleted_does_not_stop_the_sweep(
    store: OutputStore,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    stuck = await store.put(Payload("text/plain", "x"), "verb")
    others = [await store.put(Payload("text/plain", "x"), "verb") for _ in range(3)]
    clock.now += 24 * HOUR
    unlink = Path.unlink

    def refuse(path: Path, missing_ok: bool = False) -> None:
        if stuck.output_handle in path.name:
            raise PermissionError(13, "Permission denied")
        unlink(path, missing_ok=missing_ok)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse)
        assert await store.sweep() == len(others)
        assert await store.sweep() == 0
    assert len(caplog.records) == 3  # each of its three files, once
    assert store.stats().bytes > 0
    assert await store.sweep() == 1
    assert names(store) == set()


async def test_a_handle_whose_files_vanished_is_forgotten(store: OutputStore) -> None:
    descriptor = await store.put(Payload("text/plain", "x"), "verb")
    for path in list(store.root.rglob("*.*")):
        path.unlink()
    with pytest.raises(OcdError) as caught:
        await store.fetch(descriptor.output_handle)
    assert caught.value.code == "output_handle_not_found"
    await store.sweep()
    assert (store.stats().count, store.stats().bytes) == (0, 0)


class Recorder:
    """Counts sweeps; each can be waited for, and the first may fail."""

    def __init__(self, *, fail: int = 0) -> None:
        self.swept: asyncio.Queue[int] = asyncio.Queue()
        self.count = 0
        self._fail = fail

    async def sweep(self) -> int:
        self.count += 1
        self.swept.put_nowait(self.count)
        if self.count <= self._fail:
            raise OcdError("storage_failed", "the disk is gone")
        return 0


async def until_swept(recorder: Recorder, times: int) -> None:
    async with asyncio.timeout(300):
        while await recorder.swept.get() < times:
            pass


async def test_the_sweeper_sweeps_at_start_and_at_every_interval() -> None:
    recorder = Recorder()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(sweeper.run(recorder, lambda: 0.01, asyncio.Event()))
        await until_swept(recorder, 3)
        task.cancel()
    assert recorder.count >= 3


async def test_a_changed_interval_applies_at_once() -> None:
    recorder = Recorder()
    interval = [3600.0]
    changed = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(sweeper.run(recorder, lambda: interval[0], changed))
        await until_swept(recorder, 1)
        interval[0] = 0.01
        changed.set()
        await until_swept(recorder, 4)
        task.cancel()
    assert recorder.count >= 4


async def test_a_sweep_that_fails_is_logged_and_tried_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    recorder = Recorder(fail=2)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(sweeper.run(recorder, lambda: 0.01, asyncio.Event()))
        await until_swept(recorder, 4)
        task.cancel()
    assert [record.levelno for record in caplog.records] == [logging.ERROR] * 2
