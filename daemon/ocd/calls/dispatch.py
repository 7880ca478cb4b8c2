"""run_call: every rule that applies to all verbs, once and in order."""

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec

from ocd import call_context
from ocd.api.errors import OcdError, did_you_mean
from ocd.api.spelling import snake_case
from ocd.api.timestamps import now
from ocd.api.tool_calls import tool_call
from ocd.api.wire import CallRequest, Client, Descriptor
from ocd.call_context import AllowedVerbs, CallContext, MayAct
from ocd.calls import action_policy, egress_policy, replies
from ocd.calls.consent import Consent
from ocd.calls.error_bounds import bound_error
from ocd.calls.execution import keep_within, notices_restart, open_target, run_verb, time_limit
from ocd.calls.large_output_guard import guard_reply, threshold_for
from ocd.calls.param_decoding import CommonParams, apply_aliases, decode_call
from ocd.calls.path_params import (
    check_file_params,
    companions,
    include_stored_params,
    read_path_params,
)
from ocd.calls.replies import Reply
from ocd.calls.services import ActiveCall, CallServices, DecodedCall
from ocd.ledger.states import TaskMeta
from ocd.outputs import inline_policy
from ocd.oversight.approvals import ConsentNeededError
from ocd.oversight.leases import TabHeldError
from ocd.recording.recent_actions import ActionRecord
from ocd.safety import secrets
from ocd.safety.file_access import FileAccess
from ocd.storage.journal import MAX_JOURNAL_CHARS
from ocd.storage.machine_limits import limit_error
from ocd.storage.payload import Payload
from ocd.verb_api.capabilities import UPSTREAM_MARK
from ocd.verb_api.declaration import Output, Params, Verb
from ocd.verb_api.inline_tasks import OnProgress, join_task

logger = logging.getLogger(__name__)

MAX_CALLS_IN_FLIGHT = 1024


async def run_call(
    services: CallServices,
    request: CallRequest,
    on_progress: OnProgress | None = None,
    budget_s: float | None = None,
    caller: CallContext | None = None,
) -> Reply:
    """Run one call and return its reply; every failure leaves as an OcdError.

    Cancelling the coroutine cancels the call.

    Args:
        services: What calls use on their way.
        request: The verb, its parameters, the session and the client.
        on_progress: Hears of the progress of long verbs.
        budget_s: A long verb that takes more seconds continues as a task, and the reply says so.
        caller: What the call starts from: its connection's limits, or the call that makes it.
    """
    call = ActiveCall(request, budget_s)
    error: OcdError | None = None
    _admit(services)
    services.active_calls.add(call)
    try:
        with services.spans.span(request, call.id):
            reply = await _run_with_consent(services, call, caller or CallContext(), on_progress)
        return replies.with_restart_note(reply) if notices_restart(call, failed=False) else reply
    except OcdError as failure:
        services.sanitizer.clean_error(failure)
        error = bound_error(secrets.current().mask_error(failure))
        if notices_restart(call, failed=True):
            error.details["browser_restarted"] = True
        raise error from None
    except asyncio.CancelledError:
        error = OcdError("cancelled", f"{request.verb} was cancelled by its caller")
        raise
    except Exception as failure:  # a bug in one verb costs its call, not the daemon
        logger.exception("call %s (%s) failed", call.id, request.verb)
        error = limit_error(failure) or _internal(call, failure)
        raise error from failure
    finally:
        services.active_calls.discard(call)
        services.call_ended.set()
        _write_down(services, call, error)


def _admit(services: CallServices) -> None:
    if services.closing.is_set():
        raise OcdError("shutting_down", "The daemon is stopping", hint="Start it again: ocd start")
    if len(services.active_calls) >= MAX_CALLS_IN_FLIGHT:
        count = len(services.active_calls)
        raise OcdError("busy", f"{count} calls are in flight", hint="Try again later.")


