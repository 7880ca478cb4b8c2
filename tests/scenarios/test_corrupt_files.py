"""Damaged files in the home: every read returns JSON, and nothing is overwritten."""

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ocd.api.errors import CODES
from support.daemon import Daemon, Home
from support.site import Site
from support.wire import Reply

pytestmark = pytest.mark.usefixtures("headless_shell")

STATE = Path(__file__).resolve().parents[2] / "fixtures" / "state" / "v1"
CRAWL = {"max_pages": 4, "max_depth": 10, "engine": "static"}
# Of each group of files one is damaged: a handle whose description is gone says nothing of its
# payload. The last four tasks and handles are made here, the others an older version has left.
OLD_TASKS = ("997416d210738cd4", "971caba71815eb17", "ea455620bee58036")
RECORDING = "rec-20261120-120000-abcdef"
# Copies whose descriptions are damaged, and not what they describe.
OTHER_RECORDING = "rec-20261120-120000-fedcba"
WORKFLOW = "wf-20261120-120000000-abcdef"
OTHER_WORKFLOW = "wf-20261120-120000000-fedcba"
BUNDLE = "ev_VVRZZYL32CON"
OLD_JOURNAL = "journal-2026-11-20.jsonl"


def _flip(data: bytes) -> bytes:
    # The beginning, the middle and the end: whatever the file's form is, something of it is hit.
    changed = bytearray(data)
    for at in (1, len(data) // 2, len(data) - 2):
        changed[at] ^= 0x81
    return bytes(changed)


def _mistype(data: bytes) -> bytes:
    # JSON, or lines of it, whose names are right and whose values are not.
    lines = []
    for line in data.splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            return b'"a text"'
        if not isinstance(found, dict):
            return b'"a text"'
        lines.append(json.dumps({key: _other_type(value) for key, value in found.items()}))
    return "\n".join([*lines, ""]).encode()


def _other_type(value: object) -> object:
    return {"of": "another type"} if isinstance(value, int | str | float) else "a text"


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "flip": _flip,
    "truncate": lambda data: data[: len(data) * 2 // 3],
    "empty": lambda _data: b"",
    "zeros": lambda data: bytes(len(data)),
    "values": _mistype,
    "array": lambda _data: b"[1, 2, 3]\n",
    "folder": lambda data: data,  # see _damage
}


class Seeded:
    """A home with one of everything, whose daemon is not running."""

    def __init__(self, daemon: Daemon, site: Site, journal: str) -> None:
        self.path = daemon.home.path
        self.journal = journal
        self.tasks = [self._crawled(daemon, site) for _ in range(4)]
        self.handles = [
            *(self._handle(daemon, task_id) for task_id in self.tasks[:2]),
            *(self._stored(daemon) for _ in range(3)),
        ]
        (self.path / "output" / "roots.json").write_text(
            '{"format":"output_roots","version":1,"folders":["/nonexistent"]}'
        )
        self._copy("recordings", RECORDING, OTHER_RECORDING, "meta.json")
        self._copy("workflows", WORKFLOW, OTHER_WORKFLOW, "workflow.json")

    def _copy(self, kind: str, name: str, other: str, description: str) -> None:
        shutil.copytree(self.path / kind / name, self.path / kind / other)
        file = self.path / kind / other / description
        file.write_bytes(file.read_bytes().replace(name.encode(), other.encode()))

    def _crawled(self, daemon: Daemon, site: Site) -> str:
        task_id = daemon.start_task("crawl", url=site.url("chain/1"), **CRAWL)
        daemon.finish(task_id)
        return task_id

    def _handle(self, daemon: Daemon, task_id: str) -> str:
        got = {"task_id": task_id, "include_result": True, "output_mode": "handle"}
        return str(daemon.do("oc_task_get", **got)["output_handle"])

    def _stored(self, daemon: Daemon) -> str:
        recent = {"action": "recent", "output_mode": "handle"}
        return str(daemon.do("oc_journal", **recent)["output_handle"])

    def files(self) -> list[Path]:
        """Return the files that are damaged, relative to the home: each kind, but not all of it."""
        handle, task = self.handles, self.tasks
        patterns = [
            "upstream/pins.json", "plans/*.json", "skills/*.jsonl", f"journal/{self.journal}",
            f"tasks/{OLD_TASKS[0]}/meta.json", f"tasks/{OLD_TASKS[1]}/result.json",
            f"tasks/{OLD_TASKS[2]}/pages.jsonl", f"tasks/{OLD_TASKS[2]}/events.jsonl",
            f"tasks/{task[0]}/result.json", f"tasks/{task[1]}/result.idx",
            f"tasks/{task[2]}/meta.json", f"tasks/{task[3]}/events.jsonl",
            f"output/*/{handle[2]}.json", f"output/*/{handle[3]}.idx",
            f"output/*/{handle[4]}.meta.json", "output/*/oh_VSEYIR4P4DZO.json",
            "output/*/oh_XK4TQNXNV3ZZ.txt", "output/roots.json",
            f"recordings/{RECORDING}/actions.jsonl", f"recordings/{RECORDING}/screenshots/*",
            f"recordings/{OTHER_RECORDING}/meta.json", f"workflows/{OTHER_WORKFLOW}/workflow.json",
            f"workflows/{WORKFLOW}/workers/left.json", "checkpoints/*.json",
            "sessions/*.json", "secrets/totp.json", f"evidence/{BUNDLE}/*.json",
            "evidence/classes/*.json", "memory/memory.jsonl",
        ]  # fmt: skip
        found = [sorted(self.path.glob(pattern)) for pattern in patterns]
        missing = [p for p, paths in zip(patterns, found, strict=True) if not paths]
        assert not missing, f"nothing is damaged at {missing}"
        return [path.relative_to(self.path) for paths in found for path in paths]


def _keep_journal(file: Path) -> str:
    """Date a journal of the past as of yesterday: after a week it would be removed."""
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    return file.rename(file.with_name(f"journal-{yesterday}.jsonl")).name


@pytest.fixture(scope="module")
def seeded(shared_site: Site) -> Iterator[Seeded]:
    place = Home()
    shutil.copytree(STATE, place.path)
    journal = _keep_journal(place.path / "journal" / OLD_JOURNAL)
    (place.path / "config.toml").write_text(
        'tools_only = []\noutput_handle_ttl_hours = 87600\n[upstream.probe]\ncommand = "false"\n'
    )
    daemon = Daemon("--task-retention-days", "36500", home=place).start()
    try:
        found = Seeded(daemon, shared_site, journal)
        daemon.stop()
        yield found
    finally:
        daemon.stop()
        place.close()


def _reads(daemon: Daemon, seeded: Seeded) -> Iterator[tuple[str, Reply]]:
    """Read everything there is, in every way."""
    calls: list[tuple[str, dict[str, object]]] = [
        ("oc_task_list", {}),
        ("oc_recording_list", {}),
        *(("oc_recording_export", {"recording_id": one, "format": form})
          for one in (RECORDING, OTHER_RECORDING)
          for form in ("json", "html", "plan", "python_playwright")),
        ("memory", {"action": "query", "domain": "shop.example.org"}),
        ("oc_checkpoint", {"action": "list"}),
        ("oc_checkpoint", {"action": "load", "name": "old-task"}),
        ("oc_session_resume", {"snapshot_id": "An old one"}),
        ("oc_skill_recall", {"query": "old"}),
        ("execute_plan", {"plan_id": "An old plan", "params": {"limit": 3}}),
        *((verb, {"workflow_id": one}) for one in (WORKFLOW, OTHER_WORKFLOW)
          for verb in ("workflow_collect", "workflow_status")),
        ("workflow_status", {}),
        ("oc_journal", {"action": "recent", "count": 1000}),
        ("oc_journal", {"action": "summary"}),
        ("oc_diff", {"a": BUNDLE, "b": BUNDLE}),
        ("oc_assert", {"contract": {"kind": "dom_text", "contains": "x"}, "evidence": BUNDLE}),
        ("oc_assert", {"contract": {"kind": "screenshot_class", "class_id": "front page"},
                       "evidence": BUNDLE}),
        ("oc_totp_generate", {"domain": "example.org"}),
        *(("oc_task_get", {"task_id": one, "include_result": True, "output_mode": mode})
          for one in (*OLD_TASKS, *seeded.tasks) for mode in ("inline", "handle")),
        *(("oc_output_fetch", {"output_handle": one, "format": form})
          for one in (*seeded.handles, "oh_VSEYIR4P4DZO", "oh_XK4TQNXNV3ZZ")
          for form in ("auto", "text", "bytes")),
        *(("oc_output_search", {"output_handle": one, "pattern": "x"})
          for one in (*seeded.handles, "oh_VSEYIR4P4DZO", "oh_XK4TQNXNV3ZZ")),
    ]  # fmt: skip
    for verb, params in calls:
        yield f"{verb} {params}", daemon.call(verb, **params)
    yield "status", daemon.request("GET", "/v1/status")
    yield "totp", daemon.request("POST", "/v1/totp", b'{"action": "list"}')
    review = b'{"action": "review", "name": "probe"}'
    yield "upstreams", daemon.request("POST", "/v1/upstreams", review)
    for one in (*OLD_TASKS, *seeded.tasks):
        yield f"events of {one}", daemon.request("GET", f"/v1/tasks/{one}/events")


def _damage(path: Path, damage: str) -> bytes:
    """Change a file, or make it a folder that holds what it was; return what it is now."""
    data = path.read_bytes()
    path.unlink()  # a link's other name stays as it was
    if damage == "folder":
        path.mkdir()
        path = path / "inside"
    path.write_bytes(DAMAGES[damage](data))
    return path.read_bytes()


@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_every_read_answers_and_nothing_is_overwritten(seeded: Seeded, damage: str) -> None:
    """All files of a home damaged in one way; the daemon starts, answers, and leaves them so."""
    place = Home()
    shutil.copytree(seeded.path, place.path, ignore=shutil.ignore_patterns("run"))
    inside = "inside" if damage == "folder" else ""
    left = {place.path / one: _damage(place.path / one, damage) for one in seeded.files()}
    with Daemon("--task-retention-days", "36500", home=place) as daemon:
        codes: dict[str, str] = {}
        for what, reply in _reads(daemon, seeded):
            if what.startswith("events") and reply.status == 200:
                assert all(json.loads(line)["kind"] for line in reply.raw.splitlines())
                continue
            codes[what] = "" if reply.status == 200 else reply.code
            assert isinstance(reply.body, dict), what
        unknown = {what: code for what, code in codes.items() if code and code not in CODES}
        internal = {what for what, code in codes.items() if code == "internal"}
        assert (unknown, internal) == ({}, set())
        whole = f"oc_task_get {{'task_id': '{seeded.tasks[0]}', 'include_result': True, "
        assert codes[whole + "'output_mode': 'inline'}"] == "unreadable_file"
        for handle in seeded.handles[2:]:
            fetch = f"oc_output_fetch {{'output_handle': '{handle}', 'format': 'bytes'}}"
            assert codes[fetch] == "unreadable_file"
        assert daemon.status()["pid"] == daemon.identity.pid
        daemon.stop()
        changed = [path for path, data in left.items() if (path / inside).read_bytes() != data]
        assert changed == []


@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_a_corrupt_configuration_is_reported_and_not_overwritten(home: Home, damage: str) -> None:
    """`ocd start` says so with exit status 2, unless what is left is a configuration still."""
    file = home.write_config('tools_only = ["core"]\n[policy]\nexfiltration = "block"\n')
    left = _damage(file, damage)
    done = home.run("ocd", "start")
    assert done.code == (0 if damage == "empty" else 2), done.err
    if done.code:
        assert "config" in done.err
        assert "Traceback" not in done.err
    assert (file / "inside" if damage == "folder" else file).read_bytes() == left


def test_the_last_good_configuration_stays_in_force(
    make_daemon: Callable[..., Daemon],
) -> None:
    """The last good one stays in force, the daemon lives."""
    home = Home()
    home.write_config('tools_only = ["core"]\n')
    daemon = make_daemon(home=home)
    for damage in sorted(DAMAGES):
        file = home.write_config('tools_only = ["core"]\n')
        _damage(file, damage)
        assert daemon.call("crawl", url="http://127.0.0.1:1/").code == "CAPABILITY_DISABLED"
        assert daemon.status()["pid"] == daemon.identity.pid
        if damage == "folder":
            (file / "inside").unlink()
            file.rmdir()


@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_a_corrupt_chromium_record_does_not_prevent_browsing(
    make_daemon: Callable[..., Daemon], share_daemon: Callable[..., Daemon], site: Site, damage: str
) -> None:
    """A killed daemon left it: the next one starts, browses, reports and stops."""
    # A folder stays in the record's place; what is written there is the next test's to damage.
    daemon = make_daemon() if damage == "folder" else share_daemon()
    daemon.do("navigate", url=site.url("article.html"))
    file = daemon.home.path / "run" / "chromium.json"
    written = file.read_bytes()
    browser = daemon.chromium()
    daemon.kill9()
    browser.wait_gone(60)
    file.write_bytes(written)
    _damage(file, damage)
    assert "Traceback" not in daemon.ocd("status").err
    daemon.start()
    assert daemon.do("oc_doctor_report")["checks"]
    daemon.do("navigate", url=site.url("article.html"))
    assert "Traceback" not in daemon.log()
    if damage != "folder":
        assert json.loads(file.read_bytes())["pid"] == daemon.chromium().pid


@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_an_orphaned_task_keeps_its_readable_pages(
    make_daemon: Callable[..., Daemon], damage: str
) -> None:
    """Reaping reads what can be read, and leaves the file where some of it cannot."""
    place = Home()
    task_id = OLD_TASKS[1]
    place.path.mkdir(mode=0o700)
    folder = place.path / "tasks" / task_id
    shutil.copytree(STATE / "tasks" / task_id, folder)
    (folder / "result.json").unlink()
    meta = json.loads((folder / "meta.json").read_bytes())
    running = {"status": "RUNNING", "ended_at": None, "result_path": None, "result_list": None}
    (folder / "meta.json").write_text(json.dumps({**meta, **running}))
    left = _damage(folder / "pages.jsonl", damage)
    daemon = make_daemon("--task-retention-days", "36500", home=place)
    found = daemon.call("oc_task_get", task_id=task_id, include_result=True)
    assert found.result["meta"]["error"]["code"] == "orphaned"
    assert len(found.result.get("result", {}).get("pages", [])) in (0, 1, 2)
    file = folder / "pages.jsonl"
    if file.exists():
        assert (file / "inside" if damage == "folder" else file).read_bytes() == left
    else:
        assert damage == "array", "what cannot be read went"


def test_oc_task_list_reports_unreadable_tasks(home: Home) -> None:
    """A task with a broken file is missing in the table, and a message says so."""
    broken = home.path / "tasks" / "0123456789abcdef" / "meta.json"
    broken.parent.mkdir(parents=True)
    broken.write_text("{")
    listed = home.run("oc", "task", "list").ok()
    assert "1 that cannot be read" in listed.err
    assert str(broken) in home.run("ocd", "logs").ok().out
    assert broken.read_text() == "{"
