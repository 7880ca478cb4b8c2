"""Progress figures of a crawl: speed, queue and failures; the same for every reader."""

import json
from collections.abc import Callable
from typing import Any

from support.daemon import Daemon
from support.mcp import Http
from support.site import Site
from support.waiting import wait_until
from support.web_graph import web_graph


def _figures(daemon: Daemon, task_id: str) -> dict[str, Any]:
    found: dict[str, Any] = daemon.task(task_id)["progress"].get("figures") or {}
    return found


def test_figures_of_a_crawl_with_two_hosts_and_failures(
    share_daemon: Callable[..., Daemon], site: Site
) -> None:
    """While a page hangs the figures are there already; at the end all who ask read the same."""
    daemon = share_daemon("--http", "0")
    urls = [site.url("status/404"), site.url("status/410"), f"{site.origin}/gate/figures"]
    urls += [f"{site.origin}/many-pages/{number}.html" for number in range(1, 4)]
    urls += [f"{site.other_origin}/many-pages/{number}.html" for number in range(1, 3)]
    task_id = daemon.start_task("crawl", urls=urls, max_depth=0, engine="static")
    wait_until(lambda: len(_figures(daemon, task_id).get("hosts", ())) == 2, 20, "both hosts")
    wait_until(lambda: daemon.task(task_id)["progress"]["done"] == 5, 20, "all but one")
    wait_until(lambda: _figures(daemon, task_id)["failures"] == {"http_error": 2}, 20, "failures")
    assert _figures(daemon, task_id)["pages_per_s"] > 0
    written = daemon.task_folder(task_id) / "events.jsonl"
    wait_until(lambda: '"figures"' in written.read_text(), 20, "an event with figures")
    site.open_gate("figures")
    meta = daemon.finish(task_id)
    figures = meta["progress"]["figures"]
    assert "left_s" not in figures
    assert figures["queued"] == 0
    pages = {one["host"]: (one["pages"], one["failed"]) for one in figures["hosts"]}
    assert pages == {"127.0.0.1": (6, 2), "localhost": (2, 0)}

    watched = daemon.oc("task", "watch", task_id, "--json").ok().out.splitlines()
    events = [json.loads(line) for line in watched]
    moves = [event["data"] for event in events if event["kind"] == "progress"]
    assert moves[-1]["figures"] == figures
    assert any("figures" in move and move["done"] < 6 for move in moves)
    assert events[-1]["kind"] == "completed"
    uri = f"openchrome://task/{task_id}"
    contents = Http(daemon).ask("resources/read", {"uri": uri}).result["contents"]
    assert json.loads(contents[0]["text"])["progress"]["figures"] == figures
    words = daemon.oc("task", "watch", task_id).ok().out
    assert "2 failed (http_error 2), 127.0.0.1 6 " in words


def test_an_adaptive_crawl_starts_with_a_concurrency_of_two(daemon: Daemon) -> None:
    """No more while the host has not answered; each page once, and the summary has the limit."""
    with web_graph(60) as graph:
        graph.free = 1
        asked = {"engine": "static", "max_pages": 500, "max_depth": 50, "concurrency": "adaptive"}
        task_id = daemon.start_task("crawl", url=f"{graph.url}/p/0", **asked)
        graph.wait_for_requests(3)
        waiting = sum(graph.seen.values()) - graph.free
        graph.gate.set()
        meta = daemon.finish(task_id)
        assert meta["status"] == "COMPLETED"
        assert set(graph.seen.values()) == {1}
        assert waiting == 2
        summary = daemon.result_of(task_id)["summary"]
        (limit,) = summary["adaptive_limits"].values()
        assert list(summary["adaptive_limits"]) == [graph.url]
        assert 1 <= limit <= 64
        assert summary["succeeded"] >= 60
