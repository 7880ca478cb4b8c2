"""The task ledger: start, list, get, cancel, wait; nothing that was finished is lost."""

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import portalocker
import psutil
import pytest

from ocd.api.timestamps import rfc3339
from ocd.practice import handbook
from ocd.storage.process_identity import own_identity
from support import wire
from support.daemon import TERMINAL, Daemon
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")

MakeDaemon = Callable[..., Daemon]
META_KEYS = {
    "task_id", "kind", "status", "session", "pid", "pid_started_at", "created_at", "args_summary",
    "progress",
}  # fmt: skip
TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")


def _pages_done(daemon: Daemon, task_id: str) -> int:
    return int((daemon.task(task_id).get("progress") or {}).get("done", 0))


def _held_chain(daemon: Daemon, site: Site, hold: int, **args: object) -> str:
    """Start a crawl that has finished `hold - 1` pages and waits for page `hold`."""
    task_id = daemon.start_task(
        "crawl", url=site.url(f"chain/1?hold={hold}"), **{"max_pages": 50, "max_depth": 60, **args}
    )
    site.wait_for(f"chain/{hold}")
    wait_until(lambda: _pages_done(daemon, task_id) == hold - 1, 20, "the pages before the hold")
    return task_id


# --- start, list, get ---------------------------------------------------------------------------


def test_start_answers_at_once_with_an_id(daemon: Daemon, site: Site) -> None:
    """`oc_task_start` answers {task_id, status, kind} while the crawl has barely begun."""
    result = daemon.do(
        "oc_task_start",
        kind="crawl",
        args={"url": site.url("gate/first"), "maxPages": 5, "sameOrigin": True},
    )
    assert set(result) == {"task_id", "status", "kind"}
    assert re.fullmatch(r"[0-9a-f]{16}", result["task_id"])
    assert result["status"] in ("PENDING", "RUNNING")
    assert result["kind"] == "crawl"
    listed = daemon.do("oc_task_list")["tasks"][0]
    assert listed["task_id"] == result["task_id"]
    assert listed["status"] in ("PENDING", "RUNNING")
    site.open_gate("first")
    assert daemon.finish(result["task_id"])["status"] == "COMPLETED"


def test_meta_has_the_specified_keys(daemon: Daemon, site: Site) -> None:
    """meta.json: the specified keys, UTC times in milliseconds, this daemon's pid."""
    task_id = daemon.start_task("crawl", url=site.url("article.html"), max_pages=1)
    meta = daemon.finish(task_id)
    assert set(meta) >= META_KEYS
    assert meta["pid"] == daemon.identity.pid
    assert all(TIME.match(meta[key]) for key in ("created_at", "started_at", "ended_at"))
    assert meta["created_at"] <= meta["started_at"] <= meta["ended_at"]
    on_disk = json.loads((daemon.task_folder(task_id) / "meta.json").read_bytes())
    assert set(on_disk) >= META_KEYS
    assert on_disk["status"] == "COMPLETED"


def test_folder_holds_the_specified_files(daemon: Daemon, site: Site) -> None:
    """A finished crawl's folder: meta, arguments, events, lock, and the result with its index."""
    task_id = daemon.start_task("crawl", url=site.url("many-pages/1.html"), max_pages=3)
    daemon.finish(task_id)
    folder = daemon.task_folder(task_id)
    names = {path.name for path in folder.iterdir()}
    result = {"result.idx", "result.json"}
    assert names == {"meta.json", "arguments.json", "events.jsonl", "lock", *result}
    assert len(json.loads((folder / "result.json").read_bytes())["pages"]) == 3
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    assert events


def test_get_without_the_flag_has_no_result(daemon: Daemon, site: Site) -> None:
    """`oc_task_get` answers the meta alone; with include_result the direct verb's shape, too."""
    task_id = daemon.start_task("crawl", url=site.url("article.html"), max_pages=1)
    daemon.finish(task_id)
    assert set(daemon.do("oc_task_get", task_id=task_id)) == {"meta"}
    both = daemon.do("oc_task_get", task_id=task_id, include_result=True)
    assert set(both) == {"meta", "result"}
    assert set(both["result"]) == {"summary", "pages"}


