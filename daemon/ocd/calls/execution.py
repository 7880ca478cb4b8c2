"""Running a verb with what it needs: a part of the daemon, a task, a session or a tab."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from ocd.api.spelling import snake_case
from ocd.browser.sessions.session import Session
from ocd.browser.tabs.tab import Tab
from ocd.calls import egress_policy
from ocd.calls.param_decoding import CommonParams
from ocd.calls.path_params import mask_secret_params
from ocd.calls.services import ActiveCall, CallServices
from ocd.recording.active_recording import Action, Run
from ocd.verb_api.declaration import Output, Params, Verb
from ocd.verb_api.inline_tasks import OnProgress, run_long


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A call that may run: its verb, what was decoded, and `given`, from which it was."""

    verb: Verb
    common: CommonParams
    params: Params
    given: Mapping[str, Any]


async def perform(
    road: CallServices, call: ActiveCall, ready: PreparedCall, on_progress: OnProgress | None
) -> Output:
    """Run the verb with what its scope gives it: a part, a task, a session or a tab."""
    verb, params = ready.verb, ready.params
    if verb.scope not in ("tab", "task"):  # a tab is asked where it stands, a task as it is started
        egress_policy.check(verb, params)
    match verb.scope:
        case "daemon":
            return await verb.run(_part(road, verb), params)
        case "upstream":
            return await verb.run(params, on_progress)
        case "task":
            request = msgspec.structs.replace(call.request, params=dict(ready.given))
            task = partial(run_long, road.runner, request, call.budget_s, on_progress)
            return await _run_recorded(road, call, verb, None, task)
        case "session":
            session = _session(road, call)
            with road.chromium.hold():
                work = partial(verb.run, session, params)
                output = await _run_recorded(road, call, verb, None, work)
            if isinstance(output.data, dict):
                call.tab_id = output.data.get("tab_id")  # one that was opened
            return output
        case "tab":
            with road.chromium.hold():
                return await _run_on_tab(road, call, verb, params, ready.common.tab_id)


def _part(road: CallServices, verb: Verb) -> object:
    assert verb.needs is not None
    return road.parts[verb.needs]


async def _run_on_tab(
    road: CallServices, call: ActiveCall, verb: Verb, params: Params, tab_id: str | None
) -> Output:
    session = _session(road, call)
    tab = await _tab_for(session, verb, tab_id)
    call.tab_id, call.url = tab.id, tab.url
    call.met.whole = True
    # Calls on one tab run in the order in which they came.
    async with tab.lock:
        if tab.opened_dialog is not None and not verb.leaves_dialog:
            raise tab.opened_dialog.error()
        egress_policy.check(verb, params, tab.url)
        tab.request_log.last_call_at = time.time()
        work = partial(verb.run, tab, params)
        return await _run_recorded(road, call, verb, tab, work)


async def _run_recorded(
    road: CallServices, call: ActiveCall, verb: Verb, tab: Tab | None, work: Run
) -> Output:
    """Do the work, and have it written down if the session is being recorded."""
    recording = road.recorder.of(call.request.session)
    if recording is None or not verb.is_action:
        return await work()
    params = {
        snake_case(key): value
        for key, value in mask_secret_params(verb, call.request.params).items()
    }
    action = Action(
        verb=verb, params=params, met=call.met, tab=tab, session=call.request.session,
        deadline=call.deadline,
    )  # fmt: skip
    return await recording.record(action, work)


async def _tab_for(session: Session, verb: Verb, tab_id: str | None) -> Tab:
    if verb.opens_tab and tab_id is None and not session.tabs:
        return await session.new_tab()
    return session.tab(tab_id)


def _session(road: CallServices, call: ActiveCall) -> Session:
    session = call.session = road.sessions.get(call.request.session)
    call.generation = road.chromium.current_generation
    return session


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
