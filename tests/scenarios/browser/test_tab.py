"""What a tab does when pages behave, and when they do not."""

import asyncio
import time

import pytest

from ocd.browser.tabs.evaluate import RawJson
from ocd.browser.tabs.tab import Tab
from ocd.pages.act import input_events
from support.browsing import browsing, refusal
from support.site_inline import InlineSite, Reply, redirect

HELLO = Reply("<title>Hello</title><p id=p>hello")


def page(body: str, title: str = "Page") -> Reply:
    return Reply(f"<!doctype html><title>{title}</title><body>{body}")


async def settle(tab: Tab, expression: str, seconds: float = 60) -> None:
    await tab.wait_for("function", expression, timeout_s=seconds)


async def test_a_navigation_reports_status_title_and_redirect(tmp_path):
    """Status comes from the server's answer, also for error pages, redirects and no server."""
    routes = {
        "/": HELLO,
        "/moved": redirect("/"),
        "/404": Reply("<title>Lost</title>gone", 404),
        "/empty404": Reply("", 404),
        "/client": page("<script>location.replace('/')</script>"),
    }
    async with InlineSite(routes) as site, browsing(tmp_path) as here:
        tab = await here.session.new_tab()
        plain = await tab.navigate(site.url("/"))
        assert (plain.status, plain.title, plain.redirected) == (200, "Hello", False)
        moved = await tab.navigate(site.url("/moved"))
        assert (moved.url, moved.status, moved.redirected) == (site.url("/"), 200, True)
        lost = await tab.navigate(site.url("/404"))
        assert (lost.status, lost.title) == (404, "Lost")
        assert (await tab.navigate(site.url("/empty404"))).status == 404
        client = await tab.navigate(site.url("/client"))
        assert (client.url, client.redirected, client.title) == (site.url("/"), True, "Hello")
        assert (await tab.navigate(site.url("/#p"))).url == site.url("/#p")
        assert (await tab.navigate("about:blank")).status is None
        assert (await tab.navigate("data:text/html,<title>D</title>")).title == "D"
        assert (await tab.back()).url == "about:blank"
        assert (await tab.back()).url == site.url("/#p")
        assert (await tab.forward()).url == "about:blank"
        assert (await tab.reload()).url == "about:blank"


async def test_failed_navigations_give_the_reason_and_leave_the_tab_usable(tmp_path):
    """Each kind of failed load has its own error, and the tab still works."""

    async def loop(path: str) -> Reply:
        return redirect("/loop?" + str(len(path)) + path[-20:])

    routes = {
        "/": HELLO,
        "/loop": loop,
        "/204": Reply("", 204),
        "/zip": Reply(b"PK", kind="application/zip"),
        "/attached": Reply("x", headers={"Content-Disposition": "attachment"}),
    }
    async with InlineSite(routes) as site, browsing(tmp_path) as here:
        tab = await here.session.new_tab(site.url("/"))
        for path, code in [
            ("/loop", "too_many_redirects"),
            ("/204", "navigation_failed"),
            ("/zip", "download_started"),
            ("/attached", "download_started"),
        ]:
            assert (await refusal(tab.navigate(site.url(path)))).code == code, path
            assert await tab.evaluate("1 + 1") == 2
        dead = await refusal(tab.navigate("http://localhost:9/"))
        assert dead.code == "navigation_failed"
        unknown = await refusal(tab.navigate("http://nowhere.invalid/"))
        assert unknown.details["net_error"] == "net::ERR_NAME_NOT_RESOLVED"
        assert (await tab.navigate(site.url("/"))).status == 200
        assert (await refusal(tab.forward())).code == "navigation_failed"


async def test_a_timeout_stops_the_load(tmp_path):
    """A caller that gives up leaves a tab that is not still loading."""

    async def never(_: str) -> Reply:
        await asyncio.Event().wait()
        return HELLO

    routes = {"/": HELLO, "/never": never, "/slow": page("<img src=/never>seen")}
    async with InlineSite(routes) as site, browsing(tmp_path) as here:
        tab = await here.session.new_tab(site.url("/"))
        for path in ("/never", "/slow"):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.7):
                    await tab.navigate(site.url(path))
            assert await tab.evaluate("document.body.innerText") in ("hello", "seen")
        assert (await tab.navigate(site.url("/slow"), "dom")).status == 200


