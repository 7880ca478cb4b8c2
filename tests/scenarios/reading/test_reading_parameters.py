"""Parameters of read_page, and removed names that are refused with a hint."""

import pytest

from support.daemon import Daemon
from support.site import Site


def test_ref_may_be_called_ref_id(daemon: Daemon, site: Site) -> None:
    """`ref_id` is accepted for `ref`."""
    daemon.do("navigate", url=site.url("acting/rows.html"))
    ref = daemon.do("find", query="Delete Bob")["refs"][0]
    part = daemon.do("read_page", refId=ref)["content"]
    assert part == daemon.do("read_page", ref=ref)["content"]
    assert len(part.splitlines()) == 1


def test_return_raw_and_return_fit(daemon: Daemon, site: Site) -> None:
    """return_raw and return_fit: the text before and after the filter, under their own keys."""
    daemon.do("navigate", url=site.url("article.html"))
    told = daemon.do(
        "read_page", mode="markdown", contentFilter="prune", returnRaw=True, returnFit=True
    )
    assert told["fit_markdown"] == told["content"]
    assert len(told["raw_markdown"]) == told["filter"]["raw_chars"]
    plain = daemon.do("read_page", mode="markdown", content_filter="prune")
    assert "raw_markdown" not in plain
    error = daemon.call("read_page", mode="markdown", return_raw=True).error
    assert (error["code"], error["parameter"]) == ("invalid_argument", "return_raw")


def test_metrics_of_a_reading(daemon: Daemon, site: Site) -> None:
    """include_metrics: the number of characters and refs, and the duration."""
    daemon.do("navigate", url=site.url("acting/rows.html"))
    told = daemon.do("read_page", includeMetrics=True)
    assert told["metrics"]["chars"] == told["metrics"]["raw_chars"] == len(told["content"])
    assert told["metrics"]["refs"] >= 3
    assert told["metrics"]["duration_ms"] >= 0


@pytest.mark.parametrize(
    ("verb", "params", "word"),
    [
        ("read_page", {"fallback": "dom"}, "next_offset"),
        ("read_page", {"compact": True}, "filter"),
        ("read_page", {"planningProfile": "stable"}, "same refs"),
        ("read_page", {"diagnostics": True}, "include_metrics"),
        ("navigate", {"url": "about:blank", "workerId": "w1"}, "tabs_create"),
        ("network_capture_lite", {"action": "start", "keepBodies": True}, "network_capture_full"),
        ("oc_context_export", {"includeHttpAuth": True}, "http_auth"),
        ("wait_for", {"type": "load", "pollInterval": 50}, "events"),
    ],
)
def test_removed_parameters_have_a_hint(
    daemon: Daemon, verb: str, params: dict[str, object], word: str
) -> None:
    """Parameters that make no sense here are refused, with a hint."""
    daemon.do("tabs_create")
    error = daemon.call(verb, **params).error
    assert error["code"] == "invalid_argument"
    assert word in error["hint"]


def test_tabs_of_a_worker(daemon: Daemon, site: Site) -> None:
    """tabs_create, tabs_context and tabs_close accept the worker whose tabs are meant."""
    daemon.do("tabs_create", session="of-a-worker")
    made = daemon.do("worker", session="of-a-worker", action="create", name="aside")
    tab = daemon.do(
        "tabs_create", session="of-a-worker", workerId="aside", url=site.url("index.html")
    )
    assert tab["worker_id"] == made["worker_id"]
    listed = daemon.do("tabs_context", session="of-a-worker", worker_id="aside")
    assert (listed["tab_count"], listed["worker_count"]) == (2, 1)
    assert {one["worker_id"] for one in listed["tabs"]} == {made["worker_id"]}
    closed = daemon.do("tabs_close", session="of-a-worker", worker_id="aside")
    assert closed["closed_count"] == 2
    assert daemon.do("tabs_context", session="of-a-worker")["tab_count"] == 1
    assert daemon.call("tabs_create", worker_id="nobody").code == "worker_not_found"
