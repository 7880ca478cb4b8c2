"""Crawls on a Dask cluster: a scheduler and two workers, each a process, over TLS."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from support.cluster import SLOTS, DaskCluster
from support.cookbook import SITE, snippets
from support.daemon import LIFE_S, Daemon, Home
from support.recording_origin import Page, RecordingOrigin
from support.site import Site
from support.waiting import wait_until
from support.ways_out import LEAVING, PEERS_AND_HINTS, REQUESTS, SOCKETS, at_once, pages
from support.web_graph import WebGraph, web_graph

pytestmark = pytest.mark.usefixtures("headless_shell")

# Pages wait at the gate for as long as a busy machine takes to come to the point.
STATIC = {"engine": "static", "max_pages": 1000, "max_depth": 50, "page_timeout_ms": 120_000}
PAGE = Path(__file__).parents[3] / "docs" / "pages" / "cluster.md"
# Of the fixture site, from a host that the policy forbids.
BLOCKED = "localhost"


@pytest.fixture(scope="module")
def cluster() -> Iterator[DaskCluster]:
    with DaskCluster() as running:
        yield running


@pytest.fixture(scope="module")
def serving(cluster: DaskCluster) -> Iterator[Daemon]:
    """A daemon with the cluster configured, and another one at an address without a listener."""
    config = f'block_domain = ["{BLOCKED}"]\n{cluster.config}'
    config += '[cluster.plain]\naddress = "tcp://127.0.0.1:9"\n'
    with Daemon(config=config) as running:
        yield running


def _start(daemon: Daemon, graph: WebGraph, **args: object) -> str:
    return daemon.start_task("crawl", **{"url": f"{graph.url}/p/0", **STATIC, **args})


def _finish(daemon: Daemon, task_id: str) -> dict[str, Any]:
    meta = daemon.finish(task_id)
    assert meta["status"] == "COMPLETED", (meta, daemon.log()[-3000:])
    result: dict[str, Any] = daemon.result_of(task_id)
    return result


def _pages(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what each page came to; `parent` and `duration_ms` depend on who was first."""
    names = ("depth", "final_url", "status", "title", "content", "links", "redirects")
    return {one["url"]: {name: one.get(name) for name in names} for one in result["pages"]}


def _counts(result: dict[str, Any]) -> dict[str, Any]:
    names = ("succeeded", "failed", "files", "skipped", "robots_denied")
    return {name: result["summary"][name] for name in names}


def _whole(daemon: Daemon, graph: WebGraph) -> dict[str, Any]:
    """Return what the daemon finds by itself; the site then has seen nothing."""
    result = _finish(daemon, _start(daemon, graph))
    graph.seen.clear()
    return result


def _assert_same(result: dict[str, Any], whole: dict[str, Any], *, retried: bool = False) -> None:
    """Compare two crawls. retried: a page was fetched late, so what it links to may be deeper."""
    urls = [one["url"] for one in result["pages"]]
    assert len(urls) == len(set(urls))
    found, expected = _pages(result), _pages(whole)
    assert found.keys() == expected.keys()
    for url, page in found.items():
        if retried:
            assert page["depth"] >= expected[url]["depth"]
            page["depth"] = expected[url]["depth"]
        assert page == expected[url]
    assert _counts(result) == _counts(whole)


def _shown(daemon: Daemon) -> dict[str, Any]:
    """Return what the status says of the cluster; nothing while no crawl uses it."""
    found: dict[str, Any] = daemon.status()["clusters"].get("lab", {})
    return found


def test_workers_find_what_one_process_finds(serving: Daemon) -> None:
    """Redirects, duplicates, files, missing pages, nofollow; each page is asked for once."""
    with web_graph(60) as graph:
        whole = _whole(serving, graph)
        graph.free = 20
        task_id = _start(serving, graph, cluster="lab")
        graph.wait_for_requests(21)
        wait_until(lambda: _shown(serving).get("slots") == 2 * SLOTS, 60, "the workers' slots")
        shown = _shown(serving)
        graph.gate.set()
        _assert_same(_finish(serving, task_id), whole)
        assert set(graph.seen.values()) == {1}
    assert (shown["state"], len(shown["workers"])) == ("connected", 2)
    assert sum(one["pages_per_second"] for one in shown["workers"].values()) > 0
    assert serving.status()["clusters"] == {}


def test_dask_sees_that_a_crawl_needs_its_workers(serving: Daemon, cluster: DaskCluster) -> None:
    """Its autoscaling ends workers that have no task; the crawl's last as long as the crawl."""
    with web_graph(60) as graph:
        graph.free = 20
        task_id = _start(serving, graph, cluster="lab")
        graph.wait_for_requests(21)
        wait_until(lambda: sorted(cluster.tasks().values()) == [1, 1], 60, "a task on each worker")
        graph.gate.set()
        _finish(serving, task_id)
        wait_until(lambda: sorted(cluster.tasks().values()) == [0, 0], 60, "their end")
        assert set(graph.seen.values()) == {1}


