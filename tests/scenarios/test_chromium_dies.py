"""Chromium may die at any time: callers get an error, the next call works, crawls continue."""

from collections.abc import Callable

import psutil

from support.daemon import Daemon
from support.mcp import Bridge
from support.processes import Identity, browsers, words_of
from support.site import Site
from support.waiting import wait_until

MakeDaemon = Callable[..., Daemon]


def test_call_in_flight_fails_with_browser_gone(share_daemon: MakeDaemon, site: Site) -> None:
    """Chromium killed under a call: `browser_gone` at once, long before the deadline."""
    daemon = share_daemon()
    daemon.do("navigate", url=site.url("article.html"))
    pending = daemon.start_call("navigate", url=site.url("hang"), timeout_ms=60_000)
    site.wait_for("hang")
    daemon.chromium().kill()
    reply = pending.reply(10)
    assert (reply.status, reply.code) == (503, "browser_gone")


def test_next_call_works_and_says_what_happened(share_daemon: MakeDaemon, site: Site) -> None:
    """The next call starts Chromium again; its result has `browser_restarted`, a later one not."""
    daemon = share_daemon()
    daemon.do("navigate", url=site.url("article.html"))
    browser = daemon.chromium()
    browser.kill()
    browser.wait_gone()
    wait_until(lambda: daemon.status()["browser"]["state"] != "running", 20, "the death's notice")
    first = daemon.do("navigate", url=site.url("table.html"))
    assert first["browser_restarted"] is True
    assert first["title"] == "Steps"
    assert "browser_restarted" not in daemon.do("navigate", url=site.url("article.html"))
    assert daemon.chromium() != browser


def test_reading_after_a_restart_is_an_error_not_a_blank_page(
    share_daemon: MakeDaemon, site: Site
) -> None:
    """A tab that died with its browser is named as gone; nobody reads a blank page."""
    daemon = share_daemon()
    daemon.do("navigate", url=site.url("article.html"))
    browser = daemon.chromium()
    browser.kill()
    browser.wait_gone()
    wait_until(lambda: daemon.status()["browser"]["state"] != "running", 20, "the death's notice")
    error = daemon.call("read_page").error
    assert (error["code"], error["browser_restarted"]) == ("no_tab", True)
    assert "Chromium has ended" in error["hint"]
    again = daemon.call("read_page").error
    assert (again["code"], "browser_restarted" in again) == ("no_tab", False)
    assert "Chromium" not in again["hint"]
    assert "browser_restarted" not in daemon.do("navigate", url=site.url("article.html"))


def test_every_kind_of_reply_reports_the_restart(share_daemon: MakeDaemon, site: Site) -> None:
    """A tab by its id, a handle, an error over MCP: each first answer to a session says it once."""
    daemon = share_daemon()
    tabs = {
        session: daemon.do("navigate", session, url=site.url("article.html"))["tab_id"]
        for session in ("by-id", "bridge")
    }
    daemon.do("tabs_context", "handle")
    browser = daemon.chromium()
    browser.kill()
    browser.wait_gone()
    wait_until(lambda: daemon.status()["browser"]["state"] != "running", 20, "the death's notice")
    error = daemon.call("read_page", "by-id", tab_id=tabs["by-id"]).error
    assert (error["code"], error["browser_restarted"]) == ("tab_not_found", True)
    daemon.do("navigate", "bystander", url=site.url("article.html"))
    kept = daemon.do("tabs_context", "handle")
    assert kept["browser_restarted"] is True
    with Bridge(daemon.home, "--session", "bridge") as bridge:
        bridge.greet()
        answer = bridge.call("read_page")
        assert answer["isError"]
        assert answer["_meta"]["browser_restarted"] is True
        assert "browser_restarted" not in bridge.call("read_page").get("_meta", {})


def _gpu_process(daemon: Daemon) -> Identity | None:
    children = browsers(daemon.home.base)[0].children(recursive=True)
    found = [child for child in children if "--type=gpu-process" in words_of(child)]
    return Identity(found[0].pid, found[0].create_time()) if found else None


def test_repeated_gpu_process_crashes_affect_nobody(share_daemon: MakeDaemon, site: Site) -> None:
    """By itself Chromium ends at its sixth death, with the tabs of all sessions."""
    daemon = share_daemon()
    daemon.do("navigate", url=site.url("article.html"))
    browser = daemon.chromium()
    for _ in range(8):
        victim = wait_until(lambda: _gpu_process(daemon), 30, "a GPU process")
        victim.kill()
        victim.wait_gone()
        daemon.do("page_screenshot")
    assert daemon.chromium() == browser
    assert daemon.do("tabs_context")["tabs"][0]["url"] == site.url("article.html")


def test_running_crawl_survives_chromiums_death(share_daemon: MakeDaemon, site: Site) -> None:
    """A crawl in the browser survives Chromium's death: every page once, none lost."""
    daemon = share_daemon()
    task_id = daemon.start_task(
        "crawl", url=site.url("star/0?leaves=8&hold=5"), engine="browser", max_pages=9
    )
    site.wait_for("star/5")
    daemon.chromium().kill()
    site.open_gate("star")
    meta = daemon.finish(task_id)
    assert meta["status"] == "COMPLETED", meta
    pages = daemon.result_of(task_id)["pages"]
    assert sorted(page["title"] for page in pages) == [f"Star {n}" for n in range(9)]
    assert not [page for page in pages if page.get("error")]


def test_missing_browser_is_named_with_the_install_command(make_daemon: MakeDaemon) -> None:
    """`--browser` that is not there: the first page call is `browser_not_found`, the rest works."""
    daemon = make_daemon("--browser", "/nowhere/chromium")
    error = daemon.call("navigate", url="http://127.0.0.1:1/").error
    assert error["code"] == "browser_not_found"
    assert "/nowhere/chromium" in str(error)
    assert error["hint"]
    assert daemon.do("oc_task_list")["count"] == 0


def test_chromium_that_cannot_start_is_reported(make_daemon: MakeDaemon) -> None:
    """A browser that ends at once is `browser_failed` with what it said."""
    daemon = make_daemon("--browser", "/bin/false")
    assert daemon.call("navigate", url="http://127.0.0.1:1/").code == "browser_failed"


def test_no_debug_port_is_open(share_daemon: MakeDaemon, site: Site) -> None:
    """Chromium is driven through a pipe: none of its processes listens on TCP."""
    daemon = share_daemon()
    daemon.do("navigate", url=site.url("article.html"))
    browser = psutil.Process(daemon.chromium().pid)
    assert "--remote-debugging-pipe" in browser.cmdline()
    listening = [
        c
        for process in (browser, *browser.children(recursive=True))
        for c in process.net_connections("tcp")
        if c.status == psutil.CONN_LISTEN
    ]
    assert listening == []


def test_twenty_callers_start_one_chromium(make_daemon: MakeDaemon, site: Site) -> None:
    """Callers that arrive while Chromium starts share it."""
    daemon = make_daemon()
    calls = [
        daemon.start_call("tabs_create", f"s{n}", url=site.url("article.html")) for n in range(20)
    ]
    assert {call.reply().result["title"] for call in calls} == {"The lighthouse"}
    daemon.chromium()
    assert daemon.status()["browser"]["generation"] == 1
