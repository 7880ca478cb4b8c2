"""config.toml, watched: what a change fails with costs that change alone."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ocd.config import file_changes


async def test_a_change_that_fails_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The next change is heard of; the failed one is logged."""
    heard: list[int] = []

    async def two_changes(_file: Path, _stop: asyncio.Event) -> AsyncIterator[int]:
        yield 1
        yield 2

    async def act() -> None:
        heard.append(len(caplog.records))
        if len(heard) == 1:
            raise RuntimeError("can't start new thread")

    monkeypatch.setattr(file_changes, "file_changes", two_changes)
    await file_changes.follow_changes(tmp_path / "config.toml", asyncio.Event(), act)
    assert (heard, "is not in force" in caplog.text) == ([0, 1], True)


async def test_what_an_editor_does_to_the_file_is_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It appears, is written to, is replaced by another, and goes: four changes, and no more."""
    monkeypatch.setattr(file_changes, "LOOK_S", 0.001)
    file, stop = tmp_path / "config.toml", asyncio.Event()
    changes = file_changes.file_changes(file, stop)

    def replace() -> None:
        (tmp_path / "new").write_text("three")
        (tmp_path / "new").replace(file)

    create, write = (lambda: file.write_text("one")), (lambda: file.write_text("two!"))
    for change in (create, write, replace, file.unlink):
        asyncio.get_running_loop().call_soon(change)
        await anext(changes)
    stop.set()
    assert [one async for one in changes] == []
