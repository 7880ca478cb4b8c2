"""Exports of a recording: a report to look at, programs and a plan that do it again."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from support import playwright_python
from support.daemon import Daemon
from support.recorded import EVERYTHING, WORD, order, recorded, shop, site_messages
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")

FORMATS = ("json", "html", "python_pyppeteer", "python_playwright", "plan")


@pytest.fixture
def daemon(one_tab_daemon: Daemon) -> Daemon:
    """One tab serves them all, for they begin by going to a page."""
    return one_tab_daemon


@pytest.fixture
def ordered(daemon: Daemon, site: Site) -> str:
    """A recording of an order in the shop; what the site saw of it is forgotten."""
    with recorded(daemon, name="An <order> & more", screenshots="after") as recording_id:
        shop(daemon, site)
        order(daemon)
        daemon.call("interact", query="no such thing here")
    site.forget()
    return recording_id


@pytest.fixture
def shared(daemon: Daemon) -> Path:
    """A folder in which the daemon's callers may write."""
    return daemon.home.base / "tmp"


def replayed(daemon: Daemon, plan: dict[str, Any], page: str) -> None:
    """Run a plan's steps one by one as execute_plan would, from another page."""
    text = json.dumps(plan["steps"])
    for name in plan["parameters"]:
        text = text.replace(f"${{{name}}}", WORD)
    for step in json.loads(text):
        args = {"url": page} if step["tool"] == "navigate" else step["args"]
        daemon.do(step["tool"], **args)


@pytest.mark.parametrize("page", ["shop.html", "shop-moved.html"])
def test_plan_works_on_a_changed_page(daemon: Daemon, site: Site, ordered: str, page: str) -> None:
    """The steps work on the same page, and on one whose ids and order have changed."""
    plan = daemon.do("oc_recording_export", recording_id=ordered, format="plan")
    assert [step["order"] for step in plan["steps"]] == list(range(1, 8))
    assert not re.search(r'"(ref|tab_id)"', json.dumps(plan["steps"]))
    assert [left["why"] for left in plan["left_out"]] == [
        "it changed nothing", "it changed nothing", "it failed: element_not_found",
    ]  # fmt: skip
    (secret,) = plan["parameters"].values()
    assert secret["source"] == "runtime"
    replayed(daemon, plan, site.url(f"records/{page}"))
    wait_until(lambda: site_messages(site) == EVERYTHING, what="the page's messages")


def test_evidence_and_snapshots_are_not_replayed(daemon: Daemon, site: Site) -> None:
    """Evidence and snapshots are recorded, but not replayed."""
    with recorded(daemon) as recording_id:
        shop(daemon, site)
        daemon.do("oc_evidence_bundle", include=["dom"])
        daemon.do("oc_session_snapshot", objective="o", current_step="s", next_actions=["n"])
    plan = daemon.do("oc_recording_export", recording_id=recording_id, format="plan")
    assert [step["tool"] for step in plan["steps"]] == ["navigate"]
    left_out = [(one["tool"], one["why"]) for one in plan["left_out"]]
    kept = ("oc_evidence_bundle", "oc_session_snapshot")
    assert left_out == [(verb, "it changed nothing") for verb in kept]


def test_plan_fails_where_the_target_is_gone(daemon: Daemon, site: Site, ordered: str) -> None:
    """On a page without the element the step fails, and nothing else is hit in its place."""
    plan = daemon.do("oc_recording_export", recording_id=ordered, format="plan")
    shop(daemon, site, "shop-moved.html")
    daemon.do(
        "javascript_tool", code="document.querySelectorAll('button').forEach(b => b.remove())"
    )
    reply = daemon.call(plan["steps"][-1]["tool"], **plan["steps"][-1]["args"])
    assert reply.code == "element_not_found"
    assert site_messages(site) == []


class Tags(HTMLParser):
    """What an HTML page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "srcset")]


def test_report_is_one_file_and_escapes_everything(
    daemon: Daemon, site: Site, ordered: str, shared: Path
) -> None:
    """Pictures are inside, nothing is fetched or run, and words of the page are only words."""
    path = shared / "report.html"
    made = daemon.do("oc_recording_export", recording_id=ordered, format="html", path=str(path))
    text = path.read_text(encoding="utf-8")
    assert made == {
        "recording_id": ordered, "format": "html", "path": str(path),
        "size_bytes": path.stat().st_size,
    }  # fmt: skip
    page = Tags(text)
    assert page.tags.count("img") == 9
    assert all(link.startswith("data:image/webp;base64,") for link in page.links)
    assert not {"script", "iframe", "link", "order", "b"} & set(page.tags)
    assert "An &lt;order&gt; &amp; more" in text
    assert "element_not_found" in text
    assert WORD not in text
    daemon.do("navigate", url=path.as_uri())
    seen = daemon.do(
        "javascript_tool", code="[...document.images].filter(i => i.naturalWidth).length"
    )
    assert seen["content"] == "9"


def run_exported(daemon: Daemon, recording_id: str, form: str, python: str, folder: Path) -> str:
    """Run an exported program as a person would, with the secret it asks for."""
    path = folder / f"{form}.py"
    daemon.do("oc_recording_export", recording_id=recording_id, format=form, path=str(path))
    environ = {**os.environ, "SECRET_1": WORD, "TIMEOUT": "60", "HOME": str(folder)}
    done = subprocess.run(
        [python, str(path)], env=environ, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return path.read_text(encoding="utf-8")


def test_exported_pyppeteer_program_runs(
    daemon: Daemon, site: Site, ordered: str, shared: Path
) -> None:
    """The exported program runs as it is, with the system's Chromium."""
    source = run_exported(daemon, ordered, "python_pyppeteer", sys.executable, shared)
    wait_until(lambda: site_messages(site) == EVERYTHING, what="the page's messages")
    assert WORD not in source


