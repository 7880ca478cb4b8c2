"""The lock on the home: held by one daemon, and free once that is dead."""

import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import msgspec
import portalocker
import pytest

from ocd.api.errors import OcdError
from ocd.runtime import home_lock
from ocd.storage.process_identity import ProcessIdentity, own_identity


def _held(path: Path, owner: ProcessIdentity) -> "portalocker.Lock[IO[bytes]]":
    """Hold the lock as a child of the owner does that has not loaded its program yet."""
    lock: portalocker.Lock[IO[bytes]] = portalocker.Lock(
        path, "wb", flags=portalocker.LOCK_EX | portalocker.LOCK_NB
    )
    lock.acquire().write(msgspec.json.encode(owner))
    assert lock.fh is not None
    lock.fh.flush()
    return lock


def test_the_lock_of_a_living_daemon_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("it waited"))
    lock = _held(tmp_path / "lock", own_identity())
    with pytest.raises(OcdError) as raised, home_lock.hold_lock(tmp_path / "lock", "1"):
        pass
    lock.release()
    assert raised.value.code == "busy"


@pytest.fixture
def dead(tmp_path: Path) -> "portalocker.Lock[IO[bytes]]":
    """The lock, held for a process that has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return _held(tmp_path / "lock", ProcessIdentity(ended.pid, 1.0))


def test_the_lock_of_a_dead_daemon_is_waited_for(
    dead: "portalocker.Lock[IO[bytes]]", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it was starting when it was killed has the lock a moment longer."""
    monkeypatch.setattr(time, "sleep", lambda _: dead.release())
    monkeypatch.setattr(home_lock, "_RELEASE_S", 60)
    with home_lock.hold_lock(tmp_path / "lock", "1"):
        named = msgspec.json.decode((tmp_path / "lock").read_bytes(), type=ProcessIdentity)
    assert named == own_identity()


def test_a_lock_that_stays_is_refused(
    dead: "portalocker.Lock[IO[bytes]]", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home_lock, "_RELEASE_S", 0)
    with (
        pytest.raises(OcdError, match="Another daemon"),
        home_lock.hold_lock(tmp_path / "lock", "1"),
    ):
        pass
    dead.release()