def test_large_result_of_a_task_honours_output_mode(daemon: Daemon, site: Site) -> None:
    """`oc_task_get(include_result, output_mode="handle")` answers a descriptor."""
    task_id = daemon.start_task("crawl", url=site.url("many-pages/1.html"), max_pages=8)
    daemon.finish(task_id)
    reply = daemon.call("oc_task_get", task_id=task_id, include_result=True, output_mode="handle")
    assert len(reply.raw) <= 4096
    assert reply.result["output_handle"].startswith("oh_")
    page = daemon.do("oc_output_fetch", output_handle=reply.result["output_handle"], limit=5)
    assert page["total"] == 8
    assert len(page["content"]) == 5


def test_list_filters_and_sorts(daemon: Daemon, site: Site) -> None:
    """`oc_task_list` answers the newest first and filters by status, kind, limit and time."""
    first = daemon.start_task("crawl", url=site.url("article.html"), max_pages=1)
    daemon.finish(first)
    second = daemon.start_task("crawl_sitemap", url=site.url("sitemap.xml"), max_pages=1)
    meta = daemon.finish(second)
    tasks = daemon.do("oc_task_list")["tasks"]
    assert [t["task_id"] for t in tasks[:2]] == [second, first]
    created = [t["created_at"] for t in tasks]
    assert created == sorted(created, reverse=True)
    assert {t["kind"] for t in daemon.do("oc_task_list", kind="crawl_sitemap")["tasks"]} == {
        "crawl_sitemap"
    }
    assert len(daemon.do("oc_task_list", limit=1)["tasks"]) == 1
    running = daemon.do("oc_task_list", status="RUNNING")["tasks"]
    assert not {first, second} & {task["task_id"] for task in running}
    recent = daemon.do("oc_task_list", since=meta["created_at"])
    assert [t["task_id"] for t in recent["tasks"]] == [second]
    assert recent["count"] == 1
    older = daemon.do("oc_task_list", before=meta["created_at"], limit=1)
    assert [t["task_id"] for t in older["tasks"]] == [first]


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"kind": "crawl", "args": {"url": "http://127.0.0.1:1/", "max_pagse": 1}}, "max_pagse"),
        ({"kind": "crawl", "args": {}}, "url"),
        ({"kind": "crawl", "args": {"url": "http://127.0.0.1:1/", "max_pages": -1}}, "max_pages"),
        ({"kind": "crwal", "args": {}}, "crwal"),
        ({"kind": "read_page", "args": {}}, "read_page"),
    ],
)
def test_bad_arguments_make_no_task(daemon: Daemon, params: dict[str, Any], named: str) -> None:
    """`oc_task_start` validates like the direct call, before a task exists."""
    before = daemon.do("oc_task_list", limit=1)["tasks"]
    error = daemon.call("oc_task_start", **params).error
    assert error["code"] == "invalid_argument"
    assert named in error["message"]
    assert daemon.do("oc_task_list", limit=1)["tasks"] == before


@pytest.mark.parametrize("task_id", ["ffffffffffffffff", "", "..", "../output", "x" * 5000, "FFFF"])
@pytest.mark.parametrize("verb", ["oc_task_get", "oc_task_cancel", "oc_task_wait"])
def test_unknown_task_is_not_found(daemon: Daemon, verb: str, task_id: str) -> None:
    """Whatever is no task of this ledger is `task_not_found`."""
    reply = daemon.call(verb, task_id=task_id)
    assert (reply.status, reply.code) == (404, "task_not_found")


# --- the direct call and the task are the same --------------------------------------------------


def _without_times(result: dict[str, Any]) -> dict[str, Any]:
    # Of pages loaded at once, that one is the parent whose link is read first.
    times = ("fetched_at", "duration_ms", "started_at", "ended_at", "elapsed_ms")
    drop = (*times, "pages_per_second", "parent")
    pages = [{k: v for k, v in page.items() if k not in drop} for page in result["pages"]]
    summary = {k: v for k, v in result["summary"].items() if k not in drop}
    return {**result, "summary": summary, "pages": sorted(pages, key=lambda page: page["url"])}


