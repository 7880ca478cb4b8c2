"""The call context: set by run_call alone, derived for nested calls, gone after the call."""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import ocd
from ocd import call_context
from ocd.api.errors import OcdError
from ocd.api.wire import CallRequest, Client
from ocd.call_context import CallContext, TouchedElement, TouchedElements
from ocd.calls.dispatch import run_call
from ocd.calls.egress_policy import EgressPolicy
from ocd.calls.services import CallServices
from ocd.config.tables import LargeOutput, Policy
from ocd.recording.recent_actions import RecentActions
from ocd.safety.file_access import FileAccess
from ocd.safety.sanitize import Sanitizer
from ocd.telemetry.call_spans import CallSpans
from ocd.verb_api.capabilities import Capabilities
from ocd.verb_api.declaration import Output, Params, Verb, daemon_verb
from ocd.verb_api.nested_calls import MAX_DEPTH, NestedCalls

Body = Callable[[NestedCalls], Any]
ELSEWHERE = "https://elsewhere.example"


class _NoParams(Params):
    """Nothing"""


def _verb(name: str, body: Body, capability: Any = "core") -> Verb:  # noqa: ANN401 - a literal
    @daemon_verb(name, _NoParams, needs=NestedCalls, capability=capability, tier=1)
    async def run(calls: NestedCalls, _params: _NoParams) -> Output:
        return Output(data={"result": await body(calls)})

    return run


class _Journal(list[Mapping[str, Any]]):
    record_call = record_event = list.append


class _House:
    """A road with verbs of the test's own, and what was journalled."""

    def __init__(self, *verbs: Verb, disabled: tuple[str, ...] = ()) -> None:
        self.journal = _Journal()
        by_name = {verb.name: verb for verb in verbs}
        self.services: Any
        self.nested = NestedCalls(
            lambda request, caller: run_call(self.services, request, caller=caller)
        )
        services: Any = SimpleNamespace(
            verbs=by_name, capabilities=Capabilities(by_name, (), disabled),
            parts={NestedCalls: self.nested}, journal=self.journal,
            recent_actions=RecentActions(), sanitizer=Sanitizer(enabled=True),
            recorder=SimpleNamespace(of=lambda _session: None),
            file_access=lambda client: FileAccess(cwd=client.cwd),
            policy=Policy, egress_policy=EgressPolicy(lambda: "deny", self.journal.append),
            large_output=LargeOutput, active_calls=set(), spans=CallSpans(None, ""),
            closing=asyncio.Event(), call_ended=asyncio.Event(),
        )  # fmt: skip
        self.services = cast(CallServices, services)

    async def call(self, verb: str, session: str = "outer", **caller: Any) -> Any:  # noqa: ANN401
        request = CallRequest(verb, {}, session, Client("test", cwd=f"/{session}"))
        reply = await run_call(self.services, request, caller=CallContext(**caller))
        return reply.data["result"]


async def _look(_calls: NestedCalls) -> CallContext:
    return call_context.current()


async def _send(_calls: NestedCalls) -> str:
    try:
        call_context.current().may_send("form", ELSEWHERE)
    except OcdError as error:
        return error.code
    return "sent"


async def test_a_verb_is_judged_by_its_own_session_after_a_nested_call() -> None:
    """A clean session and one that has read another site's page are not mixed up."""

    async def outer(calls: NestedCalls) -> list[str]:
        before = await _send(calls)
        inner = await calls.run("send", {}, session="inner")
        return [before, inner.data["result"], await _send(calls)]

    house = _House(_verb("outer", outer), _verb("send", _send))
    house.services.egress_policy.taints.of("outer").read("https://read.example")
    assert await house.call("outer") == ["exfiltration_denied", "sent", "exfiltration_denied"]
    house.services.egress_policy.taints.of("inner").read("https://read.example")
    assert await house.call("outer", session="clean") == ["sent", "exfiltration_denied", "sent"]


