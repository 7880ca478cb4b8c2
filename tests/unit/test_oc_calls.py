"""`oc` as a whole, in process, against a daemon with scripted replies."""

import base64
import errno
import json
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from oc import __main__, main
from oc.command_line import command_index
from oc.connection import daemon_start
from ocd.api.errors import OcdError
from support.fake_daemon import FakeDaemon, serving
from support.sample_catalog import CATALOG

META = {
    "task_id": "0123456789abcdef", "kind": "crawl", "status": "COMPLETED",
    "created_at": "2026-03-01T12:00:00.000Z", "progress": {"done": 2, "total": 2, "message": ""},
}  # fmt: skip


class Done(NamedTuple):
    code: int
    out: str
    err: str


Oc = Callable[..., Done]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPENCHROME_HOME", str(tmp_path / "h"))
    monkeypatch.delenv("OPENCHROME_SESSION", raising=False)
    monkeypatch.delenv("OPENCHROME_AUTO_START", raising=False)
    monkeypatch.setattr(command_index, "load_catalog", lambda: CATALOG)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "h"


@pytest.fixture
def daemon(home: Path) -> FakeDaemon:
    return FakeDaemon(home)


@pytest.fixture
def oc(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Oc:
    def run(line: str, daemon: FakeDaemon | None = None) -> Done:
        monkeypatch.setattr(sys, "argv", ["oc", *line.split()])
        with ExitStack() as stack:
            if daemon is not None:
                stack.enter_context(serving(daemon))
            code = __main__.main()
        return Done(code, *capfd.readouterr())

    return run


def test_call_names_verb_session_and_caller(daemon: FakeDaemon, oc: Oc, tmp_path: Path) -> None:
    daemon.says({"result": {"url": "http://x/", "status": 200}})
    done = oc("--session left navigate http://x", daemon)
    assert done == (0, "url: http://x/\nstatus: 200\n", "")
    asked = daemon.last
    assert (asked["verb"], asked["params"]) == ("navigate", {"url": "http://x"})
    assert asked["session"] == "left"
    assert asked["client"].keys() == {"kind", "cwd", "pid"}
    assert asked["client"]["cwd"] == str(tmp_path)


def test_json_prints_the_body_unchanged(daemon: FakeDaemon, oc: Oc) -> None:
    body = b'{"result" : {"b":1,  "a":"\xc3\xa4\\ud800"}}'
    daemon.says(body)
    assert oc("tabs context --json", daemon) == (0, body.decode() + "\n", "")


@pytest.mark.parametrize(
    ("code", "status", "exits"),
    [("stale_ref", 409, 1), ("unknown_verb", 404, 2), ("timeout", 504, 4), ("browser_gone", 503, 5),
     ("a_newer_code", 400, 1)],
)  # fmt: skip
def test_errors_go_to_stderr_and_set_the_exit_status(
    daemon: FakeDaemon, oc: Oc, code: str, status: int, exits: int
) -> None:
    """Error and hint on stderr, with --json the body on stdout; the code decides the exit."""
    body = {"error": {"code": code, "message": "No.", "hint": "oc read-page"}}
    daemon.says(body, status=status)
    daemon.says(body, status=status)
    with serving(daemon):
        assert oc("tabs context") == (exits, "", "Error: No.\nHint: oc read-page\n")
        done = oc("tabs context --json")
    assert (done.code, json.loads(done.out), done.err) == (exits, body, "")


def test_usage_errors_are_json_too(oc: Oc) -> None:
    done = oc("naviagte --json")
    assert done.code == 2
    assert json.loads(done.out)["error"]["code"] == "unknown_verb"
    assert done.err == ""


def test_invalid_replies_of_the_daemon_are_errors(daemon: FakeDaemon, oc: Oc) -> None:
    daemon.says(b"<html>", status=502)
    daemon.says(b"<html>")
    with serving(daemon):
        assert "Cannot understand the daemon's answer: <html>" in oc("tabs context").err
        assert "Cannot understand the daemon's answer: <html>" in oc("tabs context").err


@pytest.mark.parametrize("how", ["option", "variable", "config"])
def test_without_auto_start_a_missing_daemon_is_an_error(
    oc: Oc, home: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if how == "variable":
        monkeypatch.setenv("OPENCHROME_AUTO_START", "0")
    elif how == "config":
        home.mkdir()
        (home / "config.toml").write_text("auto_start = false\n")
    done = oc("tabs context --no-start" if how == "option" else "tabs context")
    assert done == (3, "", "Error: No daemon is running\nHint: ocd start\n")


def test_status_starts_no_daemon(oc: Oc) -> None:
    assert oc("status").code == 3


def test_daemon_is_started_once_and_called_again(
    oc: Oc, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []

    with ExitStack() as stack:

        def start(folder: str, *, quiet: bool) -> None:
            started.append(folder)
            daemon = FakeDaemon(home)
            daemon.says({"result": {}})
            stack.enter_context(serving(daemon))

        monkeypatch.setattr(daemon_start, "start_daemon", start)
        assert oc("tabs context") == (0, "Done\n", "")
    assert started == [str(home)]


def test_a_daemon_stopped_meanwhile_stays_stopped(
    daemon: FakeDaemon, oc: Oc, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Watching a task does not start a daemon that `ocd stop` has ended."""
    daemon.stops = True
    daemon.says_lines({"ts": "2026-03-01T12:00:00.000Z", "kind": "started"})

    def start(_folder: str, *, quiet: bool) -> None:
        pytest.fail(f"the daemon was started again, quiet={quiet}")

    monkeypatch.setattr(daemon_start, "start_daemon", start)
    done = oc("task watch 0123456789abcdef", daemon)
    assert done.code == 3
    assert done.err == "Error: The daemon was stopped in the meantime\nHint: ocd start\n"


def test_daemon_that_does_not_start_is_an_error(oc: Oc, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    done = oc("tabs context")
    assert done.code == 3
    assert "did not start" in done.err


def test_reason_of_a_failed_start_is_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'Error: bad config' >&2\necho 'Hint: mend it' >&2\nexit 2\n")
    python.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setenv("OPENCHROME_HOME", str(tmp_path))
    with pytest.raises(OcdError) as caught:
        daemon_start.start_daemon("h", quiet=True)
    assert caught.value.body() == {
        "code": "no_daemon", "message": "The daemon did not start: bad config", "hint": "mend it",
        "exit_status": 2,
    }  # fmt: skip


def test_version_mismatch_is_a_warning(daemon: FakeDaemon, oc: Oc) -> None:
    for _ in range(2):
        daemon.says({"result": {}}, headers="X-OpenChrome-Catalog: other\r\n")
    with serving(daemon):
        assert "different versions" in oc("tabs context").err
        assert oc("tabs context -q").err == ""


def test_screenshot_goes_to_a_file(daemon: FakeDaemon, oc: Oc, tmp_path: Path) -> None:
    picture = {"data": base64.b64encode(b"PNG!").decode(), "mime_type": "image/png"}
    for _ in range(3):
        daemon.says({"result": {"image": picture}})
    with serving(daemon):
        assert oc("page-screenshot --out a.png").out == "a.png\n"
        paths = [oc("page-screenshot").out.strip() for _ in range(2)]
    assert len(set(paths)) == 2
    assert all((tmp_path / path).read_bytes() == b"PNG!" for path in [*paths, "a.png"])
    assert paths[0].startswith("./screenshot-")
    assert paths[0].endswith(".png")


def test_unwritable_file_is_an_error(daemon: FakeDaemon, oc: Oc) -> None:
    daemon.says({"result": {"content": "x"}})
    done = oc("read-page --out no/such/folder", daemon)
    assert done.code == 1
    assert "Cannot write" in done.err


def test_call_takes_any_verb(daemon: FakeDaemon, oc: Oc) -> None:
    daemon.says({"result": {}})
    daemon.says({"result": {}})
    with serving(daemon):
        oc('call read-page --param mode=outline --json-params {"tab_id":"t1"}')
        assert daemon.last["params"] == {"mode": "outline", "tab_id": "t1"}
        oc("call verb_of_tomorrow --param n=1 --param s=x")
        assert daemon.last["verb"] == "verb_of_tomorrow"
        assert daemon.last["params"] == {"n": 1, "s": "x"}


def test_task_start_sends_the_kinds_parameters(daemon: FakeDaemon, oc: Oc) -> None:
    daemon.says({"result": {"task_id": "ab", "status": "PENDING", "kind": "crawl"}})
    done = oc("task start crawl --url http://x --max-pages 5", daemon)
    assert done.out == "task_id: ab\nstatus: PENDING\nkind: crawl\n"
    assert daemon.last["verb"] == "oc_task_start"
    args = {"url": "http://x", "max_pages": 5}
    assert daemon.last["params"] == {"kind": "crawl", "args": args}


def test_task_kinds_are_spelt_like_verbs(daemon: FakeDaemon, oc: Oc) -> None:
    daemon.says({"result": {}})
    oc("task start evidence-bundle --label x", daemon)
    assert daemon.last["params"] == {"kind": "oc_evidence_bundle", "args": {"label": "x"}}


@pytest.mark.parametrize(("status", "exits"), [("COMPLETED", 0), ("FAILED", 1), ("CANCELLED", 1)])
def test_waiting_prints_how_the_task_ended(
    daemon: FakeDaemon, oc: Oc, status: str, exits: int
) -> None:
    daemon.says({"result": {"task_id": META["task_id"], "status": "PENDING", "kind": "crawl"}})
    daemon.says({"error": {"code": "timeout", "message": "Not yet"}}, status=504)
    daemon.says({"result": {"meta": {**META, "status": status}}})
    daemon.says({"result": {"meta": {**META, "status": status}}})
    done = oc("task start crawl x --wait", daemon)
    assert done.code == exits
    assert done.out == f"{status}  crawl  2/2  {META['task_id']}\n"
    assert [body["verb"] for _, body in daemon.requests] == [
        "oc_task_start", "oc_task_wait", "oc_task_wait", "oc_task_get",
    ]  # fmt: skip


def test_watch_prints_events_without_a_terminal(daemon: FakeDaemon, oc: Oc) -> None:
    progress = {"ts": "T", "kind": "progress", "data": {"done": 1, "total": 2, "message": "m"}}
    daemon.says_lines(progress, {"ts": "U", "kind": "completed"})
    daemon.says({"result": {"meta": META}})
    done = oc(f"task watch {META['task_id']}", daemon)
    assert done.code == 0
    assert done.out.splitlines() == [
        "T  progress  done=1  total=2  message=m",
        "U  completed",
        f"COMPLETED  crawl  2/2  {META['task_id']}",
    ]
    assert daemon.requests[0][0] == f"GET /v1/tasks/{META['task_id']}/events?follow=1"


def test_watch_draws_a_bar_on_a_terminal(
    daemon: FakeDaemon, oc: Oc, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    daemon.says_lines({"ts": "T", "kind": "progress", "data": {"done": 1, "total": 2}})
    daemon.says({"result": {"meta": META}})
    done = oc(f"task watch {META['task_id']}", daemon)
    assert done.out == f"COMPLETED  crawl  2/2  {META['task_id']}\n"
    assert "1/2" in done.err


def test_long_call_shows_progress_on_a_terminal(
    daemon: FakeDaemon, oc: Oc, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    error = {"error": {"code": "timeout", "message": "Too slow"}}
    daemon.says_lines({"progress": {"done": 1, "total": 2}}, {"result": {"summary": {"pages": 2}}})
    daemon.says_lines({"progress": {"done": 1}}, error)
    daemon.says({"result": {}})
    with serving(daemon):
        assert oc("crawl x").out == "summary:\n  pages: 2\n"
        assert "Accept: application/x-ndjson" in daemon.heads[-1]
        failed = oc("crawl x")
        assert failed.code == 4
        assert "Error: Too slow" in failed.err
        oc("crawl x --quiet")
        assert "Accept: application/json" in daemon.heads[-1]


def test_output_save_pages_to_the_end(daemon: FakeDaemon, oc: Oc, tmp_path: Path) -> None:
    for data, following in ((b"ab", 2), (b"\xff", None)):
        page = {"content": base64.b64encode(data).decode(), "next_offset": following}
        daemon.says({"result": page})
    done = oc("output save oh_A saved.bin", daemon)
    assert done == (0, "", "Saved 3 bytes.\n")
    assert (tmp_path / "saved.bin").read_bytes() == b"ab\xff"
    assert [body["params"]["offset"] for _, body in daemon.requests] == [0, 2]


def test_output_save_follows_a_link_and_keeps_the_mode(
    daemon: FakeDaemon, oc: Oc, tmp_path: Path
) -> None:
    daemon.says({"result": {"content": "bmV3", "next_offset": None}})
    (tmp_path / "old.bin").write_bytes(b"old")
    (tmp_path / "old.bin").chmod(0o640)
    (tmp_path / "link").symlink_to("old.bin")
    assert oc("output save oh_A link", daemon).code == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "old.bin").read_bytes() == b"new"
    assert (tmp_path / "old.bin").stat().st_mode & 0o777 == 0o640


def test_output_save_writes_to_a_pipe(daemon: FakeDaemon, oc: Oc, tmp_path: Path) -> None:
    """What is no regular file is not replaced by one."""
    daemon.says({"result": {"content": "bmV3", "next_offset": None}})
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert oc("output save oh_A pipe", daemon).code == 0
        assert os.read(reader, 100) == b"new"
    finally:
        os.close(reader)
    assert (tmp_path / "pipe").is_fifo()


def test_a_file_that_is_mounted_by_itself_is_written_to(
    daemon: FakeDaemon, oc: Oc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_part: str, _path: str) -> None:
        raise OSError(errno.EBUSY, "Device or resource busy")

    daemon.says({"result": {"content": "bmV3", "next_offset": None}})
    (tmp_path / "mounted").write_bytes(b"old")
    before = set(tmp_path.iterdir())
    monkeypatch.setattr(os, "replace", refuse)
    assert oc("output save oh_A mounted", daemon).code == 0
    assert (tmp_path / "mounted").read_bytes() == b"new"
    assert set(tmp_path.iterdir()) == before


def test_a_full_disk_is_called_so_and_leaves_the_old_file(
    daemon: FakeDaemon, oc: Oc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    daemon.says({"result": {"content": "bmV3", "next_offset": None}})
    (tmp_path / "old").write_bytes(b"old")
    before = set(tmp_path.iterdir())
    monkeypatch.setattr(os, "fsync", refuse)
    done = oc("output save oh_A old --json", daemon)
    assert json.loads(done.out)["error"]["code"] == "storage_full"
    assert (tmp_path / "old").read_bytes() == b"old"
    assert set(tmp_path.iterdir()) == before


def test_output_save_leaves_nothing_when_it_fails(
    daemon: FakeDaemon, oc: Oc, tmp_path: Path
) -> None:
    daemon.says({"result": {"content": "YWI=", "next_offset": 2}})
    daemon.says({"error": {"code": "output_handle_not_found", "message": "Gone"}}, status=404)
    before = set(tmp_path.iterdir())
    assert oc("output save oh_A saved.bin", daemon).code == 1
    assert set(tmp_path.iterdir()) == before


def test_ctrl_c_exits_with_130(oc: Oc, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_words: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "run", interrupt)
    assert oc("status").code == 130


def test_help_comes_from_the_catalog(oc: Oc) -> None:
    top = oc("")
    assert top.code == 0
    assert "oc snapshot" in top.out
    assert "read-page" in oc("help all").out
    assert oc("help read").out in oc("help all").out
    assert oc("help crawl").out == oc("crawl --help").out
    assert oc("help raed").err.endswith("Hint: Did you mean 'oc help read'?\n")
    assert "watch" in oc("task").out
    page = oc("crawl -h").out
    assert "Do what crawl does\n" in page
    assert "--respect-robots / --no-respect-robots" in page
    assert "[default: 20]" in page
    assert "--respect-robots" in oc("task start crawl --help").out
    assert "--respect-robots" not in oc("task start --help").out
    assert "--max-actions" in oc("task start recording --help").out


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("oc read", "read-page"),
        ("oc task ", "watch"),
        ("oc crawl --max", "--max-pages"),
        ("oc crawl --format ma", "markdown"),
        ("oc crawl x --js", "--json"),
        ("oc task start cr", "crawl"),
        ("oc task start crawl --max", "--max-pages"),
        ("oc worker cr", "create"),
    ],
)
def test_completion_offers_commands_and_values(
    oc: Oc,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    line: str,
    offered: str,
) -> None:
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
    monkeypatch.setenv("_OC_COMPLETE", "complete_bash")
    with pytest.raises(SystemExit) as ended:
        oc("")
    assert ended.value.code == 0
    assert offered in capfd.readouterr().out.split()