def test_direct_crawl_and_task_give_the_same_result(daemon: Daemon, site: Site) -> None:
    """Parity: the task's result is the direct verb's result, but for times."""
    args = {"url": site.url("many-pages/1.html"), "max_pages": 40, "max_depth": 9}
    direct = daemon.do("crawl", **args)
    task_id = daemon.start_task("crawl", **args)
    daemon.finish(task_id)
    stored = daemon.result_of(task_id)
    assert list(direct) == list(stored)
    assert _without_times(direct) == _without_times(stored)
    assert len(direct["pages"]) == 40


def test_one_page_at_a_time_keeps_the_order(daemon: Daemon, site: Site) -> None:
    """With concurrency 1 direct call and task agree in the pages' order, too."""
    args = {"url": site.url("many-pages/1.html"), "max_pages": 10, "concurrency": 1}
    direct = [page["url"] for page in daemon.do("crawl", **args)["pages"]]
    task_id = daemon.start_task("crawl", **args)
    daemon.finish(task_id)
    assert [page["url"] for page in daemon.result_of(task_id)["pages"]] == direct


def test_direct_crawl_is_in_the_ledger(daemon: Daemon, site: Site) -> None:
    """A long verb called directly is a task that the call waits for."""
    daemon.do("crawl", url=site.url("article.html"), max_pages=1)
    newest = daemon.do("oc_task_list", limit=1, all=True)["tasks"][0]
    assert (newest["kind"], newest["status"]) == ("crawl", "COMPLETED")
    assert newest["direct"] is True


def test_list_shows_direct_calls_only_on_request(daemon: Daemon, site: Site) -> None:
    """What a caller was answered is listed with all=true only; a failure stays in sight."""
    started = daemon.start_task("crawl", url=site.url("article.html"), max_pages=1)
    daemon.finish(started)
    daemon.do("crawl", url=site.url("article.html"), max_pages=1)
    daemon.call("crawl", url=site.url("article.html"), max_pages=1, fail_on_page=1)
    failed, newest = daemon.do("oc_task_list", limit=2)["tasks"]
    assert (failed["status"], failed["direct"]) == ("FAILED", True)
    assert newest["task_id"] == started
    assert "direct" not in newest
    both = daemon.oc("task", "list", "--all", "--limit", "3", COLUMNS="200").ok().out.splitlines()
    assert [line.split()[2] for line in both[1:]] == ["FAILED", "COMPLETED", "COMPLETED"]
    assert ["direct call" in line for line in both[1:]] == [True, True, False]


# --- cancel -------------------------------------------------------------------------------------


def test_cancel_keeps_the_pages_already_crawled(daemon: Daemon, site: Site) -> None:
    """Cancelling answers CANCELLED though a page hangs for ever, and keeps what is finished."""
    task_id = _held_chain(daemon, site, hold=4, page_timeout_ms=600_000)
    meta = daemon.do("oc_task_cancel", task_id=task_id)["meta"]
    assert meta["status"] == "CANCELLED"
    assert meta["cancel_requested_at"]
    pages = daemon.result_of(task_id)["pages"]
    assert [page["title"] for page in pages] == ["Link 1", "Link 2", "Link 3"]
    assert all(page["content"] for page in pages)
    events = (daemon.task_folder(task_id) / "events.jsonl").read_text()
    assert "cancel_requested" in events
    wait_until(lambda: site.in_flight("chain/4") == 0, 20, "the page load's abortion")


def test_cancel_of_a_browser_crawl_aborts_the_page(daemon: Daemon, site: Site) -> None:
    """With the browser engine, too, an in-flight page load is aborted and the rest is kept."""
    task_id = _held_chain(daemon, site, hold=3, engine="browser")
    assert daemon.do("oc_task_cancel", task_id=task_id)["meta"]["status"] == "CANCELLED"
    assert len(daemon.result_of(task_id)["pages"]) == 2
    wait_until(lambda: site.in_flight("chain/3") == 0, 20, "the page load's abortion")


def _write_handbook(folder: Path, count: int = handbook.COUNT) -> Path:
    """Write the practice site's handbook as files, and return the first one's path."""
    folder.mkdir()
    for number in range(1, count + 1):
        (folder / f"{number}.html").write_text(handbook.page(number), encoding="utf-8")
    return folder / "1.html"


