"""Running a verb on its target: a part of the daemon, a task, a session or a tab in its turn."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

import msgspec

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.browser.sessions.session import Session
from ocd.browser.tabs.tab import Tab
from ocd.calls.param_decoding import CommonParams
from ocd.calls.services import ActiveCall, CallServices, DecodedCall, TabQueue
from ocd.oversight.leases import check_free
from ocd.recording.active_recording import Action, RunVerb
from ocd.verb_api.declaration import MAX_TIMEOUT_MS, Output, Params, Verb
from ocd.verb_api.inline_tasks import OnProgress, run_long, without_call_only

# A verb whose own `timeout_ms` is a wait gets this much more to report what did not happen.
WAIT_GRACE_S = 0.5
# What a call may still take once a person has allowed it at the last moment; clients wait for it.
AFTER_CONSENT_S = 10.0


@dataclass(frozen=True, slots=True)
class CallTarget:
    """What a verb runs on: `run` runs it there; `tab` is set if it is a tab."""

    run: RunVerb
    tab: Tab | None = None

    @property
    def url(self) -> str:
        """The URL of the tab; an empty string if it is not a tab."""
        return self.tab.url if self.tab is not None else ""


@asynccontextmanager
async def open_target(
    services: CallServices, call: ActiveCall, decoded: DecodedCall, on_progress: OnProgress | None
) -> AsyncIterator[CallTarget]:
    """Hold what the verb's scope gives it; calls on one tab run in the order in which they came.

    Raises human_in_control for what acts on a tab that a person holds, dialog_open for a tab with
    an open dialog, and what finding the tab raises.
    """
    verb, params = decoded.verb, decoded.params
    match verb.scope:
        case "daemon":
            yield CallTarget(partial(verb.run, _needed_part(services, verb), params))
        case "upstream":
            yield CallTarget(partial(verb.run, params, on_progress))
        case "task":
            request = msgspec.structs.replace(call.request, params=dict(decoded.written))
            yield CallTarget(
                partial(run_long, services.runner, request, call.budget_s, on_progress)
            )
        case "session":
            session = _session(services, call)
            with services.chromium.hold():
                yield CallTarget(partial(verb.run, session, params))
        case "tab":
            with services.chromium.hold():
                tab = await _tab(services, call, verb, decoded.common.tab_id or call.waited_tab)
                async with _turn(call, verb, tab):
                    yield CallTarget(partial(verb.run, tab, params), tab)


@dataclass(slots=True)
class _TabUse:
    """The call that has a tab now, and the calls that wait for it."""

    call: ActiveCall
    waiting: list[ActiveCall] = field(default_factory=list)

    def pass_to(self, call: ActiveCall) -> None:
        """Let the next call have the tab."""
        self.call = call
        for other in self.waiting:
            if other.queue is not None:
                other.queue.behind = call


@asynccontextmanager
async def _turn(call: ActiveCall, verb: Verb, tab: Tab) -> AsyncIterator[None]:
    """Hold the tab in the call's turn; a verb that only waits gives it back at once."""
    use = tab.state(_TabUse) or tab.set_state(_TabUse(call))
    async with AsyncExitStack() as turn:
        if tab.lock.locked():
            call.queue = TabQueue(tab.id, use.call, time.monotonic())
            use.waiting.append(call)
        try:
            await turn.enter_async_context(tab.lock)
        finally:
            if call.queue is not None:
                use.waiting.remove(call)
        use.pass_to(call)
        if call.queue is not None:
            call.queue.waited_s = time.monotonic() - call.queue.since
        if verb.acts and not verb.only_watches:
            check_free(tab)
        if tab.opened_dialog is not None and not verb.leaves_dialog:
            raise tab.opened_dialog.error()
        if verb.shares_tab:
            await turn.aclose()
        yield


async def run_verb(
    services: CallServices, call: ActiveCall, verb: Verb, target: CallTarget
) -> Output:
    """Run the verb on its target; record it if the session is being recorded."""
    if target.tab is not None:
        target.tab.request_log.last_call_at = time.time()
    recording = services.recorder.of(call.request.session)
    if recording is None or not verb.is_action:
        output = await target.run()
    else:
        action = Action(
            verb=verb, params=call.redacted_params(verb), touched=call.touched, tab=target.tab,
            session=call.request.session, deadline=call.deadline,
        )  # fmt: skip
        output = await recording.record(action, target.run)
    if verb.scope == "session" and isinstance(output.data, dict):
        call.tab_id = output.data.get("tab_id")  # one that was opened
    return output


