"""batch_execute: scripts in many tabs and pages at once, each with its own result."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")


def test_scripts_run_in_tabs_and_pages_at_once(daemon: Daemon, site: Site) -> None:
    """Each result stands in the order of its task; pages that were opened are closed again."""
    tabs = [daemon.new_tab(site.url(page)) for page in ("article.html", "product.html")]
    tasks = [{"tabId": tab, "script": "document.title"} for tab in tabs]
    tasks.append({"url": site.url("table.html"), "script": "({n: document.links.length})"})
    tasks.append({"tab_id": tabs[0], "script": "'[1, 2]'"})
    done = daemon.do("batch_execute", tasks=tasks)
    titles = {tab["tab_id"]: tab["title"] for tab in daemon.do("tabs_context")["tabs"]}
    assert set(titles) == set(tabs)
    data = [one["data"] for one in done["results"]]
    assert data[:2] == [titles[tab] for tab in tabs]
    assert isinstance(data[2]["n"], int)
    assert data[3] == [1, 2]
    assert [one["index"] for one in done["results"]] == [0, 1, 2, 3]
    summary = done["summary"]
    assert (summary["total"], summary["succeeded"], summary["failed"]) == (4, 4, 0)


def test_scripts_wait_for_each_other(daemon: Daemon, site: Site) -> None:
    """Two scripts that wait for each other through the site's cookie jar both end: they overlap."""
    tabs = [daemon.new_tab(site.url("article.html")) for _ in "12"]
    meet = """new Promise(done => {
      localStorage.setItem('here-%s', '1');
      const look = () => localStorage.getItem('here-%s') ? done('met') : setTimeout(look, 20);
      look();
    })"""
    tasks = [
        {"tab_id": tabs[0], "script": meet % ("a", "b"), "timeout": 60_000},
        {"tab_id": tabs[1], "script": meet % ("b", "a"), "timeout": 60_000},
    ]
    done = daemon.do("batch_execute", tasks=tasks, concurrency=2)
    assert [one["data"] for one in done["results"]] == ["met", "met"]


def test_each_failed_task_is_reported(daemon: Daemon, site: Site) -> None:
    """A script error, an unknown tab and a timeout beside a good one."""
    tab = daemon.new_tab(site.url("article.html"))
    tasks = [
        {"tab_id": tab, "script": "throw Error('no')"},
        {"tab_id": "t999", "script": "1"},
        {"tab_id": tab, "script": "new Promise(() => {})", "timeout_ms": 300},
        {"tab_id": tab, "script": "42"},
    ]
    done = daemon.do("batch_execute", tasks=tasks)
    codes = [one.get("error", {}).get("code") for one in done["results"]]
    assert codes == ["script_error", "tab_not_found", "timeout", None]
    assert done["results"][3]["data"] == 42


def test_all_failed_is_an_error(daemon: Daemon, site: Site) -> None:
    """If nothing succeeded the call is an error, and the task is FAILED."""
    tab = daemon.new_tab(site.url("article.html"))
    tasks = [{"tab_id": tab, "script": "throw Error('no')"}] * 3
    failed = daemon.call("batch_execute", tasks=tasks)
    assert failed.code == "batch_failed"
    assert failed.error["summary"]["failed"] == 3
    assert failed.error["results"][0]["error"]["code"] == "script_error"
    assert daemon.task(failed.error["task_id"])["status"] == "FAILED"
    assert len(daemon.result_of(failed.error["task_id"])["results"]) == 3


def test_fail_fast_stops_after_the_first_failure(daemon: Daemon, site: Site) -> None:
    """After the first failure, the rest is reported as not run."""
    tab = daemon.new_tab(site.url("article.html"))
    count = "window.runs = (window.runs || 0) + 1"
    tasks = [{"tab_id": tab, "script": s} for s in (count, "throw Error('no')", count, count)]
    done = daemon.do("batch_execute", tasks=tasks, fail_fast=True, concurrency=1)
    assert [one["success"] for one in done["results"]] == [True, False, False, False]
    assert done["results"][3]["error"]["code"] == "cancelled"
    assert daemon.do("javascript_tool", tab_id=tab, code="window.runs")["content"] == "1"


