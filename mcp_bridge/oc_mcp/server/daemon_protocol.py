"""The daemon as the MCP server sees it: a protocol that the daemon implements."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Mapping
from typing import Any, Literal, Protocol

from ocd.api.wire import CallRequest, LargeTextPointer, Progress

Entry = Mapping[str, Any]
ListName = Literal["tools", "resources", "prompts"]
OnProgress = Callable[[Progress], None]


class Reply(Protocol):
    """The reply to a call, read only; ocd.calls.replies.Reply says what each member is."""

    @property
    def data(self) -> Any: ...  # noqa: ANN401 - any JSON value
    @property
    def content(self) -> str | None: ...
    @property
    def origin(self) -> str: ...
    @property
    def image(self) -> tuple[bytes, str] | None: ...
    @property
    def attachments(self) -> tuple[Mapping[str, Any], ...]: ...
    @property
    def is_handle(self) -> bool: ...
    @property
    def unfinished(self) -> bool: ...
    @property
    def browser_restarted(self) -> bool: ...
    @property
    def pointer(self) -> LargeTextPointer | None: ...
    def encode(self) -> bytes: ...


class PageTool(Protocol):
    """A tool of a page: its catalog entry, its key for page_tool_call, and its origin."""

    @property
    def entry(self) -> Entry: ...
    @property
    def params(self) -> Mapping[str, Any]: ...
    @property
    def origin(self) -> str: ...


class LinkedQuestion(Protocol):
    """What a task asks a person, and the link to where it is done."""

    @property
    def message(self) -> str: ...
    @property
    def url(self) -> str: ...


class AllowedTools(Protocol):
    """The verbs that a connection may use."""

    def __contains__(self, name: str) -> bool: ...


class DaemonProtocol(Protocol):
    """The daemon, as the bridge sees it. Every failure is an OcdError."""

    @property
    def version(self) -> str:
        """The daemon's version."""
        ...

    @property
    def entries(self) -> Mapping[str, Entry]:
        """The catalog entries of the verbs and of other servers' tools, as they are now."""
        ...

    @property
    def tier(self) -> int:
        """The highest tier that is listed by default."""
        ...

    @property
    def sync_budget_s(self) -> float:
        """The seconds after which a long call answers with its task."""
        ...

    def narrow(self, only: Iterable[str], disabled: Iterable[str]) -> AllowedTools:
        """Return the daemon's maximum, less what one connection leaves out."""
        ...

    @property
    def has_upstreams(self) -> bool:
        """Whether there are MCP servers behind the gateway."""
        ...

    async def settle(self, maximum: AllowedTools) -> None:
        """Wait, for some seconds at most, until it is known what other MCP servers offer."""
        ...

    async def resources(self, maximum: AllowedTools) -> list[dict[str, Any]]:
        """Return what other MCP servers list as resources: uri, name, mimeType?, size?."""
        ...

    async def templates(self, maximum: AllowedTools) -> list[dict[str, Any]]:
        """Return other MCP servers' resource templates: uriTemplate, name, mimeType?."""
        ...

    async def prompts(self, maximum: AllowedTools) -> list[dict[str, Any]]:
        """Return the prompts of other MCP servers: name, arguments."""
        ...

    def page_tools(self, session: str, maximum: AllowedTools) -> Mapping[str, PageTool]:
        """Return the tools that the page of the session's current tab offers, by name."""
        ...

    def watch_page_tools(
        self, session: str, listener: Callable[[ListName], Awaitable[None]]
    ) -> Callable[[], None]:
        """Call `listener` after each change of those tools; the returned function ends that."""
        ...

    def watch(self, listener: Callable[[ListName], Awaitable[None]]) -> Callable[[], None]:
        """Call `listener` with each list that has changed; the returned function ends that."""
        ...

    async def call(
        self,
        request: CallRequest,
        on_progress: OnProgress,
        *,
        budget_s: float,
        maximum: AllowedTools,
        is_listed: Callable[[Entry], bool],
        askable: bool,
    ) -> Reply:
        """Run a call; cancelling it cancels the work.

        Args:
            request: the verb and its parameters.
            on_progress: called with each step of its progress.
            budget_s: seconds after which a long call answers with its task.
            maximum: the verbs that the connection may use.
            is_listed: returns whether an entry is in the caller's tools/list.
            askable: whether the host can ask a person.
        """
        ...

    async def answer(self, approval_id: str, *, allowed: bool) -> None:
        """Decide an approval for its session; does nothing if it has been answered already."""
        ...

    async def wait_answered(self, approval_id: str) -> None:
        """Wait until somebody has answered the approval."""
        ...

    async def task(self, task_id: str) -> Mapping[str, Any]:
        """Return a task's meta."""
        ...

    def task_states(self, task_id: str) -> AsyncGenerator[Mapping[str, Any], None]:
        """Yield a task's meta now and after each change, until it has ended."""
        ...

    async def task_reply(self, task_id: str, params: Mapping[str, Any]) -> Reply:
        """Return what the direct call with these parameters would have answered."""
        ...

    async def join_task(
        self, task_id: str, request: CallRequest, on_progress: OnProgress, *, budget_s: float
    ) -> Reply:
        """Wait for a task that this call has started, and answer as `call` does."""
        ...

    async def human_question(self, task_id: str) -> LinkedQuestion | None:
        """Return what the task asks a person, once it does; None without a question or a link."""
        ...

    async def decline(self, task_id: str) -> None:
        """Record that a person declines what the task asks; does nothing if it no longer asks."""
        ...

    def run_beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine that may outlive its call and ends by itself."""
        ...

    async def cancel_task(self, task_id: str) -> None:
        """Ask a task to stop; an ended one is left unchanged."""
        ...

    async def known_names(
        self, kind: Literal["handles", "tasks", "tabs"], session: str
    ) -> list[str]:
        """Return the names of handles and of tasks, newest first, or of the session's tabs."""
        ...

    def status(self) -> Mapping[str, Any]:
        """Return what `ocd status` shows."""
        ...

    async def metrics(self, accept: str) -> tuple[bytes, str]:
        """Return what Prometheus reads, and its content type."""
        ...

    def end_session(self, session: str) -> None:
        """Note that the session is no longer used."""
        ...

    def from_browser(self, inode: str) -> bool:
        """Whether the socket with this inode belongs to the daemon's Chromium, hence to a page."""
        ...
