"""The synchronous client."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from types import TracebackType
from typing import Any, TypeVar

from openchrome import locations, protocol, tasks
from openchrome.connection import Connections
from openchrome.errors import OpenChromeError
from openchrome.outputs import Output
from openchrome.protocol import Call, Flow
from openchrome.results import Result
from openchrome.tasks import Task
from openchrome.verbs import CATALOG_HASH, Kinds, Verbs

T = TypeVar("T")


def connect(
    *, session: str = "default", home: str | None = None, start: bool | None = None
) -> Client:
    """Return a client of the daemon, which is started if it is not running.

    Args:
        session: the name that owns the tabs; another name has tabs of its own.
        home: the daemon's home folder; default: OPENCHROME_HOME, or ~/.openchrome.
        start: whether to start a daemon; default: OPENCHROME_AUTO_START, config.toml, else yes.

    Raises:
        NoDaemonError: no daemon runs, and none could be started.
    """
    client = Client(session=session, home=home, start=start)
    client.status()
    return client


class Client(Verbs):
    """The daemon's verbs as methods, for one session. Threads may share it.

    Closing it closes connections only: tabs and tasks are kept, and calls may be made again.
    """

    def __init__(
        self, *, session: str = "default", home: str | None = None, start: bool | None = None
    ) -> None:
        self.session = session
        where = locations.home({"OPENCHROME_HOME": home}) if home else locations.home()
        address = locations.daemon_socket(where)
        self._connections = Connections(address, where, start=start)

    def with_session(self, session: str) -> Client:
        """Return a client for another session that shares the connections of this one."""
        other = copy.copy(self)
        other.session = session
        return other

    def call(self, verb: str, /, **params: Any) -> Result | Output:
        """Call a verb by name, even one that this version of the client does not know."""
        return self._call_large(verb, params)

    def status(self) -> dict[str, Any]:
        """Return the daemon's status: version, browser, sessions, tasks, memory."""
        answer = self._connections.exchange("GET", "/v1/status", deadline_s=60.0)
        status: dict[str, Any] = json.loads(answer[1])
        return status

    def same_catalog(self) -> bool:
        """Return whether the daemon has exactly the verbs that this client was made for.

        Otherwise, known verbs continue to work; `call` reaches the others.
        """
        if not self._connections.catalog:
            self.status()
        return self._connections.catalog == CATALOG_HASH

    @property
    def start(self) -> Kinds:
        """The verbs that can run in the background: `client.start.crawl(url)` returns a Task."""
        return Kinds(lambda kind, args: self.start_task(kind, **args))

    def start_task(self, kind: str, /, **args: Any) -> Task[Result]:
        """Start a task by the name of its kind."""
        return Task(self, self.run(tasks.start(kind, args)))

    def task(self, task_id: str) -> Task[Result]:
        """Return a task by its id; the first request shows whether it exists."""
        return Task(self, task_id)

    def output(self, handle: str) -> Output:
        """Return a stored output by its handle."""
        return Output(self, {"output_handle": handle})

    def run(self, flow: Flow[T]) -> T:
        """Carry out calls that belong together."""
        try:
            call = next(flow)
            while True:
                try:
                    result = self._send(call)
                except OpenChromeError as error:  # the flow may handle it
                    call = flow.throw(error)
                else:
                    call = flow.send(result)
        except StopIteration as done:
            value: T = done.value
            return value

    def lines(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield the objects of a response in lines."""
        return map(json.loads, self._connections.lines(path))

    def close(self) -> None:
        """Close the connections that are not in use."""
        self._connections.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Client of session {self.session!r}>"

    def _call(self, verb: str, params: dict[str, Any]) -> Result:
        return self._send(Call(verb, params))

    def _call_large(self, verb: str, params: dict[str, Any]) -> Result | Output:
        result = self._send(Call(verb, params))
        if "output_handle" in result and "fetch_with" in result:
            return Output(self, result)
        return result

    def _send(self, call: Call) -> Result:
        status, body = self._connections.exchange(
            "POST",
            "/v1/call",
            protocol.call_body(call, self.session),
            deadline_s=protocol.deadline_s(call),
        )
        return protocol.decode_result(status, body, self._connections.catalog or CATALOG_HASH)
