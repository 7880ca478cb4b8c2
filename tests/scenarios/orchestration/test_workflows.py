"""Workflows: workers with a task each, what they report, and how they end."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")

NAMES = ["a name", "작업자 하나", "🙂🤖", "..", "../../etc", "con", "Con", "a/b", "x" * 10_240]


def begin(daemon: Daemon, *names: str, session: str | None = None, **options: object) -> str:
    """Begin a workflow of workers without pages and return its id."""
    workers = [{"name": name, "task": f"Do {name[:20]}"} for name in names]
    made = daemon.do("workflow_init", session, name="Prices", workers=workers, **options)
    workflow_id: str = made["workflow_id"]
    return workflow_id


def results(daemon: Daemon, workflow_id: str) -> dict[str, dict[str, Any]]:
    found = daemon.do("workflow_collect", workflow_id=workflow_id)["worker_results"]
    return {one["worker_name"]: one for one in found}


@pytest.fixture
def own(make_daemon: Callable[..., Daemon]) -> Daemon:
    """A daemon without workflows."""
    return make_daemon()


@pytest.fixture(autouse=True)
def _cleaned(request: pytest.FixtureRequest) -> None:
    """Clean up what a test left in the shared daemon: its sessions hold few workers."""
    if "daemon" in request.fixturenames:
        daemon: Daemon = request.getfixturevalue("daemon")
        for one in daemon.do("worker", action="list")["workers"]:
            daemon.do("worker", action="delete", worker_id=one["worker_id"])


def test_workflow_from_start_to_completion(daemon: Daemon, site: Site) -> None:
    """Workers get tabs at their pages and a prompt; reports add up; all done is COMPLETED."""
    workers = [
        {"name": "left", "task": "Read it", "url": site.url("article.html"),
         "successCriteria": "three facts"},
        {"name": "right", "task": "Price", "url": site.url("product.html")},
    ]  # fmt: skip
    made = daemon.do("workflow_init", name="Facts", workers=workers, workerTimeoutMs=50_000)
    assert made["status"] == "INITIALIZED"
    wf = made["workflow_id"]
    first = made["workers"][0]
    assert "Cape Ambler" in daemon.do("read_page", tab_id=first["tab_id"])["content"]
    prompt = made["worker_prompts"][0]["prompt"]
    for word in (wf, first["tab_id"], "three facts", "50000", "worker_complete"):
        assert word in prompt
    assert daemon.do("workflow_status", workflow_id=wf)["status"] == "INIT"
    said = daemon.do("worker_update", workflow_id=wf, worker_name="left", iteration=1,
                     action="read", result="SUCCESS", extracted_data={"a": 1})  # fmt: skip
    assert (said["status"], said["workflow_status"]) == ("UPDATED", "RUNNING")
    done = {"status": "SUCCESS", "result_summary": "fine", "workflow_id": wf}
    daemon.do("worker_complete", worker_name="left", extracted_data={"b": 2}, **done)
    partial = daemon.do("workflow_collect_partial", workflow_id=wf)
    assert [one["worker_name"] for one in partial["completed_workers"]] == ["left"]
    assert partial["pending_worker_names"] == ["right"]
    last = daemon.do("worker_complete", worker_name="right", **done)
    assert last["workflow_status"] == "COMPLETED"
    assert results(daemon, wf)["left"]["data_extracted"] == {"a": 1, "b": 2}
    cleaned = daemon.do("workflow_cleanup", workflow_id=wf)
    assert sorted(cleaned["closed_tabs"]) == sorted(w["tab_id"] for w in made["workers"])
    assert results(daemon, wf)["left"]["data_extracted"] == {"a": 1, "b": 2}


def test_update_changes_only_what_it_names(daemon: Daemon) -> None:
    """Fault 31: an update with one key leaves the others; objects merge key by key."""
    wf = begin(daemon, "one")
    me = {"workflow_id": wf, "worker_name": "one"}
    daemon.do("worker_update", **me, iteration=3, extracted_data={"x": {"a": 1}, "l": [1]})
    daemon.do("worker_update", **me, status="IN_PROGRESS")
    daemon.do("worker_update", **me, extracted_data={"x": {"b": 2}, "l": [2]})
    daemon.do("worker_update", **me, error="a hiccup")
    details = daemon.do("workflow_status", workflow_id=wf, include_worker_details=True)
    (worker,) = details["worker_details"]
    assert (worker["iteration"], worker["status"]) == (3, "IN_PROGRESS")
    assert worker["extracted_data"] == {"x": {"a": 1, "b": 2}, "l": [2]}
    assert worker["errors"] == ["a hiccup"]
    assert worker["progress_log"][0]["error"] == "a hiccup"


def test_a_workflow_whose_workers_all_timed_out_is_not_completed(daemon: Daemon) -> None:
    """Faults 31a and 36: a timeout keeps the data, and counts as no completion."""
    data = {"found": [1, 2]}
    for limit in (1500, 15_000):  # the longer one for a machine that stands still before the update
        wf = begin(daemon, "with", "without", worker_timeout_ms=limit)
        update = {"workflow_id": wf, "worker_name": "with", "extracted_data": data}
        if "ended_by" not in daemon.do("worker_update", **update):
            break

    def ended() -> bool:
        found: int = daemon.do("workflow_status", workflow_id=wf)["pending_workers"]
        return found == 0

    wait_until(ended, 10, "the timeout")
    status = daemon.do("workflow_status", workflow_id=wf)
    assert (status["status"], status["completed_workers"]) == ("PARTIAL", 0)
    assert status["timed_out_workers"] == 2
    found = results(daemon, wf)["with"]
    assert (found["data_extracted"], found["ended_by"]) == (data, "timeout")
    assert found["result_summary"].startswith("[timeout]")
    late = daemon.do("worker_update", workflow_id=wf, worker_name="with", extracted_data={"z": 3})
    assert late["ended_by"] == "timeout"
    assert results(daemon, wf)["with"]["data_extracted"] == {**data, "z": 3}


def test_a_workflow_without_results_is_failed(daemon: Daemon) -> None:
    """Timed out without data beside a failure: FAILED; the global timeout ends all."""
    wf = begin(daemon, "silent", "failing", global_timeout_ms=800)
    failed = {"status": "FAIL", "result_summary": "no"}
    daemon.do("worker_complete", workflow_id=wf, worker_name="failing", **failed)

    def status() -> str:
        found: str = daemon.do("workflow_status", workflow_id=wf)["status"]
        return found

    wait_until(lambda: status() == "FAILED", 10, "the timeout")
    assert results(daemon, wf)["silent"]["ended_by"] == "global_timeout"


def test_staleness_considers_all_data(daemon: Daemon) -> None:
    """A change far into the data counts as progress; the same data again does not."""
    wf = begin(daemon, "one", max_stale_iterations=2)
    me = {"workflow_id": wf, "worker_name": "one"}
    long = "y" * 1000
    for number in range(6):
        said = daemon.do("worker_update", **me, extracted_data={"text": long, "z": number})
        assert said["worker_status"] == "IN_PROGRESS"
    statuses = [
        daemon.do("worker_update", **me, extracted_data={"z": 5})["worker_status"] for _ in "123"
    ]
    assert statuses == ["IN_PROGRESS", "PARTIAL", "PARTIAL"]
    found = results(daemon, wf)["one"]
    assert (found["ended_by"], found["data_extracted"]["z"]) == ("stale", 5)


def test_two_workflows_with_equal_names_are_separate(daemon: Daemon, site: Site) -> None:
    """Faults 32 and 33: each has its own workers, and cleaning up one leaves the other."""
    first, second = begin(daemon, "same"), begin(daemon, "same")
    for wf in (first, second):
        data = {"of": wf}
        daemon.do("worker_update", workflow_id=wf, worker_name="same", extracted_data=data)
    assert daemon.do("workflow_status")["workflow_id"] == second
    closed = daemon.do("workflow_cleanup", workflow_id=first)
    assert len(closed["closed_tabs"]) == 1
    assert results(daemon, first)["same"]["ended_by"] == "cleanup"
    assert results(daemon, first)["same"]["data_extracted"] == {"of": first}
    assert results(daemon, second)["same"]["status"] == "IN_PROGRESS"
    assert daemon.do("worker", action="list")["worker_count"] == 1
    assert daemon.do("tabs_context")["tab_count"] == 1


def test_ended_workflows_make_room(own: Daemon) -> None:
    """Nobody cleans up: those that are over go as room is needed, and are named; others stay."""
    names = [f"w{number}" for number in range(9)]
    over, going_on = begin(own, *names), begin(own, *names)
    refused = own.call("workflow_init", name="n", workers=[{"name": n, "task": "t"} for n in "abc"])
    assert refused.code == "limit_reached"
    for name in names:
        own.do("worker_complete", workflow_id=over, worker_name=name, status="SUCCESS",
               result_summary="done", extracted_data={"n": name})  # fmt: skip
    made = own.do("workflow_init", name="n", workers=[{"name": n, "task": "t"} for n in "abc"])
    assert made["released"] == [over]
    assert own.do("worker", action="list")["worker_count"] == 12
    assert results(own, over)["w8"]["data_extracted"] == {"n": "w8"}
    assert results(own, going_on)["w8"]["status"] == "INIT"
    own.do("oc_stop")
    assert own.do("worker", action="list")["worker_count"] == 0


def test_names_never_collide_or_leave_the_folder(daemon: Daemon) -> None:
    """Fault 34: names of every kind report and are collected; none leaves the folder."""
    wf = begin(daemon, *NAMES)
    for number, name in enumerate(NAMES):
        done = {"status": "SUCCESS", "result_summary": "ok", "extracted_data": {"n": number}}
        daemon.do("worker_complete", workflow_id=wf, worker_name=name, **done)
    found = results(daemon, wf)
    assert {name: found[name]["data_extracted"]["n"] for name in NAMES} == {
        name: number for number, name in enumerate(NAMES)
    }
    folder = daemon.home.path / "workflows" / wf
    assert len(list((folder / "workers").iterdir())) == len(NAMES)
    daemon.do("workflow_cleanup", workflow_id=wf)


def test_concurrent_reports_are_all_kept(daemon: Daemon) -> None:
    """Sixty reports at once, to three workers: every one of them counts."""
    names = ("a", "b", "c")
    wf = begin(daemon, *names)

    def say(number: int) -> None:
        data = {f"k{number}": number}
        daemon.do("worker_update", workflow_id=wf, worker_name=names[number % 3],
                  action="step", extracted_data=data)  # fmt: skip

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(say, range(60)))
    found = results(daemon, wf)
    kept = {key for name in names for key in found[name]["data_extracted"]}
    assert kept == {f"k{number}" for number in range(60)}


def test_workflow_survives_the_death_of_the_daemon(
    make_daemon: Callable[..., Daemon], site: Site
) -> None:
    """After kill -9 the workflow, its data and its clock are there, and a worker may go on."""
    daemon = make_daemon()
    daemon.stop()
    daemon.run_in_foreground()
    wf = begin(daemon, "one", worker_timeout_ms=600_000, global_timeout_ms=600_000)
    daemon.do("worker_update", worker_name="one", extracted_data={"a": 1})
    daemon.kill9()
    daemon.run_in_foreground()
    daemon.do("worker_update", worker_name="one", extracted_data={"b": 2})
    assert results(daemon, wf)["one"]["data_extracted"] == {"a": 1, "b": 2}
    assert daemon.do("workflow_cleanup", workflow_id=wf)["closed_tabs"] == []


def test_status_without_a_workflow(own: Daemon) -> None:
    """Without any workflow the status says so; acting on none is an error."""
    assert own.do("workflow_status") == {"status": "NO_WORKFLOW"}
    assert own.do("workflow_collect")["status"] == "NO_RESULTS"
    assert own.do("workflow_collect_partial")["status"] == "NO_WORKFLOW"
    assert own.call("workflow_cleanup").code == "workflow_not_found"
    assert own.call("workflow_status", workflow_id="../tasks").code == "workflow_not_found"
    update = own.call("worker_update", worker_name="x")
    assert update.code == "workflow_not_found"


BAD: list[dict[str, Any]] = [
    {"name": "n", "workers": []},
    {"name": "n", "workers": [{"name": "", "task": "t"}]},
    {"name": "n", "workers": [{"name": "a", "task": "t"}, {"name": "a", "task": "t"}]},
    {"name": "n", "workers": [{"name": "a"}]},
    {"name": "n", "workers": [{"name": "a", "task": "t", "nonsense": 1}]},
]


@pytest.mark.parametrize("params", BAD)
def test_bad_workflows_are_refused(daemon: Daemon, params: dict[str, Any]) -> None:
    """No workers, no name, one name twice, no task, an unknown key: refused before anything."""
    before = daemon.do("tabs_context")["tab_count"]
    assert daemon.call("workflow_init", **params).code == "invalid_argument"
    assert daemon.do("tabs_context")["tab_count"] == before


def test_pages_that_do_not_load_are_reported(daemon: Daemon) -> None:
    """A worker whose page does not load still begins, and says so."""
    workers = [{"name": "a", "task": "t", "url": "http://127.0.0.1:9/"}]
    made = daemon.do("workflow_init", name="n", workers=workers)
    assert made["workers"][0]["load_error"].startswith("navigation_failed")
    unknown = daemon.call("worker_update", workflow_id=made["workflow_id"], worker_name="b")
    assert unknown.code == "worker_not_found"
    assert unknown.error["workers"] == ["a"]


def test_unreadable_file_is_not_overwritten(own: Daemon) -> None:
    """A worker's file that cannot be read is reported with its path and never overwritten."""
    wf = begin(own, "one")
    path = own.home.path / "workflows" / wf / "workers" / "one.json"
    newer = {**json.loads(path.read_bytes()), "version": 99}
    for text in ("{half", json.dumps(newer)):
        path.write_text(text)
        said = own.call("worker_update", worker_name="one", extracted_data={"a": 1})
        assert (said.code, said.error["path"]) == ("unreadable_file", str(path))
        assert path.read_text() == text
