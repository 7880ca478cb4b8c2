"""A hung event loop: the stacks are logged, the daemon ends, and false alarms are spared."""

import signal
import subprocess
import sys
from collections.abc import Callable

import psutil

from support.daemon import Daemon
from support.processes import browsers, naming, words_of
from support.waiting import wait_until

MakeDaemon = Callable[..., Daemon]
HANGS = {"OCD_FAULT": "call=spin@tabs_context"}
# The same for whoever asks, at no cost for the tests beside this one.
STANDS_STILL = {"OCD_FAULT": "call=wait@tabs_context"}
# Without a deadline `oc` asks after 15 s whether the daemon lives, and gives it 20 s to say so.
IMPATIENT_OC = """\
from oc.connection import transport
transport.QUIET_S = transport.PROBE_S = 1.0
from oc.__main__ import main
raise SystemExit(main())
"""
SOON = "watchdog_dump_s = 0.5\nwatchdog_end_s = 3\n"
NEVER = "watchdog_dump_s = 0.5\nwatchdog_end_s = 0\n"


def stalls(daemon: Daemon) -> str:
    return (daemon.home.path / "log" / "stalls.log").read_text()


def watchers(daemon: Daemon) -> list[psutil.Process]:
    return [
        p for p in naming(daemon.home.path) if any("runtime/watcher.py" in w for w in words_of(p))
    ]


def hang(daemon: Daemon) -> None:
    """Have the loop hang: backtracking in `re`, which holds the GIL for all threads, or waiting."""
    daemon.start_call("tabs_context")


def test_a_hung_loop_ends_the_daemon_and_a_restart_recovers(make_daemon: MakeDaemon) -> None:
    """Status not zero, stacks on disk, Chromium gone; the task is orphaned after the restart."""
    daemon = make_daemon(config=SOON)
    daemon.stop()
    daemon.run_in_foreground(**HANGS)
    task_id = daemon.start_task("recording")
    daemon.new_tab("about:blank")
    hang(daemon)
    assert daemon.wait_ended(60) == -signal.SIGKILL
    assert "_backtrack_forever" in stalls(daemon)
    assert "ended by the watchdog after" in stalls(daemon).splitlines()[-1]
    assert "stalls.log" in daemon.ocd("status").err
    wait_until(lambda: not naming(daemon.home.path), 20, "the end of Chromium and the watcher")
    daemon.start()
    assert daemon.task(task_id)["error"]["code"] == "orphaned"
    assert "the daemon before this one hung" in daemon.ocd("logs").out
    daemon.new_tab("about:blank")


def test_status_says_what_the_loop_hangs_in(make_daemon: MakeDaemon) -> None:
    """The socket is silent: `ocd status` and `ocd doctor` name the function and the file.

    Calls of `oc` end, and `ocd stop` does not ask twice.
    """
    daemon = make_daemon(config=NEVER, **STANDS_STILL)
    hang(daemon)
    wait_until(lambda: "most recent call first" in stalls(daemon), 30, "the stacks")
    said = daemon.ocd("status")
    assert said.code == 4
    for words in (
        "its event loop has been blocked for",
        "in `wait` (",
        "called by `_wait` (",
        "stalls.log",
    ):
        assert words in said.err
    assert "called by `_wait`" in daemon.ocd("doctor").out
    _is_noticed_by_oc(daemon)
    assert "which did not respond" in daemon.ocd("stop", "--grace", "1").ok().err


def _is_noticed_by_oc(daemon: Daemon) -> None:
    """`oc task list` ends with 4 and says where to look."""
    said = subprocess.run(
        [sys.executable, "-c", IMPATIENT_OC, "task", "list"],
        env=daemon.home.environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert said.returncode == 4, said
    assert "Error: The daemon hangs" in said.stderr
    assert "ocd status" in said.stderr


def test_a_stopped_daemon_is_spared(make_daemon: MakeDaemon) -> None:
    """Time under SIGSTOP does not count, and the watcher keeps running."""
    daemon = make_daemon(config="watchdog_dump_s = 0.5\nwatchdog_end_s = 1\n")
    (watcher,) = wait_until(lambda: watchers(daemon), 20, "the watcher")
    daemon.identity.kill(signal.SIGSTOP)
    wait_until(lambda: psutil.Process(daemon.identity.pid).status() == psutil.STATUS_STOPPED)
    assert "is stopped (SIGSTOP)" in daemon.ocd("status").err
    before = watcher.num_ctx_switches().voluntary
    # Five times as many rounds as it would take to end one that hangs.
    wait_until(
        lambda: watcher.num_ctx_switches().voluntary > before + 30, 60, "the watcher's rounds"
    )
    daemon.identity.kill(signal.SIGCONT)
    assert daemon.status()["pid"] == daemon.identity.pid
    assert stalls(daemon) == ""


def test_a_watcher_that_is_killed_is_replaced(make_daemon: MakeDaemon) -> None:
    """The daemon stays watched, and nothing is left behind at the end."""
    daemon = make_daemon(config=SOON)
    (first,) = wait_until(lambda: watchers(daemon), 20, "the watcher")
    first.kill()
    wait_until(lambda: watchers(daemon) not in ([], [first]), 60, "another watcher")
    assert daemon.status()["pid"] == daemon.identity.pid
    daemon.stop()
    wait_until(lambda: not watchers(daemon), 20, "the watcher's end")


def test_a_live_loop_is_left_alone(make_daemon: MakeDaemon) -> None:
    """Work on many tabs, and idling, write nothing; a daemon that ends leaves no watcher."""
    daemon = make_daemon(config=SOON)
    for _ in range(5):
        daemon.new_tab("about:blank")
    daemon.kill9()
    wait_until(lambda: not naming(daemon.home.path), 20, "the end of the watcher and Chromium")
    assert stalls(daemon) == ""
    assert not browsers(daemon.home.path)