async def test_the_context_is_restored_after_a_nested_call() -> None:
    """Also after a nested call that failed; after the outer call, nothing is left."""

    async def fail(_calls: NestedCalls) -> None:
        raise OcdError("timeout", "It took too long")

    async def outer(calls: NestedCalls) -> tuple[CallContext, CallContext, CallContext]:
        before = call_context.current()
        inner = await calls.run("look", {}, session="inner")
        with pytest.raises(OcdError, match="too long"):
            await calls.run("fail", {}, session="inner", lent=True)
        return before, inner.data["result"], call_context.current()

    house = _House(_verb("outer", outer), _verb("look", _look), _verb("fail", fail))
    before, inner, after = await house.call("outer", can_ask=True)
    assert after is before
    assert (before.verb, before.session, before.depth) == ("outer", "outer", 0)
    assert (inner.verb, inner.session, inner.depth) == ("look", "inner", 1)
    assert inner.touched is not before.touched
    assert before.can_ask
    assert inner.can_ask
    assert (before.client.guard, inner.client.guard) == (None, False)
    assert before.files == inner.files == FileAccess(cwd="/outer")
    assert call_context.current().verb == ""
    assert [entry["tool"] for entry in house.journal] == ["look", "fail", "outer"]


async def test_tasks_that_a_call_starts_keep_its_context() -> None:
    """They continue after the call, in its session, whatever calls run meanwhile."""
    group = asyncio.TaskGroup()

    async def begin(_calls: NestedCalls) -> asyncio.Task[str]:
        async def later() -> str:
            await asyncio.sleep(0)
            return call_context.current().session

        return group.create_task(later())

    house = _House(_verb("begin", begin), _verb("look", _look))
    async with group:
        task = await house.call("begin", session="mine")
        await house.call("look", session="other")
    assert task.result() == "mine"


async def test_a_waived_capability_covers_only_the_call_itself() -> None:
    """A verb that another one chose runs without its capability; what it calls does not."""

    async def outer(calls: NestedCalls) -> Any:  # noqa: ANN401 - JSON
        with pytest.raises(OcdError) as refused:
            await calls.run("middle", {})
        assert refused.value.code == "CAPABILITY_DISABLED"
        return (await calls.run("middle", {}, lent=True)).data["result"]

    async def middle(calls: NestedCalls) -> str:
        with pytest.raises(OcdError) as refused:
            await calls.run("inner", {})
        return refused.value.code

    verbs = _verb("outer", outer), _verb("middle", middle, "pilot"), _verb("inner", _look, "pilot")
    assert await _House(*verbs, disabled=("pilot",)).call("outer") == "CAPABILITY_DISABLED"


async def test_restrictions_of_a_connection_apply_at_any_depth() -> None:
    async def outer(calls: NestedCalls) -> str:
        with pytest.raises(OcdError) as refused:
            await calls.run("inner", {})
        return refused.value.code

    house = _House(_verb("outer", outer), _verb("inner", _look, "pilot"))
    narrower = house.services.capabilities.narrow((), ("pilot",))
    assert await house.call("outer", capabilities=narrower) == "CAPABILITY_DISABLED"


async def test_endless_nesting_is_stopped() -> None:
    async def call_again(calls: NestedCalls) -> int:
        depth = call_context.current().depth
        if depth < MAX_DEPTH:
            return int((await calls.run("again", {})).data["result"])
        with pytest.raises(OcdError, match="limited to 4 levels"):
            await calls.run("again", {})
        return depth

    assert await _House(_verb("again", call_again)).call("again") == MAX_DEPTH


def test_a_call_context_is_frozen() -> None:
    context = CallContext()
    with pytest.raises(FrozenInstanceError):
        context.session = "other"  # type: ignore[misc]
    assert replace(context, session="other").session == "other"


def test_only_fields_that_hold_a_secret_are_password_fields() -> None:
    """And those about which nothing is known, because no element was found."""
    touched = TouchedElements()
    touched.elements.append(TouchedElement("#login", {"ref": "e1", "secret": True}))
    touched.elements.append(TouchedElement("#name", {"ref": "e2", "secret": False}))
    assert touched.is_password_field({"#login"})
    assert not touched.is_password_field({"#name"})
    assert touched.is_password_field({"#unknown"})


def test_without_password_fields_values_are_shown() -> None:
    assert TouchedElements().password_fields is None
    assert not TouchedElements().is_password_field({"e1"})


def test_there_is_one_context_variable_and_run_call_sets_it() -> None:
    """In the whole daemon and the bridge."""
    daemon = Path(ocd.__file__).parent
    sources = {
        path.relative_to(daemon.parent.parent).as_posix(): path.read_text("utf-8")
        for root in (daemon, daemon.parent.parent / "mcp_bridge")
        for path in root.rglob("*.py")
    }
    declared = [path for path, text in sources.items() if re.search(r"ContextVar\(", text)]
    assert declared == ["daemon/ocd/call_context.py"]
    entered = [path for path, text in sources.items() if "call_context.enter(" in text]
    assert entered == ["daemon/ocd/calls/dispatch.py"]
