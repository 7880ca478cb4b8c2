"""oc_assert: contracts on the live page and on supplied evidence, in three-valued logic."""

import json
from typing import Any

import pytest

from support.daemon import Daemon
from support.orders import Order
from support.site import Site
from support.waiting import wait_until

P, F, U = "pass", "fail", "inconclusive"


# --- the live page -----------------------------------------------------------------------------


@pytest.fixture
def daemon(one_tab_daemon: Daemon) -> Daemon:
    """One tab serves them all, for they begin by going to a page."""
    return one_tab_daemon


@pytest.mark.parametrize(
    ("leaf", "verdict"),
    [
        ({"kind": "url", "pattern": r"/records/order\.html$"}, P),
        ({"kind": "url", "equals": "http://elsewhere/"}, F),
        ({"kind": "dom_text", "contains": "Total: € 42"}, P),
        ({"kind": "dom_text", "contains": "nobody sees this"}, F),
        ({"kind": "dom_text", "selector": "#total", "equals": "€ 42"}, P),
        ({"kind": "dom_text", "selector": "#lines li", "contains": "Teapot"}, P),
        ({"kind": "dom_text", "selector": ".empty", "equals": ""}, P),
        ({"kind": "dom_text", "selector": "#gone", "equals": ""}, F),
        ({"kind": "dom_text", "selector": ".inner", "contains": "shade"}, P),
        ({"kind": "dom_text", "selector": "#coupon", "equals": "SPRING"}, P),
        ({"kind": "dom_text", "selector": "#pw", "contains": "hunter"}, F),
        ({"kind": "dom_count", "selector": "#lines li", "op": "eq", "value": 2}, P),
        ({"kind": "dom_count", "selector": ".inner", "value": 1}, P),
        ({"kind": "dom_count", "selector": "#lines li", "op": ">", "value": 2}, F),
        ({"kind": "network", "url_pattern": "order", "status_in": [200], "method": "GET"}, P),
        ({"kind": "network", "url_pattern": "/nowhere"}, F),
        ({"kind": "console", "level": "error", "none": True}, P),
        ({"kind": "console", "pattern": "^ready$", "min": 1}, P),
        ({"kind": "performance", "metric": "load", "op": "lt", "value": 60000}, P),
        ({"kind": "performance", "metric": "dom_nodes", "op": "gt", "value": 5}, P),
        ({"kind": "performance", "metric": "warp_factor", "value": 9}, U),
        ({"kind": "no_dialog"}, P),
    ],
)
def test_each_assertion_on_the_live_page(order: Order, leaf: dict[str, Any], verdict: str) -> None:
    """Each kind of assertion is judged on the page, and its opposite the other way."""
    assert order.verdict(leaf) == verdict
    assert order.verdict({"not": leaf}) == {P: F, F: P, U: U}[verdict]


def test_report_has_the_documented_keys(order: Order) -> None:
    """Verdict, failed assertions with name, expected, actual, location; facts; provenance."""
    contract = {
        "and": [
            {"kind": "url", "contains": "order"},
            {"name": "three lines", "kind": "dom_count", "selector": "#lines li", "value": 3},
        ]
    }
    told = order.assert_report(contract)
    assert told["verdict"] == F
    (failed,) = told["failed_assertions"]
    assert failed["name"] == "three lines"
    assert failed["location"] == "contract.and[1]"
    assert failed["actual"] == 2
    assert "3" in failed["expected"]
    assert told["failure_category"] == "content"
    assert "contract.and[1]" in told["failure_reason"]
    assert told["inconclusive_reason"] is None
    assert told["evidence"]["url"].endswith("order.html")
    assert told["provenance"]["source"] == "live"
    assert told["validation_errors"] == []


def test_requests_and_console_errors_of_an_action_are_judged(order: Order, site: Site) -> None:
    """A failed request and what the page said about it are known, since the last call too."""
    order.click("fail")
    failed = {"kind": "network", "url_pattern": "/status/500$", "status_in": [500]}
    assert order.verdict({"and": [failed, {**failed, "since": "last_tool_call"}]}) == P
    assert order.verdict({**failed, "since": "contract_enter"}) == F
    told = order.assert_report(
        {"kind": "console", "level": "error", "pattern": "payment", "max": 0}
    )
    assert told["verdict"] == F
    assert "hunter2" not in json.dumps(told)
    assert any(seen.path == "/status/500" for seen in site.requests)


