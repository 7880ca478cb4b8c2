"""Calls that verbs make: the interface to the one road for verbs that start other verbs."""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from ocd.api.errors import OcdError
from ocd.api.wire import CallRequest, Client
from ocd.call_context import MET
from ocd.ledger.runner import CALLER_SESSION

# A plan may call a batch, which calls verbs; deeper than this it calls itself.
MAX_DEPTH = 4

# Who made the call that runs; tasks that it starts inherit it.
CALLER: ContextVar[Client | None] = ContextVar("CALLER", default=None)
_DEPTH: ContextVar[int] = ContextVar("DEPTH", default=0)
# Whether the verb that makes the call answers for it before the capability filter.
LENT: ContextVar[bool] = ContextVar("LENT", default=False)


class NestedReply(Protocol):
    """What a call came to: its JSON, and the page text and picture beside it."""

    @property
    def data(self) -> Any:  # noqa: ANN401 - any JSON value
        """The JSON value."""
        ...

    @property
    def content(self) -> str | None:
        """The page text, or None."""
        ...

    @property
    def origin(self) -> str:
        """Where the page text came from."""
        ...

    @property
    def image(self) -> tuple[bytes, str] | None:
        """The picture's bytes and media type."""
        ...

    def encode(self) -> bytes:
        """Return the JSON value whole, with lists that stand in files; may block."""
        ...


@dataclass(frozen=True, slots=True)
class NestedCalls:
    """A part: runs verbs on the road that every call takes, its rules and its journal included.

    Not for verbs that hold a tab: the inner call would wait for them.
    """

    road: Callable[[CallRequest], Awaitable[NestedReply]]

    async def run(
        self, verb: str, params: dict[str, Any], *, session: str = "", lent: bool = False
    ) -> NestedReply:
        """Run a verb in a session (the caller's own) and return its answer; raises its error.

        lent: the verb was chosen by who calls this, not by its caller: that one's capability is
        enough. Else the filter is asked about the verb as it is about any.
        Raises limit_reached where calls within calls go deeper than four.
        """
        depth = _DEPTH.get() + 1
        if depth > MAX_DEPTH:
            raise OcdError(
                "limit_reached", f"{verb}: calls within calls go {MAX_DEPTH} deep at most",
                hint="A plan or batch must not start itself.", limit=MAX_DEPTH,
            )  # fmt: skip
        own, met = CALLER_SESSION.get(), MET.get()
        session = session or own
        if met is not None and session == own:
            met.calls += 1
        token, lending = _DEPTH.set(depth), LENT.set(lent)
        # The caller's guard is for what the caller is given: the outer call's own reply.
        client = msgspec.structs.replace(CALLER.get() or Client(), guard=False)
        try:
            return await self.road(CallRequest(verb, params, session, client))
        finally:
            _DEPTH.reset(token)
            LENT.reset(lending)
            # The road runs in our context: what it has set there is the inner call's.
            CALLER_SESSION.set(own)
            MET.set(met)
