"""Named records: the newest one, where some file cannot be read."""

import os
from pathlib import Path

import pytest

from ocd.api.errors import OcdError
from ocd.storage.named_files import NamedFileStore, NamedRecord


class Note(NamedRecord, frozen=True, kw_only=True):
    format: str = "note"


@pytest.fixture
def notes(tmp_path: Path) -> NamedFileStore[Note]:
    return NamedFileStore(tmp_path / "notes", Note, "note", most=10)


def put(notes: NamedFileStore[Note], name: str, minute: int, session: str = "s") -> Path:
    saved_at = f"2026-01-01T00:{minute:02}:00.000Z"
    notes.put(Note(name=name, saved_at=saved_at, session=session))
    os.utime(notes.path(name), (minute * 60, minute * 60))
    return notes.path(name)


def damage(path: Path) -> None:
    when = path.stat().st_mtime
    path.write_bytes(b'{"name":')
    os.utime(path, (when, when))


def refusal(notes: NamedFileStore[Note]) -> OcdError:
    with pytest.raises(OcdError) as caught:
        notes.latest("s")
    return caught.value


def test_the_newest_of_the_session_else_of_any(notes: NamedFileStore[Note]) -> None:
    assert refusal(notes).code == "not_found"
    put(notes, "other", 9, "t")
    assert notes.latest("s").name == "other"
    put(notes, "mine", 5)
    assert notes.latest("s").name == "mine"


def test_an_older_record_does_not_stand_in_for_a_newer_one_that_cannot_be_read(
    notes: NamedFileStore[Note],
) -> None:
    """Nor is it said that there is none."""
    newest = put(notes, "newest", 7)
    damage(newest)
    alone = refusal(notes)
    assert (alone.code, alone.details["path"]) == ("unreadable_file", str(newest))
    put(notes, "older", 6)
    error = refusal(notes)
    assert (error.code, error.details["path"]) == ("unreadable_file", str(newest))
    assert "another name" in error.hint


def test_an_older_file_that_cannot_be_read_does_not_matter(notes: NamedFileStore[Note]) -> None:
    damage(put(notes, "older", 6))
    put(notes, "newest", 7)
    assert notes.latest("s").name == "newest"
