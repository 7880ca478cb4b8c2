"""`ocd` with daemons that are healthy, silent, hung, foreign or gone, simulated exactly.

What needs the real daemon is in tests/scenarios/test_daemon_lifecycle.py.
"""

import asyncio
import errno
import json
import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ocd.api.errors import OcdError
from ocd.cli import control
from ocd.cli.app import execute
from ocd.cli.flags import parse_flags, to_arguments
from ocd.cli.logfile import MAX_BYTES, configure, log_path
from ocd.cli.logs import records
from ocd.cli.serving import new_loop
from ocd.cli.start import start_daemon
from support.waiting import wait_until

# Holds the lock file's identity; `kind` says how it takes requests.
STAND_IN = """
import http.server, json, os, signal, socket, socketserver, sys, psutil
home, kind = sys.argv[1:]
os.makedirs(f"{home}/run", exist_ok=True)
own = psutil.Process()
started = own.create_time() - (3600 if kind == "impostor" else 0)
with open(f"{home}/run/ocd.lock", "w") as lock:
    json.dump({"pid": own.pid, "started_at": started, "version": "0"}, lock)
if kind == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"pid": os.getpid(), "version": "0", "tasks": {}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_POST(self):
        self.do_GET()
        self.wfile.flush()
        os._exit(0)
    def log_message(self, *_): pass
    def address_string(self): return ""

class Server(socketserver.UnixStreamServer):
    pass

if kind != "deaf":
    server = Server(f"{home}/run/ocd.sock", Handler)
print("up", flush=True)
if kind == "well":
    server.serve_forever()
signal.pause()
while True:
    signal.pause()
"""

