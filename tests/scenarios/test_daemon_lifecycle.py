"""Starting, stopping and dying: one daemon per home, which leaves nothing behind."""

import contextlib
import json
import os
import signal
import socket
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import portalocker
import pytest

from support.daemon import Daemon, Home
from support.processes import Identity, naming
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("own_programs")
MakeDaemon = Callable[..., Daemon]


def test_start_returns_when_the_socket_answers(home: Home) -> None:
    """`ocd start` prints pid and socket, exits 0, and the daemon answers from then on."""
    started = home.run("ocd", "start").ok()
    daemon = Daemon(home=home)
    assert str(daemon.status()["pid"]) in started.out
    assert str(daemon.socket) in started.out


def test_second_start_says_that_it_already_runs(make_daemon: MakeDaemon) -> None:
    """A second `start` exits 0, says so, and leaves the running daemon alone."""
    daemon = make_daemon()
    again = daemon.ocd("start").ok()
    assert "already" in (again.out + again.err).lower()
    assert daemon.status()["pid"] == daemon.identity.pid


def test_four_parallel_starts_make_one_daemon(home: Home) -> None:
    """Whoever wins the lock serves; every `start` exits 0 and names the same pid."""
    starters = [home.spawn("ocd", "start") for _ in range(4)]
    outcomes = [(*starter.communicate(timeout=300), starter.returncode) for starter in starters]
    assert [code for _, _, code in outcomes] == [0, 0, 0, 0], outcomes
    pid = Daemon(home=home).status()["pid"]
    assert all(str(pid) in out + err for out, err, _ in outcomes), outcomes
    assert _starts(home) == 1


def _starts(home: Home) -> int:
    """How many daemons were started, those included that came too late for the lock."""
    return (home.path / "log" / "ocd.log").read_text().count("ocd.cli.start: starting")


def test_second_daemon_is_refused(make_daemon: MakeDaemon) -> None:
    """`ocd run` beside a running daemon exits with 5 (busy) and touches nothing."""
    daemon = make_daemon()
    second = daemon.ocd("run")
    assert second.code == 5, second
    assert "Error:" in second.err
    assert daemon.status()["pid"] == daemon.identity.pid


def test_stop_closes_everything(make_daemon: MakeDaemon, site: Site) -> None:
    """After `ocd stop` there is no process, no socket and no lock holder of this home."""
    daemon = make_daemon()
    daemon.do("navigate", url=site.url("article.html"))
    daemon.chromium()
    daemon.ocd("stop").ok()
    assert not daemon.identity.alive
    wait_until(lambda: not naming(daemon.home.base), 10, "the end of those who were killed")
    assert not daemon.socket.exists()
    with (daemon.home.path / "run" / "ocd.lock").open("a") as lock:
        portalocker.lock(lock, portalocker.LOCK_EX | portalocker.LOCK_NB)


def test_a_folder_in_place_of_the_socket_is_an_error(home: Home) -> None:
    """A folder in the socket's place is an error with its path, and no crash."""
    blocked = home.path / "run" / "ocd.sock"
    blocked.mkdir(parents=True)
    failed = home.run("ocd", "start")
    assert failed.code == 1
    assert f"removing {blocked}" in failed.err
    blocked.rmdir()


def test_stop_ends_calls_that_outlast_the_grace_period(make_daemon: MakeDaemon, site: Site) -> None:
    """A call that outlasts the grace period fails; the daemon stops normally."""
    daemon = make_daemon()
    hanging = daemon.start_call("navigate", url=site.url("hang"), timeout_ms=60_000)
    site.wait_for("hang")
    daemon.ocd("stop").ok()
    assert hanging.reply(20).code in ("tab_gone", "shutting_down")
    log = (daemon.home.path / "log" / "ocd.log").read_text()
    assert "crashed" not in log
    assert "ocd.lifecycle: stopped" in log


def test_stop_without_a_daemon_starts_none(home: Home) -> None:
    """`ocd stop` and `ocd status` never start a daemon."""
    assert home.run("ocd", "stop").code == 0
    assert home.run("ocd", "status").code == 3
    assert not naming(home.base)