async def _run_with_consent(
    services: CallServices, call: ActiveCall, caller: CallContext, on_progress: OnProgress | None
) -> Reply:
    """Apply the rules; apply them again once a person has allowed it, or has given a tab back."""
    # A call within one that waits is not the host's to make again.
    host_asks = caller.can_ask and not caller.depth
    consent = Consent(services, call, on_progress, host_asks)
    call.granted |= caller.granted
    while True:
        try:
            return await _apply_rules(services, call, caller, consent, on_progress)
        except ConsentNeededError as needed:
            await consent.obtain(needed)
        except TabHeldError as held:
            await consent.wait_free(held)


async def _apply_rules(
    services: CallServices,
    call: ActiveCall,
    caller: CallContext,
    consent: Consent,
    on_progress: OnProgress | None,
) -> Reply:
    """Apply each rule that crosses verbs, in this order: ARCHITECTURE.md, "One call"."""
    request, client = call.request, call.request.client
    allowed = caller.capabilities or services.capabilities
    files = services.file_access(client)
    verb = await _find(services, allowed, request.verb)
    if not caller.capability_waived:
        allowed.check(verb.name, verb.capability)
    decoded = await _decode(services, verb, request, files)
    common, params = decoded.common, decoded.params
    # What the call carries from here on; its deadline.
    limit = time_limit(verb, common, params).after(call.waited_s)
    call.deadline = limit.deadline(call.started + call.waited_s)
    context = replace(
        caller, verb=verb.name, session=request.session, client=client, files=files,
        capabilities=allowed, touched=call.touched, deadline=call.deadline,
        may_send=services.egress_policy.of_session(
            request.session, can_ask=caller.can_ask, granted=consent.is_granted
        ),
        may_act=_may_act(services, request, consent), obtain_consent=consent.obtain,
        granted=frozenset(call.granted),
    )  # fmt: skip
    token = call_context.enter(context)
    try:
        # Session and tab, in its turn; what may leave; recording; the verb itself.
        async with (
            keep_within(limit, call, verb),
            open_target(services, call, decoded, on_progress) as target,
        ):
            _check_policies(verb, params, target.url)
            output = await run_verb(services, call, verb, target)
    finally:
        call_context.leave(token)
    if output.nested_call is not None:
        call.reroute(_nested_request(request, *output.nested_call, common))
        return await _apply_rules(services, call, caller, consent, on_progress)
    return await _make_reply(services, verb, common, output, call.request)


def _check_policies(verb: Verb, params: Params, url: str) -> None:
    if not verb.long:  # a task is checked when it is prepared, whoever starts it
        action_policy.check(verb, params, url)
        egress_policy.check(verb, params, url)


async def _decode(
    services: CallServices, verb: Verb, request: CallRequest, files: FileAccess
) -> DecodedCall:
    """Decode the parameters: aliases, values from files, secrets, types, and paths they name."""
    named = apply_aliases(verb, request.params)
    with_files = await read_path_params(services.verbs, verb, named, files)
    written = include_stored_params(verb, with_files)
    filled = secrets.current().fill(written) if verb.fills_secrets else written
    common, params = decode_call(verb, filled)
    return DecodedCall(verb, common, await check_file_params(verb, params, files), written)


def _may_act(services: CallServices, request: CallRequest, consent: Consent) -> MayAct | None:
    rules = services.policy().action
    return action_policy.may_act(rules, request.session, consent.is_granted) if rules else None


async def _make_reply(
    services: CallServices, verb: Verb, common: CommonParams, output: Output, request: CallRequest
) -> Reply:
    """Apply the rules for what goes out: sanitise, mask, taint, output mode, guard."""
    output = await replies.clean_output(services.sanitizer, verb, output)
    origins = services.egress_policy.note(request.session, verb, request.params, output)
    if payload := await replies.to_store(verb, common, output):
        return await _store_payload(services, verb, payload, output, origins)
    reply = replies.inline(verb, output, request.params)
    settings = services.large_output()
    threshold = threshold_for(settings, request.client, verb, common)
    if threshold is not None:
        reply = await guard_reply(settings, threshold, services.outputs, verb, reply, origins)
        if reply.pointer is not None:
            _journal_handle(services, verb, reply.pointer.descriptor)
    if reply.rows is not None:
        # An answer that has begun cannot become an error any more.
        await asyncio.to_thread(reply.check_readable)
    return reply


