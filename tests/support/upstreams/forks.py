"""One process that has imported the MCP SDK and forks a server for each `launch.py` that asks.

The SDK costs a server a second of computing before its first line. What is forked runs the same
file, with the caller's streams, folder and environment, and ends when the caller does.
"""

from __future__ import annotations

import atexit
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path

SERVER = Path(__file__).with_name("server.py")
_TESTS = Path(__file__).resolve().parents[2]
# More than any environment of ours takes.
_REQUEST_BYTES = 1 << 20


@cache
def launcher() -> tuple[str, ...]:
    """Return what Python is given to run a server that this worker's process forks."""
    folder = tempfile.TemporaryDirectory(prefix="oc-up-")
    path = f"{folder.name}/socket"
    process = subprocess.Popen(
        [sys.executable, "-m", "support.upstreams.forks", path], cwd=_TESTS,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip

    def end() -> None:
        process.communicate()
        folder.cleanup()

    atexit.register(end)
    assert process.stdout
    assert process.stdout.readline(), "the process that forks servers has ended"
    # Without site-packages it is there in 10 ms.
    return "-S", str(Path(__file__).with_name("launch.py")), path


def _serve(listening: socket.socket) -> socket.socket | None:
    """Fork for each that asks, until the input ends; return the connection in the child.

    No thread waits for the input: a child would inherit its lock.
    """
    while True:
        ready, _, _ = select.select([0, listening.fileno()], [], [])
        if 0 in ready:
            return None
        asking, _ = listening.accept()
        data, streams, _, _ = socket.recv_fds(asking, _REQUEST_BYTES, 3)
        if not os.fork():
            listening.close()
            _become(json.loads(data), streams)
            return asking
        asking.close()
        for one in streams:
            os.close(one)


def _become(request: dict[str, object], streams: list[int]) -> None:
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for target, one in enumerate(streams):
        os.dup2(one, target)
        os.close(one)
    os.chdir(str(request["folder"]))
    os.environ.clear()
    os.environ.update(request["environ"])  # type: ignore[call-overload]
    sys.argv = [str(SERVER), *request["arguments"]]  # type: ignore[misc]


def _end_with(asking: socket.socket) -> None:
    asking.recv(1)  # it says nothing: this is its end
    os._exit(1)


def _main() -> None:
    import support.upstreams.server  # noqa: F401 - the SDK, for the children

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(sys.argv[1])
        listening.listen()
        print(flush=True)  # noqa: T201 - the sign that it listens
        asking = _serve(listening)
    if asking is None:
        return
    threading.Thread(target=_end_with, args=(asking,), daemon=True).start()
    runpy.run_path(str(SERVER), run_name="__main__")


if __name__ == "__main__":
    _main()
