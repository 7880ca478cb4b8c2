"""What `oc` and `ocd` print on real terminals of 40 to 200 columns, dumb ones, and into pipes."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.fake_daemon import FakeDaemon, serving
from support.pseudo_terminal import lines_of, on_a_terminal

OC = [sys.executable, "-m", "oc"]
OCD = [sys.executable, "-m", "ocd"]
WIDTHS = (40, 60, 80, 132, 200)
PAGE = "http://127.0.0.1:8000/handbook/chapter-1.html"
TASKS = [
    {
        "task_id": f"{number:016x}", "kind": kind, "status": status, "created_at": "2026-01-01",
        "progress": {"done": done, "total": total, "message": PAGE},
    }
    for number, (kind, status, done, total) in enumerate([
        ("crawl", "RUNNING", 3, 20),
        ("oc_evidence_bundle", "COMPLETED", 1, 1),
        ("oc_session_snapshot", "COMPLETED", 0, None),
    ])
]  # fmt: skip


@pytest.fixture
def daemon(tmp_path: Path) -> FakeDaemon:
    return FakeDaemon(tmp_path)


def environ(home: Path, **more: str) -> dict[str, str]:
    found = {**os.environ, "OPENCHROME_HOME": str(home), "LC_ALL": "C.UTF-8", "TERM": "xterm"}
    return {name: text for name, text in {**found, **more}.items() if name != "COLUMNS"}


def crawl(daemon: FakeDaemon, home: Path, columns: int, **more: str) -> list[str]:
    """Return the lines of a crawl's progress, on a terminal."""
    daemon.says_lines(
        {"progress": {"done": 1, "total": 20, "message": PAGE}},
        {"progress": {"done": 9, "total": 20, "message": PAGE}},
        {"result": {"summary": {}, "pages": []}},
    )
    with serving(daemon):
        shown = on_a_terminal([*OC, "crawl", PAGE], environ(home, **more), columns)
    return [line for line in lines_of(shown) if "/20" in line]


BARS = {
    40: r"━{4}─{6} 9/20 0:\d\d http://127\.0\.0\.1:…",
    60: r"crawl ━{6}─{9} 9/20 0:\d\d http://127\.0\.0\.1:8000/hand…",
    80: r"crawl ━{9}─{11} 9/20 0:\d\d http://127\.0\.0\.1:8000/handbook/chapter-1\.…",
    200: rf"crawl ━{{18}}─{{22}} 9/20 0:\d\d {re.escape(PAGE)}",
}


@pytest.mark.parametrize("columns", BARS)
def test_a_bar_fits_and_keeps_its_numbers(daemon: FakeDaemon, tmp_path: Path, columns: int) -> None:
    lines = crawl(daemon, tmp_path, columns)
    assert all(len(line) < columns for line in lines)
    assert re.fullmatch(BARS[columns], lines[-1]), lines


def test_a_bar_in_a_c_locale_is_ascii(daemon: FakeDaemon, tmp_path: Path) -> None:
    lines = crawl(daemon, tmp_path, 80, LC_ALL="C")
    assert re.fullmatch(
        r"crawl #{9}-{11} 9/20 0:\d\d http://127\.0\.0\.1:8000/hand.*\.\.\.", lines[-1]
    )
    assert all(line.isascii() for line in lines)


def test_a_dumb_terminal_gets_lines(daemon: FakeDaemon, tmp_path: Path) -> None:
    lines = crawl(daemon, tmp_path, 80, TERM="dumb")
    assert lines[0] == f"crawl 1/20 {PAGE}"


def test_a_pipe_gets_no_bar(daemon: FakeDaemon, tmp_path: Path) -> None:
    daemon.says({"result": {"summary": {"pages": 0}, "pages": []}})
    with serving(daemon):
        done = subprocess.run(
            [*OC, "crawl", PAGE], env=environ(tmp_path), capture_output=True, text=True, check=True,
        )  # fmt: skip
    assert (done.stdout, done.stderr) == ("summary:\n  pages: 0\npages: none\n", "")


TABLES = {
    40: """\
id: 0000000000000000
kind: crawl
status: RUNNING
done: 3/20
age: -
message: http://127.0.0.1:8000/handbook/
  chapter-1.html
""",
    60: """\
ID                KIND       STATUS     DONE  AGE  MESSAGE
0000000000000000  crawl      RUNNING    3/20  -    http://1…
0000000000000001  oc_evide…  COMPLETED  1/1   -    http://1…
0000000000000002  oc_sessi…  COMPLETED  -     -    http://1…
""",
    80: """\
ID                KIND                 STATUS     DONE  AGE  MESSAGE
0000000000000000  crawl                RUNNING    3/20  -    http://127.0.0.1:8…
0000000000000001  oc_evidence_bundle   COMPLETED  1/1   -    http://127.0.0.1:8…
0000000000000002  oc_session_snapshot  COMPLETED  -     -    http://127.0.0.1:8…
""",
}


