"""Recordings: what is done in a session, written down as it is done."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from support.daemon import Daemon
from support.recorded import EVERYTHING, WORD, actions, order, recorded, shop, site_messages
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")


def files_of(daemon: Daemon, recording_id: str) -> str:
    """Return everything that the disk has of a recording, as one text."""
    folder = daemon.home.path / "recordings" / recording_id
    return "".join(path.read_text() for path in sorted(folder.glob("*.json*")))


def test_actions_are_recorded_with_their_elements(daemon: Daemon, site: Site) -> None:
    """Verb, parameters, element, addresses, what changed and how long it took, in order."""
    with recorded(daemon, name="An order") as recording_id:
        shop(daemon, site)
        order(daemon)
    wait_until(lambda: site_messages(site) == EVERYTHING, what="the page's messages")
    kept = [one for one in actions(daemon, recording_id) if not one["reads"]]
    assert [one["verb"] for one in kept] == [
        "navigate", "form_input", "form_input", "interact", "interact", "interact", "interact",
    ]  # fmt: skip
    assert [one["seq"] for one in actions(daemon, recording_id)] == list(range(1, 10))
    gone, last, url = kept[0], kept[-1], site.url("records/shop.html")
    assert (gone["url_before"], gone["url_after"]) == ("about:blank", url)
    assert (gone["title_after"], gone["ok"], gone["error"]) == ("Shop", True, None)
    target = last["target"]
    assert (target["role"], target["name"], target["tag"]) == ("button", "Remove", "button")
    assert target["attributes"] == {"id": "b2"}
    assert "Kettle" in target["around"]
    assert last["changed"]["removed"] >= 1
    assert last["title_after"] == "Without Kettle"
    assert last["duration_ms"] > 0
    assert kept[1]["target"]["label"] == "Full name"


def test_values_of_password_fields_are_never_stored(daemon: Daemon, site: Site) -> None:
    """Neither the recording's files, nor any export, nor the journal has what was typed."""
    with recorded(daemon) as recording_id:
        shop(daemon, site)
        order(daemon)
        field = daemon.do("find", query="password field")["refs"][0]
        daemon.do("interact", ref=field, action="type", value=WORD)
        daemon.do("interact", ref=field, action="focus")
        daemon.do("computer", action="type", text=WORD)
        daemon.do("fill_form", fields=[{"selector": "#a2", "value": WORD}])
        daemon.call("form_input", ref="e99999", value=WORD)
    assert WORD not in files_of(daemon, recording_id)
    for form in ("json", "html", "python_pyppeteer", "python_playwright", "plan"):
        made = daemon.call("oc_recording_export", recording_id=recording_id, format=form)
        assert WORD not in made.raw.decode(), form
    assert WORD not in json.dumps(daemon.do("oc_journal", action="recent", count=50))


def test_secret_placeholders_are_recorded_as_written(
    make_daemon: Callable[..., Daemon], site: Site, tmp_path: Path
) -> None:
    """`${SECRET:NAME}` is filled in for the page, and recorded as the placeholder."""
    secrets = tmp_path / "secrets"
    secrets.write_text(f"SHOP_WORD={WORD}\n")
    secrets.chmod(0o600)
    daemon = make_daemon("--secrets", str(secrets))
    with recorded(daemon) as recording_id:
        shop(daemon, site)
        daemon.do("form_input", query="Password", value="${SECRET:SHOP_WORD}")
        daemon.do("interact", query="Place order")
    wait_until(
        lambda: site_messages(site) == [f"ordered  {len(WORD)} s false"],
        what="the page's messages",
    )
    assert actions(daemon, recording_id)[1]["params"]["value"] == "${SECRET:SHOP_WORD}"
    assert WORD not in files_of(daemon, recording_id)
    plan = daemon.do("oc_recording_export", recording_id=recording_id, format="plan")
    assert plan["steps"][1]["args"]["value"] == "${SECRET:SHOP_WORD}"
    code = daemon.do("oc_recording_export", recording_id=recording_id, format="python_pyppeteer")
    assert "secret('SHOP_WORD')" in code["content"]


