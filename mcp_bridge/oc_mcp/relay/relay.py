"""The byte relay between an agent host's stdio and the daemon's MCP socket.

Standard library only, and little of it: a host waits for this process. Lines go both ways as they
are; ids are looked at so that no request stays without an answer when the daemon goes away.
"""

import json
import os
import sys
import threading
import time
from collections import deque
from typing import Any

from oc_mcp.relay import daemon_link, json_lines
from ocd.api import paths

CHUNK = 1 << 16
# Answers to what was asked before the host closed its end are waited for so long.
DRAIN_S = 1.0
CLOSE_S = 2.0
PARENT_POLL_S = 2.0
RETRY_S = 0.05
# A daemon that is being restarted is waited for so long before it is started by us.
RETURN_S = 3.0
_REFUSED = b'{"oc_refused":'
NO_DAEMON = -32000


class BridgeRefused(Exception):
    """The daemon does not want this bridge; the argument is its error object."""


class Relay:
    """Both directions, and what must be told again to a daemon that was restarted."""

    def __init__(self, hello: dict[str, Any], *, may_start: bool) -> None:
        self._hello = json.dumps({"oc_hello": hello}).encode() + b"\n"
        self._home = paths.home()
        self._may_start = may_start
        self._lock = threading.Condition()
        self._link: daemon_link.DaemonLink | None = None
        self._queue: deque[bytes] = deque()
        self._pending: dict[str, bytes] = {}
        self._handshake: list[bytes] = []
        self._swallow: str | None = None
        self._lost_at = 0.0
        self._closing = False
        # Taken at once: a host may die while the daemon is still being started.
        self._parent = os.getppid()
        self._out = threading.Lock()

    def run(self) -> int:
        """Relay until the host ends; return the exit status."""
        try:
            self._link = self._reach(start=self._may_start)
        except daemon_link.NoDaemonError as error:
            return self._without_daemon(error)
        for work in (self._send_all, self._receive_all, self._watch_parent):
            threading.Thread(target=work, daemon=True).start()
        self._read_host()
        return self._end()

    # --- the host's side ------------------------------------------------------------------------

    def _read_host(self) -> None:
        for line in json_lines.cut(lambda: os.read(0, CHUNK)):
            self._note_request(line)
            with self._lock:
                self._queue.append(line)
                self._lock.notify_all()

    def _note_request(self, line: bytes) -> None:
        message = json_lines.decode(line)
        method = message.get("method")
        if method == "initialize":
            self._handshake = [line]
        elif method == "notifications/initialized":
            self._handshake = [*self._handshake[:1], line]
        with self._lock:
            if method == "notifications/cancelled":
                self._pending.pop(json_lines.key_of_cancelled(message), None)
            elif method is not None and "id" in message:
                self._pending[json_lines.key(message["id"])] = (
                    line if method == "initialize" else b""
                )

    def _write_host(self, line: bytes) -> None:
        with self._out:
            rest = memoryview(line)
            try:
                while rest:
                    rest = rest[os.write(1, rest) :]
            except OSError:
                os._exit(0)  # nobody reads any more

    # --- the daemon's side ----------------------------------------------------------------------

    def _send_all(self) -> None:
        while True:
            with self._lock:
                while not self._queue:
                    self._lock.wait()
                to, line = self._link, self._queue[0]
            if to is None:
                if not self._wait_for_return():
                    self._refuse_queue()
                continue
            try:
                to.send(line)
            except OSError:
                to.close()  # the receiving thread sees it too, and says so to the host
                self._wait_until_noticed(to)
                continue
            with self._lock:
                self._queue.popleft()
                self._lock.notify_all()

    def _wait_until_noticed(self, broken: daemon_link.DaemonLink) -> None:
        with self._lock:
            while self._link is broken:
                self._lock.wait(RETRY_S)

    def _wait_for_return(self) -> bool:
        """Wait while the daemon may come back by itself; then start it. Return whether it runs."""
        while time.monotonic() - self._lost_at < RETURN_S:
            with self._lock:
                if self._link is not None:
                    return True
                self._lock.wait(RETRY_S)
        return self._may_start and daemon_link.start(self._home) is None and self._comes_back()

    def _comes_back(self) -> bool:
        with self._lock:
            return self._lock.wait_for(lambda: self._link is not None, RETURN_S)

    def _refuse_queue(self) -> None:
        with self._lock:
            refused = [m for line in self._queue if "id" in (m := json_lines.decode(line))]
            self._queue.clear()
            asked = [message["id"] for message in refused if "method" in message]
            for request_id in asked:
                self._pending.pop(json_lines.key(request_id), None)
            self._lock.notify_all()
        for request_id in asked:
            self._write_host(
                daemon_link.no_daemon(request_id, daemon_link.NoDaemonError(self._home))
            )

    def _receive_all(self) -> None:
        while True:
            current = self._link
            assert current is not None
            for line in json_lines.cut(current.receive):
                self._pass_on(line)
            self._on_link_lost(current)
            if self._closing:
                os._exit(0)
            self._back(self._return())

    def _pass_on(self, line: bytes) -> None:
        if line.startswith(_REFUSED):
            error = json.loads(line)["oc_refused"]
            say(f"Error: {error['message']}\nHint: {error.get('hint', '')}")
            os._exit(2)
        key = json_lines.response_key(line)
        if key is not None:
            if key == self._swallow:
                self._swallow = None
                return
            with self._lock:
                self._pending.pop(key, None)
                self._lock.notify_all()
        self._write_host(line)

    def _on_link_lost(self, gone: daemon_link.DaemonLink) -> None:
        """Answer what was in flight; a request that was never sent stays in the queue."""
        gone.close()
        with self._lock:
            self._link = None
            self._lost_at = time.monotonic()
            waiting = {
                json_lines.key(m["id"])
                for line in self._queue
                if "id" in (m := json_lines.decode(line))
            }
            lost = [key for key in self._pending if key not in waiting]
            for key in lost:
                del self._pending[key]
            self._lock.notify_all()
        for key in lost:
            self._write_host(json_lines.lost_reply(key))

    def _return(self) -> daemon_link.DaemonLink:
        while True:
            try:
                return daemon_link.connect(self._home, self._hello)
            except OSError:
                if self._closing:
                    os._exit(0)
                time.sleep(RETRY_S)

    def _back(self, fresh: daemon_link.DaemonLink) -> None:
        """Tell a restarted daemon what its predecessor knew of this connection."""
        with self._lock:
            queued = list(self._queue)
            replayed = [line for line in self._handshake if line not in queued]
        try:
            for line in replayed:
                fresh.send(line)
        except OSError:
            fresh.close()  # seen by the next receive
        with self._lock:
            if replayed:
                self._swallow = json_lines.key(json_lines.decode(replayed[0]).get("id"))
            self._link = fresh
            self._lock.notify_all()
        if len(replayed) > 1:
            # What expand_tools had revealed is not listed any more.
            self._write_host(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n')

    def _reach(self, *, start: bool) -> daemon_link.DaemonLink:
        try:
            return daemon_link.connect(self._home, self._hello)
        except OSError:
            reason = (
                daemon_link.start(self._home) if start else "none runs, and --no-start was given"
            )
        if reason is not None:
            raise daemon_link.NoDaemonError(self._home, reason)
        deadline = time.monotonic() + RETURN_S
        while time.monotonic() < deadline:
            try:
                return daemon_link.connect(self._home, self._hello)
            except OSError:
                time.sleep(RETRY_S)
        raise daemon_link.NoDaemonError(self._home, "it runs but does not take bridges")

    # --- ends -----------------------------------------------------------------------------------

    def _without_daemon(self, error: daemon_link.NoDaemonError) -> int:
        say(str(error))
        for line in json_lines.cut(lambda: os.read(0, CHUNK)):
            message = json_lines.decode(line)
            if "method" in message and "id" in message:
                self._write_host(daemon_link.no_daemon(message["id"], error))
                break
        return 3

    def _end(self) -> int:
        with self._lock:
            self._lock.wait_for(lambda: not self._queue and not self._pending, DRAIN_S)
            self._closing = True
            current = self._link
        if current is not None:
            current.finish()
            time.sleep(0)
            with self._lock:
                self._lock.wait_for(lambda: self._link is None, CLOSE_S)
        return 0

    def _watch_parent(self) -> None:
        while os.getppid() == self._parent:
            time.sleep(PARENT_POLL_S)
        os._exit(0)


def say(text: str) -> None:
    """Write a sentence to stderr, which hosts keep as the bridge's log."""
    try:
        os.write(2, text.rstrip().encode() + b"\n")
    except OSError:
        return


def new_id() -> str:
    """Return a name that no other bridge has."""
    return f"{os.getpid()}-{os.urandom(3).hex()}"


def main_relay(options: dict[str, Any], *, may_start: bool) -> None:
    """Relay with these options of the hello line, then end the process."""
    environ = os.environ
    hello = {
        "version": 1,
        "id": new_id(),
        "pid": os.getpid(),
        "cwd": _cwd(),
        "project": environ.get("CLAUDE_PROJECT_DIR", ""),
        "host": environ.get("CLAUDE_CODE_SESSION_ID", ""),
        **options,
    }
    status = Relay(hello, may_start=may_start).run()
    sys.stdout.flush()
    os._exit(status)


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""
