"""Every kind of write on a disk that is full, with a little more room at each turn.

`sudo PYTHONPATH=tests python -m soak.filling` (root: the daemon's home is a small tmpfs; its
profile is elsewhere). Each kind of write is tried with no room, then with a block of 4 KB, then
with two … What must hold: every answer is JSON, a success or an error that says what is full;
what was acknowledged can be read, also after a restart; nothing half-written stays; what failed
works as soon as there is room; the daemon is the same process. It is also killed and started while
the disk is full. Exit 1, and what broke, if it is not so.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support import wire
from support.daemon import Daemon, Home
from support.web_graph import WebGraph, web_graph

BLOCK = 4096
CLEAR = {"storage_full"}
# In blocks. What is larger than all of them is written in full at the end of its turn.
ROOMS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 48, 64)
CRAWL = {"max_pages": 12, "max_depth": 9, "engine": "static", "concurrency": 2}


@dataclass
class Disk:
    """A home on a disk with limited space; `leave` sets how much is free."""

    home: Home
    size_mb: int
    by_names: bool
    room = 0

    def __enter__(self) -> Disk:
        self.home.path.mkdir(mode=0o700)
        options = f"size={self.size_mb}m,nr_inodes=3000,mode=0700"
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(self.home.path)]
        subprocess.run(command, check=True)
        return self

    def __exit__(self, *exc: object) -> None:
        subprocess.run(["umount", "-l", str(self.home.path)], check=True)

    @property
    def given(self) -> Path:
        """The folder for files that a caller names."""
        return self.home.path / "files" / "given"

    @property
    def _filler(self) -> Path:
        return self.home.path / "filler"

    def leave(self, blocks: int) -> None:
        """Fill the disk but for so many blocks, or so many names of files."""
        self.empty()
        self.room = blocks
        if self.by_names:
            self._filler.mkdir()
            for number in range(os.statvfs(self.home.path).f_favail - blocks):
                (self._filler / str(number)).touch()
            return
        with self._filler.open("wb", buffering=0) as file:
            while (room := os.statvfs(self.home.path).f_bavail - blocks) > 0:
                with contextlib.suppress(OSError):
                    file.write(b"x" * BLOCK * min(room, 256))

    def empty(self) -> None:
        if self._filler.is_dir():
            shutil.rmtree(self._filler)
        self._filler.unlink(missing_ok=True)


Check = Callable[[], bool]


@dataclass
class Trial:
    """What was tried, what was acknowledged, and what failed."""

    daemon: Daemon
    disk: Disk
    graph: WebGraph
    codes: dict[str, Counter[str]] = field(default_factory=dict)
    kept: list[tuple[str, Check]] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    turn: str = ""

    def note(self, code: str) -> None:
        self.codes.setdefault(self.turn.partition(" ")[0], Counter())[code or "ok"] += 1

    def fault(self, text: str) -> None:
        self.broken.append(f"{self.turn}: {text}")
        print(self.broken[-1], file=sys.stderr)

    def call(self, verb: str, **params: object) -> Any:  # noqa: ANN401 - any JSON value
        """Return the result, or None after an error that says what is full."""
        reply = self.daemon.call(verb, "filling", **params)
        try:
            error = reply.body.get("error")
        except ValueError:
            self.fault(f"{verb}: {reply.status}, no JSON: {reply.raw[:200]!r}")
            return None
        self.note(error["code"] if error else "")
        if error and error["code"] not in CLEAR:
            self.fault(f"{verb}: {json.dumps(error)[:600]}")
        return None if error else reply.body["result"]

    def keeps(self, mark: str, verb: str, **params: object) -> None:
        """Remember that this call must show the mark, now and later."""

        def shows() -> bool:
            reply: wire.Reply = self.daemon.call(verb, "filling", **params)
            return reply.status == 200 and mark.encode() in reply.raw

        self.kept.append((f"{self.turn} {verb} {params}", shows))

    def look(self, since: int = 0) -> None:
        """Check everything that was acknowledged, newest first."""
        for what, shows in self.kept[since:]:
            if not shows():
                self.fault(f"lost: {what}")


# --- what is written ---------------------------------------------------------------------------


def _note(t: Trial, mark: str) -> None:
    if t.call("memory", action="record", domain="d", key=mark, value=mark * 300):
        t.keeps(mark, "memory", action="query", domain="d", key=mark)


def _checkpoint(t: Trial, mark: str) -> None:
    if t.call("oc_checkpoint", action="save", name="one", task_description=mark * 300):
        t.kept[:] = [kept for kept in t.kept if "oc_checkpoint" not in kept[0]]
        t.keeps(mark, "oc_checkpoint", action="load", name="one")


def _skill(t: Trial, mark: str) -> None:
    step = {"verb": "navigate", "params": {"url": f"{t.graph.url}/p/0"}}
    here = {"kind": "url", "pattern": "p/0"}
    if t.call(
        "oc_skill_record", domain="d", name=mark, steps=[step], contract=here,
        description=mark * 100,
    ):  # fmt: skip
        t.keeps(mark, "oc_skill_recall", domain="d", query=mark)
        t.call("oc_skill_replay", domain="d", name=mark)


def _snapshot(t: Trial, mark: str) -> None:
    if t.call(
        "oc_session_snapshot",
        objective=mark * 300,
        label=mark,
        current_step=mark,
        next_actions=["a"],
    ):
        t.keeps(mark, "oc_session_resume", snapshot_id=mark)


def _plan(t: Trial, mark: str) -> None:
    plan = {"steps": [{"tool": "memory", "args": {"action": "query", "query": mark * 300}}]}
    if t.call("execute_plan", plan=plan, save_as=mark, dry_run=True):
        t.keeps("", "execute_plan", plan_id=mark, dry_run=True)


def _workflow(t: Trial, mark: str) -> None:
    workers = [{"name": "a", "task": mark * 300}]
    found = t.call("workflow_init", name=mark, workers=workers, worker_timeout_ms=600_000)
    if found is None:
        return
    which = {"workflow_id": found["workflow_id"]}
    if t.call("worker_update", worker_name="a", extracted_data={mark: mark * 300}, **which):
        t.keeps(mark, "workflow_collect", **which)
    done = {"status": "SUCCESS", "result_summary": mark, "extracted_data": {"b": mark}}
    if t.call("worker_complete", worker_name="a", **done, **which):
        t.keeps("SUCCESS", "workflow_collect", **which)
    t.call("workflow_cleanup", **which)


def _handle(t: Trial, mark: str) -> None:
    code = f"Array.from({{length: 300}}, (_, n) => '{mark} ' + n)"
    found = t.call("javascript_tool", code=code, output_mode="handle")
    if found:
        handle = found["output_handle"]
        t.keeps(f"{mark} 299", "oc_output_fetch", output_handle=handle, offset=290)


def _evidence(t: Trial, mark: str) -> None:
    found = t.call("oc_evidence_bundle", include=["dom", "screenshot", "network", "facts"])
    if found:
        t.keeps("", "oc_diff", a=found["bundle_id"], b=found["bundle_id"])


def _recording(t: Trial, mark: str) -> None:
    found = t.call("oc_recording_start", name=mark, screenshots="after")
    if found is None:
        return
    for number in range(3):
        t.call("navigate", url=f"{t.graph.url}/p/{number}")
    t.keeps(mark, "oc_recording_export", recording_id=mark)
    stopped = t.call("oc_recording_stop")
    if stopped:
        t.keeps(f'"action_count":{stopped["action_count"]}', "oc_recording_list")


def _crawl(t: Trial, mark: str, **more: object) -> None:
    started = t.call(
        "oc_task_start", kind="crawl", args={**CRAWL, **more, "url": t.graph.url + "/p/0"}
    )
    if started is None:
        return
    task_id = started["task_id"]
    meta = t.daemon.finish(task_id)
    code = (meta.get("error") or {}).get("code", "")
    t.note(f"{meta['status']} {code}".strip())
    if meta["status"] == "COMPLETED":
        t.keeps("Page 0", "oc_task_get", task_id=task_id, include_result=True)
        return
    if code not in CLEAR:
        t.fault(f"task: {meta['status']} {json.dumps(meta['error'])[:600]}")
    t.keeps("", "oc_task_get", task_id=task_id, include_result=True)
    t.disk.empty()
    found = t.daemon.call("oc_task_resume", "filling", task_id=task_id)
    if found.status != 200:
        t.fault(f"cannot resume: {found.raw[:400]!r}")
        return
    task_id = found.result["task_id"]
    meta = t.daemon.finish(task_id)
    if meta["status"] != "COMPLETED":
        t.fault(f"resumed: {meta['status']} {json.dumps(meta['error'])[:600]}")
        return
    urls = [page["url"] for page in t.daemon.result_of(task_id)["pages"]]
    if len(urls) != len(set(urls)) or len(urls) < 12:
        t.fault(f"resumed: {len(urls)} pages, {len(set(urls))} different")
    t.keeps("Page 0", "oc_task_get", task_id=task_id, include_result=True)


def _raw(t: Trial, mark: str) -> None:
    _crawl(t, mark, keep=["raw"])


def _cached(t: Trial, mark: str) -> None:
    """A crawl whose answers are stored, and used by the next one."""
    _crawl(t, mark, cache=True)


def _pictured(t: Trial, mark: str) -> None:
    _crawl(t, mark, keep=["screenshot", "pdf"], engine="browser")


def _direct(t: Trial, mark: str) -> None:
    found = t.call("crawl", **CRAWL, url=t.graph.url + "/p/0", output_mode="handle")
    if found:
        t.keeps("Page 0", "oc_output_fetch", output_handle=found["output_handle"], limit=1)


def _export(t: Trial, mark: str) -> None:
    """Write what a crawl has, in each form; the crawl was done while there was room."""
    room = t.disk.room
    t.disk.empty()
    args = {**CRAWL, "url": t.graph.url + "/p/0", "keep": ["raw"]}
    task_id = t.daemon.start_task("crawl", **args)
    t.daemon.finish(task_id)
    for name in ("a", "a.csv", "a.jsonl", "a.sqlite", "a.warc", "a.warc.gz", "a.txt"):
        t.disk.leave(room)
        form = {"format": "llms-txt"} if name == "a.txt" else {}
        _file(t, mark, "oc_task_export", name, task_id=task_id, **form)


def _seed(t: Trial, mark: str) -> None:
    body = {"action": "add", "domain": f"{mark}.example", "seed": "JBSWY3DPEHPK3PXP"}
    reply = t.daemon.request("POST", "/v1/totp", json.dumps(body).encode(), wire.JSON_BODY)
    error = reply.body.get("error")
    t.note(error["code"] if error else "")
    if error and error["code"] not in CLEAR:
        t.fault(f"totp: {error}")
    if not error:
        t.keeps("code", "oc_totp_generate", domain=f"{mark}.example")


def _trace(t: Trial, mark: str) -> None:
    _file(t, mark, "oc_performance_insights", "a.json", auto_stop={"ms": 50})


def _pictures(t: Trial, mark: str) -> None:
    how = {"key_action": "ArrowRight", "total_pages": 2, "wait_between_pages": 1}
    t.call("batch_paginate", strategy="keyboard", capture_mode="screenshot", **how)


def _download(t: Trial, mark: str) -> None:
    code = f"""(() => {{ const a = document.createElement('a'); a.download = '{mark}.txt';
      a.href = URL.createObjectURL(new Blob(['{mark}'.repeat(2000)])); a.click(); }})()"""
    t.call("javascript_tool", code=code)
    t.call("downloads")
    t.call("tabs_context")


def _file(
    t: Trial, mark: str, verb: str = "page_screenshot", name: str = "a.png", **more: object
) -> None:
    path = t.disk.given / f"{mark}-{name}"
    before = set(t.disk.given.iterdir())
    if t.call(verb, path=str(path), **more):
        if not path.stat().st_size:
            t.fault(f"{path} is empty")
    elif left := set(t.disk.given.iterdir()) - before:
        t.fault(f"left: {left}")


def _pdf(t: Trial, mark: str) -> None:
    _file(t, mark, "page_pdf", "a.pdf")


def _login(t: Trial, mark: str) -> None:
    _file(t, mark, "oc_context_export", "a.json")


def _read(t: Trial, mark: str) -> None:
    """Make calls that write only the journal."""
    t.call("navigate", url=t.graph.url + "/p/1")
    t.call("read_page")
    t.call("oc_task_list")
    t.call("tabs_context")
    t.call("oc_connection_health")


def _browser(t: Trial, mark: str) -> None:
    t.call("oc_stop")
    t.call("navigate", url=t.graph.url + "/p/0")


WRITES: dict[str, Callable[[Trial, str], None]] = {
    "read": _read, "note": _note, "checkpoint": _checkpoint, "skill": _skill,
    "snapshot": _snapshot, "plan": _plan, "workflow": _workflow, "handle": _handle,
    "evidence": _evidence, "recording": _recording, "crawl": _crawl, "raw": _raw,
    "cached": _cached, "pictured": _pictured, "direct": _direct, "screenshot": _file, "pdf": _pdf,
    "login": _login, "browser": _browser, "export": _export, "seed": _seed, "trace": _trace,
    "pictures": _pictures, "download": _download,
}  # fmt: skip


# --- the run -----------------------------------------------------------------------------------


def main() -> int:
    """Run, print the figures, return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size-mb", type=int, default=96)
    parser.add_argument("--names", action="store_true", help="fill it with names, not with bytes")
    parser.add_argument("--only", nargs="+", choices=sorted(WRITES), default=list(WRITES))
    options = parser.parse_args()
    home = Home()
    disk = Disk(home, options.size_mb, options.names)
    daemon = Daemon("--profile", str(home.base / "profile"), home=home)
    with web_graph(40) as graph, disk, daemon:
        disk.given.mkdir(parents=True)
        trial = Trial(daemon, disk, graph)
        trial.call("navigate", url=graph.url + "/p/0")
        for kind in options.only:
            _try(trial, kind)
        _starts(trial)
    report = {"broken": trial.broken, "codes": trial.codes, "kept": len(trial.kept)}
    print(json.dumps(report, indent=1))
    return 1 if trial.broken else 0


