"""The declaration of verbs: parameters, requirements, permissions, and results."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, TypeVar

import msgspec

from ocd.api.wire import Capability
from ocd.ledger.resumption import Resumption
from ocd.ledger.task_handle import TaskHandle
from ocd.safety.session_taint import Egress
from ocd.storage.payload import JSON, Payload, Rows, at_keys, of_text

Tier = Literal[1, 2, 3]

# What other MCP servers say comes from an origin of this and the server's name.
UPSTREAM_ORIGIN = "upstream:"
DEFAULT_TIMEOUT_MS = 30_000
MAX_TIMEOUT_MS = 600_000


# For `Meta(extra_json_schema=…)`: a parameter like any other, but tools/list, where every byte is
# paid for in each conversation, does not show it.
UNLISTED = {"x-unlisted": True}
# Likewise: addresses, or the name of a file, which is relative to where the shell's user stands.
ADDRESSES = {"x-addresses": True}
# What `Meta(extra=…)` says of a parameter: it can be large and has a companion `<name>_path`; it is
# the path of a file to read, or to write; it holds the arguments of the verb that `kind` names; its
# value is never written down; it is true unless given, where the output may go to a handle.
PAYLOAD = {"payload": True}
WHEN_STORED = {"when_stored": True}
SECRET = {"secret": True}
READS_PATH = {"path": "read"}
WRITES_PATH = {"path": "write"}
# `sends_to`: a URL whose query reaches its owner.
SENDS_TO = {"sends_to": True}
ARGUMENTS_OF_KIND = {"arguments_of": "kind"}


class FileSource(msgspec.Struct, forbid_unknown_fields=True):
    """A file that a caller hands over: its bytes in base64, or its path; exactly one of them."""

    name: Annotated[str, msgspec.Meta(description="File name; default: the path's")] = ""
    content: Annotated[str | None, msgspec.Meta(description="Bytes in base64")] = None
    file_path: Annotated[
        str | None, msgspec.Meta(description="Absolute path instead", extra=READS_PATH)
    ] = None
    mime_type: Annotated[str, msgspec.Meta(description="Media type; default: by name")] = ""


class Params(msgspec.Struct, forbid_unknown_fields=True):
    """Base of every verb's parameters.

    The subclass's docstring is the verb's help: a short imperative line without a period, then
    prose. Every field is `Annotated[type, msgspec.Meta(description=...)]`.
    """


@dataclass(frozen=True, slots=True)
class Window:
    """The part of `content` that a reply carries: characters from `offset`, at most `limit`.

    `limit` None: the caller did not say; inline replies then carry `default`, stored ones all.
    """

    offset: int
    limit: int | None
    default: int


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: its bytes and media type, for example image/png."""

    data: bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class Output:
    """What a verb returns. It formats nothing and knows no budget.

    data: the JSON object (for a few verbs, an array). content: page text, apart from it, with the
    `origin` it came from and its media type. origins: further ones whose text is in it. rows: the
    file that holds the list which `items` names; `data` then has everything but that list. items:
    overrides the declared one. unfinished: `data` tells of a task that goes on. attachments:
    pictures, sounds and links of another MCP server's result, as MCP content blocks. nested_call:
    the answer is what this verb says to these parameters. stored_path: the keys that lead to the
    part of `data` that a handle stores. file: has the JSON of that part already.
    """

    data: Any = field(default_factory=dict)
    content: str | None = None
    origin: str = ""
    origins: tuple[str, ...] = ()
    content_type: str = "text/plain"
    window: Window | None = None
    image: Image | None = None
    rows: Rows | None = None
    items: tuple[str, ...] | None = None
    unfinished: bool = False
    attachments: tuple[Mapping[str, Any], ...] = ()
    nested_call: tuple[str, dict[str, Any]] | None = None
    stored_path: tuple[str, ...] = ()
    file: Path | None = None

    def payload(self, declared: tuple[str, ...] | None) -> Payload:
        """Return what is stored of this output: the page text if there is one, else the JSON."""
        if self.content is not None:
            return of_text(self.content_type, self.content)
        payload, depth = self.json(declared), len(self.stored_path)
        if not depth and self.file is None:
            return payload
        items = None if payload.items_at is None else payload.items_at[depth:]
        return Payload(JSON, at_keys(payload.data, self.stored_path), items, self.rows, self.file)

    def json(self, declared: tuple[str, ...] | None) -> Payload:
        """Return the JSON part, with `declared` as the path of the list that pages by items."""
        data, items = self.data, self.items if self.items is not None else declared
        if self.rows is not None:
            assert items
            data = _with_empty(data, items)
        return Payload(JSON, data, items, self.rows)