@pytest.mark.parametrize("engine", ["static", "browser"])
def test_domain_policy_and_sanitiser_apply_on_workers(
    serving: Daemon, site: Site, engine: str
) -> None:
    """A redirect to a blocked host is not followed; what nobody sees is left out."""
    url, there = site.url("hidden.html"), f"{site.other_origin}/article.html"
    assert BLOCKED in there
    starts = [url, site.url(f"redirect-to?url={there}")]
    task_id = serving.start_task(
        "crawl", urls=starts, engine=engine, max_depth=0, cluster="lab", scope="any"
    )
    hidden, redirected = sorted(_finish(serving, task_id)["pages"], key=lambda page: page["url"])
    assert "Visible text" in hidden["content"]
    assert not [
        word
        for word in ("display", "attribute", "comment", "\u200b")
        if word in str(hidden["content"])
    ]
    assert hidden["sanitized"]["flagged"] >= 1
    assert redirected["error"]["code"] == "domain_blocked"
    assert site.seen("article.html") == []


def test_workers_support_all_page_options(serving: Daemon, site: Site) -> None:
    """Actions, an init script, a schema, screenshots, raw responses; and no hidden text."""
    urls = [site.url("extract/recipe-plain.html"), site.url("injection/hidden.html")]
    own = "addEventListener('DOMContentLoaded', () => document.body.append('<of the script>'))"
    schema = {"properties": {"name": {"type": "string"}, "isbn": {"type": "string"}}}
    asked = {
        "urls": urls, "engine": "browser", "max_depth": 0, "page_timeout_ms": 120_000,
        "keep": ["raw", "screenshot", "pdf"], "extract": schema, "init_script": own,
        "actions": [{"wait_for": "body"}, {"scroll": 1}, {"click": "["}],
    }  # fmt: skip
    names = ("content", "extracted", "missing", "failed_actions", "sanitized", "links")
    found: list[dict[str, Any]] = []
    for cluster in ("", "lab"):
        task_id = serving.start_task("crawl", **asked, cluster=cluster)
        pages = sorted(_finish(serving, task_id)["pages"], key=lambda page: page["url"])
        folder = serving.home.path / "tasks" / task_id
        assert [(folder / one["screenshot"]).read_bytes()[8:12] for one in pages] == [b"WEBP"] * 2
        assert [(folder / one["pdf"]).read_bytes()[:5] for one in pages] == [b"%PDF-"] * 2
        warc = serving.home.base / "tmp" / f"{task_id}.warc"
        serving.do("oc_task_export", task_id=task_id, path=str(warc))
        assert warc.read_bytes().count(b"WARC-Type: response") == 2
        found.append({one["url"]: [one.get(name) for name in names] for one in pages})
    assert found[0] == found[1]
    recipe, hidden = (str(found[1][url]) for url in urls)
    assert "of the script" in recipe
    assert "3. click [" in recipe
    assert "VISIBLE-two" in hidden
    assert "PLANTED" not in hidden


def _going(ways: dict[str, str], evil: str) -> Page:
    """Return a page that goes all of the ways to the other host."""
    said = "document.body.append(Object.assign(document.createElement('p'), {id: 'gone'}));"
    script = f"(async () => {{ {at_once(ways, dict.fromkeys(ways, evil))} {said} }})()"
    return Page(f"<!doctype html><title>ways</title><body><script>{script}</script>")


def test_pages_on_workers_cannot_reach_a_blocked_host(serving: Daemon) -> None:
    """Each way of test_domain_policy_bypasses, all of which lead there without a policy."""
    with RecordingOrigin() as evil, RecordingOrigin() as good:
        there = f"{BLOCKED}:{evil.port}"
        # The address itself is not blocked here, and a page that navigates goes no further way.
        peers = {name: way for name, way in PEERS_AND_HINTS.items() if "address" not in name}
        requests = {name: way for name, way in REQUESTS.items() if name not in LEAVING}
        groups = [SOCKETS, peers, requests]
        good.pages = {
            **pages(there),
            **{f"/ways/{number}": _going(ways, there) for number, ways in enumerate(groups)},
        }
        starts = [f"http://127.0.0.1:{good.port}/ways/{n}" for n in range(len(groups))]
        wait = {"wait_for": "#gone", "timeout_ms": 300_000}
        task_id = serving.start_task(
            "crawl", urls=starts, engine="browser", max_depth=0, cluster="lab", actions=[wait],
            page_timeout_ms=300_000, respect_robots=False,
        )  # fmt: skip
        result = _finish(serving, task_id)
        assert [one.get("error") for one in result["pages"]] == [None] * len(groups)
        assert [one.get("failed_actions") for one in result["pages"]] == [None] * len(groups)
        assert evil.words == []