def test_shutdown_over_the_socket_ends_the_daemon(make_daemon: MakeDaemon) -> None:
    """`POST /v1/shutdown` answers, then the daemon ends."""
    daemon = make_daemon()
    assert daemon.request("POST", "/v1/shutdown", b"{}").status == 200
    daemon.identity.wait_gone()
    assert not daemon.socket.exists()


def test_oc_stop_closes_chromium_and_keeps_the_daemon(make_daemon: MakeDaemon, site: Site) -> None:
    """`oc_stop` ends the sessions and Chromium; the next call starts Chromium again."""
    daemon = make_daemon()
    daemon.do("navigate", url=site.url("article.html"))
    browser = daemon.chromium()
    daemon.do("oc_stop")
    browser.wait_gone()
    assert daemon.status()["pid"] == daemon.identity.pid
    assert daemon.do("navigate", url=site.url("table.html"))["title"] == "Steps"


def test_sigterm_is_a_graceful_stop(make_daemon: MakeDaemon) -> None:
    """SIGTERM, as systemd sends it, ends the daemon and removes the socket."""
    daemon = make_daemon()
    daemon.identity.kill(signal.SIGTERM)
    daemon.identity.wait_gone()
    assert not daemon.socket.exists()


def test_run_ends_on_ctrl_c_with_status_zero_or_130(home: Home) -> None:
    """`ocd run` in a terminal ends on SIGINT without a traceback."""
    daemon = Daemon(home=home)
    process = daemon.launch()
    wait_until(daemon.answers, 20, "the socket")
    process.send_signal(signal.SIGINT)
    assert daemon.wait_ended() in (0, 130)
    assert "Traceback" not in (home.base / "daemon.log").read_text()


def test_killed_daemon_leaves_no_chromium(make_daemon: MakeDaemon, site: Site) -> None:
    """Chromium ends by itself when the daemon is killed with SIGKILL."""
    daemon = make_daemon()
    daemon.do("navigate", url=site.url("article.html"))
    browser = daemon.chromium()
    daemon.kill9()
    browser.wait_gone()
    wait_until(lambda: not naming(daemon.home.base), 10, "the helpers' end")
    assert not browser.alive


def test_start_after_kill_9_works(make_daemon: MakeDaemon, site: Site) -> None:
    """The socket and the lock file that a killed daemon leaves do not stop the next one."""
    daemon = make_daemon()
    daemon.do("navigate", url=site.url("article.html"))
    daemon.kill9()
    assert daemon.socket.exists()
    daemon.start()
    assert daemon.do("navigate", url=site.url("article.html"))["status"] == 200


def test_stale_socket_is_replaced(home: Home) -> None:
    """A socket file that nobody listens at is no obstacle."""
    (home.path / "run").mkdir(parents=True, mode=0o700)
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(home.path / "run" / "ocd.sock"))
    left.close()
    home.run("ocd", "start").ok()
    assert Daemon(home=home).answers()


def _mode(path: Path) -> int:
    with contextlib.suppress(FileNotFoundError):
        found = path.lstat().st_mode
        return 0 if stat.S_ISLNK(found) else stat.S_IMODE(found)
    return 0


def test_everything_in_the_home_is_private(make_daemon: MakeDaemon, site: Site) -> None:
    """The home is 0700; sockets and every file that the daemon wrote are 0600."""
    daemon = make_daemon()
    daemon.do("navigate", url=site.url("article.html"))
    daemon.do("read_page", output_mode="handle")
    daemon.finish(daemon.start_task("crawl", url=site.url("article.html"), max_pages=1))
    home = daemon.home.path
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert [path for path in daemon.home.walk() if _mode(path) & 0o077] == []


def test_long_home_path_moves_the_socket(make_daemon: MakeDaemon) -> None:
    """With a home path too long for a socket, client and daemon agree on another place."""
    place = Home()
    place.path = place.base / ("deep" * 40)
    place.environ["OPENCHROME_HOME"] = str(place.path)
    try:
        place.run("ocd", "start").ok()
        assert place.run("oc", "--no-start", "tabs", "context").code == 0
    finally:
        place.run("ocd", "stop")
        place.close()


