"""Messages on the daemon's socket: the request, the reply and the progress line."""

from typing import Annotated, Any, Literal, get_args

import msgspec

# What `--tools-only` and `--disable-tools` name; each verb belongs to one.
Capability = Literal[
    "core", "crawl", "recording", "workflow", "storage", "profile", "totp", "pilot",
    "tasks", "perf", "skills", "upload", "upstream",
]  # fmt: skip
CAPABILITY_GROUPS: tuple[str, ...] = get_args(Capability)


class Client(msgspec.Struct):
    """Who is calling: `kind` is oc, mcp, http or a library's name.

    guard: whether large replies are kept and pointed to; absent: as the daemon is configured.
    """

    kind: str = "http"
    cwd: str = ""
    pid: int = 0
    guard: bool | None = None


class CallRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /v1/call."""

    verb: str
    params: dict[str, Any] = {}
    session: Annotated[str, msgspec.Meta(max_length=200)] = "default"
    client: Client = msgspec.field(default_factory=Client)


class TotpRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /v1/totp; list needs no domain, add alone a seed."""

    action: Literal["add", "list", "remove"]
    domain: str = ""
    seed: str = ""


ApprovalScope = Literal["once", "session"]


class ApprovalRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /v1/approvals; list needs no id. scope: of an approval that is allowed."""

    action: Literal["list", "allow", "deny"]
    id: str = ""
    scope: ApprovalScope = "once"


class LeaseRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /v1/leases; acquire takes a tab (default: the session's current one) and the
    name of a holder, renew and release the key that acquire has answered.
    """

    action: Literal["list", "acquire", "renew", "release"]
    session: str = "default"
    tab_id: str | None = None
    holder: Annotated[str, msgspec.Meta(max_length=100)] = "A person"
    key: str = ""


class UpstreamRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /v1/upstreams; list needs no name.

    mark: what `review` has answered; approve then agrees to nothing that has changed since.
    """

    action: Literal["approve", "list", "review"]
    name: str = ""
    mark: str = ""


class DashboardRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /v1/dashboard; control: the browser that is let in may act, too."""

    control: bool = True


class AttachRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /v1/attach; cwd: the program's folder, which it may name files of.

    ttl_s: how long the address is valid, and how long a program that has connected may stay.
    """

    session: Annotated[str, msgspec.Meta(max_length=200)] = "default"
    ttl_s: Annotated[float, msgspec.Meta(ge=1, le=86_400)] = 600.0
    cwd: str = ""


class Hello(msgspec.Struct):
    """The first line of a bridge on the MCP socket, as {"oc_hello": …}.

    id: names the bridge as long as it lives. project: the host's project folder. session: a session
    to share; default: one of its own. tools_only, disable_tools, tier: what this host is to see,
    inside the daemon's own limits. guard: as in Client. page_tools: whether it is offered the tools
    of its tab's page.
    """

    id: str = ""
    version: int = 1
    pid: int = 0
    cwd: str = ""
    project: str = ""
    session: str = ""
    tools_only: tuple[str, ...] = ()
    disable_tools: tuple[str, ...] = ()
    tier: int = 0
    host: str = ""
    guard: bool | None = None
    page_tools: bool = False


class HostFigures(msgspec.Struct, frozen=True):
    """A crawl's figures for one host: all pages, failed pages, and the current pages per second."""

    host: str
    pages: int
    failed: int
    pages_per_s: float


class CrawlFigures(msgspec.Struct, frozen=True):
    """A crawl's figures. Rates are for the last 10 seconds and include failed pages.

    failures: by error code, the most frequent ones. hosts: the busiest ones. left_s: absent where
    it cannot be known how many pages there will be.
    """

    pages_per_s: float
    queued: int
    failures: dict[str, int]
    hosts: tuple[HostFigures, ...]
    left_s: int | msgspec.UnsetType = msgspec.UNSET


class Progress(msgspec.Struct, omit_defaults=True):
    """Progress of a long call: finished units of total (absent: unknown), and the current step."""

    done: float
    total: float | None = None
    message: str = ""
    task_id: str = ""
    figures: CrawlFigures | msgspec.UnsetType = msgspec.UNSET


FETCH_VERB = "oc_output_fetch"


class Descriptor(msgspec.Struct, frozen=True, kw_only=True):
    """The descriptor of a stored output, with exactly these keys.

    item_count: None without items. preview: the first bytes as text, None for binary. expires_at:
    RFC 3339 UTC.
    """

    output_handle: str
    mime_type: str
    size_bytes: int
    item_count: int | None
    preview: str | None
    expires_at: str
    fetch_with: str = FETCH_VERB


class LargeTextPointer(msgspec.Struct, frozen=True):
    """The guard's pointer to a large text: its text, and where the output is stored.

    descriptor: the handle's. of_page: the text was page text, and the reply's JSON is whole.
    """

    text: str
    path: str
    characters: int
    descriptor: Descriptor
    of_page: bool
