"""Scale of what is on disk: ten thousand tasks, handles of hundreds of megabytes."""

import argparse
import asyncio
import json
import secrets
import tempfile
import time
from pathlib import Path

import msgspec
import psutil

from bench.calls import milliseconds
from bench.daemon import Daemon
from bench.figures import Section
from ocd.ledger.states import TaskMeta, TaskProgress
from ocd.outputs.store import OutputStore
from ocd.storage.payload import JSON, JsonLinesFile, Payload

TASKS = 10_000


def old_task(number: int) -> bytes:
    """Return the meta.json of a task of an earlier daemon; every hundredth is an orphan."""
    orphan = number % 100 == 0
    day = f"2026-11-{number % 19 + 1:02d}T10:00"
    meta = TaskMeta(
        task_id=secrets.token_hex(8),
        kind="crawl",
        status="RUNNING" if orphan else "COMPLETED",
        pid=2**22 - 1,
        pid_started_at="1.0",
        created_at=f"{day}:00.000Z",
        started_at=f"{day}:00.100Z",
        ended_at=None if orphan else f"{day}:01.000Z",
        args_summary='{"url":"http://127.0.0.1/"}',
        progress=TaskProgress(done=3, total=20, message="http://127.0.0.1/p/3"),
    )
    return msgspec.json.encode(meta)


def ledger_scale(options: argparse.Namespace) -> Section:
    """Start on ten thousand tasks (a hundred of them orphans) and list them."""
    section = Section("Ledger with 10,000 tasks on disk")
    with Daemon() as daemon:
        daemon.run("stop")
        daemon.connection.close()
        tasks = Path(daemon.home, "tasks")
        for meta in map(old_task, range(TASKS)):
            folder = tasks / json.loads(meta)["task_id"]
            folder.mkdir(parents=True)
            (folder / "meta.json").write_bytes(meta)
        started = time.perf_counter()
        daemon.run("start")
        section.add("ocd start, whole", (time.perf_counter() - started) * 1000, "ms")
        daemon.process = psutil.Process(daemon.status()["pid"])
        log = Path(daemon.home, "log", "ocd.log").read_text(encoding="utf-8")
        reaped = daemon.call("oc_task_list", status="FAILED", limit=1000)["count"]
        assert reaped == TASKS // 100, f"{reaped} orphans reaped"
        section.add("orphans reaped", reaped, "tasks")
        recovered = [line for line in log.splitlines() if "recovered" in line][-1]
        section.at_most(
            "start-up reaping", float(recovered.split(" ms")[0].split()[-1]), 2000, "ms"
        )
        listed = milliseconds(lambda: daemon.call("oc_task_list"), 20)
        section.at_most("oc_task_list", listed, 200, "ms")
        failed = milliseconds(lambda: daemon.call("oc_task_list", status="FAILED", limit=1000), 5)
        section.at_most("oc_task_list, by status", failed, 200, "ms")
        section.at_most("daemon's RSS", daemon.rss_mb(), 75, "MB")
    return section


def rows_file(folder: Path, megabytes: int) -> JsonLinesFile:
    """Write a file of JSON lines of about 2 KB each."""
    path = folder / f"{megabytes}.jsonl"
    line = b'{"url":"http://127.0.0.1/p/%d","content":"' + b"word " * 400 + b'"}\n'
    with path.open("wb") as file:
        for n in range(megabytes * 500):
            file.write(line % n)
    return JsonLinesFile(path)


def handle_scale(options: argparse.Namespace) -> Section:
    """Compare a fetch from a 3 MB and a 300 MB handle; watch memory while the large one is put."""
    section = Section("Handles of 3 MB and 300 MB")
    with tempfile.TemporaryDirectory() as name:
        asyncio.run(_handles(Path(name), section))
    return section


async def _handles(folder: Path, section: Section) -> None:
    store = OutputStore(folder / "output", ttl_hours=24, max_store_mb=2048)
    handles = {}
    for megabytes in (3, 300):
        rows = rows_file(folder, megabytes)
        payload = Payload(JSON, {"summary": {}, "pages": []}, ("pages",), rows)
        before = psutil.Process().memory_info().rss
        started = time.perf_counter()
        handles[megabytes] = (await store.put(payload, "crawl")).output_handle
        seconds = time.perf_counter() - started
        grown = (psutil.Process().memory_info().rss - before) / 2**20
        section.add(f"storing {megabytes} MB", megabytes / seconds, "MB/s")
    section.at_most("memory grown by storing 300 MB", grown, 30, "MB")
    for what, ask in (
        ("200 items", {"limit": 200, "form": "items"}),
        ("64 KB", {"limit": 65536, "form": "bytes"}),
    ):
        small, large = [await _fetch_ms(store, handles[size], ask) for size in (3, 300)]
        section.add(f"fetch of {what} from 300 MB", large, "ms")
        section.at_most(f"fetch of {what}, 300 MB / 3 MB", large / small, 1.5)


async def _fetch_ms(store: OutputStore, handle: str, ask: dict) -> float:
    taken = []
    for _ in range(41):
        started = time.perf_counter()
        await store.fetch(handle, offset=1000, **ask)
        taken.append((time.perf_counter() - started) * 1000)
    return sorted(taken)[20]
