"""Retention: files of ended sessions are removed when they are old, and no others."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from ocd.config.loader import Config
from ocd.runtime import session_retention
from ocd.runtime.session_retention import remove_old

DAY_S = 86_400


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder of files: sessions of connections, old and young, a named one, a person's own."""
    root = tmp_path / "files"
    for name, days in (
        ("mcp-0a1b2c3d/downloads/old.pdf", 40), ("mcp-1111aaaa/trace.json", 40),
        ("mcp-1111aaaa/new.pdf", 2), ("mcp-2222bbbb/x", 40), ("default/downloads/y", 400),
        ("my papers/z", 400), ("mine.txt", 400),
    ):  # fmt: skip
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
        _age(path, days)
    for folder in sorted((p for p in root.rglob("*") if p.is_dir()), reverse=True):
        _age(folder, 40)
    (tmp_path / "elsewhere").mkdir()
    (root / "mcp-3333cccc").symlink_to(tmp_path / "elsewhere")
    return root


def _age(path: Path, days: float) -> None:
    at = time.time() - days * DAY_S
    os.utime(path, (at, at))


def test_old_folders_of_ended_sessions_are_deleted(files: Path) -> None:
    """Whole folders, by the age of their youngest file; links are not followed."""
    assert remove_old(files, 30, {"mcp-2222bbbb"}) == 1
    left = {path.name for path in files.iterdir()}
    assert left == {
        "mcp-1111aaaa", "mcp-2222bbbb", "mcp-3333cccc", "default", "my papers", "mine.txt",
    }  # fmt: skip
    assert (files / "mcp-1111aaaa" / "trace.json").exists()


def test_zero_days_keep_everything(files: Path) -> None:
    """Zero means for ever, as task_retention_days says."""
    before = sorted(files.rglob("*"))
    assert remove_old(files, 0, ()) == 0
    assert sorted(files.rglob("*")) == before
    assert remove_old(files / "none", 30, ()) == 0


async def test_a_round_that_fails_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """If there is no thread, or the disk fails, the loop and the daemon continue."""
    monkeypatch.setattr(session_retention, "_HOUR_S", 0)
    failures, done = [RuntimeError("can't start new thread"), OSError("bad disk")], asyncio.Event()
    loop = asyncio.get_running_loop()

    def prune(_days: float) -> None:
        if failures:
            raise failures.pop()
        loop.call_soon_threadsafe(done.set)

    async with asyncio.TaskGroup() as group:
        config = Config(home=tmp_path)
        running = group.create_task(session_retention.run(prune, tuple, lambda: config))
        await done.wait()
        running.cancel()
    assert [record.levelname for record in caplog.records] == ["ERROR"] * 2
