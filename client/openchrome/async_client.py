"""The asyncio client: the same verbs, outputs and tasks as coroutines."""

from __future__ import annotations

import copy
import json
from binascii import a2b_base64
from collections.abc import AsyncIterator, Generator, Mapping
from types import TracebackType
from typing import Any, Generic, TypeVar, cast

from openchrome import locations, outputs, protocol, tasks
from openchrome.async_connection import AsyncConnections
from openchrome.async_verbs import AsyncKinds, AsyncVerbs
from openchrome.errors import OpenChromeError
from openchrome.outputs import OutputInfo
from openchrome.protocol import Call, Flow
from openchrome.results import Result
from openchrome.tasks import ResultT, TaskEvent, TaskMeta
from openchrome.verbs import CATALOG_HASH

T = TypeVar("T")


def aconnect(
    *, session: str = "default", home: str | None = None, start: bool | None = None
) -> Connecting:
    """Connect to the daemon, which is started if it is not running; arguments as for `connect`.

    `async with aconnect() as browser:` closes the client at the end; `await aconnect()` returns it.
    """
    return Connecting(AsyncClient(session=session, home=home, start=start))


class Connecting:
    """The result of `aconnect`: `await` it, or enter it with `async with`."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    def __await__(self) -> Generator[Any, None, AsyncClient]:
        return self._checked().__await__()

    async def __aenter__(self) -> AsyncClient:
        return await self._checked()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.close()

    async def _checked(self) -> AsyncClient:
        await self._client.status()
        return self._client


class AsyncClient(AsyncVerbs):
    """The daemon's verbs as coroutines, for one session; calls may run concurrently.

    Cancelling a call cancels it in the daemon, too. Closing the client closes connections only:
    tabs and tasks are kept.
    """

    def __init__(
        self, *, session: str = "default", home: str | None = None, start: bool | None = None
    ) -> None:
        self.session = session
        where = locations.home({"OPENCHROME_HOME": home}) if home else locations.home()
        self._connections = AsyncConnections(locations.daemon_socket(where), where, start=start)

    def with_session(self, session: str) -> AsyncClient:
        """Return a client for another session that shares the connections of this one."""
        other = copy.copy(self)
        other.session = session
        return other

    async def call(self, verb: str, /, **params: Any) -> Result | AsyncOutput:
        """Call a verb by name, even one that this version of the client does not know."""
        return await self._call_large(verb, params)

    async def status(self) -> dict[str, Any]:
        """Return the daemon's status: version, browser, sessions, tasks, memory."""
        answer = await self._connections.exchange("GET", "/v1/status", deadline_s=60.0)
        status: dict[str, Any] = json.loads(answer[1])
        return status

    async def same_catalog(self) -> bool:
        """Return whether the daemon has exactly the verbs that this client was made for."""
        if not self._connections.catalog:
            await self.status()
        return self._connections.catalog == CATALOG_HASH

    @property
    def start(self) -> AsyncKinds:
        """Verbs that can run in the background: `await client.start.crawl(url)` returns a task."""
        return AsyncKinds(lambda kind, args: self.start_task(kind, **args))

    async def start_task(self, kind: str, /, **args: Any) -> AsyncTask[Result]:
        """Start a task by the name of its kind."""
        return AsyncTask(self, await self.run(tasks.start(kind, args)))

    def task(self, task_id: str) -> AsyncTask[Result]:
        """Return a task by its id; the first request shows whether it exists."""
        return AsyncTask(self, task_id)

    def output(self, handle: str) -> AsyncOutput:
        """Return a stored output by its handle."""
        return AsyncOutput(self, {"output_handle": handle})

    async def run(self, flow: Flow[T]) -> T:
        """Carry out calls that belong together."""
        try:
            call = next(flow)
            while True:
                try:
                    result = await self._send(call)
                except OpenChromeError as error:  # the flow may handle it
                    call = flow.throw(error)
                else:
                    call = flow.send(result)
        except StopIteration as done:
            value: T = done.value
            return value

    async def lines(self, path: str) -> AsyncIterator[dict[str, Any]]:
        """Yield the objects of a response in lines."""
        async for line in self._connections.lines(path):
            yield json.loads(line)

    async def close(self) -> None:
        """Close the connections that are not in use."""
        await self._connections.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncClient of session {self.session!r}>"

    async def _call(self, verb: str, params: dict[str, Any]) -> Result:
        return await self._send(Call(verb, params))

    async def _call_large(self, verb: str, params: dict[str, Any]) -> Result | AsyncOutput:
        result = await self._send(Call(verb, params))
        if "output_handle" in result and "fetch_with" in result:
            return AsyncOutput(self, result)
        return result

    async def _send(self, call: Call) -> Result:
        status, body = await self._connections.exchange(
            "POST",
            "/v1/call",
            protocol.call_body(call, self.session),
            deadline_s=protocol.deadline_s(call),
        )
        return protocol.decode_result(status, body, self._connections.catalog or CATALOG_HASH)