def test_an_open_dialog_fails_no_dialog_and_leaves_the_page_unknown(order: Order) -> None:
    """While a dialog is open the page cannot be read: that is inconclusive, not an error."""
    order.click("ask")
    assert order.verdict({"kind": "no_dialog"}) == F
    told = order.assert_report({"kind": "dom_text", "contains": "order"})
    assert told["verdict"] == U
    assert "dialog" in told["inconclusive_reason"]
    assert order.verdict({"or": [{"kind": "no_dialog"}, {"kind": "url", "contains": "order"}]}) == P
    order.do("interact", action="dismiss_dialog")
    assert order.verdict({"kind": "no_dialog"}) == P


def test_waiting_ends_when_the_contract_passes(order: Order, site: Site) -> None:
    """With wait_ms the verb answers when the page has become what the contract says."""
    order.click("pay")
    contract = {
        "and": [
            {"kind": "dom_text", "selector": "#state", "equals": "paid"},
            {"kind": "url", "contains": "done=1"},
            {"kind": "network", "url_pattern": "/gate/paid", "status_in": [200]},
        ]
    }
    waiting = order.daemon.start_call("oc_assert", contract=contract, wait_ms=30_000)
    wait_until(lambda: any(one.path == "/gate/paid" for one in site.requests), 10, "the payment")
    assert not waiting.done
    site.open_gate("paid")
    assert waiting.reply().result["verdict"] == P


def test_at_the_deadline_the_last_verdict_is_returned(order: Order) -> None:
    """At the deadline the last verdict is the answer, no error."""
    contract = {"kind": "dom_text", "selector": "#state", "equals": "paid"}
    assert order.verdict(contract, wait_ms=500, timeout_ms=60_000) == F


def test_a_hung_page_is_inconclusive(order: Order) -> None:
    """What a busy page cannot answer in time is inconclusive; the rest is judged."""
    order.do("javascript_tool", code="setTimeout(() => { for (;;); }, 0); 1")
    url, text = {"kind": "url", "contains": "order"}, {"kind": "dom_text", "contains": "order"}
    told = order.report_in_time({"and": [url, text]})
    assert told["verdict"] == U
    assert "did not answer" in told["inconclusive_reason"]
    assert order.report_in_time({"or": [url, text]})["verdict"] == P
    bundle = order.bundle(capture_timeout_ms=1500, include=["dom", "network"])
    assert "dom" in bundle["inconclusive_reason"]
    assert bundle["parts"] == ["network"]


def test_an_invalid_selector_is_an_error_that_names_it(order: Order) -> None:
    """What is no CSS selector is the caller's mistake, not missing evidence."""
    error = order.call(
        "oc_assert", contract={"kind": "dom_count", "selector": "a[", "value": 1}
    ).error
    assert error["code"] == "invalid_argument"
    assert "a[" in error["message"]


def test_a_contract_by_id_is_refused_with_a_hint(daemon: Daemon) -> None:
    """No contracts come with the program; the error says where to look for one."""
    refused = daemon.call("oc_assert", contract_id="done")
    assert refused.code == "source_missing"
    assert "oc_skill_recall" in refused.error["hint"]
    both = daemon.call("oc_assert", contract={"kind": "no_dialog"}, contract_id="done")
    assert both.code == "invalid_argument"
    assert "oc_skill_recall" in both.error["hint"]


def test_a_live_check_without_a_tab_is_refused(daemon: Daemon) -> None:
    """A live check needs a tab; supplied evidence does not."""
    contract = {"kind": "url", "contains": "x"}
    assert daemon.call("oc_assert", "nobody", contract=contract).code == "no_tab"
    evidence = {"snapshot": {"url": "http://x/"}}
    assert daemon.do("oc_assert", "nobody", contract=contract, evidence=evidence)["verdict"] == P
    assert daemon.call("oc_assert", contract=contract, tab_id="t999999").code == "tab_not_found"


# --- supplied evidence -------------------------------------------------------------------------


NESTED = {
    "and": [
        {"or": [{"kind": "url", "contains": "shop"}, {"kind": "dom_text", "contains": "x"}]},
        {
            "not": {
                "and": [{"kind": "no_dialog"}, {"kind": "dom_count", "selector": "a", "value": 1}]
            }
        },
    ]
}


