"""Stores of many small records: ten thousand of them, concurrent writers, compaction."""

import errno
import threading
from pathlib import Path

import msgspec
import pytest

from ocd.api.errors import OcdError
from ocd.memory.notes import Notes
from ocd.skills.index import RecallQuery
from ocd.skills.store import Skill, Skills, SkillStep, skill_id
from ocd.storage import files
from ocd.storage.keyed_log import KeyedLog

MANY = 10_000


class Number(msgspec.Struct, frozen=True):
    value: int


@pytest.fixture(autouse=True)
def _quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten thousand syncs take a minute on a slow disk, and are not what is tested."""
    monkeypatch.setattr(files, "sync_data", lambda _descriptor: None)


def make_skill(number: int, verdict: str = "") -> Skill:
    domain, name = f"site{number % 100}.example.org", f"buy kettle {number}"
    steps = [
        SkillStep(verb="interact", params={"query": "Buy"}, description=f"interact Buy {verdict}")
    ]
    return Skill(
        skill_id=skill_id(domain, name), domain=domain, name=name, steps=steps,
        stored_at=f"2026-01-01T00:00:{number:05}",
    )  # fmt: skip


def test_records_survive_and_the_newest_line_counts(tmp_path: Path) -> None:
    path = tmp_path / "numbers.jsonl"
    store = KeyedLog(path, Number)
    for number in range(10):
        store.put(f"k{number % 3}", Number(number))
    store.drop("k1")
    with KeyedLog(path, Number).hold() as records:
        assert {key: one.value for key, one in records.items()} == {"k0": 9, "k2": 8}


def test_a_file_with_mostly_outdated_lines_is_rewritten(tmp_path: Path) -> None:
    """No current record is lost; a file with torn lines is left as it is."""
    path = tmp_path / "numbers.jsonl"
    store = KeyedLog(path, Number, slack=10)
    for number in range(100):
        store.put("one", Number(number))
    assert len(path.read_bytes().splitlines()) < 20
    with path.open("ab") as log:
        log.write(b"torn\n")
    reopened = KeyedLog(path, Number, slack=10)
    for number in range(100):
        reopened.put("two", Number(number))
    assert reopened.unreadable == 1
    assert b"torn\n" in path.read_bytes()
    with KeyedLog(path, Number).hold() as records:
        assert {key: one.value for key, one in records.items()} == {"one": 99, "two": 99}


def test_a_line_that_cannot_be_synced_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File and records are then as before."""
    path = tmp_path / "numbers.jsonl"
    store = KeyedLog(path, Number)
    store.put("k", Number(1))
    before = path.read_bytes()

    def failing(_descriptor: int) -> None:
        raise OSError(errno.EIO, "no")

    monkeypatch.setattr(files, "sync_data", failing)
    with pytest.raises(OcdError, match="no"):
        store.put("k", Number(2))
    assert path.read_bytes() == before
    with store.hold() as records:
        assert records == {"k": Number(1)}


def test_two_threads_lose_nothing(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    kept, _ = notes.record("d", "common", 0)

    def work(name: str) -> None:
        for number in range(200):
            notes.record("d", f"{name}{number}", number)
            notes.validate(kept.id, success=number % 2 == 0) if number < 4 else None

    threads = [threading.Thread(target=work, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert notes.query("d", None, "", 1000, 0)[1] >= 400
    assert Notes(tmp_path).query("d", None, "", 1, 0)[1] == notes.query("d", None, "", 1, 0)[1]


def test_ten_thousand_notes_are_found_again(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    for number in range(MANY):
        notes.record(f"site{number % 100}.example.org", f"selector:{number}", f"Buy {number}")
    assert notes.query("site1.example.org", "selector", "", 100, 0)[1] == 100
    assert Notes(tmp_path).query(None, None, "buy 77", 100, 0)[1] == 280


def test_a_full_store_drops_the_least_confident_notes(tmp_path: Path) -> None:
    notes = Notes(tmp_path, most=2)
    poor, _ = notes.record("d", "poor", 1)
    notes.validate(poor.id, success=False)
    notes.record("d", "good", 1)
    assert notes.record("d", "new", 1)[1] == [poor.id]


def test_ten_thousand_skills_are_found_again(tmp_path: Path) -> None:
    skills = Skills(tmp_path)
    for number in range(MANY):
        skills.put(make_skill(number))
    best = make_skill(4711)
    skills.record_replay(best.skill_id, "pass", None)
    reopened = Skills(tmp_path)
    recalled = reopened.recall(RecallQuery(words="buy a kettle", limit=3))
    assert (recalled.total, recalled.found[0][1].skill_id) == (MANY, best.skill_id)
    assert recalled.found[0][1].replays.passes == 1


@pytest.mark.parametrize("limit", [1, 3, 50])
def test_the_best_records_equal_those_of_a_full_sort(tmp_path: Path, limit: int) -> None:
    """Looking only at promising records misses none."""
    skills = Skills(tmp_path)
    for number in range(700):
        one = make_skill(number, "cheap" if number % 7 == 0 else "")
        skills.put(one)
        for outcome in ("pass",) * (number % 5) + ("fail",) * (number % 3 == 0):
            skills.record_replay(one.skill_id, outcome, None)
    every = skills.recall(RecallQuery(words="buy cheap", limit=1000, quarantined=True)).found
    assert len(every) == 700
    assert [score for score, _ in every] == sorted((s for s, _ in every), reverse=True)
    best = skills.recall(RecallQuery(words="buy cheap", limit=limit, quarantined=True)).found
    assert [score for score, _ in best] == [score for score, _ in every[:limit]]
