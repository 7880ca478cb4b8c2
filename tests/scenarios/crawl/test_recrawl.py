"""A crawl based on an earlier one: changes are fetched and reported, the rest is carried over."""

from typing import Any

from support.daemon import Daemon
from support.web_graph import WebGraph, web_graph

STATIC = {"engine": "static", "max_pages": 1000, "max_depth": 50}
COUNT = 40
# Pages and their files; those that there are not are no pages.
ALL = COUNT + 4 * 2


def _crawl(daemon: Daemon, graph: WebGraph, **args: object) -> tuple[str, dict[str, Any]]:
    task_id = daemon.start_task("crawl", url=f"{graph.url}/p/0", **{**STATIC, **args})
    assert daemon.finish(task_id)["status"] == "COMPLETED"
    return task_id, daemon.result_of(task_id)


def _compared(result: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = result["summary"]["compared"]
    return {name: found[name] for name in ("new", "changed", "unchanged", "gone")}


def _contents(result: dict[str, Any]) -> dict[str, tuple[object, ...]]:
    names = ("final_url", "title", "content", "links", "depth", "status", "content_type", "etag")
    return {one["url"]: tuple(one.get(name) for name in names) for one in result["pages"]}


def test_recrawling_an_unchanged_site_costs_a_tenth(daemon: Daemon) -> None:
    """All is carried over, again and again; one page changes, one goes, one is new."""
    with web_graph(COUNT) as graph:
        first_id, first = _crawl(daemon, graph)
        sent, graph.sent_bytes = graph.sent_bytes, 0
        second_id, second = _crawl(daemon, graph, compare_to=first_id)
        assert _compared(second) == {"new": 0, "changed": 0, "unchanged": ALL, "gone": 0}
        assert _contents(second) == _contents(first)
        assert graph.sent_bytes <= sent / 10

        graph.changed, graph.gone = {"/p/7"}, {"/p/39"}
        graph.count = COUNT + 1  # /p/19 links to it
        third_id, third = _crawl(daemon, graph, compare_to=second_id)
        assert third["summary"]["compared"]["gone_urls"] == [f"{graph.url}/p/39"]
    change = {one["url"].removeprefix(graph.url): one.get("change") for one in third["pages"]}
    assert (change["/p/7"], change["/p/19"], change["/p/39"]) == ("changed", "changed", "gone")
    assert change["/p/40"] == "new"
    assert _compared(third)["unchanged"] == ALL - 3
    assert daemon.call("crawl", url=graph.url, compare_to=third_id, format="text").code == (
        "invalid_argument"
    )
    assert daemon.call("crawl", url=graph.url, compare_to="0" * 16).code == "task_not_found"


def test_a_site_without_validators_is_compared_by_content(daemon: Daemon) -> None:
    """Pages that no link leads to any more are gone, too; a limit that ended the crawl is none."""
    with web_graph(COUNT) as graph:
        graph.validators = False
        first_id, first = _crawl(daemon, graph)
        graph.changed = {"/p/3"}
        _, second = _crawl(daemon, graph, compare_to=first_id)
        assert _compared(second) == {"new": 0, "changed": 1, "unchanged": ALL - 1, "gone": 0}
        graph.links = {number: [] for number in graph.links}
        _, third = _crawl(daemon, graph, compare_to=first_id)
        _, fourth = _crawl(daemon, graph, compare_to=first_id, max_pages=1)
    few = len([one for one in third["pages"] if "error" not in one])
    assert _compared(third)["gone"] == len([p for p in first["pages"] if "error" not in p]) - few
    assert _compared(fourth)["gone"] == 0