async def test_values_and_errors_of_scripts(tmp_path):
    """JavaScript's values come back as JSON, its errors with message, line and column."""
    async with browsing(tmp_path) as here:
        tab = await here.session.new_tab()
        for source, value in [
            ("[1, 'a', null, {b: true}]", [1, "a", None, {"b": True}]),
            ("undefined", None),
            ("NaN", "NaN"),
            ("-Infinity", "-Infinity"),
            ("-0", 0),
            ("2n ** 70n", "1180591620717411303424"),
            ("'a\\ud800b'", "a\ufffdb"),
            ("Promise.resolve(4)", 4),
        ]:
            assert await tab.evaluate(source) == value, source
        assert await tab.evaluate("(a, b) => a + b.x", args=[1, {"x": 2}], isolated=True) == 3
        assert await tab.evaluate("(o) => Object.keys(o)", args=[{"__proto__": 1}]) == ["__proto__"]
        rich = "({d: new Date(0), m: new Map([[1, 2]]), n: 3n, e: [undefined, NaN]})"
        said = '{"d":"1970-01-01T00:00:00.000Z","m":{"1":2},"n":"3","e":[null,"NaN"]}'
        assert await tab.evaluate(rich, repl=True) == RawJson(said, "object")
        assert await tab.evaluate("await Promise.resolve(5)", repl=True) == 5
        thrown = await refusal(tab.evaluate("1;\n  null.foo", repl=True))
        assert (thrown.code, thrown.details) == ("script_error", {"line": 2, "column": 8})
        assert "Cannot read properties of null" in thrown.message
        for source in ("const a = {}; a.a = a; a", "window"):
            assert (
                await refusal(tab.evaluate(f"(() => {{ return eval({source!r}) }})()"))
            ).code == ("script_error")
        assert (await refusal(tab.evaluate("}{"))).code == "script_error"


async def test_isolated_scripts_see_the_page_but_not_its_variables(tmp_path):
    """The isolated world has its own globals, new in every document."""
    async with (
        InlineSite({"/": page("<script>window.mine = 1</script><p>x")}) as site,
        browsing(tmp_path) as here,
    ):
        tab = await here.session.new_tab(site.url("/"))
        for _ in range(2):
            assert await tab.evaluate("typeof mine", isolated=True) == "undefined"
            assert await tab.evaluate("document.body.innerText.trim()", isolated=True) == "x"
            assert await tab.evaluate("mine") == 1
            await tab.reload()


async def test_a_dialog_ends_the_call_it_would_block(tmp_path):
    """alert, confirm and prompt stay open, are reported, and are answered by the caller."""
    async with (
        InlineSite({"/": HELLO, "/alert": page("<script>alert('in')</script>done")}) as site,
        browsing(tmp_path) as here,
    ):
        tab = await here.session.new_tab(site.url("/"))
        error = await refusal(tab.evaluate("alert('hi')"))
        assert error.code == "dialog_open"
        assert error.details["dialog"]["message"] == "hi"
        assert (await refusal(tab.evaluate("1"))).code == "dialog_open"
        assert tab.opened_dialog
        assert (await tab.answer_dialog(accept=True)).kind == "alert"
        assert await tab.evaluate("1") == 1
        await refusal(tab.evaluate("window.said = prompt('name?', 'x')"))
        await tab.answer_dialog(accept=True, text="Ada")
        assert await tab.evaluate("said") == "Ada"
        assert (await refusal(tab.navigate(site.url("/alert")))).code == "dialog_open"
        await tab.answer_dialog(accept=True)
        await tab.wait_for("load", timeout_s=60)
        assert await tab.evaluate("document.body.innerText") == "done"
        assert (await refusal(tab.answer_dialog(accept=True))).code == "not_found"


async def test_beforeunload_does_not_prevent_leaving(tmp_path):
    """A page that asks to stay is left and closed all the same."""
    body = "<button id=b>b</button><script>onbeforeunload = () => 'stay'</script>"
    async with InlineSite({"/": HELLO, "/stay": page(body)}) as site, browsing(tmp_path) as here:
        tab = await here.session.new_tab(site.url("/stay"))
        await input_events.click(tab, 20, 20)
        assert (await tab.navigate(site.url("/"))).title == "Hello"
        await tab.navigate(site.url("/stay"))
        await input_events.click(tab, 20, 20)
        await tab.close()
        assert here.session.tabs == []