def table(daemon: FakeDaemon, home: Path, columns: int, tasks: Any = TASKS, **more: str) -> str:  # noqa: ANN401
    daemon.says({"result": {"tasks": tasks, "count": len(tasks)}})
    with serving(daemon):
        shown = on_a_terminal([*OC, "task", "list"], environ(home, **more), columns)
    return shown.replace("\r", "")


@pytest.mark.parametrize("columns", TABLES)
def test_a_table_is_no_wider_than_the_terminal(
    daemon: FakeDaemon, tmp_path: Path, columns: int
) -> None:
    shown = table(daemon, tmp_path, columns)
    assert all(len(line) <= columns for line in shown.splitlines())
    assert shown.startswith(TABLES[columns]), shown


def test_a_table_in_a_c_locale_and_an_empty_one(daemon: FakeDaemon, tmp_path: Path) -> None:
    plain = table(daemon, tmp_path, 60, LC_ALL="C")
    assert plain.isascii()
    assert "http:/..." in plain or "http://..." in plain
    assert all(len(line) <= 60 for line in plain.splitlines())


def test_empty_results_are_stated(daemon: FakeDaemon, tmp_path: Path) -> None:
    assert table(daemon, tmp_path, 80, []) == "No tasks\n"


HELPS = [
    [*OC, "help", "all"], [*OC, "task", "start", "crawl", "--help"], [*OC, "task", "--help"],
    [*OCD, "start", "--help"], [*OCD, "service", "--help"],
]  # fmt: skip


@pytest.mark.parametrize("words", HELPS, ids=lambda words: " ".join(words[2:]))
def test_help_fits_the_terminal(tmp_path: Path, words: list[str]) -> None:
    """Also on a dumb terminal in a C locale; and no summary is cut."""
    for columns, more in ((40, {"LC_ALL": "C", "TERM": "dumb"}), (200, {})):
        shown = on_a_terminal(words, environ(tmp_path, **more), columns)
        assert "..." not in shown.replace("[ARGS]...", "").replace("ARG...", "")
        assert max(map(len, shown.replace("\r", "").splitlines())) <= columns


FIGURES = {
    "pages_per_s": 12.34, "queued": 40, "left_s": 65, "failures": {"http_error": 2, "timeout": 1},
    "hosts": [
        {"host": "docs.example.org", "pages": 9, "failed": 3, "pages_per_s": 11.04},
        {"host": "b.test", "pages": 3, "failed": 0, "pages_per_s": 1.3},
    ],
}  # fmt: skip
DETAILS = "3 failed (http_error 2, timeout 1), docs.example.org 9 11/s, b.test 3 1.3/s"
WORDS = f"12/s, 1:05 left, 40 queued, {DETAILS}"
MEASURED = {
    40: (r"━{4}─{6} 9/20 0:\d\d 12/s 1:05 left", "3 failed (http_error 2, timeout 1), do…"),
    80: (r"crawl ━{9}─{11} 9/20 0:\d\d 12/s 1:05 left 40 queued http://127\.0\.0\.1…", DETAILS),
    200: (
        rf"crawl ━{{18}}─{{22}} 9/20 0:\d\d 12/s 1:05 left 40 queued {re.escape(PAGE)}", DETAILS,
    ),
}  # fmt: skip


def measured_crawl(daemon: FakeDaemon, home: Path, columns: int, **more: str) -> list[str]:
    """Return the lines of the progress of a crawl that is measured."""
    progress = {"done": 9, "total": 20, "message": PAGE, "figures": FIGURES}
    daemon.says_lines(
        {"progress": progress}, {"result": {"summary": {"url": PAGE}, "pages": []}},
    )  # fmt: skip
    with serving(daemon):
        return lines_of(on_a_terminal([*OC, "crawl", PAGE], environ(home, **more), columns))


@pytest.mark.parametrize("columns", MEASURED)
def test_a_bar_shows_how_fast_a_crawl_is(daemon: FakeDaemon, tmp_path: Path, columns: int) -> None:
    """Speed, time left and queue beside it; failures and hosts below it; nothing is too wide."""
    line, below = MEASURED[columns]
    lines = measured_crawl(daemon, tmp_path, columns)
    at = next(at for at, text in enumerate(lines) if re.fullmatch(line, text.rstrip()))
    assert lines[at + 1].rstrip() == below
    assert len(lines[at]) < columns
    assert len(lines[at + 1]) < columns


def test_progress_figures_without_a_bar(daemon: FakeDaemon, tmp_path: Path) -> None:
    """A dumb terminal is told all of it in one line."""
    lines = measured_crawl(daemon, tmp_path, 80, TERM="dumb")
    assert lines[0] == f"crawl 9/20 {WORDS} {PAGE}"


def test_watching_a_task_in_a_pipe_prints_the_figures(daemon: FakeDaemon, tmp_path: Path) -> None:
    event = {"done": 9, "total": 20, "message": "m", "figures": FIGURES}
    daemon.says_lines({"ts": "T", "kind": "progress", "data": event})
    with serving(daemon):
        done = subprocess.run(
            [*OC, "task", "events", "0" * 16], env=environ(tmp_path), capture_output=True,
            text=True, check=True,
        )  # fmt: skip
    assert done.stdout == f"T  progress  done=9  total=20  message=m  {WORDS}\n"
