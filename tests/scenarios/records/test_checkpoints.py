"""Checkpoints and snapshots: stored safely, and used to restore tabs."""

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from support.daemon import Daemon
from support.site import Site

pytestmark = pytest.mark.usefixtures("headless_shell")

NAMES = [
    "with spaces",
    "한국어",
    "🧭🚢",
    "..",
    "../../etc/hosts",
    "a/b\\c",
    "CON",
    "con",
    "x" * 10_240,
]
TALE = {"objective": "Buy a kettle", "current_step": "At the cart", "next_actions": ["pay", "wait"]}


def test_checkpoint_keeps_progress_and_tabs(daemon: Daemon, site: Site) -> None:
    """What was saved is loaded, with the addresses of the tabs."""
    daemon.do("navigate", url=site.url("article.html"))
    saved = daemon.do(
        "oc_checkpoint", action="save", name="a task", taskDescription="Read it",
        completedSteps=["open"], pendingSteps=["read", "tell"], extractedData={"pages": 1},
    )  # fmt: skip
    assert (saved["completed"], saved["pending"], saved["tab_count"]) == (1, 2, 1)
    loaded = daemon.do("oc_checkpoint", action="load", name="a task")
    assert loaded["task_description"] == "Read it"
    assert loaded["pending_steps"] == ["read", "tell"]
    assert loaded["extracted_data"] == {"pages": 1}
    assert loaded["current_url"] == loaded["tabs"][0]["url"] == site.url("article.html")
    again = daemon.do("oc_checkpoint", action="save", name="a task", completed_steps=[1, 2, 3])
    assert again["replaced"]["saved_at"] == saved["saved_at"]
    daemon.do("oc_checkpoint", action="delete", name="a task")
    gone = daemon.call("oc_checkpoint", action="load", name="a task")
    assert gone.code == "not_found"


def test_two_agents_do_not_overwrite_each_other(make_daemon: Callable[..., Daemon]) -> None:
    """Without a name each session has its own checkpoint, also when they write at once."""
    daemon = make_daemon()

    def work(name: str) -> None:
        for number in range(20):
            params = {"task_description": name, "completed_steps": list(range(number + 1))}
            daemon.do("oc_checkpoint", name, action="save", **params)

    agents = [threading.Thread(target=work, args=(name,)) for name in ("one", "two")]
    for agent in agents:
        agent.start()
    for agent in agents:
        agent.join()
    for name in ("one", "two"):
        found = daemon.do("oc_checkpoint", name, action="load")
        assert (found["task_description"], len(found["completed_steps"])) == (name, 20)
    newest = daemon.do("oc_checkpoint", "three", action="load")
    assert newest["task_description"] in ("one", "two")
    assert daemon.do("oc_checkpoint", action="list")["total"] == 2


def test_any_name_is_a_separate_checkpoint(make_daemon: Callable[..., Daemon]) -> None:
    """Nothing outside of the folder, none under another's name; an empty one is refused."""
    daemon = make_daemon()
    for number, name in enumerate(NAMES):
        daemon.do("oc_checkpoint", action="save", name=name, extracted_data=number)
    daemon.restart()
    for number, name in enumerate(NAMES):
        assert daemon.do("oc_checkpoint", action="load", name=name)["extracted_data"] == number
    assert daemon.do("oc_checkpoint", action="list")["total"] == len(NAMES)
    assert len(list((daemon.home.path / "checkpoints").iterdir())) == len(NAMES)
    for name in ("", "x" * 20_000):
        assert daemon.call("oc_checkpoint", action="save", name=name).code == "invalid_argument"


def test_unreadable_checkpoints_are_not_overwritten(make_daemon: Callable[..., Daemon]) -> None:
    """It is listed by its path, and neither loaded, replaced nor deleted."""
    daemon = make_daemon()
    path = daemon.do("oc_checkpoint", action="save", name="broken")["path"]
    Path(path).write_text("{")
    daemon.do("oc_checkpoint", action="save", name="whole")
    listed = daemon.do("oc_checkpoint", action="list")
    assert ([one["name"] for one in listed["checkpoints"]], listed["unreadable"]) == (
        ["whole"], [path],
    )  # fmt: skip
    for action in ("load", "save", "delete"):
        refused = daemon.call("oc_checkpoint", action=action, name="broken")
        assert (refused.code, refused.error["path"]) == ("unreadable_file", path)


def test_secrets_are_not_stored(daemon: Daemon, site: Site) -> None:
    """In data, in words, in the addresses of tabs."""
    daemon.do("navigate", url=site.url("article.html?token=abcdefghijklmnop"))
    saved = daemon.do(
        "oc_checkpoint", action="save", name="s", task_description="password=hunter-2-hunter",
        extracted_data={"login": {"password": "hunter-2-hunter"}},
    )  # fmt: skip
    told = daemon.do("oc_session_snapshot", **TALE, notes="token: hunter-2-hunter")
    for path in (saved["path"], told["path"]):
        text = Path(path).read_text()
        assert "hunter" not in text
        assert "abcdefghijklmnop" not in text


