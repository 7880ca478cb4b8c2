"""The services that calls use, and a call in flight as journal and log see it."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from secrets import token_hex

from ocd.api.wire import CallRequest, Client
from ocd.browser.process.chromium import Chromium
from ocd.browser.sessions.session import Session, Sessions
from ocd.call_context import TouchedElements
from ocd.calls.egress_policy import EgressPolicy
from ocd.calls.param_decoding import CommonParams
from ocd.calls.path_params import written_params
from ocd.config.tables import LargeOutput, Policy
from ocd.gateway.gateway import Gateway
from ocd.ledger.runner import Runner
from ocd.outputs.store import OutputStore
from ocd.oversight.approvals import Approvals, Grant
from ocd.oversight.leases import Leases
from ocd.recording.recent_actions import RecentActions
from ocd.recording.recorder import Recorder
from ocd.safety.file_access import FileAccess
from ocd.safety.param_redaction import RedactedParams
from ocd.safety.sanitize import Sanitizer
from ocd.storage.journal import Journal
from ocd.telemetry.call_spans import CallSpans
from ocd.verb_api.capabilities import Capabilities
from ocd.verb_api.declaration import Params, Verb


@dataclass(frozen=True, slots=True, kw_only=True)
class CallServices:
    """The services that calls use, put together by the assembly.

    Args:
        verbs: All verbs, by name.
        task_verbs: What each kind of the ledger runs, by its name.
        capabilities: The verbs that this daemon allows.
        parts: What `daemon` verbs and tasks work on, by type.
        file_access: Returns the files that a client may name.
        large_output: Returns the large-output guard's settings as they are now.
        policy: Returns the [policy] table as it is now.
        egress_policy: The rule about data that leaves.
        approvals: What waits for a person's consent.
        leases: The tabs that people hold.
        spans: What each call runs in, for OpenTelemetry.
        active_calls: The calls in flight.
        closing: Set once the daemon takes no more calls.
    """

    verbs: Mapping[str, Verb]
    task_verbs: Mapping[str, Verb]
    capabilities: Capabilities
    parts: Mapping[type, object]
    chromium: Chromium
    sessions: Sessions
    runner: Runner
    outputs: OutputStore
    journal: Journal
    recorder: Recorder
    recent_actions: RecentActions
    sanitizer: Sanitizer
    file_access: Callable[[Client], FileAccess]
    large_output: Callable[[], LargeOutput]
    policy: Callable[[], Policy]
    egress_policy: EgressPolicy
    approvals: Approvals
    leases: Leases
    gateway: Gateway
    spans: CallSpans
    active_calls: set["ActiveCall"] = field(default_factory=set)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    call_ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait_idle(self) -> None:
        """Wait until no call is in flight; for use after `closing` was set."""
        while self.active_calls:
            self.call_ended.clear()
            await self.call_ended.wait()


@dataclass(frozen=True, slots=True)
class DecodedCall:
    """A decoded call, ready to run.

    Args:
        verb: What is called.
        common: The parameters that many verbs have.
        params: The verb's own.
        written: What they were decoded from, without the values of secrets.
    """

    verb: Verb
    common: CommonParams
    params: Params
    written: Mapping[str, object]


@dataclass(slots=True)
class TabQueue:
    """A call's wait for its turn on a tab.

    Args:
        tab_id: The tab.
        behind: The call that had the tab when the wait began, or timed out.
        since: When it began, by the monotonic clock.
        waited_s: How long it took; None while it continues.
    """

    tab_id: str
    behind: "ActiveCall"
    since: float
    waited_s: float | None = None

    def describe(self) -> str:
        """Return how long the call waited, and for which call, as the end of a sentence."""
        waited = time.monotonic() - self.since if self.waited_s is None else self.waited_s
        return f"{waited:.1f} s for its turn on {self.tab_id}, behind {self.behind.request.verb}"


@dataclass(eq=False, slots=True)
class ActiveCall:
    """A call in flight, as journal and log see it.

    Args:
        request: The request; replaced if another verb answers in its place.
        budget_s: The seconds after which a long verb continues as a task.
        deadline: When it must be answered, by the monotonic clock.
        session: The session on which it works, if it does.
        generation: Chromium's when the call came to the session.
        touched: The elements that it has touched.
        queue: Its wait for its turn on a tab, if it had to wait.
        granted: What a person has allowed it.
        waited_s: How long it has waited for people.
        waited_tab: The tab on which it waited for one, and continues.
    """

    request: CallRequest
    budget_s: float | None = None
    id: str = field(default_factory=lambda: f"c_{token_hex(6)}")
    started: float = field(default_factory=time.monotonic)
    tab_id: str | None = None
    url: str = ""
    deadline: float | None = None
    session: Session | None = None
    generation: int = 0
    touched: TouchedElements = field(default_factory=TouchedElements)
    queue: "TabQueue | None" = None
    granted: set[Grant] = field(default_factory=set[Grant])
    waited_s: float = 0.0
    waited_tab: str | None = None
    _redacted: RedactedParams | None = None

    def redacted_params(self, verb: Verb | None) -> RedactedParams:
        """Return the request's parameters as they may be recorded; redacted once, then cached."""
        if self._redacted is None:
            self._redacted = written_params(verb, self.request.params)
        return self._redacted

    def note_wait(self, began: float) -> None:
        """Add the time since then as a wait for a person; the call continues on the same tab."""
        self.waited_s += time.monotonic() - began
        self.waited_tab = self.tab_id

    def reroute(self, request: CallRequest) -> None:
        """Continue with another verb, which answers in place of the one that was called."""
        self.request, self._redacted = request, None
