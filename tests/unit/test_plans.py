"""Plans as callers write them: spellings, substitution, and success criteria."""

from typing import Any

import pytest

from ocd.api.errors import OcdError
from ocd.workflows.plan_schema import (
    SuccessCriteria,
    check_params,
    get_at_path,
    plan_of,
    substitute,
    unmet_criteria,
)


def test_every_spelling_is_accepted() -> None:
    """camelCase and snake_case, verb and tool, args and params, booleans for retries."""
    plan = plan_of(
        {
            "id": "x", "version": 3, "left_out": [],
            "steps": [
                {"verb": "navigate", "params": {"url": "u"}, "timeout": 5, "retryOnFail": True,
                 "parseResult": {"format": "json", "extractField": "a", "storeAs": "b"}},
                {"tool": "find", "arguments": {"query": "q"}, "onError": "continue"},
            ],
            "errorHandlers": [{"condition": "step1_error", "steps": [{"tool": "page_reload"}]}],
            "successCriteria": {"minDataItems": 1, "requiredFields": ["b"], "customCheck": None},
        }
    )  # fmt: skip
    first, second = plan.steps
    assert (first.tool, first.args, first.timeout_ms, first.retries) == (
        "navigate", {"url": "u"}, 5, 1,
    )  # fmt: skip
    assert first.parse_result is not None
    assert (first.parse_result.extract_field, first.parse_result.store_as) == ("a", "b")
    assert (second.order, second.args, second.on_error) == (2, {"query": "q"}, "continue")
    assert plan.success_criteria == SuccessCriteria(1, ("b",))
    assert len(plan_of([{"tool": "find"}]).steps) == 1


@pytest.mark.parametrize(
    "raw",
    [
        3, {}, {"steps": [3]}, {"steps": [{"args": {}}]}, {"steps": [{"tool": "a"}], "stepz": 1},
        {"steps": [{"tool": "a", "retries": -1}]},
        {"steps": [{"tool": "a"}], "error_handlers": [1]},
        {"steps": [{"tool": "a"}] * 501},
    ],
)  # fmt: skip
def test_invalid_plans_are_refused(raw: object) -> None:
    with pytest.raises(OcdError) as caught:
        plan_of(raw)
    assert caught.value.code == "invalid_argument"
    assert caught.value.details["parameter"] == "plan"


KNOWN: dict[str, Any] = {"n": 3, "t": "x", "o": {"list": [{"k": "v"}]}, "again": "${t}"}


@pytest.mark.parametrize(
    ("value", "after"),
    [
        ("${n}", 3),
        ("a ${n} ${t}", "a 3 x"),
        ({"a": ["${o.list.0.k}"]}, {"a": ["v"]}),
        ("${o}", {"list": [{"k": "v"}]}),
        ("= ${o.list}", '= [{"k":"v"}]'),
        ("${again}", "${t}"),
        ("${SECRET:NAME} ${undeclared} ${1 + 1}", "${SECRET:NAME} ${undeclared} ${1 + 1}"),
    ],
)
def test_values_are_substituted_once(value: object, after: object) -> None:
    assert substitute(value, KNOWN, set(KNOWN)) == after


def test_declared_name_without_a_value_is_an_error() -> None:
    with pytest.raises(OcdError, match="has no value"):
        substitute("${later}", KNOWN, {"later"})


def test_values_stored_by_a_step_need_not_be_given() -> None:
    """A parameter that an earlier step stores is not missing."""
    step = {"tool": "find", "args": {"query": "${q}"}}
    stored = {"tool": "find", "parse_result": {"store_as": "q"}}
    check_params(plan_of({"parameters": {"q": {}}, "steps": [stored, step]}), {})
    with pytest.raises(OcdError, match="needs q"):
        check_params(plan_of({"parameters": {"q": {}}, "steps": [step]}), {})


@pytest.mark.parametrize(
    ("criteria", "missing"),
    [
        (SuccessCriteria(min_data_items=2), 0),
        (SuccessCriteria(min_data_items=3), 1),
        (SuccessCriteria(required_fields=("rows", "title", "rows.0.title")), 0),
        (SuccessCriteria(required_fields=("price", "nothing")), 2),
    ],
)
def test_success_is_judged_by_the_outputs(criteria: SuccessCriteria, missing: int) -> None:
    outputs = {"rows": [{"title": "a"}, {"title": "b", "price": 1}]}
    assert len(unmet_criteria(criteria, outputs)) == missing


def test_paths_that_match_nothing_give_none() -> None:
    assert get_at_path({"a": [1]}, "a.3") is None
    assert get_at_path(5, "a") is None
