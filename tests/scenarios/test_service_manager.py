"""Under a service manager: readiness, watchdog and stopping are sent to the notify socket."""

import signal
import socket
from collections.abc import Callable

import pytest

from support.daemon import Daemon

pytestmark = pytest.mark.usefixtures("own_programs")
MakeDaemon = Callable[..., Daemon]


def test_run_notifies_the_service_manager(make_daemon: MakeDaemon) -> None:
    """READY=1 when the socket answers, WATCHDOG=1 in time, STOPPING=1 last; logs go to stderr."""
    daemon = make_daemon()
    daemon.stop()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(daemon.home.base / "notify"))
        manager.settimeout(300)

        def wait_for(state: str) -> None:
            while state not in manager.recv(500).decode().split("\n"):
                pass

        process = daemon.launch(
            NOTIFY_SOCKET=str(daemon.home.base / "notify"), WATCHDOG_USEC="200000"
        )
        wait_for("READY=1")
        assert daemon.answers()
        for _ in range(3):
            wait_for("WATCHDOG=1")
        process.send_signal(signal.SIGTERM)
        wait_for("STOPPING=1")
        assert process.wait(60) == 0
    assert "INFO ocd.lifecycle: ready" in (daemon.home.base / "daemon.log").read_text()


def test_restart_of_a_supervised_daemon_names_the_managers_command(make_daemon: MakeDaemon) -> None:
    """`ocd restart` of a daemon that systemd runs names the command that restarts it there."""
    daemon = make_daemon()
    daemon.stop()
    daemon.run_in_foreground(NOTIFY_SOCKET=str(daemon.home.base / "nobody"))
    refused = daemon.ocd("restart")
    assert refused.code == 1
    assert "systemctl --user restart openchrome.service" in refused.err
    assert daemon.identity.alive