class AsyncOutput(OutputInfo):
    """A stored output; items are fetched on demand: `async for page in output`.

    Raises OutputHandleNotFoundError once it has expired, InvalidFormatForPayloadError for items of
    an output that has none.
    """

    def __init__(self, client: AsyncClient, descriptor: Mapping[str, Any]) -> None:
        super().__init__(descriptor)
        self._client = client

    async def count(self) -> int:
        """Return the number of items."""
        return await self._client.run(outputs.count_items(self))

    async def __aiter__(self) -> AsyncIterator[Any]:
        offset: int | None = 0
        while offset is not None:
            flow = outputs.fetch(self.handle, offset, outputs.ITEMS, "items")
            page = await self._client.run(flow)
            for item in page["content"]:
                yield item
            offset = page["next_offset"]

    async def item(self, index: int) -> Any:
        """Return one item; a negative index counts from the end. Raises IndexError."""
        return await self._client.run(outputs.fetch_item(self, index))

    async def items(self, start: int = 0, stop: int | None = None) -> list[Any]:
        """Return the items from `start` to before `stop`; only those are fetched."""
        return await self._client.run(outputs.fetch_slice(self, slice(start, stop)))

    async def text(self) -> str:
        """Return the output as text."""
        return (await self.read_bytes()).decode()

    async def read_bytes(self) -> bytes:
        """Return the whole output in its stored form."""
        return b"".join([piece async for piece in self.chunks()])

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the output in its stored form, 64 KB at a time."""
        offset: int | None = 0
        while offset is not None:
            flow = outputs.fetch(self.handle, offset, outputs.BYTES, "bytes")
            page = await self._client.run(flow)
            yield a2b_base64(page["content"])
            offset = page["next_offset"]

    async def search(
        self, pattern: str, *, limit: int = 20, context: int = 2
    ) -> list[dict[str, Any]]:
        """Return the matches of a regular expression (RE2): offset, line or item, excerpt."""
        return await self._client.run(outputs.search(self.handle, pattern, limit, context))


class AsyncTask(Generic[ResultT]):
    """A task of the ledger; `AsyncTask[shapes.CrawlResult]` is a crawl, as with `Task`.

    `await task` waits for its result, `async for event in task` follows its events.
    """

    def __init__(self, client: AsyncClient, task_id: str) -> None:
        self._client = client
        self.id = task_id

    async def meta(self) -> TaskMeta:
        """Return its current state."""
        return await self._client.run(tasks.get(self.id))

    async def done(self) -> bool:
        """Return whether it has ended."""
        return (await self.meta()).ended

    async def wait(self, timeout: float | None = None) -> ResultT:  # noqa: ASYNC109 - as of Task
        """Wait until it has ended and return its result; raises as `Task.wait` does."""
        return cast("ResultT", await self._client.run(tasks.wait(self.id, timeout)))

    def __await__(self) -> Generator[Any, None, ResultT]:
        return self.wait().__await__()

    async def output(self) -> AsyncOutput:
        """Return its results so far as a stored output."""
        return AsyncOutput(self._client, await self._client.run(tasks.store_result(self.id)))

    async def cancel(self) -> TaskMeta:
        """Ask it to stop; finished work is kept."""
        return await self._client.run(tasks.cancel(self.id))

    async def events(self, *, follow: bool = True) -> AsyncIterator[TaskEvent]:
        """Yield its events; follow: continue until it has ended."""
        async for line in self._client.lines(tasks.events_path(self.id, follow=follow)):
            yield tasks.event_in(line)

    def __aiter__(self) -> AsyncIterator[TaskEvent]:
        return self.events()

    def __repr__(self) -> str:
        return f"<AsyncTask {self.id}>"
