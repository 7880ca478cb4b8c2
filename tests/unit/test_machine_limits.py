"""Limits of the machine, as errors."""

import errno
import subprocess
import sys
import threading
from contextlib import aclosing
from pathlib import Path

import pytest
from selectolax.lexbor import SelectolaxError

from ocd.api.errors import OcdError
from ocd.ledger import folder_watch
from ocd.runtime import resolver_threads
from ocd.storage.machine_limits import limit_error

NO_THREAD = RuntimeError("can't start new thread")


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (MemoryError(), "memory"),
        (ImportError("x.so: failed to map segment from shared object"), "memory"),
        (ImportError("x.so: cannot map zero-fill pages"), "memory"),
        (SelectolaxError("Can't parse CSS selector."), "memory"),
        (NO_THREAD, "threads"),
        (OSError(errno.EMFILE, "Too many open files"), "file descriptors"),
    ],
)
def test_refused_resources_are_named(error: Exception, what: str) -> None:
    found = limit_error(error)
    assert found is not None
    assert (found.code, what in found.message) == ("limit_reached", True)


@pytest.mark.parametrize("error", [RuntimeError("x"), OSError(errno.ENOENT, "x"), KeyError("x")])
def test_other_errors_are_not_limits(error: Exception) -> None:
    assert limit_error(error) is None


async def test_name_lookups_fail_cleanly_without_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without one, libuv would abort the process; threads started in vain end."""
    start, before = threading.Thread.start, threading.active_count()

    def start_two(self: threading.Thread) -> None:
        if threading.active_count() >= before + 2:
            raise NO_THREAD
        start(self)

    monkeypatch.setattr(threading.Thread, "start", start_two)
    with pytest.raises(OcdError) as caught:
        await resolver_threads.start()
    assert caught.value.code == "limit_reached"
    assert threading.active_count() == before


@pytest.mark.parametrize(("flag", "needed"), [("-v", 512), ("-d", 192)])
def test_too_low_a_memory_limit_is_refused_with_the_figure(flag: str, needed: int) -> None:
    """In a process of its own, because it limits itself."""
    code = "from ocd.storage.machine_limits import require_room_to_run; require_room_to_run()"
    limited = f'ulimit {flag} {150 << 10}; exec "$0" -c "$1"'
    command = ["/bin/sh", "-c", limited, sys.executable, code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode
    assert f"{needed} MB" in done.stderr, done.stderr
    assert f"is limited to 150 (ulimit {flag})" in done.stderr


async def test_a_folder_that_cannot_be_watched_is_polled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """watchfiles is not used when there are no threads: it would end the process."""

    refused: list[threading.Thread] = []

    def refuse(thread: threading.Thread) -> None:
        refused.append(thread)
        raise NO_THREAD

    monkeypatch.setattr(threading.Thread, "start", refuse)
    async with aclosing(folder_watch.changes(tmp_path)) as changes:
        await anext(changes)
        await anext(changes)
    assert refused
