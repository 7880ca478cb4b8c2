"""SIGKILL at every numbered step of every write order: nothing promised is lost.

The steps are the points of ocd.storage.crash_points, read from the daemon's source: a new
point that no way below leads to makes `test_every_crash_point_is_tested` fail.
"""

import ast
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path

import portalocker
import pytest

from support.daemon import TERMINAL, Daemon
from support.processes import naming
from support.site import Site
from support.syntax_trees import tree_of
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")
SOURCE = Path(__file__).resolve().parents[2] / "daemon" / "ocd"
NAME = re.compile(r"[a-z]+(\.[a-z_]+)+")
HERE = {"kind": "url", "pattern": "article"}
CRAWL = {"max_pages": 6, "max_depth": 10, "concurrency": 1, "engine": "static"}


def _points() -> set[str]:
    """Return the names of all crash points: arguments of point(…) and of update(…, point)."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and _called(node) in ("point", "update", "_update"):
                inner = [one for argument in node.args for one in ast.walk(argument)]
                words = [one.value for one in inner if isinstance(one, ast.Constant)]
                found |= {w for w in words if isinstance(w, str) and NAME.fullmatch(w)}
    return found


def _called(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


# --- the ways that lead to the points -----------------------------------------------------------


def _crawl(daemon: Daemon, site: Site) -> None:
    daemon.start_call("oc_task_start", kind="crawl", args={"url": site.url("chain/1"), **CRAWL})


def _cancel(daemon: Daemon, site: Site) -> None:
    url = site.url("chain/1?hold=4")
    task_id = daemon.start_task("crawl", **{**CRAWL, "url": url})
    site.wait_for("chain/4")
    daemon.start_call("oc_task_cancel", task_id=task_id)


def _move(daemon: Daemon, site: Site) -> None:
    """Crawl a page that is somewhere else, which its record does not say all of."""
    url = site.url("redirect/2")
    daemon.start_call("oc_task_start", kind="crawl", args={**CRAWL, "url": url})


def _keep_raw(daemon: Daemon, site: Site) -> None:
    """Crawl with the answers as they were sent."""
    args = {**CRAWL, "url": site.url("chain/1"), "keep": ["raw"], "engine": "static"}
    daemon.start_call("oc_task_start", kind="crawl", args=args)


def _resume(daemon: Daemon, site: Site) -> None:
    (orphan,) = daemon.do("oc_task_list")["tasks"]
    daemon.start_call("oc_task_resume", task_id=orphan["task_id"])


def _hold(daemon: Daemon, site: Site) -> None:
    """A crawl whose fourth page never comes: it goes on until progress is written down."""
    url = site.url("chain/1?hold=4")
    daemon.start_call("oc_task_start", kind="crawl", args={**CRAWL, "url": url})


def _handle(daemon: Daemon, site: Site) -> None:
    daemon.start_call("crawl", url=site.url("chain/1"), output_mode="handle", **CRAWL)


def _journal(daemon: Daemon, site: Site) -> None:
    """Store what stands nowhere yet."""
    daemon.start_call("oc_journal", action="recent", output_mode="handle")


def _evidence(daemon: Daemon, site: Site) -> None:
    snapshot = {"dom": "<p>", "url": site.url("article.html"), "network": []}
    daemon.start_call("oc_evidence_bundle", evidence={"snapshot": snapshot})


def _plan(daemon: Daemon, site: Site) -> None:
    plan = {"steps": [{"tool": "tabs_context"}]}
    daemon.start_call("execute_plan", plan=plan, save_as="a plan")


def _nothing(daemon: Daemon, site: Site) -> None:
    """The point lies in the start, or in what the daemon does by itself."""


def _leave_nothing(daemon: Daemon, site: Site) -> None:
    """A fresh home."""


def _leave_running(daemon: Daemon, site: Site) -> None:
    """A daemon killed in the middle of a crawl."""
    daemon.run_in_foreground()
    daemon.start_task("crawl", **{**CRAWL, "url": site.url("chain/1?hold=4")})
    site.wait_for("chain/4")
    daemon.kill9()


def _leave_bundles(daemon: Daemon, site: Site) -> None:
    """As many evidence bundles as there may be."""
    daemon.run_in_foreground()
    evidence = {"snapshot": {"url": site.url("article.html")}}
    whole = Path(daemon.do("oc_evidence_bundle", evidence=evidence)["path"])
    daemon.stop()
    for number in range(499):
        letters = "".join(chr(ord("A") + int(digit)) for digit in f"{number:012}")
        shutil.copytree(whole, whole.with_name(f"ev_{letters}"))


def _leave_old(daemon: Daemon, site: Site) -> None:
    """A daemon stopped long after a crawl."""
    daemon.run_in_foreground()
    task_id = daemon.start_task("crawl", **{**CRAWL, "url": site.url("chain/1")})
    daemon.finish(task_id)
    daemon.stop()
    file = daemon.task_folder(task_id) / "meta.json"
    past = dict.fromkeys(("created_at", "started_at", "ended_at"), "2020-01-01T00:00:00.000Z")
    file.write_text(json.dumps({**json.loads(file.read_bytes()), **past}))
    site.forget()


def _record(daemon: Daemon, site: Site) -> None:
    """Record, with pictures, until the recording has ended or the daemon is dead."""
    calls: list[tuple[str, dict[str, object]]] = [
        ("oc_recording_start", {"max_actions": 3, "screenshots": "after"}),
        ("navigate", {"url": site.url("article.html")}),
        ("page_reload", {}),
        ("javascript_tool", {"code": "document.title = 'Other'"}),
    ]
    with suppress(OSError, HTTPException):  # the daemon dies on the way
        for verb, params in calls:
            daemon.call(verb, **params)


def _workflow(daemon: Daemon, site: Site) -> None:
    """Begin a workflow, report, complete and clean up, or die on the way."""
    workers = [{"name": name, "task": "t"} for name in ("a", "b")]
    done = {"status": "SUCCESS", "result_summary": "s"}
    calls: list[tuple[str, dict[str, object]]] = [
        ("workflow_init", {"name": "n", "workers": workers, "worker_timeout_ms": 600_000}),
        ("worker_update", {"worker_name": "a", "extracted_data": {"a": 1}}),
        ("worker_complete", {"worker_name": "a", "extracted_data": {"b": 2}, **done}),
        ("workflow_cleanup", {}),
    ]
    with suppress(OSError, HTTPException):  # the daemon dies on the way
        for verb, params in calls:
            daemon.call(verb, **params)


def _leave_workflows(daemon: Daemon, site: Site) -> None:
    """As many workflows as may be, cleaned up."""
    for number in range(100):
        workflow_id = f"wf-20200101-000000{number:03}-abcdef"
        folder = daemon.home.path / "workflows" / workflow_id
        folder.mkdir(parents=True)
        time = "2020-01-01T00:00:00.000Z"
        meta = {
            "format": "workflow", "version": 1, "workflow_id": workflow_id, "name": "n",
            "session": "other", "created_at": time, "cleaned_at": time, "workers": [],
            "worker_timeout_ms": 1, "global_timeout_ms": 1, "max_stale_iterations": 1,
        }  # fmt: skip
        (folder / "workflow.json").write_text(json.dumps(meta))


def _leave_recordings(daemon: Daemon, site: Site) -> None:
    """As many recordings as may be."""
    for number in range(50):
        name = f"rec-20200101-0000{number:02}-abcdef"
        folder = daemon.home.path / "recordings" / name
        folder.mkdir(parents=True)
        time = f"2020-01-01T00:00:{number:02}.000Z"
        meta = {
            "format": "recording", "version": 1, "recording_id": name, "session": "default",
            "started_at": time, "ended_at": time, "ended_by": "stop",
        }  # fmt: skip
        (folder / "meta.json").write_text(json.dumps(meta))


def _note(daemon: Daemon, site: Site) -> None:
    daemon.start_call("memory", action="record", domain="d", key="new", value="new")


def _skill(daemon: Daemon, site: Site) -> None:
    """Keep a skill, which is the first line, then replay it, which is the second."""
    step = {"verb": "navigate", "params": {"url": site.url("article.html")}}
    with suppress(OSError, HTTPException):  # the daemon dies on the way
        daemon.call("oc_skill_record", domain="d", name="one", steps=[step], contract=HERE)
        daemon.call("oc_skill_replay", domain="d", name="one")


def _leave_notes(daemon: Daemon, site: Site) -> None:
    """A note that was written again ten thousand times."""
    daemon.run_in_foreground()
    daemon.do("memory", action="record", domain="d", key="old", value="old")
    daemon.stop()
    file = daemon.home.path / "memory" / "memory.jsonl"
    header, line = file.read_text().splitlines(keepends=True)
    file.write_text(header + line * 10_010)


def _checkpoint(daemon: Daemon, site: Site) -> None:
    daemon.start_call("oc_checkpoint", action="save", name="one", completed_steps=[1])


def _leave_checkpoints(daemon: Daemon, site: Site) -> None:
    """As many as there may be."""
    folder = daemon.home.path / "checkpoints"
    folder.mkdir(parents=True)
    for number in range(500):
        saved_at = f"2020-01-01T00:00:00.{number:03}Z"
        checkpoint = {
            "format": "checkpoint", "version": 1, "name": f"c{number}", "saved_at": saved_at,
            "session": "default",
        }  # fmt: skip
        (folder / f"c{number}.json").write_text(json.dumps(checkpoint))


Step = Callable[[Daemon, Site], None]
Way = tuple[Step, Step, tuple[str, ...]]  # what is there before, what is done, further flags
TASK: Way = (_leave_nothing, _crawl, ())
CANCEL: Way = (_leave_nothing, _cancel, ())
HANDLE: Way = (_leave_nothing, _handle, ())
RESUME: Way = (_leave_running, _resume, ())
REAP: Way = (_leave_running, _nothing, ())
PRUNE: Way = (_leave_old, _nothing, ("--task-retention-days", "1"))
SWEEP: Way = (
    _leave_nothing,
    _handle,
    ("--output-handle-ttl-hours", "0", "--output-handle-sweep-interval-seconds", "1"),
)

RECORD: Way = (_leave_nothing, _record, ())
PRUNED: Way = (_leave_recordings, _record, ())
EVIDENCE: Way = (_leave_nothing, _evidence, ())

WORKFLOW: Way = (_leave_nothing, _workflow, ())
WORKFLOWS: Way = (_leave_workflows, _workflow, ())

WAYS: dict[str, Way] = {
    "plan.saved": (_leave_nothing, _plan, ()),
    "workflow.written": WORKFLOW,
    "workflow.named": WORKFLOW,
    "workflow.worker": WORKFLOW,
    "workflow.worker:2": WORKFLOW,
    "workflow.worker:3": WORKFLOW,
    "workflow.cleaned": WORKFLOW,
    "workflow.gone": WORKFLOWS,
    "workflow.removed": WORKFLOWS,
    "keyed.line": (_leave_nothing, _note, ()),
    "keyed.line:2": (_leave_nothing, _skill, ()),
    "keyed.compacted": (_leave_notes, _note, ()),
    "named.written": (_leave_nothing, _checkpoint, ()),
    "named.removed": (_leave_checkpoints, _checkpoint, ()),
    "recording.folder": RECORD,
    "recording.meta": RECORD,
    "recording.named": RECORD,
    "recording.picture": RECORD,
    "recording.picture:2": RECORD,
    "recording.action": RECORD,
    "recording.action:3": RECORD,
    "recording.title": RECORD,
    "recording.end": RECORD,
    "recording.gone": PRUNED,
    "recording.removed": PRUNED,
    "task.folder": TASK,
    "task.filled": TASK,
    "task.meta": TASK,
    "task.event": TASK,
    "task.named": TASK,
    "run.meta": TASK,
    "run.event": TASK,
    "task.filled:1": RESUME,
    "answer.line": (_leave_nothing, _keep_raw, ()),
    "frontier.line": (_leave_nothing, _move, ()),
    "unit.line": TASK,
    "unit.line:4": TASK,
    "unit.event": TASK,
    "unit.event:6": TASK,
    "progress.meta": (_leave_nothing, _hold, ()),
    "result.chunk": TASK,
    "result.chunk:3": TASK,
    "result.index": TASK,
    "result.file": TASK,
    "end.meta": TASK,
    "units.removed": TASK,
    "end.event": TASK,
    "cancel.event": CANCEL,
    "cancel.meta": CANCEL,
    "reap.result": REAP,
    "reap.meta": REAP,
    "reap.event": REAP,
    "prune.named": PRUNE,
    "prune.removed": PRUNE,
    "handle.payload.written": (_leave_nothing, _journal, ()),
    "handle.payload.linked": HANDLE,
    "handle.index.written": HANDLE,
    "handle.meta.written": HANDLE,
    "handle.sweep.meta_deleted": SWEEP,
    "evidence.part.written": EVIDENCE,
    "evidence.part.written:3": EVIDENCE,
    "evidence.manifest.written": EVIDENCE,
    "evidence.committed": EVIDENCE,
    "evidence.delete.renamed": (_leave_bundles, _evidence, ()),
}


def test_every_crash_point_is_tested() -> None:
    """Every crash point in the source has a way here, and every way a point in the source."""
    walked = {fault.partition(":")[0] for fault in WAYS}
    assert walked == _points()


@pytest.fixture
def daemon(request: pytest.FixtureRequest) -> Iterator[Daemon]:
    """A daemon that is not started yet; afterwards nothing of it may be left."""
    made = Daemon()
    yield made
    made.stop()
    made.home.close()


@pytest.mark.spread
@pytest.mark.parametrize("fault", sorted(WAYS))
def test_promises_hold_after_a_kill(daemon: Daemon, site: Site, fault: str) -> None:
    """Killed right after the step, then started again: nothing torn, nothing finished is lost."""
    before, act, flags = WAYS[fault]
    before(daemon, site)
    daemon.flags = flags
    daemon.launch(OCD_FAULT=fault)
    if act is not _nothing:
        wait_until(daemon.answers, 20, "the socket")
        act(daemon, site)
    assert daemon.wait_ended() == -9, "the crash point was not reached"
    finished = _pages_finished(site)
    wait_until(lambda: not naming(daemon.home.base), 10, "the end of everything of that home")

    daemon.flags = ()
    daemon.run_in_foreground()
    _no_torn_file(daemon)
    _no_page_is_lost(daemon, finished)
    _no_handle_without_payload(daemon)
    _no_half_bundle(daemon)
    _locks_are_free(daemon)
    _no_action_is_lost(daemon)
    _no_report_is_lost(daemon)
    _no_note_is_lost(daemon, fault)
    if fault == _first_of_its_way(fault):
        _work_goes_on(daemon, site)


def _first_of_its_way(fault: str) -> str:
    return next(other for other in sorted(WAYS) if WAYS[other] == WAYS[fault])


# --- the promises -------------------------------------------------------------------------------


def _work_goes_on(daemon: Daemon, site: Site) -> None:
    """A crawl is done and its handle redeemed; once a way, for the points before say the rest."""
    done = daemon.do("crawl", url=site.url("article.html"), max_pages=1, output_mode="handle")
    assert daemon.do("oc_output_fetch", output_handle=done["output_handle"])["total"] == 1


def _pages_finished(site: Site) -> int:
    """Return how many pages were finished for sure: all that were asked for but the last one."""
    return max(len(site.seen("chain/*")) - 1, 0)


FOLDERS = (
    "tasks", "output", "journal", "recordings", "workflows", "memory", "plans", "checkpoints",
)  # fmt: skip


def _temporary(folder: Path) -> list[str]:
    walked = (names for _folder, _folders, names in os.walk(folder))
    return [name for names in walked for name in names if name.endswith((".part", ".new", ".gone"))]


def _no_torn_file(daemon: Daemon) -> None:
    """Every whole file is whole JSON, every line but a torn last one too; no temporary file."""
    for folder in FOLDERS:
        # The daemon runs: what it is writing just now has its file's name in a moment.
        wait_until(lambda place=daemon.home.path / folder: not _temporary(place), 10, "whole files")
    for path, data in daemon.home.contents():
        if path.relative_to(daemon.home.path).parts[0] not in FOLDERS:
            continue
        if path.suffix == ".json":
            json.loads(data)
        if path.suffix == ".jsonl":
            for line in data.splitlines(keepends=True):
                assert not line.endswith(b"\n") or json.loads(line) is not None
    folders = [p.name for p in (daemon.home.path / "tasks").iterdir() if p.is_dir()]
    assert [name for name in folders if not re.fullmatch(r"[0-9a-f]{16}", name)] == []


def _no_page_is_lost(daemon: Daemon, finished: int) -> None:
    """Tasks are terminal; an orphan says so; what the site had served is in the result."""
    tasks = daemon.do("oc_task_list", all=True)["tasks"]
    for meta in tasks:
        assert meta["status"] in TERMINAL
        if meta["status"] == "FAILED":
            assert meta["error"]["code"] == "orphaned"
    kept = 0
    for meta in tasks:
        units = daemon.task_folder(meta["task_id"]) / "pages.jsonl"
        whole = units.with_name("result.json")
        if whole.exists():
            wait_until(lambda path=units: not path.exists(), 10, f"the end of {units}")
            lines = len(json.loads(whole.read_bytes()).get("pages", []))
        else:
            lines = units.read_bytes().count(b"\n") if units.exists() else 0
        result = daemon.do("oc_task_get", task_id=meta["task_id"], include_result=True)
        pages = (result.get("result") or {}).get("pages", [])
        assert len(pages) == lines
        assert [p["title"] for p in pages] == [f"Link {n}" for n in range(1, len(pages) + 1)]
        kept += len(pages)
    assert kept >= finished


def _no_action_is_lost(daemon: Daemon) -> None:
    """Every recording can be read and exported without gaps, and a new one can begin."""
    listed = daemon.do("oc_recording_list", limit=200)
    assert "unreadable" not in listed
    for one in listed["recordings"]:
        assert one["status"] in ("ended", "interrupted")
        kept = daemon.do("oc_recording_export", recording_id=one["recording_id"])["actions"]
        assert [action["seq"] for action in kept] == list(range(1, one["action_count"] + 1))
        daemon.do("oc_recording_export", recording_id=one["recording_id"], format="html")
    daemon.do("oc_recording_start")
    daemon.do("oc_recording_stop")
    folder = daemon.home.path / "recordings"
    assert [path.name for path in folder.iterdir() if not path.name.startswith("rec-")] == []
    assert len(list(folder.iterdir())) <= 50


def _no_report_is_lost(daemon: Daemon) -> None:
    """Every workflow can be collected, and has what its workers had been told was kept."""
    folder = daemon.home.path / "workflows"
    for path in folder.glob("wf-*"):
        found = daemon.do("workflow_collect", workflow_id=path.name)
        for one in found["worker_results"]:
            if one["status"] == "SUCCESS":
                assert one["data_extracted"] == {"a": 1, "b": 2}
    if folder.exists():
        daemon.do("workflow_init", name="n", workers=[{"name": "a", "task": "t"}])
        assert list(folder.glob(".wf-*")) == []
        assert len(list(folder.glob("wf-*"))) <= 100


def _no_note_is_lost(daemon: Daemon, fault: str) -> None:
    """What stood before the kill is there, what was written is too, and writing goes on."""
    found = daemon.do("memory", action="query", domain="d")
    expected = {"keyed.line": ["new"], "keyed.compacted": ["old"]}.get(fault, [])
    assert [note["key"] for note in found["entries"]] == expected
    assert "unreadable" not in found
    daemon.do("memory", action="record", domain="d", key="later", value=1)
    listed = daemon.do("oc_checkpoint", action="list", limit=500)
    assert listed["total"] == {"named.written": 1, "named.removed": 500}.get(fault, 0)
    assert "unreadable" not in listed
    if fault == "keyed.line:2":
        (skill,) = daemon.do("oc_skill_recall", domain="d")["skills"]
        assert skill["replays"]["passes"] == 1
        assert daemon.do("oc_skill_replay", skill_id=skill["skill_id"])["verdict"] == "pass"
    if fault.startswith("named."):
        assert daemon.do("oc_checkpoint", action="load", name="one")["completed_steps"] == [1]


def _no_handle_without_payload(daemon: Daemon) -> None:
    """Whatever handle has a meta file can be redeemed; a payload without meta is swept."""
    folder = daemon.home.path / "output"
    metas = {p.name.partition(".")[0] for p in folder.rglob("oh_*.meta.json")}
    for handle in metas:
        page = daemon.do("oc_output_fetch", output_handle=handle, limit=3)
        assert page["returned"] == min(3, page["total"])

    def orphans() -> list[Path]:
        return [p for p in folder.rglob("oh_*") if p.name.partition(".")[0] not in metas]

    wait_until(lambda: not orphans(), 10, f"the sweep of {orphans()}")


def _no_half_bundle(daemon: Daemon) -> None:
    """A bundle of evidence has all the files that its manifest lists, or there is none of it."""
    for folder in (daemon.home.path / "evidence").glob("*"):
        assert re.fullmatch(r"ev_[A-Z2-7]{12}", folder.name)
        listed = json.loads((folder / "bundle.json").read_bytes())["parts"]
        sizes = {part["file"]: part["size_bytes"] for part in listed}
        assert {name: (folder / name).stat().st_size for name in sizes} == sizes


def _locks_are_free(daemon: Daemon) -> None:
    for lock in (daemon.home.path / "tasks").glob("*/lock"):
        with lock.open("a") as file:
            portalocker.lock(file, portalocker.LOCK_EX | portalocker.LOCK_NB)
