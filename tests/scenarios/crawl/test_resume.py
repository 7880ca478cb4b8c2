"""Resuming a crawl that ended early: every page once, none requested again."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from support.daemon import Daemon
from support.waiting import wait_until
from support.web_graph import WebGraph, web_graph

STATIC = {"engine": "static", "max_pages": 1000, "max_depth": 50}


@pytest.fixture(scope="module")
def killed() -> Iterator[Daemon]:
    """A daemon of one's own, to be killed."""
    with Daemon() as running:
        yield running


def _start(daemon: Daemon, graph: WebGraph, **args: object) -> str:
    return daemon.start_task("crawl", **{"url": f"{graph.url}/p/0", **STATIC, **args})


def _resume(daemon: Daemon, task_id: str, **params: object) -> str:
    new_id: str = daemon.do("oc_task_resume", task_id=task_id, **params)["task_id"]
    return new_id


def _pages(result: dict[str, Any]) -> dict[str, tuple[int, str]]:
    return {one["url"]: (one["depth"], one["final_url"]) for one in result["pages"]}


def _counts(result: dict[str, Any]) -> dict[str, Any]:
    names = ("succeeded", "failed", "files", "skipped", "max_depth_reached", "robots_denied")
    return {name: result["summary"][name] for name in names}


@pytest.mark.parametrize("way", ["crawl", "watch"])
def test_a_waiting_caller_gets_the_resume_command_of_a_killed_crawl(
    killed: Daemon, way: str
) -> None:
    """Whoever waits when the daemon dies gets the next command; the task has it afterwards."""
    with web_graph(600) as graph:
        limits = ("--engine", "static", "--max-pages", "1000", "--max-depth", "50", "--json")
        if way == "crawl":
            caller = killed.home.spawn("oc", "crawl", f"{graph.url}/p/0", *limits)
        else:
            caller = killed.home.spawn("oc", "task", "watch", _start(killed, graph), "--json")
            assert caller.stdout is not None
            assert caller.stdout.readline()
        graph.wait_for_requests(20)
        killed.kill9()
        error = json.loads(caller.communicate(timeout=60)[0].splitlines()[-1])["error"]
        killed.run_in_foreground()
    task = killed.do("oc_task_list")["tasks"][0]["task_id"]
    assert (error["code"], caller.returncode) == ("no_daemon", 3)
    assert f"oc task resume {'ID' if way == 'crawl' else task}" in error["hint"]
    orphaned = killed.task(task)["error"]
    assert orphaned["code"] == "orphaned"
    assert f'`oc_task_resume {{"task_id": "{task}"}}`' in orphaned["hint"]


def test_a_killed_crawl_is_resumed_until_it_is_complete(killed: Daemon) -> None:
    """Three kills at any moment; the result is that of an undisturbed crawl."""
    with web_graph(150) as graph:
        whole_id = _start(killed, graph)
        killed.finish(whole_id)
        whole = killed.result_of(whole_id)
        asked, graph.seen = graph.seen, Counter()
        task_id = _start(killed, graph, concurrency=8)
        left: list[tuple[Counter[str], set[str]]] = []
        for kill in (50, 80, 160):
            graph.wait_for_requests(kill)
            killed.kill9().run_in_foreground()
            assert killed.task(task_id)["error"]["code"] == "orphaned"
            finished = {one["url"] for one in killed.result_of(task_id)["pages"]}
            left.append((graph.seen.copy(), finished))
            old_id, task_id = task_id, _resume(killed, task_id)
            assert killed.task(task_id)["resumed_from"] == old_id
        killed.finish(task_id)
        result = killed.result_of(task_id)
    urls = [one["url"] for one in result["pages"]]
    assert len(urls) == len(set(urls))
    assert (_pages(result), _counts(result)) == (_pages(whole), _counts(whole))
    for before, finished in left:
        assert finished
        assert not [path for path in graph.seen - before if graph.url + path in finished]
    assert sum(graph.seen.values()) <= sum(asked.values()) + 3 * 8 * 3  # hops of those in flight
    assert result["summary"]["resumed_pages"] == len(left[-1][1])


def test_resuming_with_higher_limits_continues_the_crawl(daemon: Daemon) -> None:
    """For pages and depth, and for a cancelled crawl; pages that exist are not requested again."""
    with web_graph(60) as graph:
        first = _start(daemon, graph, max_pages=10, max_depth=2)
        daemon.finish(first)
        second = _resume(daemon, first, max_pages=40)
        daemon.finish(second)
        assert max(one["depth"] for one in daemon.result_of(second)["pages"]) == 2
        third = _resume(daemon, second, max_pages=1000, max_depth=50)
        daemon.finish(third)
        result = daemon.result_of(third)
        assert set(graph.seen.values()) == {1}
        assert len({one for one in graph.seen if one.startswith("/p/")}) == 60 + 6
        reply = daemon.call("oc_task_resume", task_id=third)
        assert (reply.code, "max_pages" in reply.error["hint"]) == ("not_resumable", True)
        whole = _start(daemon, graph)
        daemon.finish(whole)
        assert _pages(result) == _pages(daemon.result_of(whole))


