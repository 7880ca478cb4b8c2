"""The one road every call takes: each rule that crosses verbs stands here once, in order."""

import asyncio
import logging
import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec

from ocd.api.errors import OcdError, did_you_mean
from ocd.api.spelling import snake_case
from ocd.api.timestamps import now
from ocd.api.wire import CallRequest, Client
from ocd.call_context import MET
from ocd.calls import replies
from ocd.calls.execution import PreparedCall, notices_restart, perform
from ocd.calls.large_output_guard import guard_reply, guards
from ocd.calls.param_decoding import CommonParams, apply_aliases, decode_call
from ocd.calls.path_params import (
    REACH,
    check_paths,
    companions,
    include_stored_params,
    mask_secret_params,
    names_files,
    read_path_params,
)
from ocd.calls.replies import Reply
from ocd.calls.services import ActiveCall, CallServices
from ocd.ledger.runner import CALLER_SESSION
from ocd.ledger.states import TaskMeta
from ocd.outputs import inline_policy
from ocd.recording.param_redaction import redacted_params, truncate
from ocd.recording.recent_actions import ActionRecord, shorten
from ocd.safety import secrets
from ocd.safety.session_taint import MAY_SEND
from ocd.storage.journal import MAX_JOURNAL_CHARS
from ocd.storage.payload import Payload
from ocd.verb_api.capabilities import UPSTREAM_MARK
from ocd.verb_api.declaration import MAX_TIMEOUT_MS, Output, Params, Verb
from ocd.verb_api.inline_tasks import OnProgress, task_output, without_call_only
from ocd.verb_api.nested_calls import CALLER, LENT

logger = logging.getLogger(__name__)

MAX_CALLS_IN_FLIGHT = 1024
# A verb whose own `timeout_ms` is a wait gets this much more to say what it waited for in vain.
WAIT_GRACE_S = 0.5


async def run_call(
    road: CallServices,
    request: CallRequest,
    on_progress: OnProgress | None = None,
    budget_s: float | None = None,
) -> Reply:
    """Run one call and return its reply; every failure leaves as an OcdError.

    Cancelling the coroutine cancels the call. `on_progress` hears of long verbs' progress. A long
    verb that takes more than `budget_s` seconds goes on as a task, and the reply says so.
    """
    call = ActiveCall(request, budget_s)
    error: OcdError | None = None
    _admit(road)
    road.calls.add(call)
    try:
        reply = await _travel(road, call, on_progress)
        return replies.restarted(reply) if notices_restart(call, failed=False) else reply
    except OcdError as failure:
        road.sanitizer.clean_error(failure)
        error = replies.mask_error(failure)
        if notices_restart(call, failed=True):
            error.details["browser_restarted"] = True
        raise error from None
    except asyncio.CancelledError:
        error = OcdError("cancelled", f"{request.verb} was cancelled by its caller")
        raise
    except Exception as failure:
        logger.exception("call %s (%s) failed", call.id, request.verb)
        error = _internal(call, failure)
        raise error from failure
    finally:
        road.calls.discard(call)
        road.idle.set()
        _journal(road, call, error)


def _admit(road: CallServices) -> None:
    if road.closing.is_set():
        raise OcdError("shutting_down", "The daemon is stopping", hint="Start it again: ocd start")
    if len(road.calls) >= MAX_CALLS_IN_FLIGHT:
        raise OcdError("busy", f"{len(road.calls)} calls are in flight", hint="Try again later.")


async def _travel(road: CallServices, call: ActiveCall, on_progress: OnProgress | None) -> Reply:
    request = call.request
    verb = await _find(road, request.verb)
    if not LENT.get():
        road.capabilities.check(verb)
    reach = road.reach(request.client)
    REACH.set(reach)
    CALLER.set(request.client)
    CALLER_SESSION.set(request.session)
    MAY_SEND.set(partial(road.egress.may_send, request.session))
    MET.set(call.met)
    named = apply_aliases(verb, request.params)
    given = include_stored_params(verb, await read_path_params(road.verbs, verb, named, reach))
    ready = secrets.current().fill(given) if verb.fills_secrets else given
    common, params = decode_call(verb, ready)
    if names_files(verb.params):
        params = await asyncio.to_thread(check_paths, params, reach)
    deadline = _deadline_s(verb, common, params)
    call.deadline = None if deadline is None else call.started + deadline
    call.met.deadline = call.deadline
    limit = asyncio.timeout(deadline)
    try:
        async with limit:
            output = await perform(
                road, call, PreparedCall(verb, common, params, given), on_progress
            )
    except TimeoutError:
        if not limit.expired():
            raise
        raise _too_slow(verb, deadline, request.params) from None
    if output.nested_call is not None:
        name, params_there = output.nested_call
        inner = _with_deadline(params_there, common)
        call.request = msgspec.structs.replace(request, verb=name, params=inner)
        return await _travel(road, call, on_progress)
    return await _reply(road, verb, common, output, call.request)


async def _reply(
    road: CallServices, verb: Verb, common: CommonParams, output: Output, request: CallRequest
) -> Reply:
    output = await replies.clean_output(road.sanitizer, verb, output)
    road.egress.note(request.session, verb, request.params, output)
    if payload := await replies.to_store(verb, common, output):
        return await _store_payload(road, verb, payload, output)
    reply = replies.inline(verb, output, request.params)
    settings = road.large_output()
    if guards(settings, request.client, verb, common):
        reply = await guard_reply(settings, road.outputs, verb, reply)
        if reply.pointer is not None:
            _journal_handle(road, verb, reply.pointer.descriptor)
    if reply.rows is not None:
        # An answer that has begun cannot become an error any more.
        await asyncio.to_thread(reply.prove)
    return reply