async def test_popups_belong_to_the_session_of_their_opener(tmp_path):
    """window.open and target=_blank make tabs; beyond the session's limit they are closed."""
    routes = {
        "/": HELLO,
        "/link": page("<a href=/ target=_blank rel=noopener style='position:fixed;inset:0'>x</a>"),
        "/open": page(
            "<button style='position:fixed;inset:0' onclick='w = window.open(\"/\")'>x</button>"
        ),
    }
    async with InlineSite(routes) as site, browsing(tmp_path, max_tabs=3) as here:
        session = here.session
        tab = await session.new_tab(site.url("/open"))
        await input_events.click(tab, 50, 50)
        opened = session.tab()
        await opened.wait_for("load", timeout_s=60)
        assert (opened.url, opened.opener) == (site.url("/"), tab.id)
        assert await tab.evaluate("w.document.title") == "Hello"
        await tab.navigate(site.url("/link"))
        await input_events.click(tab, 50, 50)
        linked = session.tab()
        assert linked is not opened
        await linked.wait_for("selector", "#p", timeout_s=60)
        assert (await refusal(session.new_tab())).code == "limit_reached"
        await input_events.click(tab, 50, 50)
        assert await tab.evaluate("1") == 1
        assert len(session.tabs) == 3
        assert len(session.refused_popups) == 1
        names = await refusal(wrapped(lambda: session.tab("t99")))
        assert (names.code, names.details["tabs"]) == ("tab_not_found", ["t1", "t2", "t3"])
        assert session.tab("t3") is linked
        await linked.close()
        assert session.tab() is opened


async def test_sessions_without_tabs_do_not_exhaust_the_limit(tmp_path):
    """At the limit, the least used session without tabs is dropped, never one with tabs."""
    async with browsing(tmp_path) as here:
        sessions = here.sessions
        sessions.max_sessions = 3
        await sessions.get("kept").new_tab()
        for number in range(10):
            sessions.get(f"s{number}")
            sessions.get("used")
        assert sessions.names() == ["kept", "s9", "used"]
        for name in ("s9", "used"):
            await sessions.get(name).new_tab()
        full = await refusal(wrapped(lambda: sessions.get("more")))
        assert full.code == "limit_reached"
        assert sessions.tab_count == 3


async def wrapped(call):
    return call()


async def test_frames_of_other_processes_are_reached(tmp_path):
    """Out-of-process frames, nested ones too, are listed and run scripts in both worlds."""
    async with (
        InlineSite({}) as site,
        browsing(tmp_path, extra_args=("--site-per-process",)) as here,
    ):
        other = site.url("/middle", "localhost")
        inner = site.url("/inner", "127.0.0.1")
        site.routes |= {
            "/": page(f"<iframe src='{other}'></iframe><iframe src='/same' name=s></iframe>"),
            "/middle": page(f"middle<iframe src='{inner}'></iframe>"),
            "/inner": page("<script>window.deep = 'inner'</script>", "I"),
            "/same": page("<script>window.deep = 'same'</script>", "S"),
        }
        tab = await here.session.new_tab(site.url("/"))
        frames = {frame.url: frame for frame in tab.frames()}
        assert set(frames) == {site.url("/"), other, inner, site.url("/same")}
        assert frames[inner].parent_id == frames[other].frame_id
        assert len(tab.sessions) == 3
        for url, deep in [(inner, "inner"), (site.url("/same"), "same")]:
            assert await tab.evaluate("deep", frame=frames[url]) == deep
            assert (
                await tab.evaluate("typeof deep", frame=frames[url], isolated=True) == "undefined"
            )
        assert frames[site.url("/same")].name == "s"
        await tab.navigate(site.url("/same"))
        assert [frame.url for frame in tab.frames()] == [site.url("/same")]
        assert len(tab.sessions) == 1


