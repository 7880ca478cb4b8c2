"""Heap trimming: memory that the daemon has freed is returned to the system."""

import asyncio
import platform
import subprocess
import sys
from types import SimpleNamespace

import psutil
import pytest

from ocd.runtime import heap

ON_GLIBC = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="others give it back")
# Pieces of glibc, not of Python's own allocator; those that stay keep the heap from shrinking.
_PROGRAM = """
import asyncio, psutil
from ocd.runtime import heap

heap.CHECK_S = 0.01

async def main():
    process = psutil.Process()
    start = process.memory_info().rss
    trimming = asyncio.create_task(heap.keep_trimmed())
    await asyncio.sleep(0)
    pieces = [bytes(2000) + b"." for _ in range(40_000)]
    await asyncio.sleep(0.1)
    grown = process.memory_info().rss - start
    del pieces[:-100], pieces[-50:]
    while process.memory_info().rss - start > grown / 2:
        await asyncio.sleep(0.01)
    trimming.cancel()
    print(grown >> 20 > 60)

asyncio.run(main())
"""


@ON_GLIBC
def test_freed_memory_is_returned() -> None:
    """A daemon that grew, was trimmed, and later frees most of its memory becomes small again."""
    program = [sys.executable, "-c", _PROGRAM]
    assert subprocess.run(program, capture_output=True, text=True, check=True).stdout == "True\n"


_THREADS = """
import ctypes, sys, threading
from ocd.runtime import heap

heap.Heap()
together = threading.Barrier(8)

def allocate():
    together.wait(60)
    pieces = [bytes(2000) for _ in range(100)]
    together.wait(60)

threads = [threading.Thread(target=allocate) for _ in range(8)]
for one in threads: one.start()
for one in threads: one.join()
library = ctypes.CDLL(None)
library.fdopen.restype = ctypes.c_void_p
library.malloc_info(0, ctypes.c_void_p(library.fdopen(1, b"w")))
library.fflush(None)
"""


@ON_GLIBC
def test_threads_share_heaps() -> None:
    """The threads of a daemon that has grown do not keep a heap each."""
    program = [sys.executable, "-c", _THREADS]
    printed = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    assert 1 <= printed.count("<heap nr=") <= 2


async def test_trimming_survives_a_lack_of_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A library or file that cannot be opened now is tried again later."""
    heaps = iter((ImportError("failed to map segment"), MemoryError(), SimpleNamespace(trim=None)))

    def make() -> SimpleNamespace:
        one = next(heaps)
        if isinstance(one, Exception):
            raise one
        return one

    monkeypatch.setattr(heap, "CHECK_S", 0)
    monkeypatch.setattr(heap, "WORTHWHILE_BYTES", -(1 << 50))
    monkeypatch.setattr(heap, "Heap", make)
    await heap.keep_trimmed()
    assert not list(heaps)


async def test_memory_freed_during_a_trim_is_returned_by_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Trimming runs in a thread while the daemon frees more."""
    free, trims = [0], []

    def trim(_: int) -> None:
        trims.append(free[0])
        free[0] = 2 * heap.WORTHWHILE_BYTES
        if len(trims) > 1:
            made.trim = None  # ends it

    made = SimpleNamespace(trim=trim, free_bytes=lambda: free[0])
    sizes = iter([0])
    size = SimpleNamespace(memory_info=lambda: SimpleNamespace(rss=next(sizes, 1 << 30)))
    monkeypatch.setattr(heap, "CHECK_S", 0)
    monkeypatch.setattr(psutil, "Process", lambda: size)
    monkeypatch.setattr(heap, "Heap", lambda: made)
    async with asyncio.timeout(60):
        await heap.keep_trimmed()
    assert trims == [0, 2 * heap.WORTHWHILE_BYTES]
