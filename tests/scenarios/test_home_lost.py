"""A daemon that has become unreachable ends with its Chromium, and touches nothing."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from support.daemon import Daemon
from support.processes import Identity
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("own_programs", "headless_shell")
MakeDaemon = Callable[..., Daemon]


def running(make_daemon: MakeDaemon) -> tuple[Daemon, Identity, Identity]:
    """Return a daemon with a tab, its identity and its Chromium's."""
    daemon = make_daemon()
    daemon.new_tab("about:blank")
    return daemon, daemon.identity, daemon.chromium()


def test_a_deleted_home_ends_the_daemon_and_its_chromium(make_daemon: MakeDaemon) -> None:
    """Both end; a second daemon at the same place, started at once, keeps all its files."""
    daemon, old, chromium = running(make_daemon)
    shutil.move(daemon.home.path, daemon.home.base / "gone")
    daemon.ocd("start").ok()
    daemon.new_tab("about:blank")
    files = sorted((daemon.home.path / "run").iterdir())
    before = (daemon.home.path / "run" / "chromium.json").read_bytes()
    old.wait_gone(60)
    chromium.wait_gone(60)
    assert sorted((daemon.home.path / "run").iterdir()) == files
    assert (daemon.home.path / "run" / "chromium.json").read_bytes() == before
    assert daemon.status()["pid"] != old.pid
    daemon.new_tab("about:blank")


@pytest.mark.parametrize("name", ["run/ocd.lock", "run/ocd.sock", "run/mcp.sock", "run"])
def test_a_deleted_lock_or_socket_ends_the_daemon(make_daemon: MakeDaemon, name: str) -> None:
    """Lock, socket or their folder is deleted: it ends with its Chromium, and the log says why."""
    daemon, old, chromium = running(make_daemon)
    remove(daemon.home.path / name)
    old.wait_gone(60)
    chromium.wait_gone(60)
    log = (daemon.home.path / "log" / "ocd.log").read_text()
    assert "this one was unreachable, so it ended" in log
    daemon.start()
    daemon.new_tab("about:blank")
    wait_until(daemon.answers)


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
