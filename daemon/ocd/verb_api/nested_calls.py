"""Calls that verbs make of other verbs: the interface to run_call."""

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.api.wire import CallRequest
from ocd.call_context import CallContext

# A plan may call a batch, which calls verbs; deeper than this it calls itself.
MAX_DEPTH = 4


class NestedReply(Protocol):
    """The reply to a nested call: its JSON, and the page text and picture beside it."""

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
        """The picture's bytes and media type; None without one."""
        ...

    def encode(self) -> bytes:
        """Return the complete JSON value, including lists that are in files; may block."""
        ...


class RunCall(Protocol):
    """`run_call` with its services: runs a call that starts from the context of its caller."""

    def __call__(self, request: CallRequest, caller: CallContext) -> Awaitable[NestedReply]:
        """Run the call and return its reply."""
        ...


@dataclass(frozen=True, slots=True)
class NestedCalls:
    """A part of the daemon: runs verbs like any other call, with all rules and the journal.

    Not for verbs that hold a tab: the inner call would wait for them.
    """

    run_call: RunCall

    async def run(
        self, verb: str, params: dict[str, Any], *, session: str = "", lent: bool = False
    ) -> NestedReply:
        """Run a verb in a session (the caller's own) and return its answer; raises its error.

        lent: the verb was chosen by who calls this, not by its caller: that one's capability is
        enough. Else the filter is asked about the verb as it is about any.
        Raises limit_reached where calls within calls go deeper than four.
        """
        outer = call_context.current()
        if outer.depth >= MAX_DEPTH:
            raise OcdError(
                "limit_reached", f"{verb}: nested calls are limited to {MAX_DEPTH} levels",
                hint="A plan or batch must not start itself.", limit=MAX_DEPTH,
            )  # fmt: skip
        session = session or outer.session
        if session == outer.session:
            outer.touched.nested_calls += 1
        # The caller's guard is for what the caller is given: the outer call's own reply.
        client = msgspec.structs.replace(outer.client, guard=False)
        request = CallRequest(verb, params, session, client)
        return await self.run_call(request, outer.nested(capability_waived=lent))
