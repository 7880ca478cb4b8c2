"""Chromium's life cycle: started once, ended reliably, started again; and pyppeteer on our pipe."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest

import support.browsing
from ocd.browser.process.orphans import RECORD
from ocd.pages.act import input_events
from support.browsing import browsing, refusal
from support.site_inline import InlineSite, Reply
from support.waiting import wait_until


def users_of(profile) -> list[int]:
    """Pids of living processes that were started with this profile."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        words = " ".join(process.info["cmdline"] or ())
        if f"--user-data-dir={profile}" in words and process.info["status"] != "zombie":
            found.append(process.pid)
    return found


async def gone(profile) -> bool:
    """Wait until nobody uses the profile."""
    return await asyncio.to_thread(wait_until, lambda: not users_of(profile), 5)


async def test_crash_is_reported_at_once_and_the_next_call_restarts_chromium(tmp_path):
    """Calls in flight fail with browser_gone, tabs vanish, the generation grows."""
    async with browsing(tmp_path) as here:
        tab = await here.session.new_tab()
        first = here.chromium.pid
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(refusal(tab.evaluate("new Promise(() => {})")))
            await tab.evaluate("1")
            os.kill(first, signal.SIGKILL)
        assert waiting.result().code == "browser_gone"
        assert (here.session.tabs, here.chromium.state) == ([], "gone")
        assert (await refusal(tab.evaluate("1"))).code in ("tab_gone", "browser_gone")
        fresh = await here.session.new_tab()
        assert await fresh.evaluate("2") == 2
        assert here.chromium.generation == 2 != here.session.seen_generation
        assert (fresh.id, here.chromium.pid != first) == ("t2", True)


async def test_one_start_serves_all_callers_even_if_the_first_gives_up(tmp_path):
    """A cancelled caller does not cancel the start for the others."""
    async with browsing(tmp_path) as here:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await here.chromium.ensure()
        async with asyncio.TaskGroup() as group:
            calls = [group.create_task(here.chromium.ensure()) for _ in range(5)]
        assert len({id(call.result()) for call in calls}) == 1
        assert (here.chromium.generation, here.chromium.state) == (1, "running")
        assert here.chromium.memory_bytes() > 20_000_000


async def test_closing_leaves_nothing_behind_and_chromium_can_start_again(tmp_path):
    """No process, no record, no lock; a temporary profile goes with its browser."""
    async with browsing(tmp_path, isolated=True) as here:
        await here.session.new_tab()
        process = psutil.Process(here.chromium.pid)
        folder = next(w for w in process.cmdline() if w.startswith("--user-data-dir=")).split("=")[
            1
        ]
        await here.chromium.close()
        assert (here.chromium.state, here.session.tabs) == ("stopped", [])
        assert not process.is_running()
        assert not (tmp_path / RECORD).exists()
        await here.chromium.ensure()
    assert await gone(folder)
    assert not list(Path(folder).parent.glob(Path(folder).name))


async def test_a_hung_browser_is_killed(tmp_path):
    """Closing a stopped Chromium takes a bounded time."""
    async with browsing(tmp_path) as here:
        await here.session.new_tab()
        os.kill(here.chromium.pid, signal.SIGSTOP)
        async with asyncio.timeout(300):
            await here.chromium.close()
        assert await gone(tmp_path / "profile")


async def test_idle_chromium_is_closed_but_not_while_a_tab_is_open(tmp_path):
    """Idle means: no tab and no call for the configured time."""
    async with browsing(tmp_path, idle_minutes=0.3 / 60) as here:
        tab = await here.session.new_tab()
        assert await tab.wait_for("function", "performance.now() > 600", timeout_s=60) is True
        assert here.chromium.state == "running"
        connection = here.chromium.connection
        await tab.close()
        async with asyncio.timeout(300):
            await connection.wait_closed()
        assert here.chromium.state == "stopped"
        assert await (await here.session.new_tab()).evaluate("1") == 1


SCRIPT = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
import support.browsing
from support.browsing import browsing, refusal
from support.waiting import wait_until

async def main():
    async with browsing(Path({folder!r})) as here:
        tab = await here.session.new_tab()
        print(here.chromium.pid, flush=True)
        await tab.evaluate("new Promise(() => {{}})")