def _needed_part(services: CallServices, verb: Verb) -> object:
    assert verb.needs is not None
    return services.parts[verb.needs]


def _session(services: CallServices, call: ActiveCall) -> Session:
    session = call.session = services.sessions.get(call.request.session)
    call.generation = services.chromium.current_generation
    return session


async def _tab(services: CallServices, call: ActiveCall, verb: Verb, tab_id: str | None) -> Tab:
    session = _session(services, call)
    opens = verb.opens_tab and tab_id is None and not session.tabs
    tab = await session.new_tab() if opens else session.tab(tab_id)
    call.tab_id, call.url = tab.id, tab.url
    call.touched.with_identity = True
    return tab


# --- how long -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """The seconds that a call requested and may take; None: a task, which has no limit."""

    requested_s: float | None
    allowed_s: float | None

    def after(self, waited_s: float) -> "TimeLimit":
        """Return the limit that remains after waiting for a person, never nothing."""
        if not waited_s or self.allowed_s is None:
            return self
        left = max(self.allowed_s - waited_s, min(self.allowed_s, AFTER_CONSENT_S))
        return TimeLimit(self.requested_s, left)

    def deadline(self, started: float) -> float | None:
        """Return by when a call that started then must be answered; None without a limit."""
        return None if self.allowed_s is None else started + self.allowed_s


def time_limit(verb: Verb, common: CommonParams, params: Params) -> TimeLimit:
    """Return how long the call may take."""
    own = getattr(params, "timeout_ms", None)
    if isinstance(own, int):
        return TimeLimit(own / 1000, own / 1000 + WAIT_GRACE_S)
    if common.timeout_ms is None and verb.long:
        return TimeLimit(None, None)
    seconds = min(common.timeout_ms or verb.timeout_ms, MAX_TIMEOUT_MS) / 1000
    return TimeLimit(seconds, seconds)


@asynccontextmanager
async def keep_within(limit: TimeLimit, call: ActiveCall, verb: Verb) -> AsyncIterator[None]:
    """End a block that takes longer than allowed; raises timeout."""
    timeout = asyncio.timeout(limit.allowed_s)
    try:
        async with timeout:
            yield
    except TimeoutError:
        if not timeout.expired():
            raise
        raise _timeout_error(call, verb, limit.requested_s) from None


def _timeout_error(call: ActiveCall, verb: Verb, seconds: float | None) -> OcdError:
    message = f"{verb.name} took longer than {seconds:g} s"
    hint = "Give it more with timeout_ms."
    if call.queue is not None:
        return _queue_timeout_error(call, call.queue, message)
    if verb.long:
        arguments = {"kind": verb.name, "args": without_call_only(call.request.params)}
        step = {"verb": "oc_task_start", "arguments": arguments}
        hint += " Or start it as a task, which has no deadline: " + tool_call(
            "oc_task_start", kind=verb.name
        )
        return OcdError("timeout", message, hint=hint, next_step=step)
    if verb.scope == "tab":
        close = tool_call("tabs_close", tab_id=call.tab_id or "t1")
        hint += f" If the page does not respond at all, close the tab: {close}"
    return OcdError("timeout", message, hint=hint)


def _queue_timeout_error(call: ActiveCall, queue: TabQueue, message: str) -> OcdError:
    """Return the error of a call that spent all or part of its time in its tab's queue."""
    behind = {"verb": queue.behind.request.verb, "call_id": queue.behind.id}
    waited = f": it waited {queue.describe()}"
    return OcdError(
        "timeout", message + waited,
        hint="Calls on one tab run one after another. Wait until that one has ended, give this one "
        "more time with timeout_ms, or use another tab.", tab_id=queue.tab_id, waited_for=behind,
    )  # fmt: skip


def notices_restart(call: ActiveCall, *, failed: bool) -> bool:
    """Whether the answer must say that Chromium was started again since the session's last call.

    It is said once, but a call that was under way when Chromium ended does not count: its error may
    be taken for the only thing that went wrong.
    """
    session = call.session
    if session is None or not session.browser_restarted:
        return False
    if not failed or call.generation > session.seen_generation:
        session.seen_generation = session.sessions.chromium.current_generation
    return True
