"""A crawl of 1 GB in every format that `oc task export` writes: what it adds to the daemon."""

import argparse
import shutil
import tempfile
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self, get_args

import msgspec
import psutil

from bench.daemon import Daemon
from bench.figures import Section
from ocd.crawl.archive.file_names import ANSWERS
from ocd.crawl.archive.raw_answers import RawAnswer
from ocd.crawl.crawl_result import PageRecord
from ocd.crawl.export.formats import ExportFormat
from ocd.ledger.results import RESULT, write_result
from ocd.ledger.states import TaskMeta
from ocd.storage.payload import JSON, Payload

PAGES = 50_000
SIZE = 20_000
LINKS = 20
MOST_MB = 60
TASK = "0123456789abcdef"
AT = "2026-11-20T10:00:00.000Z"
_PACE_S = 0.05
_SUFFIXES = {
    "jsonl": "jsonl", "csv": "csv", "sqlite": "sqlite", "llms-txt": "txt", "warc": "warc.gz",
}  # fmt: skip
_encode = msgspec.json.Encoder().encode


def url(number: int) -> str:
    """Return the address of a page; a hundred are in a folder."""
    number %= PAGES
    return f"https://docs.example/guide/part-{number // 100}/page-{number}.html"


class _Records:
    """The lines of the crawl's pages: each has words of its own, and links to twenty others."""

    def __iter__(self) -> Iterator[bytes]:
        words = b"".join(b"word-%d and more of it, " % one for one in range(5000)).decode()
        for number in range(PAGES):
            links = [url(number * 7 + one * 311) for one in range(LINKS)]
            text = "\n".join(f"- [Page {one}]({link})" for one, link in enumerate(links))
            start = number * 13 % (len(words) - SIZE)
            text += f"\n\n# Page {number}\n\n{words[start : start + SIZE - len(text)]}\n"
            yield _encode(
                PageRecord(
                    url=url(number), final_url=url(number), status=200, title=f"Page {number}",
                    depth=number % 9, content=text, links=links, engine="static",
                    content_type="text/html", fetched_at=AT, duration_ms=3,
                )
            )  # fmt: skip


def make_task(tasks: Path) -> int:
    """Write a crawl's task into the ledger; return the size of its result in bytes."""
    folder = tasks / TASK
    folder.mkdir(parents=True)
    result = {"summary": {"pages": PAGES}, "pages": []}
    payload = Payload(JSON, result, ("pages",), rows=_Records())
    size = sum(len(line) + 1 for line in _Records())
    place = write_result(folder / RESULT, payload, size)
    meta = TaskMeta(
        task_id=TASK, kind="crawl", status="COMPLETED", pid=2**22 - 1, pid_started_at="1.0",
        created_at=AT, started_at=AT, ended_at=AT, args_summary=f'{{"url":"{url(0)}"}}',
        result_path=str(folder / RESULT), result_list=place, result_checked=True,
    )  # fmt: skip
    (folder / "meta.json").write_bytes(_encode(meta))
    with (folder / ANSWERS).open("wb") as answers:
        for number, line in enumerate(_Records()):
            record: dict[str, Any] = msgspec.json.decode(line)
            answer = RawAnswer(
                url=url(number), fetched_at=AT, status=200, reason="OK",
                headers=[("Content-Type", "text/html; charset=utf-8")],
                request_headers=[("Host", "docs.example")],
                body=zlib.compress(record["content"].encode(), 1),
            )  # fmt: skip
            answers.write(_encode(answer) + b"\n")
    return (folder / RESULT).stat().st_size


class _MostMemory:
    """The most resident memory in MB that a process had while `with memory:` went on."""

    def __init__(self, process: psutil.Process) -> None:
        self.process = process
        self.mb = 0.0
        self._over = threading.Event()

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(_PACE_S):
            self.mb = max(self.mb, self.process.memory_info().rss / 2**20)


def memory(_options: argparse.Namespace) -> Section:
    """Export the crawl in each format, each time with a fresh daemon."""
    section = Section(f"Exports of a crawl ({PAGES:,} pages)")
    with tempfile.TemporaryDirectory() as out, Daemon("--allow-file-root", out) as daemon:
        daemon.run("stop")
        daemon.connection.close()
        size = make_task(Path(daemon.home, "tasks"))
        section.add("export: the crawl's result", size / 1e9, "GB")
        for form in get_args(ExportFormat):
            daemon.run("start", *daemon.flags)
            daemon.process = psutil.Process(daemon.status()["pid"])
            added, seconds, written = _export(daemon, form, Path(out))
            daemon.run("stop")
            daemon.connection.close()
            section.add(f"export, {form}: written", written / 1e9, "GB")
            section.add(f"export, {form}: time", seconds, "s")
            section.at_most(f"export, {form}: added to the daemon's RSS", added, MOST_MB, "MB")
        daemon.run("start")
    return section


def _export(daemon: Daemon, form: str, folder: Path) -> tuple[float, float, int]:
    """Return the memory, the seconds, and the bytes written."""
    target = folder / ("out" if form == "markdown" else f"out.{_SUFFIXES[form]}")
    daemon.call("oc_task_get", task_id=TASK)
    before, started = daemon.rss_mb(), time.perf_counter()
    with _MostMemory(daemon.process) as most:
        done = daemon.call("oc_task_export", task_id=TASK, path=str(target), format=form)
    assert done["pages"] == PAGES, done
    seconds = time.perf_counter() - started
    if target.is_dir():
        shutil.rmtree(target)
    else:
        target.unlink()
    return most.mb - before, seconds, done["size_bytes"]
