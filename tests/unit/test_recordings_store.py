"""The store of recordings: concurrent starts."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import chain, repeat
from pathlib import Path

import pytest

from ocd.recording import store as recording_store
from ocd.recording.store import RecordingMeta, Recordings


def started(store: Recordings, session: str) -> str:
    recording, _ = store.create(
        RecordingMeta(recording_id="", session=session, started_at=""), set()
    )
    return recording.end("stop", store.now()).recording_id


def test_concurrent_starts_all_succeed(tmp_path: Path) -> None:
    """None takes another's half-made folder for the leftover of a crash."""
    store = Recordings(tmp_path / "recordings")
    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(lambda number: started(store, f"s{number}"), range(40)))
    assert len(set(ids)) == len(store.all()[0]) == 40


def test_ids_are_unique(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when two recordings of one second draw the same random part."""
    lots = chain(["aaaaaa", "aaaaaa"], repeat("bbbbbb"))
    monkeypatch.setattr(recording_store, "token_hex", lambda _: next(lots))
    store = Recordings(tmp_path / "recordings", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    assert started(store, "one") != started(store, "two")