def _try(trial: Trial, kind: str) -> None:
    pid = trial.daemon.identity.pid
    since = len(trial.kept)
    for room in ROOMS:
        trial.turn = f"{kind} {room} blocks"
        trial.disk.leave(room)
        WRITES[kind](trial, f"{kind}-{room:03}")
        trial.disk.empty()
        _expect_nothing_half(trial)
    trial.turn = f"{kind} with room"
    before = trial.codes.pop(kind, Counter())
    WRITES[kind](trial, f"{kind}-room")
    if set(trial.codes.pop(kind)) - {"ok", "COMPLETED"}:
        trial.fault("failed although there was room")
    trial.codes[kind] = before
    trial.look(since)
    if not trial.daemon.identity.alive or trial.daemon.status()["pid"] != pid:
        trial.fault("the daemon has ended")


def _expect_nothing_half(trial: Trial) -> None:
    left = [p for p in trial.disk.home.walk() if p.name.endswith((".part", ".new", ".gone"))]
    if left:
        trial.fault(f"left behind: {left}")


def _starts(trial: Trial) -> None:
    """Kill it while the disk is full, start it, then look at everything."""
    daemon, disk = trial.daemon, trial.disk
    for room in range(6):
        trial.turn = f"start {room} blocks"
        disk.leave(room)
        daemon.kill9()
        child = daemon.launch()
        code = _status_of(daemon, child)
        trial.note("up" if code is None else f"exit {code}: {daemon.log().strip()[-300:]}")
        disk.empty()
        if code is not None:
            daemon.run_in_foreground()
        else:
            daemon.identity = type(daemon.identity).of(daemon.status()["pid"])
        trial.look()


def _status_of(daemon: Daemon, child: subprocess.Popen[str]) -> int | None:
    while child.poll() is None:
        if daemon.answers():
            return None
    return child.returncode


if __name__ == "__main__":
    sys.exit(main())
