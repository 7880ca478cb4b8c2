"""The byte relay between an agent host's stdio and the daemon's MCP socket.

Only a small part of the standard library is imported: a host waits for this process. Lines pass
both ways unchanged; ids are tracked so that every request is answered when the daemon goes away.
"""

import json
import os
import sys
import threading
import time
from collections import deque
from typing import Any

from oc_mcp.relay import daemon_connection, jsonrpc_framing
from ocd.api import paths

CHUNK = 1 << 16
# How long to wait for outstanding answers after the host has closed its end.
DRAIN_S = 1.0
CLOSE_S = 2.0
PARENT_POLL_S = 2.0
RETRY_S = 0.05
# How long to wait for a daemon that is being restarted, before the relay starts one.
RETURN_S = 3.0
# More than the daemon follows for one connection; the oldest are dropped first.
MAX_SUBSCRIBED = 128
_REFUSED = b'{"oc_refused":'


class Relay:
    """Both directions, and the state that a restarted daemon must be told again."""

    def __init__(self, hello: dict[str, Any], *, may_start: bool) -> None:
        self._hello = json.dumps({"oc_hello": hello}).encode() + b"\n"
        self._home = paths.home()
        self._may_start = may_start
        self._lock = threading.Condition()
        self._connection: daemon_connection.DaemonConnection | None = None
        self._queue: deque[bytes] = deque()
        # The methods of the requests that have not been answered yet, by id.
        self._pending: dict[str, str] = {}
        self._handshake: list[bytes] = []
        self._subscribed: dict[str, None] = {}
        self._ignored_replies: set[str] = set()
        self._lost_at = 0.0
        self._closing = False
        # Read at once: the host may die while the daemon is still being started.
        self._parent = os.getppid()
        self._out = threading.Lock()

    def run(self) -> int:
        """Relay until the host ends; return the exit status."""
        try:
            self._connection = self._connect(start=self._may_start)
        except daemon_connection.NoDaemonError as error:
            return self._without_daemon(error)
        for work in (self._send_all, self._receive_all, self._watch_parent):
            threading.Thread(target=work, daemon=True).start()
        self._read_host()
        return self._end()

    # --- the host's side ------------------------------------------------------------------------

    def _read_host(self) -> None:
        for line in jsonrpc_framing.cut(lambda: os.read(0, CHUNK)):
            self._note_request(line)
            with self._lock:
                self._queue.append(line)
                self._lock.notify_all()
            del line

    def _note_request(self, line: bytes) -> None:
        message = jsonrpc_framing.decode(line)
        method = message.get("method")
        if method == "initialize":
            self._handshake = [line]
        elif method == "notifications/initialized":
            self._handshake = [*self._handshake[:1], line]
        elif method in ("resources/subscribe", "resources/unsubscribe"):
            self._note_subscription(message)
        with self._lock:
            if method == "notifications/cancelled":
                self._pending.pop(jsonrpc_framing.key_of_cancelled(message), None)
            elif method is not None and "id" in message:
                self._pending[jsonrpc_framing.key(message["id"])] = str(method)

    def _note_subscription(self, message: dict[str, Any]) -> None:
        params = message.get("params")
        uri = params.get("uri") if isinstance(params, dict) else None
        if not isinstance(uri, str):
            return
        with self._lock:
            self._subscribed.pop(uri, None)
            if message["method"] == "resources/subscribe":
                self._subscribed[uri] = None
            if len(self._subscribed) > MAX_SUBSCRIBED:
                del self._subscribed[next(iter(self._subscribed))]

    def _write_host(self, line: bytes) -> None:
        with self._out:
            rest = memoryview(line)
            try:
                while rest:
                    rest = rest[os.write(1, rest) :]
            except OSError:
                os._exit(0)  # the host has gone

    # --- the daemon's side ----------------------------------------------------------------------

    def _send_all(self) -> None:
        while True:
            with self._lock:
                while not self._queue:
                    self._lock.wait()
                to, line = self._connection, self._queue[0]
            if to is None:
                if not self._wait_for_return():
                    self._refuse_queued()
                continue
            try:
                to.send(line)
            except OSError:
                to.close()  # the receiving thread notices, too, and tells the host
                self._wait_until_noticed(to)
                continue
            with self._lock:
                self._queue.popleft()
                self._lock.notify_all()
            del line

    def _wait_until_noticed(self, broken: daemon_connection.DaemonConnection) -> None:
        with self._lock:
            while self._connection is broken:
                self._lock.wait(RETRY_S)

    def _wait_for_return(self) -> bool:
        """Wait while the daemon may come back, then start one; return whether a daemon runs."""
        while time.monotonic() - self._lost_at < RETURN_S:
            with self._lock:
                if self._connection is not None:
                    return True
                self._lock.wait(RETRY_S)
        return (
            self._may_start
            and daemon_connection.start(self._home) is None
            and self._wait_for_connection()
        )

    def _wait_for_connection(self) -> bool:
        with self._lock:
            return self._lock.wait_for(lambda: self._connection is not None, RETURN_S)

    def _refuse_queued(self) -> None:
        with self._lock:
            refused = [m for line in self._queue if "id" in (m := jsonrpc_framing.decode(line))]
            self._queue.clear()
            request_ids = [message["id"] for message in refused if "method" in message]
            for request_id in request_ids:
                self._pending.pop(jsonrpc_framing.key(request_id), None)
            self._lock.notify_all()
        for request_id in request_ids:
            self._write_host(
                daemon_connection.no_daemon(request_id, daemon_connection.NoDaemonError(self._home))
            )

    def _receive_all(self) -> None:
        while True:
            connection = self._connection
            assert connection is not None
            for line in jsonrpc_framing.cut(connection.receive):
                self._forward(line)
                del line
            self._on_connection_lost(connection)
            if self._closing:
                os._exit(0)
            self._resume(self._reconnect())

    def _forward(self, line: bytes) -> None:
        if line.startswith(_REFUSED):
            error = json.loads(line)["oc_refused"]
            log(f"Error: {error['message']}\nHint: {error.get('hint', '')}")
            os._exit(2)
        key = jsonrpc_framing.response_key(line)
        if key is not None:
            with self._lock:
                if key in self._ignored_replies:
                    self._ignored_replies.remove(key)
                    return
                self._pending.pop(key, None)
                self._lock.notify_all()
        self._write_host(line)

    def _on_connection_lost(self, lost_connection: daemon_connection.DaemonConnection) -> None:
        """Answer the requests in flight; a request that was never sent stays in the queue."""
        lost_connection.close()
        with self._lock:
            self._connection = None
            self._lost_at = time.monotonic()
            waiting = {
                jsonrpc_framing.key(m["id"])
                for line in self._queue
                if "id" in (m := jsonrpc_framing.decode(line))
            }
            lost = [key for key in self._pending if key not in waiting]
            for key in lost:
                del self._pending[key]
            self._lock.notify_all()
        for key in lost:
            self._write_host(jsonrpc_framing.lost_reply(key))

    def _reconnect(self) -> daemon_connection.DaemonConnection:
        while True:
            try:
                return daemon_connection.connect(self._home, self._hello)
            except OSError:
                if self._closing:
                    os._exit(0)
                time.sleep(RETRY_S)

    def _resume(self, connection: daemon_connection.DaemonConnection) -> None:
        """Tell a restarted daemon what its predecessor knew of this connection."""
        with self._lock:
            queued, subscribed = list(self._queue), list(self._subscribed)
            replayed = [line for line in self._handshake if line not in queued]
            if replayed:
                replayed += map(jsonrpc_framing.subscription, subscribed)
            # Recorded before they are sent, because their replies may come at once.
            self._ignored_replies = set(map(jsonrpc_framing.key_of_request, replayed))
        try:
            for line in replayed:
                connection.send(line)
        except OSError:
            connection.close()  # the next receive notices
        with self._lock:
            self._connection = connection
            self._lock.notify_all()
        if len(replayed) > 1:
            # Tools revealed by expand_tools are no longer listed, and tasks have ended meanwhile.
            self._write_host(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n')
            for uri in subscribed:
                self._write_host(jsonrpc_framing.resource_updated(uri))

    def _connect(self, *, start: bool) -> daemon_connection.DaemonConnection:
        try:
            return daemon_connection.connect(self._home, self._hello)
        except OSError:
            reason = (
                daemon_connection.start(self._home)
                if start
                else "none is running, and --no-start was given"
            )
        if reason is not None:
            raise daemon_connection.NoDaemonError(self._home, reason)
        deadline = time.monotonic() + RETURN_S
        while time.monotonic() < deadline:
            try:
                return daemon_connection.connect(self._home, self._hello)
            except OSError:
                time.sleep(RETRY_S)
        raise daemon_connection.NoDaemonError(
            self._home, "it is running but does not accept connections"
        )

    # --- ends -----------------------------------------------------------------------------------

    def _without_daemon(self, error: daemon_connection.NoDaemonError) -> int:
        log(str(error))
        for line in jsonrpc_framing.cut(lambda: os.read(0, CHUNK)):
            message = jsonrpc_framing.decode(line)
            if "method" in message and "id" in message:
                self._write_host(daemon_connection.no_daemon(message["id"], error))
                break
        return 3

    def _end(self) -> int:
        with self._lock:
            self._lock.wait_for(lambda: not self._queue and not self._awaits_answer(), DRAIN_S)
            self._closing = True
            connection = self._connection
        if connection is not None:
            connection.finish()
            time.sleep(0)
            with self._lock:
                self._lock.wait_for(lambda: self._connection is None, CLOSE_S)
        return 0

    def _awaits_answer(self) -> bool:
        # A listen stream gets its answer when it ends, which is now.
        return any(method != "subscriptions/listen" for method in self._pending.values())

    def _watch_parent(self) -> None:
        while os.getppid() == self._parent:
            time.sleep(PARENT_POLL_S)
        os._exit(0)


def log(text: str) -> None:
    """Write a sentence to stderr, which hosts keep as the bridge's log."""
    try:
        os.write(2, text.rstrip().encode() + b"\n")
    except OSError:
        return


def new_bridge_id() -> str:
    """Return a name that no other bridge has."""
    return f"{os.getpid()}-{os.urandom(3).hex()}"


def run_relay(options: dict[str, Any], *, may_start: bool) -> None:
    """Relay with these options of the hello line, then end the process."""
    environ = os.environ
    hello = {
        "version": 1,
        "id": new_bridge_id(),
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