@pytest.mark.parametrize("engine", ["static", "browser"])
def test_an_archive_has_the_responses_that_workers_received(
    serving: Daemon, site: Site, engine: str
) -> None:
    """A redirect to a page that is there already, and a failure, as of a crawl without workers."""
    end, *others = map(site.url, ("redirect/0", "redirect/1", "missing.html"))
    first = {"engine": engine, "max_depth": 0, "keep": ["raw"], "page_timeout_ms": 120_000}
    heads: list[list[str]] = []
    for cluster in ("", "lab"):
        task_id = serving.start_task("crawl", **first, urls=[end, *others], cluster=cluster)
        _finish(serving, task_id)
        warc = serving.home.base / "tmp" / f"{engine}{cluster}.warc"
        serving.do("oc_task_export", task_id=task_id, path=str(warc))
        with warc.open("rb") as file:
            heads.append(sorted(
                f"{one.rec_headers.get_header('WARC-Target-URI')} {one.http_headers.statusline}"
                for one in ArchiveIterator(file)
                if one.rec_type == "response"
            ))  # fmt: skip
    assert [one.split()[1] for one in heads[0]] == ["404", "200", "302"], heads
    assert heads[0] == heads[1]


def test_pages_of_a_killed_worker_are_retried(serving: Daemon, cluster: DaskCluster) -> None:
    """No page is lost or recorded twice; a worker that joins gets its share at once."""
    with web_graph(60) as graph:
        whole = _whole(serving, graph)
        graph.free = 1  # its links are more than the slots, and of one level
        task_id = _start(serving, graph, cluster="lab", concurrency=16)
        graph.wait_for_requests(1 + 2 * SLOTS)  # both workers are at it
        before = graph.seen.copy()
        killed = cluster.workers.pop(0)
        killed.kill()
        killed.wait(60)
        cluster.add_worker()
        graph.wait_for_requests(1 + 3 * SLOTS)
        graph.gate.set()
        _assert_same(_finish(serving, task_id), whole, retried=True)
        again = graph.seen - before
        assert all(graph.seen[path] <= 2 for path in graph.seen)
        assert sum(graph.seen.values()) - len(graph.seen) <= 2 * SLOTS, again


def test_a_cancelled_crawl_sends_no_more_requests(serving: Daemon) -> None:
    """Its pages stay and it can be resumed, whether or not a worker dies."""
    with web_graph(60) as graph:
        whole = _whole(serving, graph)
        graph.free = 20
        task_id = _start(serving, graph, cluster="lab", concurrency=16)
        graph.wait_for_requests(21)
        serving.do("oc_task_cancel", task_id=task_id)
        assert serving.finish(task_id)["status"] == "CANCELLED"
        wait_until(lambda: serving.status()["clusters"] == {}, 60, "the end of the connection")
        before = graph.seen.copy()
        finished = {one["url"] for one in serving.result_of(task_id)["pages"]}
        graph.gate.set()
        second = serving.do("oc_task_resume", task_id=task_id)["task_id"]
        _assert_same(_finish(serving, second), whole, retried=True)
        assert not [path for path in graph.seen - before if graph.url + path in finished]


def test_a_crawl_fails_when_its_scheduler_is_lost_and_can_be_resumed(
    serving: Daemon, cluster: DaskCluster
) -> None:
    """It pauses, then fails with `cluster_lost`; resumed, it continues to the exact end."""
    with web_graph(60) as graph:
        whole = _whole(serving, graph)
        graph.free = 20
        task_id = _start(serving, graph, cluster="brief")
        graph.wait_for_requests(21)
        cluster.kill_scheduler()
        graph.gate.set()
        meta = serving.finish(task_id)
        assert (meta["status"], meta["error"]["code"]) == ("FAILED", "cluster_lost"), serving.log()
        assert "oc task resume" in str(meta["error"]) or "oc_task_resume" in str(meta["error"])
        assert "paused" in meta["progress"]["message"]
        finished = {one["url"] for one in serving.result_of(task_id)["pages"]}
        before = graph.seen.copy()
        cluster.start()
        second = serving.do("oc_task_resume", task_id=task_id)["task_id"]
        _assert_same(_finish(serving, second), whole, retried=True)
        assert not [path for path in graph.seen - before if graph.url + path in finished]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"cluster": "lap"}, "lab"),
        ({"cluster": "plain", "cookies": {"a": "b"}}, "tls://"),
        ({"cluster": "plain", "share_login": True}, "tls://"),
    ],
)
def test_unknown_clusters_and_unencrypted_logins_are_refused(
    serving: Daemon, site: Site, args: dict[str, Any], words: str
) -> None:
    """An unknown name is refused, and so are logins over an unencrypted connection."""
    reply = serving.call("crawl", url=site.url("article.html"), **args)
    assert (reply.code, words in reply.error["hint"]) == ("invalid_argument", True)


def test_the_documented_cluster_commands_work(serving: Daemon, home: Home, site: Site) -> None:
    """Its commands succeed on a cluster of that name, and its settings are right."""
    text = PAGE.read_text(encoding="utf-8")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", snippets(text, "sh").replace(SITE, site.origin)],
        env=serving.home.environ, cwd=serving.home.base, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=LIFE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done
    assert len(site.seen("many-pages/*")) >= 6
    home.write_config(snippets(text, "toml"))
    home.run("ocd", "config", "check").ok()
