"""The journal: newest entries last, whatever happens to the disk."""

import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ocd.storage import journal as module
from ocd.storage.journal import Journal
from support.clock import Clock

DAY = 86_400


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def journal(tmp_path: Path, clock: Clock) -> Iterator[Journal]:
    made = Journal(tmp_path / "journal", clock=clock)
    yield made
    made.close()


def call(number: int, **more: object) -> dict[str, Any]:
    return {
        "ts": f"2026-05-28T20:26:{number % 60:02d}.000Z", "tool": "navigate", "session": "default",
        "tab_id": "t1", "args": {"n": number}, "duration_ms": 2.0, "ok": True, "error": None,
        "call_id": f"c_{number}", **more,
    }  # fmt: skip


CREATED = {
    "event": "output_handle_created", "handle": "oh_AAAAAAAAAAAA", "source_tool": "crawl",
    "size_bytes": 5, "mime_type": "application/json", "ts": "2026-05-28T20:26:40.000Z",
}  # fmt: skip


def test_calls_and_events_come_back_in_one_list_newest_last(journal: Journal) -> None:
    journal.record_call(call(1))
    journal.record_event(CREATED)
    journal.record_call(call(2))
    assert journal.recent(10) == [
        {"event": "tool_call", **call(1)}, CREATED, {"event": "tool_call", **call(2)},
    ]  # fmt: skip
    assert [entry.get("call_id") for entry in journal.recent(2)] == [None, "c_2"]


def test_a_journal_that_was_never_written_is_empty(journal: Journal) -> None:
    assert journal.recent(10) == []
    assert journal.summary()["calls"] == 0
    assert not journal.folder.exists()


def test_the_file_is_private_and_names_its_format(journal: Journal) -> None:
    journal.record_event(CREATED)
    path = journal.folder / "journal-2026-05-28.jsonl"
    assert path.stat().st_mode & 0o777 == 0o600
    assert journal.folder.stat().st_mode & 0o777 == 0o700
    assert json.loads(path.read_text().splitlines()[0]) == {"format": "journal", "version": 1}


def test_recent_reaches_back_over_days(journal: Journal, clock: Clock) -> None:
    for number in range(6):
        journal.record_call(call(number))
        clock.now += DAY
    assert [entry["args"]["n"] for entry in journal.recent(4)] == [2, 3, 4, 5]


def test_a_new_day_deletes_what_is_older_than_a_week(journal: Journal, clock: Clock) -> None:
    (journal.folder).mkdir()
    (journal.folder / "journal-2020-01-01.jsonl").write_text("{}\n")
    (journal.folder / "notes-2020-01-01.jsonl").write_text("mine")
    (journal.folder / "journal-2020-01-01.jsonl.bak").write_text("mine")
    for number in range(10):
        journal.record_call(call(number))
        clock.now += DAY
    names = {path.name for path in journal.folder.iterdir()}
    days = ("05-31", "06-01", "06-02", "06-03", "06-04", "06-05", "06-06")
    kept = {f"journal-2026-{day}.jsonl" for day in days}
    assert names == kept | {"journal-2020-01-01.jsonl.bak", "notes-2020-01-01.jsonl"}


def test_foreign_and_torn_lines_are_skipped(journal: Journal) -> None:
    journal.record_call(call(1))
    journal.close()
    path = journal.folder / "journal-2026-05-28.jsonl"
    with path.open("ab") as file:
        file.write(b'\n\xff\xfe\nnull\n[1]\n{}\n{"event":5}\n' + b"[" * 5000 + b"\n")
        file.write(b'{"event":"tool_call","tool":"torn')
    assert [entry["call_id"] for entry in journal.recent(10)] == ["c_1"]
    journal.record_call(call(2))
    assert [entry["call_id"] for entry in journal.recent(10)] == ["c_1", "c_2"]


@settings(max_examples=60)
@given(
    lines=st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b""))),
    tail=st.binary(max_size=20).map(lambda line: line.replace(b"\n", b"")),
    block=st.integers(1, 30),
)
def test_a_file_reads_backwards_as_it_reads_forwards(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], tail: bytes, block: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "lines"
    path.write_bytes(b"".join(line + b"\n" for line in lines) + tail)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        assert list(module._lines_backwards(path, 10**6))[::-1] == lines


def test_reading_back_is_bounded(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_READ", 2000)
    for number in range(100):
        journal.record_call(call(number))
    found = [entry["args"]["n"] for entry in journal.recent(1000)]
    assert 5 < len(found) < 20
    assert found == list(range(100 - len(found), 100))


def test_huge_arguments_are_cut(journal: Journal) -> None:
    journal.record_call(call(1, args={"code": "x" * 1_000_000}))
    (entry,) = journal.recent(1)
    assert entry["args"]["characters"] == 1_000_000 + len('{"code":""}')
    assert entry["args"]["cut"].startswith('{"code":"xxx')
    assert len(json.dumps(entry)) < 4096


def test_the_summary_counts_by_verb_and_error(journal: Journal) -> None:
    journal.record_call(call(1, duration_ms=1.0))
    journal.record_call(call(2, duration_ms=3.0, ok=False, error="timeout"))
    journal.record_call(call(3, tool="read_page", duration_ms=None))
    journal.record_event(CREATED)
    assert journal.summary() == {
        "since": "2026-05-28T20:26:01.000Z",
        "until": "2026-05-28T20:26:40.000Z",
        "calls": 3,
        "failed": 1,
        "tools": {
            "navigate": {"calls": 2, "failed": 1, "mean_ms": 2.0},
            "read_page": {"calls": 1, "failed": 0, "mean_ms": None},
        },
        "errors": {"timeout": 1},
        "events": {"output_handle_created": 1},
    }


def test_a_failing_disk_loses_entries_but_no_call(
    tmp_path: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "journal").write_text("a file where the folder should be")
    journal = Journal(tmp_path / "journal", clock=clock)
    for number in range(3):
        journal.record_call(call(number))
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    (tmp_path / "journal").unlink()
    journal.record_call(call(4))
    assert [entry["args"]["n"] for entry in journal.recent(9)] == [4]
    journal.close()


def test_a_disk_that_fills_up_while_writing_is_survived(
    journal: Journal, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    journal.record_call(call(1))
    assert journal._log is not None
    journal._log._file.close()
    descriptor = os.open("/dev/full", os.O_WRONLY)
    journal._log._file = os.fdopen(descriptor, "ab", buffering=0)
    journal.record_call(call(2))
    journal.record_call(call(3))
    assert [entry["args"]["n"] for entry in journal.recent(9)] == [1, 3]
    assert "No space left" in caplog.text
