"""Files written by earlier releases stay readable: fixtures/state has one of each kind."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from support.daemon import Daemon, Home
from support.site import Site
from support.waiting import LEAST_S
from support.web_graph import web_graph
from support.webhook_receiver import WebhookReceiver

pytestmark = pytest.mark.usefixtures("headless_shell")
STATE = Path(__file__).resolve().parents[2] / "fixtures" / "state"
VERSIONS = sorted(path.name for path in STATE.iterdir())
# What is read by verbs that the old home's own configuration switches off.
SHELVES = ("recordings", "plans", "workflows", "memory", "checkpoints", "sessions", "skills")


# A crawl that a kill has ended, and pages that were stored; and where they are from.
CRAWL, CRAWLED = "b1606fb1e0b0a957", "http://state.example.org"


@pytest.fixture(params=VERSIONS)
def old(request: pytest.FixtureRequest) -> Iterator[Daemon]:
    """A daemon of today in a home that an older version has left."""
    place = Home()
    shutil.copytree(STATE / request.param, place.path)
    for file in (place.path / "journal").iterdir():
        file.rename(file.with_name(f"journal-{datetime.now(UTC):%Y-%m-%d}.jsonl"))
    with Daemon("--task-retention-days", "36500", home=place) as daemon:
        yield daemon


@pytest.fixture(scope="module", params=VERSIONS)
def shelved(request: pytest.FixtureRequest) -> Iterator[Daemon]:
    """A daemon of today with what an older version has left on its shelves."""
    place = Home()
    place.path.mkdir(mode=0o700)
    for name in SHELVES:
        shutil.copytree(STATE / request.param / name, place.path / name)
    with Daemon(home=place) as daemon:
        yield daemon


def test_old_home_is_readable(old: Daemon) -> None:
    """Tasks with results, handles, evidence, the journal and the config are read."""
    tasks = old.do("oc_task_list")["tasks"]
    assert sorted(task["status"] for task in tasks) == [
        "CANCELLED",
        "COMPLETED",
        "COMPLETED",
        "FAILED",
    ]
    for task in tasks:
        assert old.result_of(task["task_id"])["pages"]
        assert old.request("GET", f"/v1/tasks/{task['task_id']}/events").status == 200
    assert len(old.do("oc_output_fetch", output_handle="oh_VSEYIR4P4DZO")["content"]) == 2
    assert "Cape Ambler" in old.do("oc_output_fetch", output_handle="oh_XK4TQNXNV3ZZ")["content"]
    entries = old.do("oc_journal", action="recent", count=100)
    assert any(entry.get("event") == "output_handle_created" for entry in entries)
    seeds = old.request("POST", "/v1/totp", b'{"action": "list"}')
    assert [seed["domain"] for seed in seeds.result["seeds"]] == ["example.org"]
    _evidence_is_understood(old)
    assert old.call("crawl", url="http://a.example.org/").code == "domain_blocked"


def test_old_recording_is_readable(shelved: Daemon) -> None:
    """A recording is listed, and exported in every format, its pictures included."""
    (listed,) = shelved.do("oc_recording_list")["recordings"]
    assert (listed["name"], listed["status"], listed["action_count"]) == ("An old one", "ended", 3)
    export = {"recording_id": "An old one"}
    kept = shelved.do("oc_recording_export", **export)["actions"]
    assert [one["seq"] for one in kept] == [1, 2, 3]
    assert kept[1]["title_after"] == "Thank you"
    assert (
        "data:image/webp;base64,"
        in shelved.do("oc_recording_export", format="html", **export)["content"]
    )
    for form in ("python_pyppeteer", "python_playwright"):
        assert "Place order" in shelved.do("oc_recording_export", format=form, **export)["content"]
    assert len(shelved.do("oc_recording_export", format="plan", **export)["steps"]) == 2


def test_old_plan_runs(shelved: Daemon) -> None:
    """A stored plan runs by its id: it counts the recordings."""
    done = shelved.do("execute_plan", plan_id="An old plan", params={"limit": 3})
    assert (done["status"], done["data"]) == ("SUCCESS", {"count": 1})


def test_old_workflow_is_readable(shelved: Daemon) -> None:
    """A workflow is collected; a worker whose time is long over has ended, with its data."""
    found = shelved.do("workflow_collect")
    assert found["status"] == "PARTIAL"
    left, right = found["worker_results"]
    assert (left["status"], left["data_extracted"]) == ("SUCCESS", {"a": 1})
    assert (right["ended_by"], right["data_extracted"]) == ("timeout", {"b": 2})


@pytest.mark.parametrize("version", VERSIONS)
def test_old_crawl_can_be_resumed(version: str) -> None:
    """From its log, its frontier and its arguments; its answers are kept, its caller is told."""
    place = Home()
    with web_graph(30) as graph, WebhookReceiver() as told:
        _move_site(STATE / version, place.path, graph.url, told.url)
        with Daemon(home=place) as daemon:
            assert daemon.task(CRAWL)["error"]["code"] == "orphaned"
            assert json.loads(told.bodies.get(timeout=LEAST_S))["data"]["task_id"] == CRAWL
            finished = {page["url"] for page in daemon.result_of(CRAWL)["pages"]}
            assert finished
            resumed = daemon.do("oc_task_resume", task_id=CRAWL)["task_id"]
            assert daemon.finish(resumed)["status"] == "COMPLETED"
            pages = [page["url"] for page in daemon.result_of(resumed)["pages"]]
            assert len(pages) == len(set(pages))
            assert {f"{graph.url}/p/{number}" for number in range(30)} | finished <= set(pages)
            assert not finished & {graph.url + path for path in graph.seen}
            archive = str(place.base / "tmp" / "crawl.warc")
            written = daemon.do("oc_task_export", task_id=resumed, path=archive, format="warc")
            assert written["pages"] == len(pages)
            assert f"{graph.url}/p/0" in Path(archive).read_text("utf-8", "replace")


@pytest.mark.parametrize("version", VERSIONS)
def test_old_http_cache_is_used(version: str) -> None:
    """Pages that are as they were stored are not sent again."""
    place = Home()
    with web_graph(30) as graph:
        _move_site(STATE / version, place.path, graph.url, graph.url)
        with Daemon(home=place) as daemon:
            urls = [f"{graph.url}/p/{number}" for number in range(3)]
            daemon.do("crawl", urls=urls, max_depth=0, cache=True, engine="static")
            assert sorted(graph.seen) == ["/p/0", "/p/1", "/p/2"]
            assert graph.sent_bytes == 0


def _move_site(state: Path, home: Path, to: str, hook: str) -> None:
    """Copy the old crawl and the cache as if they were of a site that is there today."""
    shutil.copytree(state / "tasks" / CRAWL, home / "tasks" / CRAWL)
    for file in (home / "tasks" / CRAWL).iterdir():
        file.write_text(file.read_text().replace(f"{CRAWLED}/told", hook).replace(CRAWLED, to))
    shutil.copytree(state / "cache", home / "cache")
    with closing(sqlite3.connect(home / "cache" / "http.db")) as database, database:
        database.execute("UPDATE answers SET url = replace(url, ?, ?)", (CRAWLED, to))


def _evidence_is_understood(old: Daemon) -> None:
    """A bundle is judged and compared, and a screenshot class has its exemplar."""
    bundle = "ev_VVRZZYL32CON"
    contract = {
        "and": [
            {"kind": "dom_text", "contains": "Cape Ambler"},
            {"kind": "network", "url_pattern": "article.html$", "status_in": [200]},
            {"kind": "screenshot_class", "class_id": "front page", "distance_max": 0},
        ]
    }
    assert old.do("oc_assert", contract=contract, evidence=bundle)["verdict"] == "pass"
    assert old.do("oc_diff", a=bundle, b=bundle)["same"] is True


def test_old_notes_and_checkpoints_are_readable(shelved: Daemon) -> None:
    """Notes, checkpoints and snapshots are found, and written on."""
    (note,) = shelved.do("memory", action="query", domain="shop.example.org", key="selector")[
        "entries"
    ]
    assert (note["value"]["name"], note["confidence"]) == ("결제", 0.6)
    assert (
        shelved.do("memory", action="validate", id=note["id"], success=True)["new_confidence"]
        == 0.7
    )
    checkpoint = shelved.do("oc_checkpoint", action="load", name="old-task")
    assert (checkpoint["pending_steps"], checkpoint["tabs"][0]["title"]) == (["pay"], "Cart")
    guide = shelved.do("oc_session_resume", snapshot_id="An old one")
    assert "Buy a kettle" in guide["guide"]
    assert guide["tabs"][0]["status"] == "CLOSED"


def test_old_skill_is_recalled_and_replayed(shelved: Daemon, site: Site) -> None:
    """It is recalled with what its replays came to, and done again by role and name."""
    (skill,) = shelved.do("oc_skill_recall", query="old")["skills"]
    assert (skill["name"], skill["status"], skill["replays"]["passes"]) == ("more", "proven", 2)
    shelved.do("navigate", url=site.url("skills/shelf.html"))
    done = shelved.do("oc_skill_replay", skill_id=skill["skill_id"])
    assert (done["verdict"], done["replays"]["passes"]) == ("pass", 3)
