"""Who calls: a connection's session, what it may use, and what is listed to it."""

from dataclasses import dataclass, field

from oc_mcp.server.daemon_protocol import AllowedTools, DaemonProtocol, Entry
from ocd.api.wire import Client, Hello


@dataclass(eq=False, slots=True)
class Caller:
    """One connection's standing. `revealed` grows with expand_tools; `fleeting` ones see no change.

    A fleeting caller is made for one request: bare HTTP, and revisions without connections.
    """

    session: str
    client: Client
    maximum: AllowedTools
    tier: int
    ephemeral: bool = False
    expanded_tools: set[str] = field(default_factory=set)

    def may_use(self, entry: Entry) -> bool:
        """Return whether the verb is inside the connection's maximum."""
        return entry["name"] in self.maximum

    def lists(self, entry: Entry) -> bool:
        """Return whether the verb stands in tools/list."""
        shown = entry["tier"] <= self.tier or entry["name"] in self.expanded_tools
        return shown and self.may_use(entry)


def caller_from(door: DaemonProtocol, hello: Hello) -> Caller:
    """Return the caller that a hello line describes."""
    return Caller(
        session=hello.session or f"mcp-{hello.id}",
        client=Client("mcp", hello.project or hello.cwd, hello.pid, hello.guard),
        maximum=door.narrow(hello.tools_only, hello.disable_tools),
        tier=hello.tier or door.tier,
    )


def http_caller(door: DaemonProtocol, session: str, *, fleeting: bool) -> Caller:
    """Return the caller behind HTTP requests."""
    return Caller(
        session=session,
        client=Client(kind="mcp-http"),
        maximum=door.narrow((), ()),
        tier=door.tier,
        ephemeral=fleeting,
    )
