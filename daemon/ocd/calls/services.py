"""What calls meet on their way, and a call as journal and log know it."""

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
from ocd.calls.path_params import FileAccess
from ocd.config.tables import LargeOutput
from ocd.gateway.gateway import Gateway
from ocd.ledger.runner import Runner
from ocd.outputs.store import OutputStore
from ocd.recording.recent_actions import RecentActions
from ocd.recording.recorder import Recorder
from ocd.safety.sanitize import Sanitizer
from ocd.storage.journal import Journal
from ocd.verb_api.capabilities import Capabilities
from ocd.verb_api.declaration import Verb


@dataclass(frozen=True, slots=True)
class CallServices:
    """What calls meet on their way; the assembly puts it together.

    kinds: what each kind of the ledger runs. reach: which files a client may name.
    large_output: the guard's settings as they are now.
    """

    verbs: Mapping[str, Verb]
    kinds: Mapping[str, Verb]
    capabilities: Capabilities
    parts: Mapping[type, object]
    chromium: Chromium
    sessions: Sessions
    runner: Runner
    outputs: OutputStore
    journal: Journal
    recorder: Recorder
    trails: RecentActions
    sanitizer: Sanitizer
    reach: Callable[[Client], FileAccess]
    large_output: Callable[[], LargeOutput]
    egress: EgressPolicy
    gateway: Gateway
    calls: set["ActiveCall"] = field(default_factory=set)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    idle: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait_idle(self) -> None:
        """Wait until no call is in flight; for one who has set `closing`."""
        while self.calls:
            self.idle.clear()
            await self.idle.wait()


@dataclass(eq=False, slots=True)
class ActiveCall:
    """One call in flight, as journal and log know it; `deadline` in the clock's seconds.

    session: the one on which it works, if it does; generation: Chromium's when it came there.
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
    met: TouchedElements = field(default_factory=TouchedElements)
