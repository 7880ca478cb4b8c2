"""A task's files: what is on disk after each step, under the lock, and when unreadable."""

import errno
import json
import multiprocessing
import os
import stat
import threading
from contextlib import aclosing
from pathlib import Path

import pytest
from msgspec.structs import replace

from ocd.api.errors import OcdError
from ocd.api.timestamps import rfc3339
from ocd.ledger import states
from ocd.ledger.args_summary import MAX_BYTES, summarise
from ocd.ledger.events import Tail
from ocd.ledger.index import TaskIndex
from ocd.ledger.results import read_result
from ocd.ledger.resumption import FinishedWork, Resumption
from ocd.ledger.retention import prune
from ocd.ledger.states import Outcome, TaskMeta
from ocd.ledger.store import TaskStore
from ocd.ledger.task_queries import Tasks
from ocd.storage.payload import JSON, Payload
from ocd.storage.process_identity import own_identity
from support.counting import count_up

DAY_MS = 86_400_000


def new_meta(number: int = 1, **changes: object) -> TaskMeta:
    fields = {
        "task_id": f"{number:016x}",
        "kind": "crawl",
        "status": "PENDING",
        "created_at": states.timestamp(number),
        **changes,
    }
    return TaskMeta(**fields)  # type: ignore[arg-type]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def store(tmp_path: Path) -> TaskStore:
    return TaskStore(tmp_path / "tasks")


def test_a_new_task_is_on_disk_complete_and_private(store: TaskStore) -> None:
    """Folder 0700, files 0600, a format version, and one event."""
    meta = new_meta()
    store.create(meta)
    folder = store.directory(meta.task_id)
    assert store.read(meta.task_id) == meta
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {
        "meta.json": 0o600,
        "events.jsonl": 0o600,
    }
    assert json.loads((folder / "meta.json").read_bytes())["version"] == 1
    (event,) = map(json.loads, Tail(folder / "events.jsonl").new_lines())
    assert event["kind"] == "created"


