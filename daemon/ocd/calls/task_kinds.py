"""The kinds of tasks: long verbs, and kinds that are not verbs."""

from collections.abc import Mapping
from typing import Any

import msgspec

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.calls import action_policy, egress_policy
from ocd.calls.error_bounds import bound_error
from ocd.calls.param_decoding import decode_args
from ocd.calls.path_params import check_paths, secret_params
from ocd.calls.replies import clean_output
from ocd.ledger.resumption import Arguments
from ocd.ledger.runner import TaskKind
from ocd.ledger.states import TaskMeta
from ocd.ledger.task_handle import TaskHandle
from ocd.safety import secrets
from ocd.safety.sanitize import Sanitizer
from ocd.storage.payload import Payload, Rows
from ocd.verb_api.declaration import Output, Params, Verb


def task_kinds(
    kinds: Mapping[str, Verb], parts: Mapping[type, object], sanitizer: Sanitizer
) -> dict[str, TaskKind]:
    """Return the ledger's task kinds; a task runs the function of the verb's declaration."""
    return {verb.name: _kind(verb, parts, sanitizer) for verb in kinds.values()}


def _kind(verb: Verb, parts: Mapping[type, object], sanitizer: Sanitizer) -> TaskKind:
    async def run(work: TaskHandle, params: Params) -> Payload:
        assert verb.needs is not None
        try:
            output: Output = await verb.run(parts[verb.needs], work, params)
        except OcdError as error:
            raise bound_error(secrets.current().mask_error(error)) from None
        return (await clean_output(sanitizer, verb, output)).payload(verb.items)

    def recover(meta: TaskMeta, lines: Rows) -> Payload:
        assert verb.recover is not None
        summary = verb.recover(msgspec.to_builtins(meta), lines)
        return Output(data=dict(summary), rows=lines).payload(verb.items)

    def prepare(args: Mapping[str, Any]) -> Params:
        params = check_paths(decode_args(verb, args), call_context.current().files)
        action_policy.check(verb, params)
        egress_policy.check(verb, params)
        return params

    def arguments(params: Params) -> Arguments:
        args = msgspec.json.decode(msgspec.json.encode(params), type=dict[str, Any])
        return Arguments.of(args, secret_params(verb.params))

    return TaskKind(
        name=verb.name,
        prepare=prepare,
        run=run,
        recover=recover if verb.recover else None,
        reports_begin=verb.reports_begin,
        resumption=verb.resumption,
        arguments=arguments if verb.resumption else None,
        webhook=lambda params: str(getattr(params, "webhook", "")),
    )