def test_cancel_during_a_file_crawl(make_daemon: MakeDaemon, tmp_path: Path, site: Site) -> None:
    """The seed's fixture: a `file://` crawl, cancelled after a page completed, keeps that page."""
    start = _write_handbook(tmp_path / "handbook")
    (tmp_path / "handbook" / "2.html").write_text(f'<a href="{site.url("hang")}">stuck</a>')
    (tmp_path / "handbook" / "1.html").write_text('<title>One</title><a href="2.html">two</a>')
    daemon = make_daemon("--allow-file-root", str(tmp_path))
    task_id = daemon.start_task("crawl", url=start.as_uri(), max_pages=5, max_depth=5, scope="**")
    site.wait_for("hang")
    wait_until(lambda: _pages_done(daemon, task_id) >= 1, 20, "a page")
    assert daemon.do("oc_task_cancel", task_id=task_id)["meta"]["status"] == "CANCELLED"
    assert "One" in [page["title"] for page in daemon.result_of(task_id)["pages"]]


def test_file_crawl_reads_files(make_daemon: MakeDaemon, tmp_path: Path) -> None:
    """`file://` works inside the file roots: links are followed, nothing outside is read."""
    start = _write_handbook(tmp_path / "handbook", 12)
    daemon = make_daemon("--allow-file-root", str(tmp_path / "handbook"))
    result = daemon.do("crawl", url=start.as_uri(), max_pages=5)
    assert len(result["pages"]) == 5
    assert result["pages"][0]["title"] == "Chapter 1"
    (tmp_path / "secret.html").write_text("<title>secret</title>")
    (tmp_path / "handbook" / "1.html").write_text('<a href="../secret.html">out</a>')
    assert "secret" not in json.dumps(daemon.do("crawl", url=start.as_uri())["pages"][1:])


def test_cancel_of_a_queued_task_never_runs_it(make_daemon: MakeDaemon, site: Site) -> None:
    """PENDING → CANCELLED: a queued task that is cancelled sends no request."""
    daemon = make_daemon("--max-concurrent-tasks", "1")
    running = daemon.start_task("crawl", url=site.url("gate/busy"), max_pages=1)
    site.wait_for("gate/busy")
    queued = daemon.start_task("crawl", url=site.url("article.html"), max_pages=1)
    assert daemon.task(queued)["status"] == "PENDING"
    assert daemon.do("oc_task_cancel", task_id=queued)["meta"]["status"] == "CANCELLED"
    site.open_gate("busy")
    assert daemon.finish(running)["status"] == "COMPLETED"
    assert site.seen("article.html") == []


def test_queued_tasks_run_in_turn(make_daemon: MakeDaemon, site: Site) -> None:
    """Beyond `max_concurrent_tasks` tasks wait as PENDING, and run when a place is free."""
    daemon = make_daemon("--max-concurrent-tasks", "1")
    ids = [daemon.start_task("crawl", url=site.url(f"gate/{n}"), max_pages=1) for n in range(3)]
    site.wait_for("gate/0")
    assert [daemon.task(one)["status"] for one in ids] == ["RUNNING", "PENDING", "PENDING"]
    for number, one in enumerate(ids):
        site.open_gate(str(number))
        assert daemon.finish(one)["status"] == "COMPLETED"


def test_terminal_states_never_change(daemon: Daemon, site: Site) -> None:
    """Cancelling a finished task changes nothing."""
    task_id = daemon.start_task("crawl", url=site.url("article.html"), max_pages=1)
    before = daemon.finish(task_id)
    assert daemon.do("oc_task_cancel", task_id=task_id)["meta"] == before
    assert daemon.task(task_id) == before


# --- wait ---------------------------------------------------------------------------------------


def test_wait_returns_right_after_the_transition(daemon: Daemon, site: Site) -> None:
    """`oc_task_wait` answers the terminal meta promptly (tests/bench measures the 200 ms)."""
    task_id = daemon.start_task("crawl", url=site.url("gate/fast"), max_pages=1)
    site.wait_for("gate/fast")
    pending = daemon.start_call("oc_task_wait", task_id=task_id, timeout_ms=100_000)
    wait_until(lambda: daemon.status()["calls_in_flight"] >= 1, 20)
    assert not pending.done
    site.open_gate("fast")
    meta = pending.reply(5).result["meta"]
    assert meta["status"] == "COMPLETED"
    assert set(pending.reply().result) == {"meta"}


