"""Stored files: written once, found after a restart, removed in time, and verified when read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.daemon import Daemon, Home
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")
PAGES = {"max_pages": 6, "max_depth": 10, "engine": "static"}


def _crawled(daemon: Daemon, site: Site) -> str:
    task_id = daemon.start_task("crawl", url=site.url("chain/1"), **PAGES)
    assert daemon.finish(task_id)["status"] == "COMPLETED"
    return task_id


def _titles(pages: list[dict[str, Any]]) -> list[str]:
    return [page["title"] for page in pages]


def _fetched(daemon: Daemon, handle: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = daemon.do("oc_output_fetch", output_handle=handle)["content"]
    return found


def _payload(daemon: Daemon, handle: str) -> Path:
    (found,) = (path for path in daemon.output_files(handle) if path.name == f"{handle}.json")
    return found


def _own_bytes(daemon: Daemon) -> int:
    """Return the bytes below `output/` that nothing else has."""
    files = [path.stat() for path in (daemon.home.path / "output").rglob("oh_*")]
    return sum(one.st_size for one in files if one.st_nlink == 1)


# --- a crawl's pages are on disk once -----------------------------------------------------------


def test_the_pages_of_a_crawl_are_on_disk_once(daemon: Daemon, site: Site) -> None:
    """result.json has the direct verb's shape and replaces pages.jsonl; handles are its links."""
    task_id = _crawled(daemon, site)
    whole = daemon.task_folder(task_id) / "result.json"
    assert not whole.with_name("pages.jsonl").exists()
    on_disk = json.loads(whole.read_bytes())
    assert on_disk == daemon.result_of(task_id)
    assert {"url", "depth", "links"} <= on_disk["pages"][0].keys()
    found = daemon.do("oc_task_get", task_id=task_id, include_result=True, output_mode="handle")
    assert (found["size_bytes"], found["item_count"]) == (whole.stat().st_size, 6)
    assert _fetched(daemon, found["output_handle"]) == on_disk["pages"]
    assert _payload(daemon, found["output_handle"]).samefile(whole)


def test_handle_of_a_direct_crawl_shares_its_tasks_result(daemon: Daemon, site: Site) -> None:
    handle = daemon.do("crawl", url=site.url("chain/1"), output_mode="handle", **PAGES)
    task_id = daemon.do("oc_task_list", limit=1, all=True)["tasks"][0]["task_id"]
    payload = _payload(daemon, handle["output_handle"])
    assert payload.samefile(daemon.task_folder(task_id) / "result.json")
    assert _titles(_fetched(daemon, handle["output_handle"]))[0] == "Link 1"


def test_a_handle_and_its_task_are_deleted_independently(
    make_daemon: Callable[..., Daemon], site: Site
) -> None:
    """The sweep deletes the handle's name, retention the task's; the quota counts the rest."""
    daemon = make_daemon("--output-handle-sweep-interval-seconds", "1")
    kept, gone = _crawled(daemon, site), _crawled(daemon, site)
    handles = {
        one: daemon.do("oc_task_get", task_id=one, include_result=True, output_mode="handle")
        for one in (kept, gone)
    }
    size = handles[gone]["size_bytes"]
    before = _own_bytes(daemon)  # the tasks have the others
    assert daemon.status()["handles"]["bytes"] == before
    past = dict.fromkeys(("created_at", "started_at", "ended_at"), "2020-01-01T00:00:00.000Z")
    file = daemon.task_folder(gone) / "meta.json"
    file.write_text(json.dumps({**json.loads(file.read_bytes()), **past}))
    daemon.restart()
    wait_until(lambda: not daemon.task_folder(gone).exists(), 20, "the end of the old task")
    assert len(_fetched(daemon, handles[gone]["output_handle"])) == 6
    counted = before + size
    wait_until(lambda: daemon.status()["handles"]["bytes"] == counted, 20, "the bytes to count")
    meta = _payload(daemon, handles[kept]["output_handle"]).with_suffix(".meta.json")
    meta.write_text(json.dumps({**json.loads(meta.read_bytes()), "expires_at": past["ended_at"]}))
    daemon.restart()
    wait_until(lambda: not meta.exists(), 20, "the sweep of the handle")
    assert _titles(daemon.result_of(kept)["pages"])[-1] == "Link 6"


