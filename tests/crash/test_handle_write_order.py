"""The write order of a handle, step by step: the process dies there, and the next one recovers."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ocd.api.errors import OcdError
from ocd.outputs.store import OutputStore

WRITER = """
import asyncio, sys
from pathlib import Path
from ocd.storage import crash_points
from ocd.outputs.store import OutputStore
from ocd.storage.payload import JSON, Payload

async def main(root, fault, ttl_hours):
    store = OutputStore(Path(root), ttl_hours=float(ttl_hours))
    crash_points.arm(fault)
    await store.put(Payload(JSON, {"pages": [1, 2, 3]}, ("pages",)), "crawl")
    await store.sweep()

asyncio.run(main(*sys.argv[1:]))
"""


def die_at(root: Path, fault: str, ttl_hours: int = 24) -> None:
    command = [sys.executable, "-c", WRITER, str(root), fault, str(ttl_hours)]
    assert subprocess.run(command, check=False, timeout=300).returncode == -signal.SIGKILL


def handle_in(root: Path) -> str:
    (handle,) = {path.name.partition(".")[0] for path in root.rglob("oh_*")}
    return handle


@pytest.mark.parametrize(
    ("step", "left"),
    [
        ("handle.payload.written", {".json", ".idx.part"}),
        ("handle.index.written", {".json", ".idx"}),
    ],
)
async def test_a_crash_before_the_meta_leaves_no_handle(
    tmp_path: Path, step: str, left: set[str]
) -> None:
    root = tmp_path / "output"
    await asyncio.to_thread(die_at, root, step)
    handle = handle_in(root)
    names = {path.name for path in root.rglob("*.*")}
    shapes = {".idx.part" if name.endswith(".part") else name[len(handle) :] for name in names}
    assert shapes == left
    store = OutputStore(root)
    with pytest.raises(OcdError) as caught:
        await store.fetch(handle)
    assert caught.value.code == "output_handle_not_found"
    await store.sweep()
    assert store.stats().count == 0
    assert list(root.iterdir()) == []


async def test_a_crash_after_the_meta_leaves_a_complete_handle(tmp_path: Path) -> None:
    root = tmp_path / "output"
    await asyncio.to_thread(die_at, root, "handle.meta.written")
    store = OutputStore(root)
    assert await store.sweep() == 0
    page = await store.fetch(handle_in(root))
    assert bytes(page["content"]) == b"[1,2,3]"


async def test_an_interrupted_sweep_is_finished_by_the_next(tmp_path: Path) -> None:
    root = tmp_path / "output"
    await asyncio.to_thread(die_at, root, "handle.sweep.meta_deleted", ttl_hours=0)
    handle = handle_in(root)
    store = OutputStore(root)
    with pytest.raises(OcdError) as caught:
        await store.fetch(handle)
    assert caught.value.code == "output_handle_not_found"
    await store.sweep()
    assert list(root.iterdir()) == []