def test_a_session_is_resumed_with_its_tabs(daemon: Daemon, site: Site) -> None:
    """Tabs are known by id, then by address; those that are gone are opened when asked."""
    first = daemon.new_tab(site.url("article.html"))
    moved = daemon.new_tab(site.url("list-1.html"))
    gone = daemon.new_tab(site.url("form.html"))
    told = daemon.do("oc_session_snapshot", **TALE, notes="Mind the gap", label="kettle")
    daemon.do("navigate", tab_id=moved, url=site.url("list-2.html"))
    daemon.do("tabs_close", tab_id=gone)
    guide = daemon.do("oc_session_resume", snapshot_id=told["snapshot_id"])
    assert [tab["status"] for tab in guide["tabs"]] == ["LIVE", "LIVE", "CLOSED"]
    assert guide["tabs"][1]["url_now"] == site.url("list-2.html")
    for words in ("Buy a kettle", "At the cart", "- pay", "- wait", "Mind the gap", "reopen_tabs"):
        assert words in guide["guide"]
    assert "warning" not in guide

    site.forget()
    again = daemon.do("oc_session_resume", snapshotId="kettle", reopenTabs=True)
    assert [tab["status"] for tab in again["tabs"]] == ["LIVE", "LIVE", "REOPENED"]
    assert len(site.seen("form.html")) == 1
    opened = again["tabs"][2]["tab_id_now"]
    here = daemon.do("tabs_context")
    assert (here["current"], here["tab_count"]) == (opened, 3)
    assert opened not in (first, moved, gone)
    remapped = daemon.do("oc_session_resume")
    assert [tab["status"] for tab in remapped["tabs"]] == ["LIVE", "LIVE", "REMAPPED"]


def test_a_new_daemon_and_another_session_can_resume(
    make_daemon: Callable[..., Daemon], site: Site
) -> None:
    """Tab ids of an earlier daemon do not match; a page that cannot be opened says why."""
    daemon = make_daemon("--block-domain", "blocked.example.org")
    daemon.new_tab(site.url("article.html"), "before")
    daemon.do("oc_session_snapshot", "before", **TALE)
    daemon.restart()
    daemon.new_tab(site.url("list-1.html"), "after")
    guide = daemon.do("oc_session_resume", "after")
    assert (guide["tabs"][0]["status"], guide["session"]) == ("CLOSED", "before")
    (file,) = (daemon.home.path / "sessions").iterdir()
    kept = json.loads(file.read_text())
    kept["tabs"][0]["url"] = "http://blocked.example.org/"
    kept["saved_at"] = "2020-01-01T00:00:00.000Z"
    file.write_text(json.dumps(kept))
    guide = daemon.do("oc_session_resume", "after", reopen_tabs=True)
    assert guide["tabs"][0]["error"]["code"] == "domain_blocked"
    assert "hours old" in guide["warning"]


def test_a_snapshot_is_a_task_too(daemon: Daemon, site: Site) -> None:
    """The kind oc_session_snapshot of the ledger does what the verb does."""
    daemon.do("navigate", url=site.url("article.html"))
    task_id = daemon.start_task("oc_session_snapshot", **TALE, label="as a task")
    assert daemon.finish(task_id)["status"] == "COMPLETED"
    made = daemon.result_of(task_id)
    assert made["tab_count"] == 1
    assert (
        daemon.do("oc_session_resume", snapshot_id="as a task")["snapshot_id"]
        == (made["snapshot_id"])
    )


@pytest.mark.parametrize(
    "wanted", ["../secrets/totp", "..", "snap-20200101-000000-aaaaaa", "x" * 5000]
)
def test_ids_cannot_leave_the_folder(daemon: Daemon, wanted: str) -> None:
    assert daemon.call("oc_session_resume", snapshot_id=wanted).code == "not_found"


def test_the_oldest_snapshots_are_removed(make_daemon: Callable[..., Daemon]) -> None:
    """Two hundred; the ones that go are named."""
    daemon = make_daemon()
    made = daemon.do("oc_session_snapshot", "a", **TALE)
    whole = json.loads(Path(made["path"]).read_text())
    for number in range(200):
        name = f"snap-20200101-{number:06}-aaaaaa"
        old = {**whole, "name": name, "saved_at": f"2020-01-01T00:00:00.{number:03}Z"}
        (daemon.home.path / "sessions" / f"{name}.json").write_text(json.dumps(old))
    newest = daemon.do("oc_session_snapshot", "b", **TALE)
    assert newest["pruned"] == ["snap-20200101-000001-aaaaaa", "snap-20200101-000000-aaaaaa"]
    assert daemon.do("oc_session_resume", "a")["snapshot_id"] == made["snapshot_id"]
