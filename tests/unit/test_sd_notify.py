"""Notifications to the service manager."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from ocd.runtime.sd_notify import Notifier


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[tuple[str, socket.socket]]:
    path = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(path)
        listening.settimeout(300)
        yield path, listening


def test_states_are_sent_to_the_service_manager(manager: tuple[str, socket.socket]) -> None:
    path, listening = manager
    notifier = Notifier.from_environ({"NOTIFY_SOCKET": path})
    notifier.ready("serving")
    assert listening.recv(200).decode().split("\n") == [
        "READY=1", "STATUS=serving", f"MAINPID={os.getpid()}",
    ]  # fmt: skip
    notifier.ping()
    assert listening.recv(200) == b"WATCHDOG=1"
    notifier.stopping()
    assert listening.recv(200) == b"STOPPING=1"


@pytest.mark.skipif(not Path("/proc/net/unix").exists(), reason="Linux's abstract namespace")
def test_messages_reach_an_abstract_socket() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(f"\0ocd-test-{os.getpid()}")
        listening.settimeout(300)
        Notifier.from_environ({"NOTIFY_SOCKET": f"@ocd-test-{os.getpid()}"}).ping()
        assert listening.recv(200) == b"WATCHDOG=1"


@pytest.mark.parametrize("address", ["", "vsock:2:1234", "relative"])
def test_unusable_addresses_turn_notifications_off(address: str) -> None:
    notifier = Notifier.from_environ({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "1000"})
    assert notifier == Notifier()
    notifier.ready()


def test_a_vanished_manager_is_ignored(tmp_path: Path) -> None:
    Notifier(str(tmp_path / "gone")).ping()
    assert not (tmp_path / "gone").exists()


def test_a_manager_that_does_not_read_blocks_nothing(manager: tuple[str, socket.socket]) -> None:
    notifier = Notifier(manager[0])
    for _ in range(2000):
        notifier.ping()
    assert manager[1].recv(200) == b"WATCHDOG=1"


@pytest.mark.parametrize(
    ("environ", "interval"),
    [
        ({"WATCHDOG_USEC": "60000000"}, 30.0),
        ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": str(os.getpid())}, 30.0),
        ({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({}, None),
    ],
)
def test_the_watchdog_interval_is_half_the_limit(
    environ: dict[str, str], interval: float | None
) -> None:
    assert Notifier.from_environ({"NOTIFY_SOCKET": "/x", **environ}).watchdog_interval == interval