def test_corrupted_results_are_not_shown(daemon: Daemon, site: Site) -> None:
    """One flipped byte in a task's result: JSON errors with the path, in every way to read it."""
    task_id = _crawled(daemon, site)
    handle = daemon.do("oc_task_get", task_id=task_id, include_result=True, output_mode="handle")
    whole = daemon.task_folder(task_id) / "result.json"
    data = bytearray(whole.read_bytes())
    at = data.index(b"Link 3")
    data[at] ^= 1
    with whole.open("r+b") as file:
        file.write(data)
    for mode in ("inline", "handle", "auto"):
        reply = daemon.call("oc_task_get", task_id=task_id, include_result=True, output_mode=mode)
        if mode == "inline":
            assert (reply.status, reply.code) == (500, "unreadable_file")
            assert reply.error["path"] == str(whole)
    fetched = daemon.call("oc_output_fetch", output_handle=handle["output_handle"])
    assert fetched.code == "unreadable_file"
    assert fetched.error["path"] == str(_payload(daemon, handle["output_handle"]))
    searched = daemon.call("oc_output_search", output_handle=handle["output_handle"], pattern="x")
    assert searched.code == "unreadable_file"
    assert daemon.task(task_id)["status"] == "COMPLETED"


def test_an_unreadable_event_is_left_out(daemon: Daemon, site: Site) -> None:
    task_id = _crawled(daemon, site)
    file = daemon.task_folder(task_id) / "events.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([lines[0], b"\xff\x00{\n", *lines[1:]]))
    reply = daemon.request("GET", f"/v1/tasks/{task_id}/events")
    events = [json.loads(line) for line in reply.raw.splitlines()]
    assert len(events) == len(lines) + 1
    assert events[1]["kind"] == "unreadable_file"
    assert events[1]["data"] == {"path": str(file), "line": 2}


# --- the guard's folder -------------------------------------------------------------------------


def _guarded(home: Home, folder: Path | None, more: str = "") -> None:
    where = f"output_dir = {json.dumps(str(folder))}\n" if folder else ""
    home.write_config(f"{more}[handle_large_tool_output]\nenabled = true\nthreshold = 100\n{where}")


def test_handles_in_output_dir_survive_restart_and_a_changed_setting(
    make_daemon: Callable[..., Daemon], site: Site
) -> None:
    """They are fetched after a restart, and after the setting has gone; then they are swept."""
    home = Home()
    folder = home.base / "outputs"
    _guarded(home, folder)
    daemon = make_daemon(home=home)
    daemon.do("navigate", url=site.url("article.html"))
    handle = daemon.do("read_page")["output_handle"]
    (payload,) = folder.rglob(f"{handle}.txt")
    daemon.restart()
    assert "Cape Ambler" in daemon.do("oc_output_fetch", output_handle=handle)["content"]
    _guarded(home, None)
    daemon.restart()
    assert "Cape Ambler" in daemon.do("oc_output_fetch", output_handle=handle)["content"]
    wait_until(lambda: daemon.status()["handles"]["count"] > 0, 20, "the first sweep")
    assert daemon.status()["handles"]["bytes"] >= payload.stat().st_size
    meta = payload.with_name(f"{handle}.meta.json")
    past = {"expires_at": "2020-01-01T00:00:00.000Z"}
    meta.write_text(json.dumps({**json.loads(meta.read_bytes()), **past}))
    daemon.restart()
    wait_until(lambda: not [*folder.rglob(f"{handle}*")], 20, "the sweep of a folder of old")
    reply = daemon.call("oc_output_fetch", output_handle=handle)
    assert reply.code == "output_handle_not_found"


def test_handles_stay_when_the_setting_changes_live(
    make_daemon: Callable[..., Daemon], site: Site
) -> None:
    home = Home()
    _guarded(home, home.base / "first")
    daemon = make_daemon(home=home)
    daemon.do("navigate", url=site.url("article.html"))
    first = daemon.do("read_page")["output_handle"]
    _guarded(home, home.base / "second")

    def lands_there() -> bool:
        found = daemon.do("read_page")["output_handle"]
        return any((home.base / "second").rglob(f"{found}.txt"))

    wait_until(lands_there, 30, "the new folder")
    daemon.restart()
    assert "Cape Ambler" in daemon.do("oc_output_fetch", output_handle=first)["content"]