async def test_a_crashed_renderer_is_reported_at_once_and_the_tab_survives(tmp_path):
    """Calls in flight fail with tab_crashed; a reload restores the page."""
    async with InlineSite({"/": HELLO}) as site, browsing(tmp_path) as here:
        tab = await here.session.new_tab(site.url("/"))
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(refusal(tab.evaluate("new Promise(() => {})")))
            await tab.evaluate("1")
            tab.cdp.send_nowait("Page.crash")
        assert waiting.result().code == "tab_crashed"
        assert (await refusal(tab.evaluate("1"))).code == "tab_crashed"
        assert (await tab.reload()).title == "Hello"
        assert await tab.evaluate("document.body.innerText") == "hello"


async def test_a_hung_renderer_delays_neither_cancelling_nor_closing(tmp_path):
    """A page in an endless loop: its call can be cancelled, its tab closes without it."""
    async with InlineSite({"/": HELLO}) as site, browsing(tmp_path) as here:
        tab = await here.session.new_tab(site.url("/"))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await tab.evaluate("for (;;);")
        assert await tab.title() == "Hello"
        async with asyncio.timeout(300):
            await here.session.tab().close()
        assert here.session.tabs == []
        assert (await refusal(tab.evaluate("1"))).code == "tab_gone"
        fresh = await here.session.new_tab(site.url("/"))
        assert await fresh.evaluate("1") == 1


async def test_waiting_ends_when_the_page_is_ready(tmp_path):
    """Every kind of wait_for, across navigations, and its timeout."""
    routes = {
        "/": HELLO,
        "/go": page("<script>setTimeout(() => location.href = '/late', 150)</script>"),
        "/late": page(
            "<script>setTimeout(() => { p.hidden = false; done = 7 }, 150)</script>"
            "<p id=p hidden>now"
        ),
    }
    async with InlineSite(routes) as site, browsing(tmp_path) as here:
        tab = await here.session.new_tab(site.url("/go"))
        assert await tab.wait_for("selector", "#p", timeout_s=60, visible=True) is True
        assert await tab.wait_for("function", "window.done", timeout_s=60) == 7
        await tab.evaluate("void setTimeout(() => p.remove(), 100)")
        assert await tab.wait_for("selector_hidden", "#p", timeout_s=60) is True
        assert await tab.wait_for("url_match", "*/late", timeout_s=60) is True
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(tab.wait_for("navigation", timeout_s=60))
            await asyncio.sleep(0)  # it waits from here on
            group.create_task(tab.evaluate("void (location.href = '/')"))
        assert waiting.result() is True
        assert tab.url == site.url("/")
        await tab.evaluate("void setTimeout(() => history.pushState(0, '', '/x'), 50)")
        assert await tab.wait_for("url_match", "/x$/", timeout_s=60) is True
        assert await tab.wait_for("timeout", "20") is True
        started = time.monotonic()
        assert (await refusal(tab.wait_for("selector", "#no", timeout_s=0.3))).code == "timeout"
        assert time.monotonic() - started > 0.2
        assert (await refusal(tab.wait_for("selector", "##"))).code == "invalid_argument"
        assert (await refusal(tab.wait_for("moon", "x"))).code == "invalid_argument"


async def test_screenshots_of_background_tabs(tmp_path):
    """Viewport, whole page, a part; sizes as asked, within what one picture can have."""
    body = "<body style='margin:0;height:3000px'><div id=d style='width:50px;height:20px'>d</div>"
    async with (
        InlineSite({"/": page(body), "/huge": page("<p style='height:20000px'>")}) as site,
        browsing(tmp_path) as here,
    ):
        tab = await here.session.new_tab(site.url("/"))
        await here.session.new_tab(site.url("/"))
        assert size_of_png(await tab.screenshot())[0] == 1280
        assert size_of_png(await tab.screenshot(full_page=True)) == (1280, 3000)
        assert size_of_png(await tab.screenshot(clip=(0, 2500, 10, 5))) == (10, 5)
        assert (await tab.screenshot(format="jpeg", quality=30))[:2] == b"\xff\xd8"
        assert (await tab.screenshot(format="webp"))[8:12] == b"WEBP"
        await tab.navigate(site.url("/huge"))
        assert max(size_of_png(await tab.screenshot(full_page=True))) <= 16384


def size_of_png(data: bytes) -> tuple[int, int]:
    return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