def test_cancelled_and_failed_crawls_can_be_resumed(daemon: Daemon) -> None:
    """So does one that failed, and one whose pages failed temporarily."""
    with web_graph(60) as graph:
        graph.failing = {"/p/5"}
        graph.free = 20
        task_id = _start(daemon, graph, retries=0, fail_on_page=30)
        graph.wait_for_requests(21)
        reply = daemon.call("oc_task_resume", task_id=task_id)
        assert reply.code == "not_resumable"
        daemon.do("oc_task_cancel", task_id=task_id)
        graph.gate.set()
        before = graph.seen.copy()
        finished = {one["url"] for one in daemon.result_of(task_id)["pages"]}
        second = _resume(daemon, task_id, args={"fail_on_page": 30})
        assert daemon.finish(second)["error"]["code"] == "injected_failure"
        graph.failing = set()
        third = _resume(daemon, second)
        assert daemon.finish(third)["status"] == "COMPLETED"
        result = daemon.result_of(third)
    assert result["summary"]["failed"] == 6, "the pages that there are not"
    again = {one for one in graph.seen - before if graph.url + one in finished}
    assert again <= {"/p/5"}
    assert len({one["url"] for one in result["pages"]}) == len(result["pages"]) == 60 + 6 * 3


def test_logins_are_not_stored_and_must_be_given_again(daemon: Daemon) -> None:
    """The password in the start URL is stored nowhere; other parameters cannot change."""
    with web_graph(20) as graph:
        url = graph.url.replace("//", "//ada:o9pen-sesame@") + "/p/0"
        told = {"url": url, "cookies": {"theme": "o9pen-sesame"}}
        task_id = _start(daemon, graph, **told, max_pages=5)
        daemon.finish(task_id)
        stored = (daemon.task_folder(task_id) / "arguments.json").read_text()
        assert "o9pen-sesame" not in stored
        assert json.loads(stored)["args"]["max_pages"] == 5
        reply = daemon.call("oc_task_resume", task_id=task_id, max_pages=9)
        assert (reply.code, sorted(reply.error["missing"])) == (
            "invalid_argument",
            ["cookies", "url"],
        )
        for wrong in ({"format": "text"}, {"url": "http://ada:x@localhost/"}):
            reply = daemon.call("oc_task_resume", task_id=task_id, args=wrong)
            assert reply.code == "invalid_argument"
        second = _resume(daemon, task_id, max_pages=9, args=told)
        daemon.finish(second)
        assert daemon.result_of(second)["summary"]["succeeded"] == 9


def test_tasks_that_cannot_be_resumed_are_refused(daemon: Daemon) -> None:
    """Tasks of other kinds, tasks of earlier releases, and none at all."""
    with web_graph(3) as graph:
        task_id = _start(daemon, graph, max_pages=1)
        daemon.finish(task_id)
        (daemon.task_folder(task_id) / "arguments.json").unlink()
        assert daemon.call("oc_task_resume", task_id=task_id).code == "not_resumable"
    batch = daemon.start_task("batch_execute", tasks=[{"script": "1"}])
    daemon.finish(batch)
    assert daemon.call("oc_task_resume", task_id=batch).code == "not_resumable"
    assert daemon.call("oc_task_resume", task_id="0" * 16).code == "task_not_found"


def test_a_durable_crawl_resumes_by_itself(killed: Daemon) -> None:
    """Not one that did not ask for it; every page once, none asked for again that was finished."""
    with web_graph(60) as graph:
        left = _start(killed, graph, max_pages=5, delay_ms=600_000)
        task_id = _start(killed, graph, concurrency=4, durable=True)
        graph.wait_for_requests(20)
        killed.kill9()
        before = graph.seen.copy()
        killed.run_in_foreground()
        finished = {one["url"] for one in killed.result_of(task_id)["pages"]}
        resumed = _resumed_as(killed, task_id)
        killed.finish(resumed)
        urls = [one["url"] for one in killed.result_of(resumed)["pages"]]
        assert len(urls) == len(set(urls)) >= 60
        assert not [path for path in graph.seen - before if graph.url + path in finished]
    tasks = killed.do("oc_task_list", limit=1000)["tasks"]
    assert [one for one in tasks if one.get("resumed_from") == left] == []


def _resumed_as(daemon: Daemon, task_id: str) -> str:
    """Return the task that goes on with another one, once there is one."""

    def find() -> list[str]:
        tasks = daemon.do("oc_task_list", limit=1000)["tasks"]
        return [one["task_id"] for one in tasks if one.get("resumed_from") == task_id]

    return wait_until(find, 120, "a task that resumes it")[0]