def test_a_creation_that_fails_leaves_nothing(
    store: TaskStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk is storage_full, and no half of a task stays."""
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OcdError) as caught:
        store.create(new_meta())
    assert caught.value.code == "storage_full"
    assert names(store.root) == []


def full_disk(_descriptor: int) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("task_id", ["", "nope", "../../etc", "A" * 16, "0" * 15, "f" * 16])
def test_an_unknown_id_is_not_found(store: TaskStore, task_id: str) -> None:
    """Malformed ids never become paths."""
    with pytest.raises(OcdError) as caught:
        store.read(task_id)
    assert caught.value.code == "task_not_found"


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"[]", b"\xff\xfe", b'{"task_id": 1}', b'{"version": 99}', None],
    ids=["empty", "torn", "list", "binary", "wrong type", "newer", "missing"],
)
def test_a_task_that_cannot_be_read_is_left_alone(store: TaskStore, damage: bytes | None) -> None:
    """Errors name its path, its bytes stay as they are, and lists count it."""
    meta = new_meta()
    store.create(meta)
    path = store.directory(meta.task_id) / "meta.json"
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage)
    for attempt in (store.read, lambda i: store.update(i, lambda one: states.begin(one, "now"))):
        with pytest.raises(OcdError) as caught:
            attempt(meta.task_id)
        assert caught.value.code == "unreadable_file"
        assert caught.value.details["path"] == str(path)
    index = TaskIndex(store)
    index.refresh()
    assert (len(index), index.unreadable) == (0, {meta.task_id})
    assert prune(store, index, 0.001) == 0
    assert (path.read_bytes() if path.exists() else None) == damage


def test_a_newer_format_is_not_touched(store: TaskStore) -> None:
    """A task of a later version of the program is unreadable, not misread."""
    store.create(new_meta(version=2))
    with pytest.raises(OcdError, match="newer OpenChrome"):
        store.read(f"{1:016x}")


def test_changes_of_several_processes_are_all_kept(store: TaskStore) -> None:
    """Read-modify-write under the lock loses no change."""
    meta = new_meta(status="RUNNING")
    store.create(meta)
    context = multiprocessing.get_context("spawn")
    others = [
        context.Process(target=count_up, args=(store.root, meta.task_id, 25)) for _ in range(2)
    ]
    for other in others:
        other.start()
    count_up(store.root, meta.task_id, 25)
    for other in others:
        other.join(30)
        assert other.exitcode == 0
    assert store.read(meta.task_id).progress.done == 75


async def test_a_task_of_another_process_is_seen_as_it_changes(store: TaskStore) -> None:
    """Each state is newer than the one before; the last one has ended."""
    meta = new_meta(status="RUNNING")
    own = own_identity()
    pid = {"pid": own.pid, "pid_started_at": rfc3339(own.started_at), "boot_id": own.boot_id}
    store.create(replace(meta, **pid))
    done: list[int] = []
    completed = Outcome(status="COMPLETED")
    async with aclosing(Tasks(store, {}).states(meta.task_id)) as seen:
        async for one in seen:
            if not one.terminal and one.progress.done not in done[-1:]:
                done.append(one.progress.done)
                count_up(store.root, meta.task_id, 1)
            if one.progress.done == 3 and not one.terminal:
                store.update(meta.task_id, lambda last: states.end(last, completed, "now"))
    assert one.terminal
    assert done == [0, 1, 2, 3]


def test_the_lock_is_free_after_a_failed_change(store: TaskStore) -> None:
    """The next change succeeds at once, also from another thread."""
    meta = new_meta()
    store.create(meta)

    def broken(_meta: TaskMeta) -> TaskMeta:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.update(meta.task_id, broken)
    done: list[TaskMeta] = []
    thread = threading.Thread(
        target=lambda: done.append(store.update(meta.task_id, lambda one: states.begin(one, "t")))
    )
    thread.start()
    thread.join(60)
    assert done[0].status == "RUNNING"


def test_an_unchanged_task_is_not_written_again(store: TaskStore) -> None:
    """A change that changes nothing costs no write: terminal tasks stay the same file."""
    meta = new_meta(status="COMPLETED", ended_at="2026-03-01T12:00:00.000Z")
    store.create(meta)
    before = store.change_stamp(meta.task_id)
    store.update(meta.task_id, lambda one: states.end(one, Outcome(status="FAILED"), "later"))
    assert store.change_stamp(meta.task_id) == before


def test_a_result_whose_list_is_the_units_is_read_without_it(store: TaskStore) -> None:
    """Only head and tail of result.json are decoded; the list comes as the units file."""
    meta = new_meta()
    store.create(meta)
    units = store.units(meta.task_id)
    units.path.write_bytes(b'{"n":1}\n{"n":2}\n')
    whole = {"summary": {"a": "[]"}, "pages": [], "more": 1}
    payload = Payload(JSON, whole, ("pages",), units)
    path, place = store.write_result(meta.task_id, payload)
    assert json.loads(Path(path).read_bytes()) == {**whole, "pages": [{"n": 1}, {"n": 2}]}
    ended = replace(
        meta, status="COMPLETED", result_path=path, result_list=place, result_checked=True
    )
    store.remove_held_units(ended)
    assert not units.path.exists()
    result = read_result(Path(path), units, ended)
    assert result is not None
    assert (result.data, result.items, result.file) == (whole, ("pages",), Path(path))
    for _ in range(2):
        assert list(result.rows or ()) == [b'{"n":1}', b'{"n":2}']


def test_units_that_are_not_in_the_result_stay(store: TaskStore) -> None:
    """A different list, a running task, an unreadable line: nothing is removed."""
    meta = new_meta()
    store.create(meta)
    units = store.units(meta.task_id).path
    units.write_bytes(b'{"n":1}\n{"n":\n{"n":3}\n')
    readable = store.units(meta.task_id, readable_only=True)
    payload = Payload(JSON, {"pages": []}, ("pages",), readable)
    path, place = store.write_result(meta.task_id, payload)
    assert json.loads(Path(path).read_bytes()) == {"pages": [{"n": 1}, {"n": 3}]}
    ended = replace(meta, status="FAILED", result_path=path, result_list=place, result_checked=True)
    store.remove_held_units(ended)
    with pytest.raises(OcdError) as caught:
        list(store.units(meta.task_id))
    assert (caught.value.code, caught.value.details["line"]) == ("unreadable_file", 2)


@pytest.mark.parametrize("name", ["result.json", "result.idx"])
@pytest.mark.parametrize(
    "data", [b"", b"[]", bytes(60), b'{"summary":{"a":"b"},"pages":[{"n":1}]}']
)
def test_a_result_that_is_not_what_was_written_is_refused(
    store: TaskStore, name: str, data: bytes
) -> None:
    meta = new_meta()
    store.create(meta)
    units = store.units(meta.task_id)
    units.path.write_bytes(b'{"n":1}\n{"n":2}\n')
    payload = Payload(JSON, {"summary": {"a": "b"}, "pages": []}, ("pages",), units)
    path, place = store.write_result(meta.task_id, payload)
    ended = replace(meta, result_path=path, result_list=place, result_checked=True)
    Path(path).with_name(name).write_bytes(data)
    with pytest.raises(OcdError, match="result") as caught:
        list(getattr(read_result(Path(path), units, ended), "rows", ()))
    assert caught.value.code == "unreadable_file"


def test_a_result_of_an_older_release_is_read_with_its_units(store: TaskStore) -> None:
    """It has no index, and its list stands in pages.jsonl."""
    meta = new_meta()
    store.create(meta)
    units = store.units(meta.task_id)
    units.path.write_bytes(b'{"n":1}\n{"n":2}\n')
    whole = {"summary": {"a": "[]"}, "pages": [], "more": 1}
    path, place = store.write_result(meta.task_id, Payload(JSON, whole, ("pages",), units))
    Path(path).with_suffix(".idx").unlink()
    ended = replace(meta, result_path=path, result_list=place)
    result = read_result(Path(path), units, ended)
    assert result is not None
    assert (result.data, result.rows, result.items) == (whole, units, ("pages",))
    assert result.file is None


def test_a_result_survives_its_units_file(store: TaskStore) -> None:
    """Without its units file, or with a cut one, the list in the result still counts."""
    meta = new_meta()
    store.create(meta)
    units = store.units(meta.task_id)
    units.path.write_bytes(b'{"n":1}\n{"n":2}\n')
    path, place = store.write_result(meta.task_id, Payload(JSON, {"pages": []}, ("pages",), units))
    ended = replace(meta, result_path=path, result_list=place)
    units.path.write_bytes(b'{"n":1}\n')
    result = read_result(Path(path), units, ended)
    assert result is not None
    assert (result.data, result.rows) == ({"pages": [{"n": 1}, {"n": 2}]}, None)


def test_a_result_with_its_own_list_is_read_completely(store: TaskStore) -> None:
    """Without units, or with others, the list in result.json is the one that counts."""
    meta = new_meta()
    store.create(meta)
    store.units(meta.task_id).path.write_bytes(b'{"n":1}\n')
    payload = Payload(JSON, {"results": [7, 8, 9]}, ("results",))
    path, place = store.write_result(meta.task_id, payload)
    ended = replace(meta, result_path=path, result_list=place)
    result = read_result(Path(path), store.units(meta.task_id), ended)
    assert result is not None
    assert (result.data, result.rows, result.items) == ({"results": [7, 8, 9]}, None, ("results",))


def test_events_are_read_as_they_come(store: TaskStore) -> None:
    """A tail yields each complete line once, and a line being written when it is finished."""
    meta = new_meta()
    store.create(meta)
    path = store.directory(meta.task_id) / "events.jsonl"
    tail = Tail(path)
    assert len(tail.new_lines()) == 1
    with path.open("ab") as file:
        file.write(b'{"kind":"ha')
        file.flush()
        assert tail.new_lines() == []
        file.write(b'lf"}\n')
    assert tail.new_lines() == [b'{"kind":"half"}']
    assert tail.new_lines() == []


def test_nothing_follows_the_last_event(store: TaskStore) -> None:
    """Progress from a late thread is not written after the end."""
    store.create(new_meta())
    events = store.events(f"{1:016x}")
    events.end("completed")
    events.append("progress", done=1)
    lines = Tail(store.directory(f"{1:016x}") / "events.jsonl").new_lines()
    assert [json.loads(line)["kind"] for line in lines] == ["created", "completed"]


def test_old_tasks_go_and_running_ones_stay(tmp_path: Path) -> None:
    """Retention counts from the end of a task; what has not ended is kept at any age."""
    store = TaskStore(tmp_path / "tasks", clock=lambda: 40 * DAY_MS)
    ages = {1: 39, 2: 31, 3: 29}
    for number, days in ages.items():
        created = states.timestamp((40 - days) * DAY_MS)
        store.create(new_meta(number, status="FAILED", created_at=created, ended_at=created))
    ended_lately = states.timestamp(39 * DAY_MS)
    store.create(new_meta(4, status="COMPLETED", ended_at=ended_lately))
    store.create(new_meta(5, status="RUNNING"))
    index = TaskIndex(store)
    index.refresh()
    assert prune(store, index, 0) == 0
    assert prune(store, index, 30) == 2
    assert names(store.root) == [f"{n:016x}" for n in (3, 4, 5)]
    assert prune(store, index, 30, max_tasks=2) == 1
    assert names(store.root) == [f"{n:016x}" for n in (3, 5)]


@pytest.mark.parametrize("links", [True, False])
def test_a_resumed_task_has_the_files_and_unpassed_units_of_the_old_one(
    store: TaskStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, links: bool
) -> None:
    """Files are links where the file system has them, and copies elsewhere."""
    old = new_meta()
    store.create(old)
    folder = store.directory(old.task_id)
    (folder / "pages.jsonl").write_bytes(b'{"n":1}\n{"n":2,"passing":1}\n{"n":3}\n')
    (folder / "log.jsonl").write_bytes(b'{"a":1}\n{"a":2}\n')
    (folder / "files").mkdir()
    (folder / "files" / "1.png").write_bytes(b"picture")
    if not links:
        monkeypatch.setattr(os, "link", _refuse_links)
    how = Resumption(lambda line: b"passing" in line, files=("log.jsonl",), folder="files")
    new = tmp_path / "new"
    new.mkdir()
    FinishedWork(store, old, how).copy_to(new)
    assert (new / "pages.jsonl").read_bytes() == b'{"n":1}\n{"n":3}\n'
    assert (new / "log.jsonl").read_bytes() == (folder / "log.jsonl").read_bytes()
    assert (new / "files" / "1.png").read_bytes() == b"picture"
    assert (new / "files" / "1.png").samefile(folder / "files" / "1.png") is links


def _refuse_links(*_paths: object) -> None:
    raise OSError(errno.EXDEV, "Invalid cross-device link")


def test_leftovers_of_crashes_are_swept(store: TaskStore) -> None:
    """A half-created and a half-removed task go at the next start, those of older builds, too."""
    current = (".0000000000000001.new", ".0000000000000002.gone")
    for name in (*current, ".new-0000000000000003", ".trash-0000000000000004"):
        (store.root / name).mkdir()
        (store.root / name / "meta.json").write_bytes(b"{}")
    store.sweep()
    assert names(store.root) == []


def test_the_index_sees_what_others_do(store: TaskStore) -> None:
    """New, changed and removed tasks of other processes appear without a restart."""
    index = TaskIndex(store)
    index.refresh()
    assert index.newest() == []
    store.create(new_meta(1))
    store.create(new_meta(2, kind="recording"))
    index.refresh()
    assert index.newest() == [f"{2:016x}", f"{1:016x}"]
    assert index.newest(kinds=["recording"]) == [f"{2:016x}"]
    assert index.newest(since=2) == [f"{2:016x}"]
    assert index.newest(before=2) == [f"{1:016x}"]  # that moment itself is not before it
    store.update(f"{1:016x}", lambda one: states.begin(one, "now"))
    index.refresh()
    assert index.newest(["RUNNING"]) == [f"{1:016x}"]
    store.remove(f"{2:016x}")
    index.refresh()
    assert index.newest() == [f"{1:016x}"]


def small(value: object) -> bool:
    return len(json.dumps(value).encode()) <= MAX_BYTES + 2


@pytest.mark.parametrize(
    "args",
    [
        {"url": "https://example.org/", "max_pages": 3},
        {"text": "é" * 5000, "n": 1},
        {f"key{i}": "x" * 100 for i in range(100)},
        {"k" * 3000: 1},
        {"nested": [{"list": list(range(2000))}]},
        {"quotes": '"' * 1000},
    ],
    ids=["short", "long text", "many keys", "long key", "nested", "escapes"],
)
def test_the_summary_is_small_json(args: dict[str, object]) -> None:
    """At most 2 KiB of valid JSON; what is cut says so."""
    summary = summarise(args)
    assert small(summary)
    shown = json.loads(summary)
    assert shown == args or (shown["_truncated"] is True and shown["_bytes"] > 0)


def test_the_summary_has_no_secrets() -> None:
    """No password, at any depth and in any letter case, even where the summary is cut."""
    secret = "hunter2"
    args = {"plan": [{"PassWord": secret}], "url": f"https://u:{secret}@example.org/"}
    assert secret not in summarise(args)
    assert secret not in summarise({**args, "more": "x" * 5000})
