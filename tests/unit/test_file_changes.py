"""Watching config.toml: a change that fails does not end the watch."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ocd.config import file_changes


async def test_a_failing_change_does_not_end_the_watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The failure is logged, and the next change is still noticed."""
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
    assert (heard, "could not all be applied" in caplog.text) == ([0, 1], True)
