"""Half-closed connections: the client shut down its write side but still expects a response.

`nc -N` and others shut down their write side after the request. asyncio takes that as the end of
the connection, which would cancel the call. Here the connection stays open until the reply is sent,
or until the client is gone, which only Linux can tell apart; elsewhere both end the connection.
"""

import asyncio
import contextlib
import select
from collections.abc import Callable
from typing import Any, Protocol, cast


class RequestHandler(Protocol):
    """The protocol that serves a connection: aiohttp's RequestHandler."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See asyncio.Protocol."""
        ...

    def connection_lost(self, exc: BaseException | None) -> None:
        """See asyncio.Protocol."""
        ...

    def data_received(self, data: bytes) -> None:
        """See asyncio.Protocol."""
        ...

    def pause_writing(self) -> None:
        """See asyncio.Protocol."""
        ...

    def resume_writing(self) -> None:
        """See asyncio.Protocol."""
        ...

    def close(self) -> None:
        """Accept no further request; close once the current one is answered."""
        ...


class PeerCloseWatcher:
    """Reports connections whose peer is gone; only Linux can distinguish that from a half-close."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        # One for all and for good: loops remember descriptors that they were given, and new
        # connections would get the number of one that was closed.
        self._watching = select.epoll() if hasattr(select, "epoll") else None
        self._by_descriptor: dict[int, Callable[[], None]] = {}
        if self._watching is not None:
            self._loop.add_reader(self._watching.fileno(), self._on_readable)

    def watch(self, descriptor: int, on_close: Callable[[], None]) -> bool:
        """Call `on_close` once the peer is gone; False if it is already, or that is not known."""
        if self._watching is None:
            return False
        self._watching.register(descriptor, 0)  # a hang-up is reported without asking for it
        if any(ready == descriptor for ready, _ in self._watching.poll(0)):
            self._watching.unregister(descriptor)
            return False
        self._by_descriptor[descriptor] = on_close
        return True

    def forget(self, descriptor: int, on_close: Callable[[], None]) -> None:
        """Stop watching; another connection may have the descriptor's number by now."""
        if self._by_descriptor.get(descriptor) == on_close:
            del self._by_descriptor[descriptor]
            self._unregister(descriptor)

    def _on_readable(self) -> None:
        assert self._watching is not None
        for descriptor, _ in self._watching.poll(0):
            gone = self._by_descriptor.pop(descriptor, None)
            self._unregister(descriptor)
            if gone is not None:
                gone()

    def _unregister(self, descriptor: int) -> None:
        assert self._watching is not None
        with contextlib.suppress(OSError):  # it was closed, and forgotten with that
            self._watching.unregister(descriptor)

    def close(self) -> None:
        """Stop watching all connections."""
        if self._watching is not None:
            self._loop.remove_reader(self._watching.fileno())
            self._watching.close()

    def __repr__(self) -> str:
        return f"PeerCloseWatcher({len(self._by_descriptor)} watched)"


class HalfClosedConnection(asyncio.Protocol):
    """A connection in front of what serves it; half of it may be closed."""

    def __init__(self, served: RequestHandler, hang_ups: PeerCloseWatcher) -> None:
        self._served = served
        self._hang_ups = hang_ups
        self._transport: asyncio.Transport | None = None
        self._watched = -1

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start serving; see asyncio.Protocol."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is no subclass
        self._served.connection_made(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Stop watching the peer, and stop serving; see asyncio.Protocol."""
        if self._watched >= 0:
            self._hang_ups.forget(self._watched, self._on_peer_gone)
        self._served.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Pass on received data."""
        self._served.data_received(data)

    def pause_writing(self) -> None:
        """Pass on that the peer reads slowly."""
        self._served.pause_writing()

    def resume_writing(self) -> None:
        """Pass on that the peer has caught up."""
        self._served.resume_writing()

    def eof_received(self) -> bool:
        """Return whether the connection stays open for an answer."""
        if self._watched >= 0:
            return True  # uvloop says it twice
        if self._transport is None:
            return False
        descriptor: int = self._transport.get_extra_info("socket").fileno()
        if not self._hang_ups.watch(descriptor, self._on_peer_gone):
            return False
        self._watched = descriptor
        self._served.close()  # after this answer there can be no further request
        # A handler that waits for one is cancelled by that, and leaves the connection open.
        task: asyncio.Task[None] | None = cast("Any", self._served)._task_handler  # noqa: SLF001
        if task is None or task.done():
            return False
        task.add_done_callback(self._close)
        return True

    def _close(self, _task: asyncio.Task[None]) -> None:
        if self._transport is not None:
            self._transport.close()

    def _on_peer_gone(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def __repr__(self) -> str:
        return f"HalfClosedConnection({self._served!r})"
