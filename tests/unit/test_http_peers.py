"""The owner of a loopback connection, by the kernel's tables and Chromium's process tree."""

import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from oc_mcp.server.http_access import Access
from ocd.api.loopback_peers import own_socket
from ocd.browser.process.process_tree import holds_socket

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")

# A parent whose child connects and says that it has: Chromium's sockets are its children's, too.
_CHILD = """
import socket, sys
kept = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
print(kept.getsockname()[1], flush=True)
sys.stdin.read()
"""
_PARENT = f"""
import subprocess, sys
subprocess.run([sys.executable, "-c", {_CHILD!r}, sys.argv[1]])
"""


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def parent(port: int) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT, str(port)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        yield process
        assert process.stdin
        process.stdin.close()
        process.wait(20)


def refusal(port: int, client: tuple[str, int], pid: int) -> int:
    """Return the status that a caller without a token gets; 200 if he is let in."""
    access = Access([], port, "token", lambda inode: holds_socket(pid, inode))
    headers = {"host": f"localhost:{port}"}
    found = access.refusal("GET", headers, client)
    second = access.refusal("GET", headers, client)
    assert found == second
    return found.status if found else 200


def test_a_socket_of_the_process_tree_is_refused(port: int, parent: subprocess.Popen[str]):
    assert parent.stdout
    client = ("127.0.0.1", int(parent.stdout.readline()))
    assert own_socket(client, port)
    assert refusal(port, client, parent.pid) == 401


def test_a_socket_of_another_process_of_the_user_is_admitted(
    port: int, parent: subprocess.Popen[str]
):
    with socket.create_connection(("127.0.0.1", port)) as mine:
        assert refusal(port, mine.getsockname(), parent.pid) == 200