asyncio.run(main())
"""


def start(arguments, **options) -> subprocess.Popen:
    return subprocess.Popen(arguments, **options)


async def killed_daemon(tmp_path, *, stop: bool = False) -> int:
    """Run a process that drives a Chromium, SIGKILL it, and return that Chromium's pid."""
    tests = Path(support.browsing.__file__).parent.parent
    source = textwrap.dedent(SCRIPT).format(tests=str(tests), folder=str(tmp_path))
    daemon = start([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    try:
        pid = int(await asyncio.to_thread(daemon.stdout.readline))
        if stop:
            os.kill(pid, signal.SIGSTOP)
    finally:
        daemon.kill()
        daemon.wait()
        daemon.stdout.close()
    return pid


async def test_no_chromium_outlives_a_killed_daemon(tmp_path):
    """Chromium ends by itself when its pipe closes; its profile is usable at once."""
    await killed_daemon(tmp_path)
    assert await gone(tmp_path / "profile")
    async with browsing(tmp_path) as here:
        assert await (await here.session.new_tab()).evaluate("1") == 1


async def test_a_chromium_left_behind_is_reaped_by_the_next_start(tmp_path):
    """A stopped one that could not exit is identified by pid, start time and profile."""
    pid = await killed_daemon(tmp_path, stop=True)
    stopped = psutil.Process(pid)
    try:
        await asyncio.to_thread(wait_until, lambda: stopped.status() == psutil.STATUS_STOPPED)
        async with browsing(tmp_path) as here:
            assert await (await here.session.new_tab()).evaluate("1") == 1
            assert pid not in users_of(tmp_path / "profile")
    finally:
        if stopped.is_running():
            os.killpg(pid, signal.SIGKILL)


async def test_a_profile_in_use_is_refused(tmp_path):
    """A living Chromium's profile is refused with its pid; the mark of a dead one is removed."""
    async with browsing(tmp_path) as here:
        await here.chromium.ensure()
        (tmp_path / "other").mkdir()
        async with browsing(tmp_path / "other", profile=tmp_path / "profile") as second:
            error = await refusal(second.chromium.ensure())
            assert error.code == "browser_failed"
            assert error.details["pid"] in users_of(tmp_path / "profile")
        here.chromium._launched.process.kill()
    async with browsing(tmp_path) as here:
        await here.chromium.ensure()


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo no display >&2; exit 3", "no display"),
        ("echo 'Missing X server or $DISPLAY' >&2; echo Exiting. >&2; exit 1", "to show its"),
        (
            "echo 'Failed to move to new namespace: Operation not permitted' >&2; seq 9 >&2",
            "user namespaces are forbidden",
        ),
        ("exec sleep 100", "answer"),
    ],
)
async def test_a_browser_that_does_not_start_says_why(tmp_path, monkeypatch, script, words):
    """browser_failed carries Chromium's last words, or that there were none in time."""
    monkeypatch.setattr("ocd.browser.process.launch.START_S", 1.0 if "sleep" in script else 60.0)
    binary = tmp_path / "chromium"
    binary.write_text(f"#!/bin/sh\n{script}\n")
    binary.chmod(0o700)
    async with browsing(tmp_path, browser_path=str(binary)) as here:
        error = await refusal(here.chromium.ensure())
        assert error.code == "browser_failed"
        assert words in error.message
        assert here.chromium.state == "stopped"
    async with browsing(tmp_path, browser_path=str(tmp_path / "none")) as here:
        assert (await refusal(here.chromium.ensure())).code == "browser_not_found"


async def test_attaching_leaves_the_browser_running(tmp_path):
    """--browser-url: tabs work over the WebSocket; closing leaves other tabs alone."""
    profile = tmp_path / "theirs"
    arguments = ["chromium", "--headless=new", "--no-sandbox", "--remote-debugging-port=0"]
    theirs = start([*arguments, f"--user-data-dir={profile}"], stderr=subprocess.DEVNULL)
    try:
        marks = profile / "DevToolsActivePort"
        await asyncio.to_thread(wait_until, lambda: marks.exists() and marks.read_text(), 20)
        port = marks.read_text().split()[0]
        async with browsing(tmp_path, browser_url=f"http://127.0.0.1:{port}") as here:
            tab = await here.session.new_tab("data:text/html,<title>over</title>")
            assert await tab.evaluate("document.title") == "over"
            assert (here.chromium.pid, here.chromium.generation) == (None, 1)
        assert theirs.poll() is None
        async with browsing(tmp_path, browser_url="http://127.0.0.1:9") as here:
            assert (await refusal(here.chromium.ensure())).code == "browser_failed"
    finally:
        theirs.kill()
        theirs.wait()


async def test_pyppeteers_keyboard_types_over_our_session(tmp_path):
    """Its Keyboard types into the focused field, also characters without a key."""
    body = (
        "<input id=i autofocus style='position:fixed;inset:0 0 50% 0;width:100%'>"
        "<button style='position:fixed;inset:50% 0 0 0;width:100%' onclick='clicked = 1'>b</button>"
    )
    async with InlineSite({"/": Reply(body)}) as site, browsing(tmp_path) as here:
        tab = await here.session.new_tab(site.url("/"))
        await tab.evaluate("i.focus()")
        await tab.keyboard.type("Hé!")
        await input_events.click(tab, 300, 600)
        assert await tab.evaluate("[i.value, clicked]") == ["Hé!", 1]


async def test_a_pdf_is_saved_where_nobody_would_see_the_viewer(tmp_path):
    """A link to one is a download, in a profile that the daemon has made."""
    pages = {
        "/": Reply("<a href=/guide.pdf>Guide</a>"),
        "/guide.pdf": Reply(b"%PDF-1.4\n%%EOF", kind="application/pdf"),
    }
    async with InlineSite(pages) as site, browsing(tmp_path, incoming=tmp_path / "in") as here:
        tab = await here.session.new_tab(site.url("/"))
        refused = await refusal(tab.navigate(site.url("/guide.pdf")))
        assert refused.code == "download_started"
        saved = await asyncio.to_thread(Path(refused.details["path"]).read_bytes)
        assert saved == b"%PDF-1.4\n%%EOF"
        assert tab.url == site.url("/")