# --- homes that cannot be used ----------------------------------------------------------------


def _refused(home: Home, code: int = 1) -> str:
    done = home.run("ocd", "start")
    assert done.code == code, done
    assert "Error:" in done.err
    assert "Traceback" not in done.err + done.out
    assert str(home.path) in done.err
    return done.err


def test_home_that_is_a_file_is_reported(home: Home) -> None:
    """`ocd start` names a home that is a file, and leaves the file alone."""
    home.path.write_text("mine")
    _refused(home)
    assert home.path.read_text() == "mine"


def test_missing_home_is_created(home: Home) -> None:
    """A home that does not exist is made, parents included."""
    home.path = home.base / "a" / "b"
    home.environ["OPENCHROME_HOME"] = str(home.path)
    home.run("ocd", "start").ok()
    assert stat.S_IMODE(home.path.stat().st_mode) == 0o700


@pytest.fixture
def small_disk(home: Home) -> Home:
    """A home on a disk of 1 MB (a tmpfs), unmounted afterwards by `home`."""
    home.path.mkdir(mode=0o700)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", str(home.path)]
    subprocess.run(mount, check=True)
    return home


@pytest.fixture
def unmounted(home: Home) -> object:
    """Unmount the home when the test is over (before `home` removes it)."""
    yield
    home.run("ocd", "stop")
    subprocess.run(["umount", "-l", str(home.path)], check=False)


def _fill(home: Home) -> None:
    with (home.path / "filler").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 4096)


def test_home_on_a_full_disk_is_reported_at_start(small_disk: Home, unmounted: object) -> None:
    """`ocd start` on a full disk fails and says which path could not be written."""
    _fill(small_disk)
    error = _refused(small_disk)
    assert "space" in error.lower()


def test_disk_that_fills_up_is_storage_full(
    small_disk: Home, unmounted: object, site: Site
) -> None:
    """A handle that does not fit is `storage_full`; nothing of it stays, the daemon works on."""
    profile = str(small_disk.base / "profile")
    small_disk.run("ocd", "start", "--profile", profile).ok()
    daemon = Daemon(home=small_disk)
    daemon.do("navigate", url=site.url("big?kb=2000"))
    error = daemon.call("read_page", mode="text", output_mode="handle").error
    assert error["code"] == "storage_full"
    assert str(small_disk.path) in error["message"]
    assert list((small_disk.path / "output").rglob("oh_*")) == []
    daemon.do("navigate", url=site.url("article.html"))
    assert daemon.do("read_page", mode="text", output_mode="handle")["output_handle"]


def test_unwritable_home_is_reported(home: Home) -> None:
    """A read-only home is reported with its path."""
    home.path.mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(home.path)], check=True)
    try:
        _refused(home)
    finally:
        subprocess.run(["umount", "-l", str(home.path)], check=True)


def test_home_of_another_user_is_refused(home: Home) -> None:
    """A home that belongs to somebody else is `forbidden`."""
    home.path.mkdir(mode=0o700)
    os.chown(home.path, 65534, 65534)
    assert "belongs to another user" in _refused(home)


def test_unreadable_state_is_reported_and_not_overwritten(
    make_daemon: MakeDaemon, site: Site
) -> None:
    """A meta.json that is no JSON is neither overwritten nor in the way of the others."""
    daemon = make_daemon()
    task_id = daemon.start_task("crawl", url=site.url("article.html"), max_pages=1)
    daemon.finish(task_id)
    torn = daemon.task_folder("0123456789abcdef")
    torn.mkdir(mode=0o700)
    (torn / "meta.json").write_bytes(b'{"task_id": "0123')
    daemon.restart()
    assert [t["task_id"] for t in daemon.do("oc_task_list")["tasks"]] == [task_id]
    assert (torn / "meta.json").read_bytes() == b'{"task_id": "0123'
    error = daemon.call("oc_task_get", task_id="0123456789abcdef").error
    assert error["code"] == "unreadable_file"
    assert str(torn) in error["message"]


# --- who may come in --------------------------------------------------------------------------


