"""When replies are guarded: by caller, settings, and the call's own mode."""

import pytest

from ocd.api.wire import Client
from ocd.calls.large_output_guard import MAX_INLINE, threshold_for
from ocd.calls.param_decoding import CommonParams
from ocd.config.tables import LargeOutput
from ocd.verb_api.declaration import Output, Params, daemon_verb


class Nothing(Params):
    """Take nothing"""


@daemon_verb("nothing", Nothing, needs=object, capability="core", tier=1)
async def nothing(_part: object, _params: Nothing) -> Output:
    return Output()


@daemon_verb("oc_output_fetch", Nothing, needs=object, capability="core", tier=1)
async def bounded(_part: object, _params: Nothing) -> Output:
    return Output()


@pytest.mark.parametrize(
    ("client", "enabled", "threshold"),
    [
        (Client("oc"), None, None),
        (Client("mcp"), None, 500),
        (Client("mcp-http"), None, 500),
        (Client("oc"), True, 500),
        (Client("mcp"), False, MAX_INLINE),
        (Client("oc", guard=True), False, 500),
        (Client("mcp", guard=False), True, MAX_INLINE),
        (Client("oc", guard=False), True, None),
    ],
)
def test_a_callers_choice_overrides_the_settings(
    client: Client, enabled: bool | None, threshold: int | None
) -> None:
    """Without either, agent hosts are guarded; they never get more than MAX_INLINE."""
    settings = LargeOutput(enabled=enabled, threshold=500)
    assert threshold_for(settings, client, nothing, CommonParams()) == threshold


def test_a_requested_output_mode_is_not_guarded() -> None:
    settings, inline = LargeOutput(threshold=500), CommonParams(output_mode="inline")
    assert threshold_for(settings, Client("mcp"), nothing, inline) == MAX_INLINE


def test_verbs_that_bound_their_replies_are_not_guarded() -> None:
    settings = LargeOutput(threshold=500)
    assert threshold_for(settings, Client("mcp"), bounded, CommonParams()) is None