def test_failures_are_recorded_with_their_code(daemon: Daemon, site: Site) -> None:
    """An action that failed is there, with its error; calls that never began are not."""
    with recorded(daemon) as recording_id:
        shop(daemon, site)
        daemon.call("interact", query="no such thing here")
        daemon.call("interact", nonsense=True)
        daemon.call("wait_for", type="selector", value="#never", timeout_ms=50)
    failed = [one for one in actions(daemon, recording_id) if not one["ok"]]
    assert [one["error"]["code"] for one in failed] == ["element_not_found", "timeout"]


def test_control_verbs_are_not_recorded(daemon: Daemon, site: Site) -> None:
    """Verbs about tasks, outputs, the journal and recordings are not recorded."""
    with recorded(daemon) as recording_id:
        daemon.do("tabs_create", url=site.url("records/shop.html"))
        daemon.do("oc_task_list")
        daemon.do("oc_journal", action="recent")
        daemon.do("oc_recording_list")
        daemon.do("tabs_context")
        daemon.do("call_verb", name="javascript_tool", arguments={"code": "document.title='Two'"})
        daemon.do("call_verb", name="javascript_tool", arguments={"code": "1"})
    kept = actions(daemon, recording_id)
    assert [one["verb"] for one in kept] == ["tabs_create", "javascript_tool", "javascript_tool"]
    assert kept[0]["tab_id"] == kept[1]["tab_id"]
    assert [one["title_after"] for one in kept] == ["Shop", "Two", "Two"]


def test_screenshots_before_and_after(daemon: Daemon, site: Site) -> None:
    """With `screenshots` both, every action on a tab has two pictures."""
    shop(daemon, site)
    with recorded(daemon, screenshots="both") as recording_id:
        daemon.do("interact", query="Place order")
    (only,) = actions(daemon, recording_id)
    folder = daemon.home.path / "recordings" / recording_id / "screenshots"
    for when in ("before", "after"):
        data = (folder / only[f"screenshot_{when}"]).read_bytes()
        assert data[8:12] == b"WEBP"


def test_two_sessions_are_recorded_at_once(daemon: Daemon, site: Site) -> None:
    """Each recording has its own session's actions only."""
    with recorded(daemon, "one") as first, recorded(daemon, "two") as second:
        daemon.do("navigate", "one", url=site.url("article.html"))
        daemon.do("navigate", "two", url=site.url("product.html"))
    assert [one["params"]["url"] for one in actions(daemon, first)] == [site.url("article.html")]
    assert [one["params"]["url"] for one in actions(daemon, second)] == [site.url("product.html")]


def test_starting_twice_and_stopping_without_a_recording_are_errors(daemon: Daemon) -> None:
    """`recording_active` names the running one; `recording_not_active` says what to do."""
    with recorded(daemon) as recording_id:
        again = daemon.call("oc_recording_start")
        assert again.code == "recording_active"
        assert again.error["recording_id"] == recording_id
    idle = daemon.call("oc_recording_stop")
    assert idle.code == "recording_not_active"
    assert "oc_recording_start" in idle.error["hint"]


def test_limits_end_a_recording(daemon: Daemon, site: Site) -> None:
    """After max_actions or duration_s it has ended, and says by what."""
    daemon.do("oc_recording_start", max_actions=2)
    for _ in range(3):
        daemon.do("navigate", url=site.url("records/shop.html"))

    def newest() -> dict[str, object]:
        found: dict[str, object] = daemon.do("oc_recording_list", limit=1)["recordings"][0]
        return found

    wait_until(lambda: newest()["status"] == "ended", 20, "the end")
    assert (newest()["action_count"], newest()["ended_by"]) == (2, "max_actions")
    daemon.do("oc_recording_start", duration_s=0.05)
    wait_until(lambda: newest()["ended_by"] == "duration", 20, "the end")