@pytest.mark.usefixtures("no_cookies")
def test_pages_open_in_a_worker(daemon: Daemon, site: Site) -> None:
    """A page for a worker opens with that worker's cookies."""
    url = site.url("article.html")
    made = daemon.do("worker", action="create", url=url)
    daemon.do("javascript_tool", tab_id=made["tab_id"], code="document.cookie = 'who=worker'")
    script = "document.cookie"
    tasks = [{"url": url, "script": script, "worker_id": made["worker_id"]},
             {"url": url, "script": script}]  # fmt: skip
    done = daemon.do("batch_execute", tasks=tasks)
    daemon.do("worker", action="delete", worker_id=made["worker_id"])
    assert [one["data"] for one in done["results"]] == ["who=worker", ""]


BAD: list[tuple[dict[str, Any], str]] = [
    ({}, "source_missing"),
    ({"tasks": []}, "invalid_argument"),
    ({"tasks": [{"script": ""}]}, "invalid_argument"),
    ({"tasks": [{"script": "1", "tab_id": "t1", "url": "http://a/"}]}, "invalid_argument"),
    ({"tasks": [{"script": "1", "url": "chrome://version"}]}, "domain_blocked"),
    ({"tasks": [{"script": "1"}], "concurrency": 0}, "invalid_argument"),
]


@pytest.mark.parametrize(("params", "code"), BAD)
def test_bad_batches_are_refused(daemon: Daemon, params: dict[str, Any], code: str) -> None:
    """No tasks, no script, both a tab and a page, an address that is no page."""
    reply = daemon.call("batch_execute", **params)
    inner = [one["error"]["code"] for one in reply.error.get("results", [])]
    assert code in (reply.code, *inner)


def test_tasks_come_from_a_file(daemon: Daemon, site: Site) -> None:
    """The tasks may stand in a file."""
    daemon.do("navigate", url=site.url("article.html"))
    file = daemon.home.base / "tmp" / "tasks.json"
    file.write_text(json.dumps([{"script": "1 + 1"}]))
    assert daemon.do("batch_execute", tasks_path=str(file))["results"][0]["data"] == 2


def test_cancelled_batch_keeps_what_was_done(daemon: Daemon, site: Site) -> None:
    """Cancelling ends running scripts, keeps finished results, and closes the opened pages."""
    tab = daemon.new_tab(site.url("article.html"))
    tasks = [
        {"tab_id": tab, "script": "'first'"},
        {"url": site.url("product.html"), "script": "new Promise(() => {})"},
        {"url": site.url("table.html"), "script": "'never'"},
    ]
    task = daemon.start_task("batch_execute", tasks=tasks, concurrency=1)
    site.wait_for("product.html")
    assert daemon.do("oc_task_cancel", task_id=task)["meta"]["status"] == "CANCELLED"
    assert [one["data"] for one in daemon.result_of(task)["results"]] == ["first"]
    wait_until(lambda: daemon.do("tabs_context")["tab_count"] == 1, 20, "the page's end")
    assert site.seen("table.html") == []


def test_results_survive_the_death_of_the_daemon(
    make_daemon: Callable[..., Daemon], site: Site
) -> None:
    """After kill -9 the finished results are in the task's result."""
    daemon = make_daemon()
    daemon.stop()
    daemon.run_in_foreground()
    tab = daemon.new_tab(site.url("article.html"))
    tasks = [
        {"tab_id": tab, "script": "'first'"},
        {"url": site.url("hang?gate=hang"), "script": "1"},
    ]
    task = daemon.start_task("batch_execute", tasks=tasks, concurrency=1)
    site.wait_for("hang")
    daemon.kill9()
    daemon.run_in_foreground()
    assert daemon.task(task)["error"]["code"] == "orphaned"
    kept = daemon.result_of(task)
    assert [one["data"] for one in kept["results"]] == ["first"]
    assert kept["summary"]["succeeded"] == 1


def test_batches_need_only_their_own_capability(
    make_daemon: Callable[..., Daemon], site: Site
) -> None:
    """Where core is off, crawl's own verbs work, and what they call stays out of reach."""
    daemon = make_daemon("--tools-only", "crawl")
    script = {"url": site.url("article.html"), "script": "document.title"}
    assert daemon.do("batch_execute", tasks=[script])["summary"]["succeeded"] == 1
    done = daemon.do("batch_paginate", url_template=site.url("list-{page}.html"), total_pages=2)
    assert done["total_captured"] == 2
    assert daemon.call("javascript_tool", code="1").code == "CAPABILITY_DISABLED"