async def _find(road: CallServices, name: str) -> Verb:
    if UPSTREAM_MARK in name:
        road.capabilities.check_unknown(name)
        if verb := await road.gateway.verb(name):
            return verb
    return _find_verb(road, name)


def _find_verb(road: CallServices, name: str) -> Verb:
    verb = road.verbs.get(name)
    if verb is None:
        road.capabilities.check_unknown(name)
        otherwise = "List them with expand_tools, or `oc catalog`."
        hint = did_you_mean(name.replace("-", "_"), road.verbs, otherwise)
        raise OcdError("unknown_verb", f"There is no verb '{name}'", hint=hint, verb=name)
    return verb


def check_call(road: CallServices, name: str, params: Mapping[str, Any]) -> None:
    """Raise what a call would before it runs: unknown_verb, CAPABILITY_DISABLED, invalid_argument.

    Empty parameters are not looked at, nor those with values that come later.
    """
    if name in road.gateway.entries:
        road.capabilities.check_entry(name, "upstream")
        return  # what it takes is its server's to judge
    verb = _find_verb(road, name)
    road.capabilities.check(verb)
    named = apply_aliases(verb, params)
    open_ends = companions(verb.params).keys() & {snake_case(key) for key in named}
    if named and not open_ends and "${" not in str(named):
        decode_call(verb, named)


def _deadline_s(verb: Verb, common: CommonParams, params: Params) -> float | None:
    """Return the seconds that the call may take; None for a task, which has no deadline."""
    own = getattr(params, "timeout_ms", None)
    if isinstance(own, int):
        return own / 1000 + WAIT_GRACE_S
    if common.timeout_ms is None and verb.long:
        return None
    return min(common.timeout_ms or verb.timeout_ms, MAX_TIMEOUT_MS) / 1000


def _too_slow(verb: Verb, deadline: float | None, given: Mapping[str, Any]) -> OcdError:
    message = f"{verb.name} took longer than {deadline:g} s"
    hint = "Give it more with timeout_ms."
    if verb.long:
        arguments = {"kind": verb.name, "args": without_call_only(given)}
        step = {"verb": "oc_task_start", "arguments": arguments}
        hint += f" Or start it as a task, which has no deadline: oc task start {verb.name} …"
        return OcdError("timeout", message, hint=hint, next_step=step)
    if verb.scope == "tab":
        hint += " If the page does not answer at all, close the tab: tabs_close"
    return OcdError("timeout", message, hint=hint)


def _with_deadline(params: Mapping[str, Any], common: CommonParams) -> dict[str, Any]:
    """Return the parameters of the verb that runs in another one's place, bounded as that one."""
    given = {"timeout", "timeout_ms", "timeoutMs"} & params.keys()
    outer = {} if given or common.timeout_ms is None else {"timeout_ms": common.timeout_ms}
    return {**params, **outer}


async def task_reply(
    road: CallServices, meta: TaskMeta, params: Mapping[str, Any], client: Client
) -> Reply:
    """Return what the direct call with these parameters would have answered, for an ended task.

    Raises what it would have raised.
    """
    verb = road.kinds[meta.kind]
    common, _ = decode_call(verb, params)
    request = CallRequest(verb.name, dict(params), meta.session, client)
    return await _reply(road, verb, common, await task_output(road.runner, meta), request)


# --- what is written down -------------------------------------------------------------------


async def _store_payload(road: CallServices, verb: Verb, payload: Payload, output: Output) -> Reply:
    descriptor = await road.outputs.put(payload, verb.name)
    _journal_handle(road, verb, descriptor)
    shown = msgspec.to_builtins(inline_policy.fit(descriptor))
    data: Any = output.data
    if isinstance(data, dict) and "sanitized" in data:
        shown["sanitized"] = data["sanitized"]
    return Reply(data=shown, origin=output.origin, is_handle=True)


def _journal_handle(road: CallServices, verb: Verb, descriptor: inline_policy.Descriptor) -> None:
    road.journal.record_event(
        {
            "event": "output_handle_created",
            "handle": descriptor.output_handle,
            "source_tool": verb.name,
            "size_bytes": descriptor.size_bytes,
            "mime_type": descriptor.mime_type,
            "ts": now(),
        }
    )


def _internal(call: ActiveCall, failure: Exception) -> OcdError:
    return OcdError(
        "internal",
        f"Internal error in {call.request.verb} (call {call.id}): {type(failure).__name__}",
        hint=f"Its traceback: ocd logs {call.id}",
        call_id=call.id,
    )


def _journal(road: CallServices, call: ActiveCall, error: OcdError | None) -> None:
    verb, code = road.verbs.get(call.request.verb), error.code if error else None
    given = mask_secret_params(verb, call.request.params)
    if verb is not None:
        trace = ActionRecord(verb, shorten(given), call.met, code, call.tab_id, call.url)
        road.trails.note(call.request.session, trace)
    args = truncate(call.met.kept, MAX_JOURNAL_CHARS)
    if args is None:
        args = redacted_params(given, call.met, code, MAX_JOURNAL_CHARS)
    road.journal.record_call(
        {
            "ts": now(),
            "tool": call.request.verb,
            "session": call.request.session,
            "client": call.request.client.kind,
            "tab_id": call.tab_id,
            "args": args,
            "duration_ms": round((time.monotonic() - call.started) * 1000, 1),
            "ok": error is None,
            "error": code,
            "call_id": call.id,
        }
    )