def _with_empty(data: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    # The list's place must exist for the payload to be split there; rows fill it.
    rest: object = [] if len(keys) == 1 else _with_empty(data.get(keys[0], {}), keys[1:])
    return {**data, keys[0]: rest}


class TabLike(Protocol):
    """The part of a tab that declarations use; a verb's function names the class itself."""

    @property
    def id(self) -> str:
        """The tab's id."""
        ...

    @property
    def url(self) -> str:
        """The address that it shows."""
        ...


class SessionLike(Protocol):
    """The part of a session that declarations use."""

    @property
    def name(self) -> str:
        """The session's name."""
        ...


P = TypeVar("P", bound=Params)
N = TypeVar("N")
T = TypeVar("T", bound=TabLike)
S = TypeVar("S", bound=SessionLike)

# What became of the finished units of a task whose process died: see ledger.completion.
Recover = Callable[[Mapping[str, Any], Rows], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Sending:
    """The parameters of a verb that reach another origin, where SENDS_TO cannot express it.

    names: the parameters that are judged, `rule.request` for one inside another. to: yields the
    ways and targets, from the parameters and the address of the tab that the call works on.
    """

    names: tuple[str, ...]
    to: Callable[[Any, str], Iterable[Egress]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """One named operation, declared once; CLI, socket, MCP and docs derive from it.

    scope: what `run` gets first: "tab", "session", "daemon" (a part of type `needs`), "task" (a
    part, then a Work) or "upstream" (nothing; it hears progress). returns: the type of its result
    as the socket answers it, page text and picture with it; clients and documentation have it, and
    nothing here looks at it. items: path of keys to the list that pages by items. large: takes
    output modes. reads_page: its content passes the sanitiser.
    opens_tab: a session without a tab gets one. shares_tab: it only waits, in its turn, and lets
    other calls on its tab run meanwhile. leaves_dialog: runs although a dialog is open.
    recover: rebuilds the result of a task whose process died. resumption: how a task that has ended
    goes on. reads: changes nothing, here or on
    the web. only_watches: changes nothing on the tab, and goes on while a person holds it.
    page_keys: keys of its JSON under which strings come from pages; these pass the sanitiser,
    unless the result is verbatim: a copy to be put back, or a part of what was cleaned when it was
    stored. keeps_secrets: gets `${SECRET:NAME}` as the caller wrote it. uploads: sends files to the
    tab's page, or to its
    parameter `base_url`. sends: what else of its parameters leaves (see leaving).
    only_kind: a kind of the ledger, and no verb to be called. reports_begin: its task says when its
    work has begun, and is answered for then. also: other names of parameters that
    callers of other tools use. removed_params: what to do rather than give a parameter that does
    not exist.
    foreign: the names that a tool of another MCP server gives its own parameters, which are handed
    to it unread; None for our verbs. example: the parameters of one call, as its description shows
    it.
    """

    name: str
    params: type[Params]
    run: Callable[..., Awaitable[Output]]
    scope: Literal["tab", "session", "daemon", "task", "upstream"]
    needs: type | None
    capability: Capability
    tier: Tier
    returns: Any = None
    large: bool = False
    items: tuple[str, ...] | None = None
    reads_page: bool = False
    opens_tab: bool = False
    shares_tab: bool = False
    leaves_dialog: bool = False
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    recover: Recover | None = None
    resumption: Resumption | None = None
    reads: bool = False
    only_watches: bool = False
    page_keys: tuple[str, ...] = ()
    verbatim: bool = False
    keeps_secrets: bool = False
    uploads: bool = False
    sends: Sending | None = None
    only_kind: bool = False
    reports_begin: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    removed_params: Mapping[str, str] = field(default_factory=dict[str, str])
    upstream_params: frozenset[str] | None = None
    example: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def is_sanitised(self) -> bool:
        """Whether its content or the strings under its page_keys pass the sanitiser."""
        return self.reads_page or (bool(self.page_keys) and not self.verbatim)

    @property
    def fills_secrets(self) -> bool:
        """Whether `${SECRET:NAME}` is filled in: for verbs that act on pages, not on our files."""
        return self.scope in ("tab", "session") and not self.keeps_secrets

    @property
    def long(self) -> bool:
        """Whether the verb is a task kind."""
        return self.scope == "task"

    @property
    def is_action(self) -> bool:
        """Whether recordings have its calls: those that work on pages, not on the daemon."""
        if self.scope == "tab":
            return True
        return self.scope in ("session", "task") and not self.reads

    @property
    def acts(self) -> bool:
        """Whether a call changes a page or a session's tabs, and is therefore worth replaying.

        A task does that by calls, which are recorded one by one, or keeps something of ours.
        """
        return self.scope in ("tab", "session") and not self.reads


def tab_verb(
    name: str,
    params: type[P],
    *,
    capability: Capability,
    tier: Tier,
    **flags: Any,  # noqa: ANN401 - Verb's own fields, checked there
) -> Callable[[Callable[[T, P], Awaitable[Output]]], Verb]:
    """Declare a verb that works on one tab: `async def f(tab, params)`; it takes `tab_id`."""
    return lambda run: Verb(
        name=name, params=params, run=run, scope="tab", needs=None,
        capability=capability, tier=tier, **flags,
    )  # fmt: skip


def session_verb(
    name: str,
    params: type[P],
    *,
    capability: Capability,
    tier: Tier,
    **flags: Any,  # noqa: ANN401 - Verb's own fields, checked there
) -> Callable[[Callable[[S, P], Awaitable[Output]]], Verb]:
    """Declare a verb that works on the caller's session: `async def f(session, params)`."""
    return lambda run: Verb(
        name=name, params=params, run=run, scope="session", needs=None,
        capability=capability, tier=tier, **flags,
    )  # fmt: skip


def daemon_verb(
    name: str,
    params: type[P],
    *,
    needs: type[N],
    capability: Capability,
    tier: Tier,
    **flags: Any,  # noqa: ANN401 - Verb's own fields, checked there
) -> Callable[[Callable[[N, P], Awaitable[Output]]], Verb]:
    """Declare a verb that works on one part of the daemon: `async def f(part, params)`."""
    return lambda run: Verb(
        name=name, params=params, run=run, scope="daemon", needs=needs,
        capability=capability, tier=tier, **flags,
    )  # fmt: skip


def task_kind(
    name: str,
    params: type[P],
    *,
    needs: type[N],
    capability: Capability,
    tier: Tier,
    **flags: Any,  # noqa: ANN401 - Verb's own fields, checked there
) -> Callable[[Callable[[N, TaskHandle, P], Awaitable[Output]]], Verb]:
    """Declare a kind of the ledger that no verb is named after; otherwise as `task_verb`."""
    return task_verb(
        name, params, needs=needs, capability=capability, tier=tier, only_kind=True, **flags
    )


def task_verb(
    name: str,
    params: type[P],
    *,
    needs: type[N],
    capability: Capability,
    tier: Tier,
    **flags: Any,  # noqa: ANN401 - Verb's own fields, checked there
) -> Callable[[Callable[[N, TaskHandle, P], Awaitable[Output]]], Verb]:
    """Declare a long verb, and with it a task kind: `async def f(part, work, params)`."""
    return lambda run: Verb(
        name=name, params=params, run=run, scope="task", needs=needs,
        capability=capability, tier=tier, **flags,
    )  # fmt: skip