def test_wait_times_out_with_a_typed_error(daemon: Daemon, site: Site) -> None:
    """Past `timeout_ms` (or `timeout`) the wait is `timeout`; the task goes on."""
    task_id = daemon.start_task("crawl", url=site.url("gate/slow"), max_pages=1)
    site.wait_for("gate/slow")
    for name in ("timeout_ms", "timeout", "timeoutMs"):
        reply = daemon.call("oc_task_wait", task_id=task_id, **{name: 100})
        assert (reply.status, reply.code) == (504, "timeout")
    assert daemon.task(task_id)["status"] == "RUNNING"
    site.open_gate("slow")
    assert daemon.finish(task_id)["status"] == "COMPLETED"


def test_waiting_callers_block_nobody(daemon: Daemon, site: Site) -> None:
    """While twenty callers wait, other calls are answered."""
    task_id = daemon.start_task("crawl", url=site.url("gate/wait"), max_pages=1)
    waiting = [daemon.start_call("oc_task_wait", task_id=task_id) for _ in range(20)]
    wait_until(lambda: daemon.status()["calls_in_flight"] >= 20, 20)
    assert daemon.do("tabs_context")["tabs"] == []
    site.open_gate("wait")
    with ThreadPoolExecutor(20) as threads:
        found = list(threads.map(lambda call: call.reply(10).result["meta"]["status"], waiting))
    assert found == ["COMPLETED"] * 20


def test_events_can_be_followed(daemon: Daemon, site: Site) -> None:
    """`GET /v1/tasks/{id}/events?follow=1` streams the events until the task has ended."""
    task_id = _held_chain(daemon, site, hold=2)
    lines = wire.lines(daemon.socket, "GET", f"/v1/tasks/{task_id}/events?follow=1")
    first = next(lines)
    assert first
    site.open_gate("chain")
    daemon.do("oc_task_cancel", task_id=task_id)
    rest = [first, *lines]
    assert any("cancel_requested" in json.dumps(event) for event in rest)
    stored = daemon.request("GET", f"/v1/tasks/{task_id}/events").raw.decode().splitlines()
    assert len(stored) >= len(rest) - 1
    assert daemon.request("GET", "/v1/tasks/ffffffffffffffff/events?follow=1").code == (
        "task_not_found"
    )


# --- failure ------------------------------------------------------------------------------------


def test_failing_worker_makes_the_task_fail_and_frees_the_lock(daemon: Daemon, site: Site) -> None:
    """`fail_on_page` = 2: FAILED with the error, page 1 kept, and the lock file can be taken."""
    task_id = daemon.start_task(
        "crawl", url=site.url("many-pages/1.html"), max_pages=5, failOnPage=2, concurrency=1
    )
    meta = daemon.finish(task_id)
    assert meta["status"] == "FAILED"
    assert meta["error"]["code"] == "injected_failure"
    with (daemon.task_folder(task_id) / "lock").open("a") as lock:
        portalocker.lock(lock, portalocker.LOCK_EX | portalocker.LOCK_NB)
    pages = daemon.result_of(task_id)["pages"]
    assert [page["title"] for page in pages] == ["Chapter 1"]


def test_direct_call_fails_with_the_verbs_error(daemon: Daemon, site: Site) -> None:
    """The same failure of a direct call is that error, naming the task that keeps the pages."""
    error = daemon.call(
        "crawl", url=site.url("many-pages/1.html"), max_pages=5, fail_on_page=2, concurrency=1
    ).error
    assert error["code"] == "injected_failure"
    assert error["task_id"] in error["hint"]
    assert daemon.result_of(error["task_id"])["pages"]


def test_lock_is_free_while_the_work_runs(daemon: Daemon, site: Site) -> None:
    """The lock is held while meta.json changes, never for the long body of the work."""
    task_id = _held_chain(daemon, site, hold=2)
    with (daemon.task_folder(task_id) / "lock").open("a") as lock:
        portalocker.lock(lock, portalocker.LOCK_EX | portalocker.LOCK_NB)
        assert daemon.task(task_id)["status"] == "RUNNING"
    daemon.do("oc_task_cancel", task_id=task_id)