@pytest.mark.parametrize(
    ("snapshot", "verdict"),
    [
        ({"url": "http://shop/", "has_open_dialog": True}, P),
        ({"url": "http://shop/", "has_open_dialog": False}, U),
        ({"url": "http://shop/", "has_open_dialog": False, "dom_count": {"a": 2}}, P),
        ({"url": "http://shop/", "has_open_dialog": False, "dom_count": {"a": 1}}, F),
        ({"url": "http://else/", "has_open_dialog": True}, U),
        ({"url": "http://else/", "domText": "y", "hasOpenDialog": True}, F),
        ({}, U),
    ],
)
def test_inconclusive_results_in_nested_trees(
    daemon: Daemon, snapshot: dict[str, Any], verdict: str
) -> None:
    """Unknown results become neither pass nor fail, however deep in the tree."""
    evidence = {"snapshot": snapshot, "provenance": {"by": "a test"}}
    told = daemon.do("oc_assert", contract=NESTED, evidence=evidence)
    assert told["verdict"] == verdict
    assert (told["inconclusive_reason"] is not None) == (verdict == U)
    assert told["provenance"] == {"source": "supplied", "supplied_by": {"by": "a test"}}


def test_the_same_input_gives_the_same_bytes(daemon: Daemon) -> None:
    """A report depends on neither time nor chance."""
    evidence = {"url": "http://shop/", "dom_text": "a" * 1000, "network": [{"url": "http://x/"}]}
    contract = {"and": [NESTED, {"kind": "network", "url_pattern": "x", "status_in": [200]}]}
    replies = {daemon.call("oc_assert", contract=contract, evidence=evidence).raw for _ in range(3)}
    assert len(replies) == 1


def test_unknown_evidence_keys_are_reported(daemon: Daemon) -> None:
    """A misspelt key of the evidence stands in validation_errors."""
    evidence = {"dom_txt": "x", "url": "http://a/"}
    told = daemon.do("oc_assert", contract={"kind": "dom_text", "contains": "x"}, evidence=evidence)
    assert told["verdict"] == U
    assert any("dom_txt" in error for error in told["validation_errors"])


def test_contract_and_evidence_come_from_files(daemon: Daemon) -> None:
    """Both large parameters have a companion by path."""
    folder = daemon.home.base / "tmp"
    contract, evidence = folder / "contract.json", folder / "evidence.json"
    contract.write_text(json.dumps({"kind": "url", "contains": "a"}))
    evidence.write_text(json.dumps({"url": "http://a/"}))
    told = daemon.do("oc_assert", contract_path=str(contract), evidence_path=str(evidence))
    assert told["verdict"] == P
    both = daemon.call("oc_assert", contract={}, contract_path=str(contract))
    assert both.code == "source_conflict"
    assert daemon.call("oc_assert").code == "source_missing"


@pytest.mark.parametrize(
    ("contract", "place"),
    [
        ({"kind": "urll", "pattern": "x"}, "contract.kind"),
        ({"and": [{"kind": "no_dialog"}, {"or": []}]}, "contract.and[1].or"),
        ({"not": {"kind": "dom_count", "selector": "a", "value": "3"}}, "contract.not.value"),
        ({"kind": "url", "pattern": "(?<=a)b"}, "contract.pattern"),
        ("not json", "contract"),
        (7, "contract"),
    ],
)
def test_mistakes_in_a_contract_are_located(daemon: Daemon, contract: object, place: str) -> None:
    """Unknown kinds and fields, wrong types, bad patterns: invalid_argument with the place."""
    error = daemon.call("oc_assert", contract=contract, evidence={}).error
    assert (error["code"], error["parameter"]) == ("invalid_argument", place)


@pytest.mark.parametrize("evidence", [{"snapshot": {"url": 7}}, {"network": [{"no": "url"}]}, "{"])
def test_invalid_evidence_is_refused(daemon: Daemon, evidence: object) -> None:
    """Evidence of the wrong shape is a mistake; missing evidence is not."""
    contract = {"kind": "url", "contains": "x"}
    error = daemon.call("oc_assert", contract=contract, evidence=evidence).error
    assert error["code"] == "invalid_argument"
    assert "evidence" in error["message"]
