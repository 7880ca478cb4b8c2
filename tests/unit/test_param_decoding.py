"""Parameter decoding: both spellings, unknown names, types, and the common parameters."""

from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.calls.param_decoding import decode_args, decode_call
from ocd.verb_api.declaration import Output, Params, Verb, daemon_verb, tab_verb


class InterceptRule(msgspec.Struct):
    url_pattern: str
    on_match: Literal["add_header", "block"] = "block"


class Everything(Params):
    """Take all kinds of parameters"""

    target_url: Annotated[str, Meta(description="Where")]
    max_pages: Annotated[int, Meta(ge=1, le=10, description="How many")] = 5
    kind: Annotated[Literal["add_rule", "list"], Meta(description="What")] = "list"
    rules: Annotated[list[InterceptRule] | None, Meta(description="Rules")] = None
    headers: Annotated[dict[str, str] | None, Meta(description="Free keys")] = None


@tab_verb("everything", Everything, capability="core", tier=1, large=True)
async def everything(_tab: object, _params: Everything) -> Output:
    return Output()


class Waits(Params):
    """Wait"""

    timeout_ms: Annotated[int, Meta(ge=1, description="The wait")] = 7


@daemon_verb("waits", Waits, needs=object, capability="core", tier=1)
async def waits(_part: object, _params: Waits) -> Output:
    return Output()


def refused(verb: Verb, **raw: object) -> OcdError:
    with pytest.raises(OcdError) as caught:
        decode_call(verb, raw)
    assert caught.value.code == "invalid_argument"
    return caught.value


def test_camel_case_is_accepted_at_any_depth_but_not_in_free_objects() -> None:
    """Callers of other versions write camelCase; keys of a free object are the caller's own."""
    _, params = decode_call(
        everything,
        {
            "targetUrl": "u",
            "maxPages": 3,
            "kind": "addRule",
            "rules": [{"urlPattern": "p", "onMatch": "addHeader"}],
            "headers": {"xCustomHeader": "1"},
        },
    )
    assert isinstance(params, Everything)
    assert (params.target_url, params.max_pages, params.kind) == ("u", 3, "add_rule")
    assert params.rules == [InterceptRule("p", "add_header")]
    assert params.headers == {"xCustomHeader": "1"}


def test_common_parameters_are_taken_apart_from_the_verbs_own() -> None:
    """Tab, deadline and output mode belong to the call, not to the verb."""
    common, params = decode_call(
        everything, {"target_url": "u", "tabId": "t2", "timeout": 50, "outputMode": "handle"}
    )
    assert (common.tab_id, common.timeout_ms, common.output_mode) == ("t2", 50, "handle")
    assert isinstance(params, Everything)


def test_a_verbs_own_timeout_ms_also_answers_to_timeout() -> None:
    """Where the verb declares timeout_ms, `timeout` means that."""
    common, params = decode_call(waits, {"timeout": 99})
    assert common.timeout_ms is None
    assert isinstance(params, Waits)
    assert params.timeout_ms == 99


def test_an_unknown_parameter_is_named_with_the_nearest_right_one() -> None:
    """A typo costs one call, not a search."""
    error = refused(everything, target_url="u", max_page=1)
    assert "'max_page'" in error.message
    assert "max_pages" in error.hint


def test_a_missing_parameter_is_named() -> None:
    """The message says which parameter is missing."""
    error = refused(everything)
    assert "target_url" in error.message
    assert error.details["parameter"] == "target_url"


@pytest.mark.parametrize(
    ("raw", "parameter"),
    [
        ({"target_url": 5}, "target_url"),
        ({"target_url": "u", "max_pages": 11}, "max_pages"),
        ({"target_url": "u", "max_pages": "3"}, "max_pages"),
        ({"target_url": "u", "rules": [{"url_pattern": 1}]}, "rules[0].url_pattern"),
        ({"target_url": "u", "timeout_ms": 0}, "timeout_ms"),
        ({"target_url": "u", "timeout_ms": 600_001}, "timeout_ms"),
        ({"target_url": None}, "target_url"),
    ],
)
def test_an_invalid_value_is_named_by_its_path(raw: dict[str, object], parameter: str) -> None:
    """Wrong types and values out of range name the parameter, however deep it is."""
    assert refused(everything, **raw).details["parameter"] == parameter


def test_an_invalid_choice_lists_the_valid_ones() -> None:
    """An enumeration's error lists its values."""
    error = refused(everything, target_url="u", kind="remove")
    assert "add_rule, list" in error.hint


def test_the_same_parameter_in_two_spellings_is_refused() -> None:
    """Nobody can know which of the two was meant."""
    assert "twice" in refused(everything, target_url="a", targetUrl="b").message


def test_a_task_takes_no_output_mode_and_no_deadline() -> None:
    """Options that only a call has are refused, because a task would ignore them."""
    with pytest.raises(OcdError):
        decode_args(everything, {"target_url": "u", "output_mode": "handle"})
    with pytest.raises(OcdError):
        decode_args(everything, {"target_url": "u", "timeout_ms": 5})