def test_other_users_are_refused(make_daemon: MakeDaemon) -> None:
    """A peer with another uid gets 403, even if the file modes would let it in."""
    daemon = make_daemon()
    for path in (daemon.home.base, daemon.home.path, daemon.socket.parent):
        path.chmod(0o755)
    daemon.socket.chmod(0o666)
    script = (
        "import os,socket,sys; os.setgid(65534); os.setuid(65534);"
        "s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]);"
        "s.sendall(b'GET /v1/status HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n');"
        "print(s.recv(100).decode())"
    )
    said = subprocess.run(
        ["/usr/bin/env", "python3", "-c", script, str(daemon.socket)],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert " 403 " in said.splitlines()[0]


def test_stop_ends_a_daemon_that_does_not_answer(make_daemon: MakeDaemon) -> None:
    """A stuck daemon is ended by pid, once its identity is verified."""
    daemon = make_daemon()
    daemon.identity.kill(signal.SIGSTOP)
    daemon.ocd("stop", "--grace", "1").ok()
    daemon.identity.wait_gone()
    assert not daemon.socket.exists()


def test_a_forced_stop_leaves_no_sockets(make_daemon: MakeDaemon) -> None:
    """It is killed at once, by pid, and neither of its sockets is left."""
    daemon = make_daemon()
    run = daemon.home.path / "run"
    assert {"ocd.sock", "mcp.sock"} <= {path.name for path in run.iterdir()}
    daemon.ocd("stop", "--force").ok()
    daemon.identity.wait_gone()
    assert not [path.name for path in run.iterdir() if path.suffix == ".sock"]
    assert "not running" in daemon.ocd("stop", "--force").ok().err


def test_a_forced_stop_ends_a_browser_that_hangs(make_daemon: MakeDaemon) -> None:
    """Chromium would end with its pipe, but not while it is stopped: it is killed by pid."""
    daemon = make_daemon()
    daemon.do("tabs_create")
    browser = daemon.chromium()
    browser.kill(signal.SIGSTOP)
    assert "Killed ocd" in daemon.ocd("stop", "--force").ok().err
    daemon.identity.wait_gone()
    browser.wait_gone()
    assert not browser.alive


def test_daemon_is_recognised_after_a_clock_change(make_daemon: MakeDaemon) -> None:
    """Its start time is now three hours off; it is found by the time since boot."""
    daemon = make_daemon()
    lock = daemon.home.path / "run" / "ocd.lock"
    written = json.loads(lock.read_text())
    lock.write_text(json.dumps({**written, "started_at": written["started_at"] - 3 * 3600}) + "\n")
    daemon.identity.kill(signal.SIGSTOP)
    assert "is stopped (SIGSTOP)" in daemon.ocd("status").err
    assert "Killed ocd" in daemon.ocd("stop", "--force").ok().err
    daemon.identity.wait_gone()


def test_stop_does_not_kill_another_process(home: Home) -> None:
    """A lock file with another process's pid gets nobody killed."""
    stranger = subprocess.Popen(["sleep", "600"])
    identity = Identity.of(stranger.pid)
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    named = {"pid": stranger.pid, "version": "0"}
    others = (
        {"started_at": 1.0},
        {"started_at": identity.started, "boot_id": boot, "start_ticks": 7},
    )
    try:
        (home.path / "run").mkdir(parents=True, mode=0o700)
        for other in others:
            (home.path / "run" / "ocd.lock").write_text(json.dumps({**named, **other}) + "\n")
            assert "not running" in home.run("ocd", "stop").err
            assert identity.alive
    finally:
        stranger.kill()
        stranger.wait()


def test_version_shows_client_and_daemon(make_daemon: Callable[..., Daemon]) -> None:
    """One line; with --json also what a call would run, and the daemon that runs."""
    daemon = make_daemon()
    line = daemon.ocd("--version").ok().out
    said = daemon.ocd("--version", "--json").ok().json
    assert line == f"ocd {said['version']}\n"
    assert said["home"] == str(daemon.home.path)
    assert said["daemon"]["pid"] == daemon.status()["pid"]
    daemon.stop()
    assert daemon.ocd("--version", "--json").ok().json["daemon"] is None
    assert daemon.ocd("--json", "status").code == 2
