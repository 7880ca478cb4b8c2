"""A crawl that got no page fails with the error of its start page."""

import pytest

from support.daemon import Daemon
from support.site import Site

REFUSED = "http://127.0.0.1:1/"


@pytest.mark.parametrize("engine", ["static", "auto", "browser"])
def test_crawl_fails_with_the_error_of_its_start_page(daemon: Daemon, engine: str) -> None:
    """Called directly: the page's error, its address, and how to read the record."""
    args = {"url": REFUSED, "engine": engine, "retries": 0}
    error = daemon.call("crawl", **args).error
    assert error["code"] in ("fetch_failed", "navigation_failed")
    assert REFUSED in error["message"]
    assert error["task_id"] in error["hint"]
    result = daemon.result_of(error["task_id"])
    (page,) = result["pages"]
    assert page["error"]["code"] == error["code"]
    assert (result["summary"]["failed"], result["summary"]["succeeded"]) == (1, 0)


def test_task_of_a_crawl_without_pages_is_failed(daemon: Daemon) -> None:
    """As a task: FAILED with the same error, the record is its partial result."""
    meta = daemon.finish(daemon.start_task("crawl", url=REFUSED, retries=0))
    assert (meta["status"], meta["error"]["code"]) == ("FAILED", "fetch_failed")
    assert len(daemon.result_of(meta["task_id"])["pages"]) == 1


def test_exit_status_is_one(daemon: Daemon) -> None:
    """A shell script sees it: exit 1, the error on stderr."""
    done = daemon.oc("crawl", REFUSED, "--retries", "0", timeout=300)
    assert (done.code, done.out) == (1, "")
    assert REFUSED in done.err


def test_missing_start_page_is_a_failure(daemon: Daemon, site: Site) -> None:
    """An error status of the start page counts as any other failure."""
    error = daemon.call("crawl", url=site.url("status/404"), engine="static").error
    assert error["status"] == 404


def test_sitemap_crawl_whose_pages_all_fail_has_the_first_error(daemon: Daemon, site: Site) -> None:
    """`crawl_sitemap` likewise: the records of all pages are its partial result."""
    args = {"url": site.url(""), "sitemap_url": site.url("dead-sitemap.xml"), "retries": 0}
    error = daemon.call("crawl_sitemap", **args, engine="static").error
    assert (error["code"], error["status"], error["failed_pages"]) == ("http_error", 404, 2)
    statuses = [page["status"] for page in daemon.result_of(error["task_id"])["pages"]]
    assert statuses == [404, 404]
