"""Chromium cannot be started, hangs while it starts, or cannot be recorded."""

import contextlib
import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import psutil

from support.daemon import SCRIPTS, Daemon
from support.processes import Identity, browsers
from support.waiting import wait_until

MakeDaemon = Callable[..., Daemon]
LIMIT = 400


def scarce(make_daemon: MakeDaemon) -> Daemon:
    """Return a daemon that may have LIMIT descriptors."""
    daemon = make_daemon()
    daemon.stop()
    limited = f'ulimit -n {LIMIT}; exec "$0" "$@"'
    daemon.program = ("/bin/sh", "-c", limited, str(SCRIPTS / "ocd"))
    return daemon.run_in_foreground()


def occupy(daemon: Daemon, held: ExitStack, count: int) -> None:
    """Have `count` idle connections to the daemon; those that get no room wait in the queue."""
    for _ in range(count):
        one = held.enter_context(socket.socket(socket.AF_UNIX))
        one.connect(str(daemon.socket))


def descriptors(daemon: Daemon) -> int:
    return int(psutil.Process(daemon.identity.pid).num_fds())


def fill(daemon: Daemon, held: ExitStack, free: int) -> None:
    """Have idle connections that were answered, until so many descriptors are free."""
    while descriptors(daemon) < LIMIT - free:
        one = held.enter_context(socket.socket(socket.AF_UNIX))
        one.connect(str(daemon.socket))
        one.sendall(b"GET /v1/status HTTP/1.1\r\nHost: ocd\r\n\r\n")
        assert one.recv(20).startswith(b"HTTP/1.1 200")


def test_start_without_free_descriptors_is_browser_failed(make_daemon: MakeDaemon) -> None:
    """`browser_failed` as JSON, whichever step runs out of them; the daemon lives, and recovers."""
    daemon = scarce(make_daemon)
    with ExitStack() as held:
        for free in range(8, 1, -1):
            fill(daemon, held, free)
            reply = daemon.call("navigate", url="about:blank")
            assert reply.code == "browser_failed", (free, reply.body)
    wait_until(lambda: descriptors(daemon) < LIMIT // 2, 30, "the connections' end")
    daemon.new_tab("about:blank")


def test_more_callers_than_descriptors_do_not_end_the_daemon(make_daemon: MakeDaemon) -> None:
    """Callers wait until others have gone; no call ends the daemon."""
    daemon = scarce(make_daemon)
    with ExitStack() as held:
        occupy(daemon, held, 2 * LIMIT)
        wait_until(lambda: descriptors(daemon) >= LIMIT - 1, 30, "the connections")
        with contextlib.suppress(OSError):
            daemon.request("GET", "/v1/status", timeout=2)
    wait_until(daemon.answers, 30, "an answer")
    assert daemon.status()["pid"] == daemon.identity.pid
    assert daemon.identity.alive


def hanging(make_daemon: MakeDaemon, folder: Path) -> tuple[Daemon, Identity]:
    """Return a daemon whose browser hangs while it starts, and that browser."""
    binary = folder / "never-answers"
    binary.write_text("#!/bin/sh\nwhile :; do sleep 1; done\n")
    binary.chmod(0o755)
    daemon = make_daemon("--browser", str(binary))
    daemon.start_call("navigate", url="about:blank")
    (browser,) = wait_until(lambda: browsers(daemon.home.path), 30, "the browser")
    record = daemon.home.path / "run" / "chromium.json"
    wait_until(record.exists, 30, "its record")
    return daemon, Identity.of(browser.pid)


def test_stop_ends_a_browser_that_hangs_during_its_start(
    make_daemon: MakeDaemon, tmp_path: Path
) -> None:
    daemon, browser = hanging(make_daemon, tmp_path)
    daemon.ocd("stop").ok()
    browser.wait_gone(10)
    assert not browser.alive


def test_forced_stop_ends_a_browser_that_hangs_during_its_start(
    make_daemon: MakeDaemon, tmp_path: Path
) -> None:
    daemon, browser = hanging(make_daemon, tmp_path)
    daemon.ocd("stop", "--force").ok()
    browser.wait_gone(10)
    assert not daemon.identity.alive


def test_the_next_start_ends_a_hung_browser(make_daemon: MakeDaemon, tmp_path: Path) -> None:
    """Its daemon was killed, and the browser did not notice that its pipe was closed."""
    daemon, browser = hanging(make_daemon, tmp_path)
    daemon.kill9()
    assert browser.alive
    daemon.start()
    browser.wait_gone(10)


def test_chromium_starts_although_its_record_cannot_be_written(
    make_daemon: MakeDaemon,
) -> None:
    """On a full disk, or with a folder in its place, Chromium starts, and the log says why."""
    daemon = make_daemon()
    (daemon.home.path / "run" / "chromium.json").mkdir()
    daemon.new_tab("about:blank")
    assert "could not be recorded" in daemon.ocd("logs").out