async def _find(services: CallServices, allowed: AllowedVerbs, name: str) -> Verb:
    if UPSTREAM_MARK in name:
        allowed.check_unknown(name)
        if verb := await services.gateway.verb(name):
            return verb
    return _find_own(services, allowed, name)


def _find_own(services: CallServices, allowed: AllowedVerbs, name: str) -> Verb:
    verb = services.verbs.get(name)
    if verb is None:
        allowed.check_unknown(name)
        otherwise = f"Find it: {tool_call('expand_tools', query='WORDS')}"
        hint = did_you_mean(name.replace("-", "_"), services.verbs, otherwise)
        raise OcdError("unknown_verb", f"There is no verb '{name}'", hint=hint, verb=name)
    return verb


def check_call(services: CallServices, name: str, params: Mapping[str, Any]) -> None:
    """Raise what a call would before it runs: unknown_verb, CAPABILITY_DISABLED, invalid_argument.

    Empty parameters are not checked, nor those with values that come later.
    """
    allowed = call_context.current().capabilities or services.capabilities
    if name in services.gateway.entries:
        allowed.check(name, "upstream")
        return  # what it takes is its server's to judge
    verb = _find_own(services, allowed, name)
    allowed.check(verb.name, verb.capability)
    named = apply_aliases(verb, params)
    open_ends = companions(verb.params).keys() & {snake_case(key) for key in named}
    if named and not open_ends and "${" not in str(named):
        decode_call(verb, named)


def _nested_request(
    request: CallRequest, name: str, params: Mapping[str, Any], common: CommonParams
) -> CallRequest:
    """Return the call of a verb that runs in place of another one, with the limits of that one."""
    time_limits = {"timeout", "timeout_ms", "timeoutMs"} & params.keys()
    outer = {} if time_limits or common.timeout_ms is None else {"timeout_ms": common.timeout_ms}
    return msgspec.structs.replace(request, verb=name, params={**params, **outer})


async def task_reply(
    services: CallServices,
    meta: TaskMeta,
    params: Mapping[str, Any],
    client: Client,
    *,
    budget_s: float | None = None,
    on_progress: OnProgress | None = None,
) -> Reply:
    """Return what the direct call with these parameters answers, once the task has ended.

    Raises what it would have raised. budget_s and on_progress as run_call has them.
    """
    verb = services.task_verbs[meta.kind]
    common, _ = decode_call(verb, params)
    request = CallRequest(verb.name, dict(params), meta.session, client)
    output = await join_task(services.runner, meta.task_id, budget_s, on_progress)
    return await _make_reply(services, verb, common, output, request)


# --- what is written down -------------------------------------------------------------------


async def _store_payload(
    services: CallServices, verb: Verb, payload: Payload, output: Output, origins: tuple[str, ...]
) -> Reply:
    # A descriptor has its seven keys and no other: callers compare them.
    descriptor = await services.outputs.put(payload, verb.name, origins=origins)
    _journal_handle(services, verb, descriptor)
    descriptor_data = msgspec.to_builtins(inline_policy.fit(descriptor))
    return Reply(data=descriptor_data, origin=output.origin, is_handle=True)


def _journal_handle(services: CallServices, verb: Verb, descriptor: Descriptor) -> None:
    services.journal.record_event(
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


def _write_down(services: CallServices, call: ActiveCall, error: OcdError | None) -> None:
    """Record the call in the journal and in the session's recent actions."""
    request, code = call.request, error.code if error else None
    verb = services.verbs.get(request.verb)
    params = call.redacted_params(verb)
    if verb is not None:
        action = ActionRecord(verb, params, call.touched, code, call.tab_id, call.url)
        services.recent_actions.note(request.session, action)
    services.journal.record_call(
        {
            "ts": now(),
            "tool": request.verb,
            "session": request.session,
            "client": request.client.kind,
            "tab_id": call.tab_id,
            "args": params.written(call.touched.password_fields, code, MAX_JOURNAL_CHARS),
            "duration_ms": round((time.monotonic() - call.started) * 1000, 1),
            "ok": error is None,
            "error": code,
            "call_id": call.id,
        }
    )