def test_arguments_are_summarised_without_secrets(daemon: Daemon, site: Site) -> None:
    """`args_summary` is at most 2 KiB and holds no secret, in URLs and at any depth."""
    url = f"{site.origin.replace('://', '://ada:lovelace-secret@')}/article.html?token=tok-secret"
    task_id = daemon.start_task(
        "crawl", url=url, max_pages=1, include=["*" * 3000], query="q" * 1000,
        headers={"X-Shelf": "hush-secret"},
    )  # fmt: skip
    meta = daemon.finish(task_id)
    summary = json.dumps(meta["args_summary"])
    assert len(summary.encode()) <= 2048 + 64
    everything = (daemon.task_folder(task_id) / "meta.json").read_text()
    everything += json.dumps(daemon.do("oc_journal", action="recent", count=20))
    assert "lovelace-secret" not in everything
    assert "tok-secret" not in everything
    assert "hush-secret" not in everything


# --- restart and crash --------------------------------------------------------------------------


def test_history_survives_a_restart(make_daemon: MakeDaemon, site: Site) -> None:
    """A CANCELLED task is still listed, with its partial result, after the daemon was restarted."""
    daemon = make_daemon()
    task_id = _held_chain(daemon, site, hold=3)
    daemon.do("oc_task_cancel", task_id=task_id)
    before = daemon.result_of(task_id)
    daemon.restart()
    (listed,) = daemon.do("oc_task_list")["tasks"]
    assert (listed["task_id"], listed["status"]) == (task_id, "CANCELLED")
    assert daemon.result_of(task_id) == before


def test_kill_9_orphans_the_running_task_and_keeps_its_pages(
    make_daemon: MakeDaemon, site: Site
) -> None:
    """After kill -9 and a restart: FAILED, `orphaned`, and every page that was finished."""
    daemon = make_daemon("--max-concurrent-tasks", "1")
    task_id = _held_chain(daemon, site, hold=5)
    queued = daemon.start_task("crawl", url=site.url("article.html"), max_pages=1)
    daemon.kill9().start()
    meta = daemon.task(task_id)
    assert meta["status"] == "FAILED"
    assert meta["error"]["code"] == "orphaned"
    assert meta["ended_at"]
    result = daemon.result_of(task_id)
    assert [page["title"] for page in result["pages"]] == [f"Link {n}" for n in (1, 2, 3, 4)]
    assert result["summary"]
    assert daemon.task(queued)["error"]["code"] == "orphaned"
    assert site.seen("article.html") == []


def test_hints_of_ended_tasks_are_shell_commands(make_daemon: MakeDaemon, site: Site) -> None:
    """However a task's error is printed, its hint names commands, and the daemon's is unchanged."""
    daemon = make_daemon()
    task_id = _held_chain(daemon, site, hold=5)
    daemon.kill9().start()
    assert "`oc_task_get {" in daemon.task(task_id)["error"]["hint"]
    command = f"oc task get {task_id} --include-result"
    get, every = ("task", "get", task_id), ("task", "list", "--status", "FAILED")
    for words in (get, (*get, "--json"), (*every, "--json"), ("task", "watch", task_id),
                  ("task", "wait", task_id, "--json"), ("task", "events", task_id)):  # fmt: skip
        done = daemon.oc(*words)
        said = done.out + done.err
        assert "oc_task_get" not in said, words
        assert command in said or words[1] in ("wait", "events"), words


def test_graceful_stop_cancels_running_tasks(make_daemon: MakeDaemon, site: Site) -> None:
    """`ocd stop` ends a running task as CANCELLED with `daemon_stopped`; its pages are kept."""
    daemon = make_daemon()
    task_id = _held_chain(daemon, site, hold=3)
    daemon.restart()
    meta = daemon.task(task_id)
    assert meta["status"] == "CANCELLED"
    assert meta["error"]["code"] == "daemon_stopped"
    assert [p["title"] for p in daemon.result_of(task_id)["pages"]] == ["Link 1", "Link 2"]