NAMES = [
    "a name",
    "기록 하나",
    "🙂🎥",
    "..",
    "../../etc/passwd",
    "",
    "con",
    "a/b\\c",
    '"quoted" <b>',
]


def test_names_are_never_paths(daemon: Daemon) -> None:
    """Whatever the name, the folder is the id; 10 KB of it are refused."""
    known = set()
    for name in NAMES:
        with recorded(daemon, "names", name=name) as recording_id:
            known.add(recording_id)
        listed = daemon.do("oc_recording_list", limit=1)["recordings"][0]
        assert (listed["name"], listed["recording_id"]) == (name, recording_id)
        if name:
            found = daemon.do("oc_recording_export", "names", recording_id=name)
            assert found["recording"]["recording_id"] == recording_id
    assert len(known) == len(NAMES)
    assert daemon.call("oc_recording_start", name="x" * 10_240).code == "invalid_argument"
    folders = {path.name for path in (daemon.home.path / "recordings").iterdir()}
    assert known <= folders
    assert all(name.startswith("rec-") for name in folders)


@pytest.mark.parametrize("wanted", ["rec-20200101-000000-abcdef", "../tasks", "nobody's", ""])
def test_unknown_recording_is_not_found(daemon: Daemon, wanted: str) -> None:
    """An unknown id or name, also one that looks like a path."""
    assert daemon.call("oc_recording_export", recording_id=wanted).code == "recording_not_found"


def test_oldest_ended_recording_makes_room(make_daemon: Callable[..., Daemon], site: Site) -> None:
    """The 51st removes the one that ended first, its film too, and names it; others stay."""
    daemon = make_daemon()
    kept = daemon.do("oc_recording_start", "busy")["recording_id"]
    with recorded(daemon, "s0", video=True) as filmed:
        film = daemon.home.path / "recordings" / filmed / "film.webm"
        daemon.do("navigate", "s0", url=site.url("records/film.html"))
        wait_until(film.exists, what="the film")
    ids = [filmed]
    for number in range(1, 49):
        with recorded(daemon, f"s{number % 5}") as recording_id:
            ids.append(recording_id)
    started = daemon.do("oc_recording_start")
    assert started["pruned"] == [filmed]
    assert not film.parent.exists()
    listed = daemon.do("oc_recording_list", limit=200)
    found = {one["recording_id"] for one in listed["recordings"]}
    assert found == {kept, *ids[1:], started["recording_id"]}
    assert listed["total"] == 50


def test_task_records_until_it_is_cancelled(daemon: Daemon, site: Site) -> None:
    """Kind `recording`: its units are actions, its result is the recording with them."""
    task_id = daemon.start_task("recording", name="As a task")
    wait_until(lambda: daemon.task(task_id)["status"] == "RUNNING", 20, "the start")
    wait_until(lambda: daemon.task(task_id)["progress"]["message"], 20, "the recording")
    shop(daemon, site)
    daemon.do("interact", query="Place order")
    wait_until(lambda: daemon.task(task_id)["progress"]["done"] == 2, 20, "both actions")
    meta = daemon.do("oc_task_cancel", task_id=task_id)["meta"]
    assert meta["status"] == "CANCELLED"
    result = daemon.result_of(task_id)
    assert result["recording"]["name"] == "As a task"
    assert [one["verb"] for one in result["actions"]] == ["navigate", "interact"]
    exported = actions(daemon, result["recording"]["recording_id"])
    assert exported == result["actions"]


def test_task_records_from_its_reply_on(daemon: Daemon, site: Site) -> None:
    """Actions right after the reply of `oc_task_start` are recorded, every time."""
    for number in range(6):
        session = f"at-once-{number}"
        started = daemon.do("oc_task_start", session, kind="recording", args={"max_actions": 1})
        daemon.do("navigate", session, url=site.url("article.html"))
        assert started["status"] == "RUNNING"
        meta = daemon.finish(started["task_id"])
        assert meta["status"] == "COMPLETED"
        (action,) = daemon.result_of(started["task_id"])["actions"]
        assert action["verb"] == "navigate"