@pytest.mark.timeout(600)  # it may have to be installed first
def test_exported_playwright_program_runs(
    daemon: Daemon, site: Site, ordered: str, shared: Path
) -> None:
    """The exported program runs as it is, with the system's Chromium."""
    python = playwright_python.installed()
    run_exported(daemon, ordered, "python_playwright", python, shared)
    wait_until(lambda: len(site_messages(site)) >= len(EVERYTHING), what="the page's messages")
    assert site_messages(site) == EVERYTHING


def hostile(recording_id: str, folder: Path, count: int) -> None:
    """Write a recording of many actions whose words try to break out of every format."""
    words = '"""\n\x00\u2028</script><b>\'${x}\\ 찻잔 🙂 await play.goto("x")'
    target = {
        "named": "e1", "role": "button", "name": words, "tag": "button", "selector": "#a > b",
        "label": words, "text": words, "around": words, "attributes": {"title": words},
    }  # fmt: skip
    doings = [
        ("navigate", {"url": f"http://a.example/{words}"}), ("interact", {"ref": "e1"}),
        ("form_input", {"ref": "e1", "value": words}), ("javascript_tool", {"code": words}),
        ("interact", {"ref": "e1", "action": "select", "value": words}),
        ("unheard_of", {"x": words}),
    ]  # fmt: skip
    folder.mkdir(parents=True)
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    meta = {
        "format": "recording", "version": 1, "recording_id": recording_id, "session": "default",
        "started_at": now, "ended_at": now, "ended_by": "stop", "action_count": count,
        "name": words,
    }  # fmt: skip
    (folder / "meta.json").write_text(json.dumps(meta))
    with (folder / "actions.jsonl").open("w") as file:
        for seq in range(1, count + 1):
            verb, params = doings[seq % len(doings)]
            action = {
                "seq": seq, "ts": now, "verb": verb, "params": params, "duration_ms": 1.5,
                "ok": True, "reads": False, "error": None, "target": target, "tab_id": "t1",
                "url_before": "http://a.example/", "title_before": words, "title_after": words,
                "url_after": "http://a.example/", "changed": {"added": 3}, "lines": [words],
            }  # fmt: skip
            file.write(json.dumps(action) + "\n")


@pytest.fixture
def long_one(make_daemon: Callable[..., Daemon]) -> tuple[Daemon, str]:
    """A daemon with a recording of 10,000 actions."""
    daemon = make_daemon()
    recording_id = "rec-20261120-101010-abcdef"
    hostile(recording_id, daemon.home.path / "recordings" / recording_id, 10_000)
    return daemon, recording_id


def test_ten_thousand_actions_are_exported_completely(long_one: tuple[Daemon, str]) -> None:
    """In every format; programs compile whatever words are in them."""
    daemon, recording_id = long_one
    for form in FORMATS:
        path = daemon.home.base / "tmp" / form
        daemon.do("oc_recording_export", recording_id=recording_id, format=form, path=str(path))
        text = path.read_text(encoding="utf-8")
        if form.startswith("python"):
            compile(text, form, "exec")
            assert text.count("# not translated") >= 1600
        elif form == "html":
            tags = Tags(text).tags
            assert tags.count("section") == 10_000
            assert "b" not in tags
        else:
            assert len(json.loads(text)["actions" if form == "json" else "steps"]) >= 10_000


def test_export_goes_to_a_handle(daemon: Daemon, site: Site, ordered: str) -> None:
    """With `output_mode` handle the export is stored, and pages by actions."""
    told = daemon.do("oc_recording_export", recording_id=ordered, output_mode="handle")
    assert told["item_count"] == 10
    page = daemon.do("oc_output_fetch", output_handle=told["output_handle"], limit=2, offset=1)
    assert [one["seq"] for one in page["content"]] == [2, 3]


def test_path_outside_the_roots_is_refused(daemon: Daemon, ordered: str) -> None:
    """An export is written where the caller may write, and nowhere else."""
    reply = daemon.call("oc_recording_export", recording_id=ordered, path="/etc/report.html")
    assert reply.code == "path_outside_roots"


@pytest.mark.parametrize("form", FORMATS)
def test_fields_named_by_labels_are_exported(daemon: Daemon, site: Site, form: str) -> None:
    """fill_form takes {label: value}, too."""
    with recorded(daemon) as recording_id:
        daemon.do("navigate", url=site.url("acting/still.html"))
        daemon.do("fill_form", fields={"Town": "Rome"})
    made = daemon.do("oc_recording_export", recording_id=recording_id, format=form)
    assert "Rome" in json.dumps(made)