def test_task_of_another_living_process_is_not_orphaned(
    make_daemon: MakeDaemon, site: Site
) -> None:
    """A RUNNING task whose pid lives is no orphan; one whose pid was reused is."""
    daemon = make_daemon()
    task_id = daemon.start_task("crawl", url=site.url("article.html"), max_pages=1)
    daemon.finish(task_id)
    daemon.stop()
    meta_file = daemon.task_folder(task_id) / "meta.json"
    meta = json.loads(meta_file.read_bytes())
    meta |= {"status": "RUNNING", "ended_at": None, "pid": 1}  # pid 1 lives, started elsewhen
    meta_file.write_text(json.dumps(meta))
    daemon.start()
    found = daemon.task(task_id)
    assert (found["status"], found["error"]["code"]) == ("FAILED", "orphaned")


def test_wait_sees_a_change_by_another_process(make_daemon: MakeDaemon, site: Site) -> None:
    """A task that another living process runs is waited for by watching its folder."""
    daemon = make_daemon()
    task_id = daemon.start_task("crawl", url=site.url("article.html"), max_pages=1)
    daemon.finish(task_id)
    daemon.stop()
    meta_file = daemon.task_folder(task_id) / "meta.json"
    finished = json.loads(meta_file.read_bytes())
    running = {**finished, "status": "RUNNING", "ended_at": None, **_own_identity()}
    meta_file.write_text(json.dumps(running))
    daemon.start()
    pending = daemon.start_call("oc_task_wait", task_id=task_id, timeout_ms=100_000)
    wait_until(lambda: daemon.status()["calls_in_flight"] >= 1, 20)
    part = meta_file.with_name("meta.new")
    part.write_text(json.dumps({**finished, **_own_identity()}))
    part.rename(meta_file)
    assert pending.reply(5).result["meta"]["status"] == "COMPLETED"


def _own_identity() -> dict[str, Any]:
    own = own_identity()
    return {
        "pid": own.pid, "pid_started_at": rfc3339(own.started_at), "start_ticks": own.start_ticks,
    }  # fmt: skip


def test_ten_thousand_tasks_list_fast(make_daemon: MakeDaemon, site: Site) -> None:
    """With 10,000 tasks on disk the newest 50 are listed, and the daemon starts in its time."""
    daemon = make_daemon()
    task_id = daemon.start_task("crawl", url=site.url("article.html"), max_pages=1)
    daemon.finish(task_id)
    daemon.stop()
    meta = json.loads((daemon.task_folder(task_id) / "meta.json").read_bytes())
    for number in range(10_000):
        folder = daemon.home.path / "tasks" / f"{number:016x}"
        folder.mkdir(mode=0o700)
        (folder / "meta.json").write_text(json.dumps({**meta, "task_id": folder.name}))
    daemon.start()
    result = daemon.do("oc_task_list")
    assert len(result["tasks"]) == 50
    before = _processor_s(daemon)
    for _ in range(10):
        daemon.do("oc_task_list", status="COMPLETED")
    assert (_processor_s(daemon) - before) / 10 < 0.5  # a scan of all files takes longer


def _processor_s(daemon: Daemon) -> float:
    times = psutil.Process(daemon.identity.pid).cpu_times()
    return float(times.user + times.system)


def test_retention_removes_old_tasks_only(make_daemon: MakeDaemon, site: Site) -> None:
    """Tasks older than `task_retention_days` are gone after a start; younger ones stay."""
    daemon = make_daemon("--task-retention-days", "30")
    old, young = (
        daemon.start_task("crawl", url=site.url("article.html"), max_pages=1) for _ in range(2)
    )
    for one in (old, young):
        daemon.finish(one)
    daemon.stop()
    meta_file = daemon.task_folder(old) / "meta.json"
    meta = json.loads(meta_file.read_bytes())
    past = dict.fromkeys(("created_at", "started_at", "ended_at"), "2020-01-01T00:00:00.000Z")
    meta_file.write_text(json.dumps({**meta, **past}))
    daemon.start()
    wait_until(lambda: not daemon.task_folder(old).exists(), 20, "the pruning")
    assert daemon.task(young)["status"] in TERMINAL