def test_task_that_cannot_record_fails(daemon: Daemon) -> None:
    """A session that is already being recorded: the answer says so, it does not wait for ever."""
    first = daemon.start_task("recording")
    second = daemon.do("oc_task_start", kind="recording")
    assert second["status"] == "FAILED"
    assert daemon.task(second["task_id"])["error"]["code"] == "recording_active"
    daemon.do("oc_task_cancel", task_id=first)


def test_task_completes_at_max_actions(daemon: Daemon, site: Site) -> None:
    """`max_actions` ends the task as COMPLETED; `recording` is no verb of its own."""
    task_id = daemon.start_task("recording", max_actions=1)
    wait_until(lambda: daemon.task(task_id)["progress"]["message"], 20, "the recording")
    shop(daemon, site)
    assert daemon.finish(task_id)["status"] == "COMPLETED"
    assert len(daemon.result_of(task_id)["actions"]) == 1
    assert daemon.call("recording").code == "unknown_verb"
    assert daemon.call("oc_task_start", kind="recording", args={"max_actions": 0}).code == (
        "invalid_argument"
    )


def test_a_crash_keeps_the_recorded_actions(make_daemon: Callable[..., Daemon], site: Site) -> None:
    """After kill -9 the recording is `interrupted` with its actions, and so is the task's."""
    daemon = make_daemon()
    task_id = daemon.start_task("recording")
    wait_until(lambda: daemon.task(task_id)["progress"]["message"], 20, "the recording")
    shop(daemon, site)
    daemon.do("interact", query="Place order")
    daemon.kill9()
    daemon.start()
    assert daemon.task(task_id)["error"]["code"] == "orphaned"
    result = daemon.result_of(task_id)
    assert [one["verb"] for one in result["actions"]] == ["navigate", "interact"]
    (listed,) = daemon.do("oc_recording_list")["recordings"]
    assert (listed["status"], listed["action_count"]) == ("interrupted", 2)
    assert result["recording"]["recording_id"] == listed["recording_id"]
    assert len(actions(daemon, listed["recording_id"])) == 2


def test_stopping_the_daemon_ends_a_recording(make_daemon: Callable[..., Daemon]) -> None:
    """`ocd stop` ends it cleanly."""
    daemon = make_daemon()
    daemon.do("oc_recording_start")
    daemon.restart()
    (listed,) = daemon.do("oc_recording_list")["recordings"]
    assert (listed["status"], listed["ended_by"]) == ("ended", "daemon_stopped")


def test_task_start_on_the_command_line(daemon: Daemon, site: Site) -> None:
    """`oc task start recording --max-actions 1 --wait` knows the kind's parameters."""
    started = daemon.oc("task", "start", "recording", "--max-actions", "1", "--json").ok().json
    task_id = started["result"]["task_id"]
    wait_until(lambda: daemon.task(task_id)["progress"]["message"], 20, "the recording")
    shop(daemon, site)
    assert daemon.oc("task", "wait", task_id).code == 0
    assert daemon.oc("task", "start", "recording", "--max-acts", "1").code == 2


def test_recording_on_the_command_line(daemon: Daemon, site: Site) -> None:
    """`oc recording start|stop|list|export` from the catalog."""
    daemon.oc("recording", "start", "--name", "By hand").ok()
    daemon.oc("navigate", site.url("records/shop.html")).ok()
    assert "By hand" in daemon.oc("recording", "stop").ok().out
    assert "By hand" in daemon.oc("recording", "list").ok().out
    out = daemon.home.base / "report.html"
    daemon.oc("recording", "export", "--format", "html", "--path", str(out)).ok()
    assert "<title>By hand</title>" in out.read_text()
    assert "async def steps" in (
        daemon.oc("recording", "export", "By hand", "--format", "python_pyppeteer").ok().out
    )
