"""The caller behind a connection or an HTTP request."""

from dataclasses import dataclass, field

from oc_mcp.server.daemon_protocol import AllowedTools, DaemonProtocol, Entry, PageTool
from ocd.api.wire import Client, Hello


@dataclass(eq=False, slots=True)
class Caller:
    """Who calls: its session, the tools it may use, and those that are listed to it.

    An ephemeral caller is made for one request (bare HTTP, and revisions without connections), so
    its list never changes.

    Attributes:
        expanded_tools: what expand_tools has added to its list.
        page_tools: whether it is offered the tools of its page.
        listed_page_tools: the tools of its page that it has been offered, by name.
    """

    session: str
    client: Client
    maximum: AllowedTools
    tier: int
    ephemeral: bool = False
    expanded_tools: set[str] = field(default_factory=set)
    page_tools: bool = False
    listed_page_tools: dict[str, PageTool] = field(default_factory=dict)

    def may_use(self, entry: Entry) -> bool:
        """Return whether the verb is among the tools that the connection allows."""
        return entry["name"] in self.maximum

    def lists(self, entry: Entry) -> bool:
        """Return whether the verb is in tools/list."""
        is_listed = entry["tier"] <= self.tier or entry["name"] in self.expanded_tools
        return is_listed and self.may_use(entry)


def caller_from(daemon: DaemonProtocol, hello: Hello) -> Caller:
    """Return the caller that a hello line describes."""
    return Caller(
        session=hello.session or f"mcp-{hello.id}",
        client=Client("mcp", hello.project or hello.cwd, hello.pid, hello.guard),
        maximum=daemon.narrow(hello.tools_only, hello.disable_tools),
        tier=hello.tier or daemon.tier,
        page_tools=hello.page_tools,
    )


def http_caller(daemon: DaemonProtocol, session: str, *, ephemeral: bool) -> Caller:
    """Return the caller behind HTTP requests."""
    return Caller(
        session=session,
        client=Client(kind="mcp-http"),
        maximum=daemon.narrow((), ()),
        tier=daemon.tier,
        ephemeral=ephemeral,
    )
