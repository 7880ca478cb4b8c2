"""What the machine refuses, in words."""

import errno
import threading

import pytest

from ocd.api.errors import OcdError
from ocd.runtime import resolver_threads
from ocd.storage.machine_limits import limit_error

NO_THREAD = RuntimeError("can't start new thread")


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (MemoryError(), "memory"),
        (ImportError("x.so: failed to map segment from shared object"), "memory"),
        (NO_THREAD, "threads"),
        (OSError(errno.EMFILE, "Too many open files"), "file descriptors"),
    ],
)
def test_what_is_refused_is_named(error: Exception, what: str) -> None:
    found = limit_error(error)
    assert found is not None
    assert (found.code, what in found.message) == ("limit_reached", True)


@pytest.mark.parametrize("error", [RuntimeError("x"), OSError(errno.ENOENT, "x"), KeyError("x")])
def test_other_errors_are_none_of_it(error: Exception) -> None:
    assert limit_error(error) is None


async def test_names_are_looked_up_by_threads_that_can_be_had(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """libuv would abort the process; those that were started meanwhile end."""
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