StandIn = Callable[[str], "subprocess.Popen[str]"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "home"
    monkeypatch.setenv("OPENCHROME_HOME", str(place))
    monkeypatch.setattr("ocd.cli.stop.TERM_S", 0.3)
    return place


@pytest.fixture
def stand_in(home: Path) -> Iterator[StandIn]:
    children = []

    def begin(kind: str) -> "subprocess.Popen[str]":
        child = subprocess.Popen(
            [sys.executable, "-c", STAND_IN, str(home), kind], stdout=subprocess.PIPE, text=True
        )
        children.append(child)
        assert child.stdout
        assert child.stdout.readline() == "up\n"
        return child

    yield begin
    for child in children:
        child.kill()
        child.communicate()


Output = pytest.CaptureFixture[str]


# --- nobody there ------------------------------------------------------------------------------


def test_status_without_a_daemon_exits_3(home: Path, capsys: Output) -> None:
    assert execute(["status"]) == 3
    assert capsys.readouterr().err == "Error: ocd is not running\nHint: Start it: ocd start\n"


def test_status_as_json_prints_the_error_on_stdout(home: Path, capsys: Output) -> None:
    assert execute(["status", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "no_daemon"


def test_a_stale_socket_is_explained(home: Path, stand_in: StandIn, capsys: Output) -> None:
    child = stand_in("hung")
    child.kill()
    child.wait()
    assert execute(["status"]) == 3
    assert f"left {home / 'run' / 'ocd.sock'} behind" in capsys.readouterr().err


def test_stop_without_a_daemon_says_so(home: Path, capsys: Output) -> None:
    assert execute(["stop"]) == 0
    assert capsys.readouterr().err == "ocd is not running.\n"
    assert not home.exists()


# --- somebody there ----------------------------------------------------------------------------


def test_status_shows_the_daemons_report(home: Path, stand_in: StandIn, capsys: Output) -> None:
    child = stand_in("well")
    assert execute(["status"]) == 0
    assert capsys.readouterr().out == f"pid: {child.pid}\nversion: 0\ntasks:\n"


def test_start_leaves_a_running_daemon_alone(home: Path, stand_in: StandIn, capsys: Output) -> None:
    child = stand_in("well")
    assert execute(["start"]) == 0
    said = capsys.readouterr()
    assert said.out == f"pid: {child.pid}\nsocket: {home}/run/ocd.sock\n"
    assert said.err == "ocd is already running.\n"


def test_start_says_when_its_flags_had_no_effect(
    home: Path, stand_in: StandIn, capsys: Output
) -> None:
    stand_in("well")
    assert execute(["start", "--headed", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["already_running"] is True
    assert "It keeps the flags it was started with" in said.err


def test_stop_asks_the_daemon_to_exit(home: Path, stand_in: StandIn, capsys: Output) -> None:
    child = stand_in("well")
    assert execute(["stop"]) == 0
    assert capsys.readouterr().err == "Stopped ocd.\n"
    assert child.wait(60) == 0


@pytest.mark.parametrize(("kind", "by"), [("hung", signal.SIGTERM), ("stubborn", signal.SIGKILL)])
def test_a_silent_daemon_is_ended_by_pid(
    home: Path, stand_in: StandIn, capsys: Output, kind: str, by: signal.Signals
) -> None:
    child = stand_in(kind)
    assert execute(["stop", "--grace", "0.2"]) == 0
    assert f"Killed ocd (pid {child.pid})" in capsys.readouterr().err
    assert child.wait(60) == -by


def test_a_process_that_is_not_the_daemon_is_never_ended(
    home: Path, stand_in: StandIn, capsys: Output
) -> None:
    """The pid lives, but it started at another time than the lock file says."""
    child = stand_in("impostor")
    assert execute(["stop", "--grace", "0.2"]) == 4
    assert "names no live process" in capsys.readouterr().err
    assert child.poll() is None


def test_a_daemon_with_the_lock_but_no_socket(
    home: Path, stand_in: StandIn, capsys: Output
) -> None:
    child = stand_in("deaf")
    assert execute(["status"]) == 5
    assert f"ocd (pid {child.pid}) does not listen" in capsys.readouterr().err
    assert execute(["stop", "--grace", "0.1"]) == 0
    assert child.wait(60) == -signal.SIGTERM


def test_an_invalid_lock_file_names_no_process(home: Path) -> None:
    (home / "run").mkdir(parents=True)
    for text in ("", "123", "{", '{"pid": "x"}', '{"pid": -1, "started_at": 0}'):
        (home / "run" / "ocd.lock").write_text(text)
        assert control.find_holder(home) is None


# --- usage -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "hint"),
    [
        (
            ["start", "--haeded"],
            "No such option: --haeded",
            "Did you mean '--headed', '--no-headed'?",
        ),
        (["strat"], "No such command 'strat'.", "Did you mean 'start', 'status', 'restart'?"),
        (["start", "--browser"], "Option '--browser' requires an argument.", "--help"),
        (["start", "--max-concurrent-tasks", "x"], "Invalid value", "ocd start --help"),
        (["start", "--tools-only", "all"], "--tools-only: unknown capability group", "core"),
        (
            ["start", "--isolated", "--profile", "x"],
            "--isolated: cannot be combined with --profile",
            "",
        ),
        (["stop", "now"], "Got unexpected extra argument", "ocd stop --help"),
        (["service"], "Missing command.", "ocd service --help"),
    ],
)
def test_usage_errors_exit_2_in_one_form(
    home: Path, capsys: Output, arguments: list[str], error: str, hint: str
) -> None:
    assert execute(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"Error: {error}")
    assert hint in said.err
    assert not home.exists()


@pytest.mark.parametrize("flag", ["--secrets"])
def test_flags_without_a_feature_are_refused(home: Path, flag: str) -> None:
    assert execute(["start", flag, "1"]) == 2


def test_help_goes_to_stdout(home: Path, capsys: Output) -> None:
    assert execute([]) == 0
    assert capsys.readouterr().out.startswith("Usage: ocd ")
    assert execute(["start", "--help"]) == 0
    assert "--output-handle-ttl-hours" in capsys.readouterr().out


def test_a_pipe_that_closes_early_is_no_error(home: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m ocd start --help | head -1; exit ${{PIPESTATUS[0]}}",
        shell=True, executable="/bin/bash", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this OS has no /dev/full")
@pytest.mark.parametrize(
    ("into", "status", "said"),
    [
        (">/dev/full", 1, "Error: Cannot write the result: No space left on device\n"),
        (">&-", 0, ""),
    ],
)
def test_output_that_cannot_be_written(home: Path, into: str, status: int, said: str) -> None:
    """A full disk is reported in one line; closed output is no error."""
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {into}', "sh", sys.executable, "-m", "ocd", "--help"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (status, said)


def test_other_os_errors_are_not_reported_as_output_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A faked clock makes `time.sleep` fail with an OSError that names no file."""

    def fail(*_: object, **_named: object) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr("ocd.cli.stop.stop_daemon", fail)
    with pytest.raises(OSError, match="Invalid argument"):
        execute(["stop"])


# --- starting ----------------------------------------------------------------------------------


def test_flags_become_the_childs_arguments() -> None:
    values = {"headed": False, "browser_args": ("--lang=de", "-x"), "profile": Path("/p q")}
    assert to_arguments(values, values) == [
        "--no-headed", "--browser-arg=--lang=de", "--browser-arg=-x", "--profile=/p q",
    ]  # fmt: skip


PLAIN = (
    [], ["--headed"], ["--no-headed"], ["--headed", "--no-headed"], ["--browser", "/x y"],
    ["--browser=/x"], ["--browser="], ["--browser=/x", "--browser=/y"], ["--browser-arg=--lang=de"],
    ["--browser-arg", "a,b", "--browser-arg=c"], ["--allow-domain=a.org,b.org"],
    ["--tier=2"], ["--tier", " 2"], ["--browser-idle-minutes=1.5"], ["--profile=~/p"],
)  # fmt: skip


@pytest.mark.parametrize("arguments", PLAIN, ids=" ".join)
def test_flags_are_read_as_typer_reads_them(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`ocd run` with nothing but flags does without typer."""
    by_typer: list[object] = []
    monkeypatch.setattr("ocd.cli.run.run_daemon", by_typer.append)
    assert execute(["run", *arguments]) == 0
    assert [parse_flags(arguments)] == by_typer


NOT_PLAIN = (
    ["--help"], ["--bogus"], ["--json"], ["word"], ["--"], ["-h"], ["--browser"], ["--headed=1"],
    ["--browser", "--headed"], ["--tier=many"], ["--browser-idle-minutes="], ["--headed", "x"],
)  # fmt: skip


@pytest.mark.parametrize("arguments", NOT_PLAIN, ids=" ".join)
def test_other_arguments_are_left_to_typer(arguments: list[str]) -> None:
    """It knows what to say about them."""
    assert parse_flags(arguments) is None


StubDaemon = Callable[[str], None]


@pytest.fixture
def stub_daemon(monkeypatch: pytest.MonkeyPatch) -> Iterator[StubDaemon]:
    """Let `start` run a Python script in the daemon's place."""
    real, children = subprocess.Popen, []

    def stub(script: str) -> None:
        def run(_command: object, **options: Any) -> "subprocess.Popen[bytes]":  # noqa: ANN401
            children.append(real([sys.executable, "-u", "-c", script], **options))
            return children[-1]

        monkeypatch.setattr("ocd.cli.start.subprocess.Popen", run)

    yield stub
    for child in children:
        child.wait(60)


def test_the_error_of_a_failed_start_is_shown(home: Path, stub_daemon: StubDaemon) -> None:
    """The error that the daemon logged is shown without its traceback."""
    reason = '{"code":"storage_full","message":"writing x: No space left","hint":"Free some"}'
    stub_daemon(f"print('Traceback'); print('Z ERROR cannot run: {reason}'); exit(1)")
    with pytest.raises(OcdError) as caught:
        start_daemon(home, [])
    assert (caught.value.code, caught.value.hint) == ("storage_full", "Free some")
    assert caught.value.message == "writing x: No space left"


def test_last_log_lines_of_a_failed_start_are_shown(home: Path, stub_daemon: StubDaemon) -> None:
    log_path(home).parent.mkdir(parents=True)
    log_path(home).write_text("of an earlier life\n")
    stub_daemon("print('Segmentation fault'); exit(9)")
    with pytest.raises(OcdError) as caught:
        start_daemon(home, [])
    assert caught.value.message == "The daemon exited early with status 9:\nSegmentation fault"
    assert str(log_path(home)) in caught.value.hint


LOSER = """
import subprocess, sys
print('cannot run: {"code":"busy","message":"lost"}')
subprocess.Popen([sys.executable, "-c", %r, %r, "well"])
exit(5)
"""


def test_the_loser_of_parallel_starts_waits_for_the_socket(
    home: Path, stub_daemon: StubDaemon
) -> None:
    stub_daemon(LOSER % (STAND_IN, str(home)))
    started = start_daemon(home, [])
    assert control.shutdown(home, 5)
    assert started.already


def test_the_child_gets_an_absolute_home(home: Path, stub_daemon: StubDaemon) -> None:
    """The child works in the home folder, so a relative $OPENCHROME_HOME would mean another one."""
    stub_daemon("import os; print(os.environ['OPENCHROME_HOME']); exit(9)")
    with pytest.raises(OcdError, match=f"status 9:\n{re.escape(str(home))}$"):
        start_daemon(home, [])


def test_a_home_that_is_a_file_is_named(home: Path, capsys: Output) -> None:
    home.write_text("mine")
    assert execute(["start"]) == 1
    assert capsys.readouterr().err.startswith(f"Error: Not a directory: {home}\nHint: ")
    assert home.read_text() == "mine"


# --- the log -----------------------------------------------------------------------------------


@pytest.fixture
def log(home: Path) -> Iterator[logging.Logger]:
    """A logger that writes to the home's log file."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    umask = os.umask(0o077)  # as `ocd run` sets it
    configure(home)
    yield logging.getLogger("ocd.test")
    os.umask(umask)
    for handler in [each for each in root.handlers if each not in before]:
        handler.close()
        root.removeHandler(handler)
    root.setLevel(level)
    logging.raiseExceptions = True


def test_logs_shows_whole_records_of_one_call(
    home: Path, capsys: Output, log: logging.Logger
) -> None:
    log.info("call c1 begins")
    log.error("call c1 failed", exc_info=RuntimeError("no reason"))
    log.info("call c2 begins")
    capsys.readouterr()
    assert execute(["logs", "c1"]) == 0
    out = capsys.readouterr().out
    assert "call c1 begins" in out
    assert "RuntimeError: no reason" in out
    assert "c2" not in out
    assert execute(["logs", "-n", "1"]) == 0
    assert capsys.readouterr().out.endswith("INFO ocd.test: call c2 begins\n")


def test_the_log_is_private_and_rotates(home: Path, log: logging.Logger) -> None:
    for number in range(5 * MAX_BYTES // 100_000):
        log.info("record %d %s", number, "x" * 100_000)
    files = sorted(path.name for path in (home / "log").iterdir())
    assert files == ["ocd.log", "ocd.log.1", "ocd.log.2", "ocd.log.3"]
    modes = {path.name: path.stat().st_mode & 0o777 for path in (home / "log").iterdir()}
    assert set(modes.values()) == {0o600}, modes


def test_a_missing_log_is_no_error(home: Path, capsys: Output) -> None:
    assert execute(["logs"]) == 1
    assert f"No log file: {log_path(home)}" in capsys.readouterr().err


def test_follow_prints_appended_lines(home: Path, tmp_path: Path) -> None:
    log_path(home).parent.mkdir(parents=True)
    log_path(home).write_text("2026-01-01T00:00:00.000Z INFO ocd: old\n")
    heard = tmp_path / "heard"

    def append_and_listen() -> bool:
        with log_path(home).open("a") as file:
            file.write("new\n")
        return "old\n" in heard.read_text() and "new\n" in heard.read_text()

    with heard.open("w") as output:
        command = [sys.executable, "-u", "-m", "ocd", "logs", "-f"]
        reader = subprocess.Popen(command, stdout=output)
        try:
            wait_until(append_and_listen, 10, "the new line")
            assert heard.read_text().startswith("2026-01-01T00:00:00.000Z INFO ocd: old\n")
        finally:
            reader.kill()
            reader.wait()


def test_records_keep_their_tracebacks() -> None:
    lines = ["torn", "2026-01-01T00 a", "  b", "2026-01-01T01 c"]
    assert list(records(lines)) == ["torn", "2026-01-01T00 a\n  b", "2026-01-01T01 c"]


def test_without_uvloop_the_loop_is_asyncios(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)
    loop = new_loop()
    try:
        assert isinstance(loop, asyncio.SelectorEventLoop)
    finally:
        loop.close()
