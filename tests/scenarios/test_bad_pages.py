"""Pages and hosts that misbehave: each ends as a named error or a record, in time."""

import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from support.daemon import Daemon
from support.processes import Identity
from support.site import Site
from support.waiting import wait_until


@pytest.mark.parametrize(
    "url",
    ["http://", "http://[::1", "http://exa mple/", "ht!tp://x", "javascript:alert(1)", "http://a:99999/"],
)  # fmt: skip
def test_malformed_url_is_invalid_url(daemon: Daemon, url: str) -> None:
    """A URL that is none is `invalid_url`, before any browser is asked."""
    for verb in ("navigate", "crawl"):
        reply = daemon.call(verb, url=url)
        assert reply.code in ("invalid_url", "domain_blocked"), (verb, reply.raw)
        assert reply.status in (400, 403)


@pytest.mark.parametrize(
    "url",
    ["chrome://settings", "file:///etc/passwd", "view-source:http://127.0.0.1/", "devtools://x"],
)
def test_forbidden_schemes_are_refused(daemon: Daemon, url: str) -> None:
    """`chrome:`, `file:` outside the roots, `view-source:` and `devtools:` are refused."""
    for verb in ("navigate", "tabs_create", "crawl"):
        reply = daemon.call(verb, url=url)
        assert reply.status in (400, 403), (verb, reply.raw)
        assert reply.code in ("domain_blocked", "invalid_url", "path_outside_roots")


def test_page_cannot_lead_a_tab_to_a_forbidden_scheme(daemon: Daemon, site: Site) -> None:
    """A redirect to `file:` ends as an error, and the tab shows none of the file."""
    url = site.url("redirect-to?url=file:///etc/passwd")
    assert daemon.call("navigate", url=url).status >= 400
    assert "root:" not in daemon.do("read_page", mode="text").get("content", "")


@pytest.fixture
def dead_port() -> Iterator[int]:
    """A port of this machine that nobody listens at, and nobody else can take."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield int(taken.getsockname()[1])


@pytest.mark.parametrize("host", ["127.0.0.1", "no-such-host.invalid"])
def test_unreachable_host_is_named(daemon: Daemon, dead_port: int, host: str) -> None:
    """A host that does not answer is `navigation_failed`, with the host in the message."""
    error = daemon.call("navigate", url=f"http://{host}:{dead_port}/").error
    assert error["code"] == "navigation_failed"
    assert host in error["message"]


def test_http_status_is_part_of_the_result(daemon: Daemon, site: Site) -> None:
    """A page that answers 404 or 503 is a page; the result names the status."""
    assert daemon.do("navigate", url=site.url("status/404"))["status"] == 404
    assert daemon.do("navigate", url=site.url("status/503"))["status"] == 503
    assert daemon.do("navigate", url=site.url("article.html"))["status"] == 200


def test_redirects_are_followed_and_reported(daemon: Daemon, site: Site) -> None:
    """A redirect's target is the result's URL, and the result says that it was redirected."""
    result = daemon.do("navigate", url=site.url("redirect/3"))
    assert result["url"] == site.url("redirect/0")
    assert result["redirected"] is True


@pytest.mark.parametrize(
    ("path", "why"),
    [("broken-off", "ERR_CONTENT_LENGTH_MISMATCH"), ("stopped", "the page stopped its loading")],
)
def test_an_incompletely_loaded_page_is_usable_and_reported(
    daemon: Daemon, site: Site, path: str, why: str
) -> None:
    """A load that ends early is no load that goes on: each verb returns, and says what is wrong."""
    url = site.url(path)
    daemon.do("navigate", url=site.url("article.html"))
    assert daemon.do("navigate", url=url)["broken_off"] == why
    content = daemon.do("read_page")["content"]
    assert "heading" in content
    assert f"incomplete, its load ended early: {why}" in content
    assert daemon.do("page_reload")["broken_off"] == why
    daemon.do("wait_for", type="idle")
    assert "broken_off" not in daemon.do("navigate", url="back")
    daemon.do("javascript_tool", code=f"document.body.innerHTML = '<a href=\"{url}\">Half</a>'")
    clicked = daemon.do("interact", query="Half")
    assert clicked["changed"]["broken_off"] == why
    assert "loading" not in clicked["changed"]


@pytest.mark.parametrize("mode", ["outline", "dom", "markdown", "text"])
def test_a_document_without_elements_is_read_as_empty(
    daemon: Daemon, site: Site, mode: str
) -> None:
    """As one whose load broke off before its first element: that is no page that was left."""
    daemon.do("navigate", url=site.url("article.html"))
    daemon.do("javascript_tool", code="document.documentElement.remove()")
    reading = daemon.do("read_page", mode=mode)["content"]
    assert ("nothing to read: the document is empty" in reading) is (mode == "outline")
    assert "Lighthouse" not in reading
    assert daemon.do("find", query="Lighthouse")["count"] == 0
    daemon.do("navigate", url=site.url("article.html"))
    assert "heading" in daemon.do("read_page")["content"]


def leaves_by_itself(daemon: Daemon, site: Site, address: str) -> None:
    """Show a page that was clicked, and that goes to another one when gate `left` opens."""
    daemon.do("navigate", url=site.url("article.html"))
    code = f"""document.body.innerHTML = '<button>Leave</button>';
    const leave = () => fetch('/gate/left').then(() => location.assign('{address}'));
    document.querySelector('button').onclick = leave; 1"""
    daemon.do("javascript_tool", code=code)
    daemon.do("interact", query="Leave")


def test_a_page_that_goes_elsewhere_meanwhile_does_not_prevent_a_navigation(
    daemon: Daemon, site: Site
) -> None:
    """After a click a page may replace the navigation of its tab; then that is started again."""
    leaves_by_itself(daemon, site, site.url("article.html?left"))
    with ThreadPoolExecutor(1) as threads:
        going = threads.submit(daemon.do, "navigate", url=site.url("gate/wanted"))
        site.wait_for("gate/wanted")
        site.open_gate("left")
        site.wait_for("gate/wanted", count=2)
        site.open_gate("wanted")
        assert going.result()["url"] == site.url("gate/wanted")


def test_redirect_loop_ends(daemon: Daemon, site: Site) -> None:
    """Endless redirects are an error of their own."""
    assert daemon.call("navigate", url=site.url("redirect-loop")).code == "too_many_redirects"
    assert len(site.seen("redirect-loop")) < 60


def test_navigating_to_a_download_is_download_started(daemon: Daemon, site: Site) -> None:
    """Navigating to a download is `download_started`, and the tab stays where it was."""
    daemon.do("navigate", url=site.url("article.html"))
    assert daemon.call("navigate", url=site.url("download")).code == "download_started"
    assert daemon.do("tabs_context")["tabs"][0]["url"] == site.url("article.html")


def test_verb_without_a_tab_says_how_to_get_one(daemon: Daemon) -> None:
    """A page verb in a session without tabs is `no_tab` with a next step."""
    error = daemon.call("read_page", session="tabless").error
    assert error["code"] == "no_tab"
    assert error["hint"]


def test_unknown_tab_names_the_open_ones(daemon: Daemon, site: Site) -> None:
    """A tab id that does not exist is `tab_not_found`, naming those that do."""
    tab = daemon.new_tab(site.url("article.html"))
    error = daemon.call("read_page", tab_id="t999").error
    assert error["code"] == "tab_not_found"
    assert tab in str(error)


def test_dialog_on_load_does_not_hang(daemon: Daemon, site: Site) -> None:
    """A page that alerts while loading makes page verbs answer `dialog_open` with its text."""
    reply = daemon.call("navigate", url=site.url("alert-on-load.html"), timeout_ms=60_000)
    assert "Stop and read this" in reply.raw.decode()
    error = daemon.call("read_page", timeout_ms=60_000).error
    assert error["code"] == "dialog_open"
    assert "Stop and read this" in error["message"]
    assert daemon.do("navigate", url=site.url("article.html"))["title"] == "The lighthouse"


def test_endless_dialogs_do_not_prevent_leaving(daemon: Daemon, site: Site) -> None:
    """Dialogs that a page opens one after the other keep nobody from leaving or reloading it."""
    daemon.new_tab(site.url("buttons.html"))
    daemon.do("javascript_tool", code="setInterval(() => alert('again'), 10); 1")
    assert daemon.do("page_reload")["status"] == 200
    code = "setTimeout(() => { for (let n = 0; n < 5; n++) alert(n); }); 1"
    daemon.do("javascript_tool", code=code)
    assert daemon.do("navigate", url=site.url("article.html"))["title"] == "The lighthouse"


def test_beforeunload_does_not_prevent_navigation(daemon: Daemon, site: Site) -> None:
    """A beforeunload question never keeps a navigation or a close from happening."""
    tab = daemon.new_tab(site.url("confirm-on-leave.html"))
    daemon.do("read_page")
    daemon.do("javascript_tool", code="dirty = true")
    assert daemon.do("navigate", tab_id=tab, url=site.url("article.html"))["status"] == 200
    assert daemon.do("tabs_close", tab_id=tab)["closed"] == [tab]


def test_popup_belongs_to_its_openers_session(daemon: Daemon, site: Site) -> None:
    """A window that a page opens is a tab of the same session."""
    daemon.do("navigate", "poppy", url=site.url("popup-on-load.html"))
    daemon.do("javascript_tool", "poppy", code="window.open('/table.html'), 1")
    wait_until(lambda: daemon.do("tabs_context", "poppy")["tab_count"] >= 2, 20, "the pop-up")
    assert daemon.do("tabs_context")["tab_count"] == 0


def test_never_idle_page_is_loaded(daemon: Daemon, site: Site) -> None:
    """A page that fetches for ever is loaded when its load event fired."""
    assert daemon.do("navigate", url=site.url("never-idle"))["title"] == "Never idle"


def test_crashed_renderer_affects_one_tab(daemon: Daemon, site: Site) -> None:
    """A renderer killed under a call is `tab_crashed`; other tabs and the daemon work on."""
    other = daemon.new_tab(site.url("table.html"))
    before = set(daemon.renderers())
    victim = daemon.new_tab(site.other_origin + "/article.html")
    pid = daemon.do("javascript_tool", tab_id=victim, code="1")
    assert pid is not None
    pending = daemon.start_call(
        "javascript_tool", tab_id=victim, code="new Promise(() => {})", timeout_ms=120_000
    )
    wait_until(lambda: daemon.status()["calls_in_flight"] >= 1, 20)
    fresh = _renderers_of(daemon, before)
    for renderer in fresh:
        renderer.kill(signal.SIGKILL)
    assert pending.reply(10).code in ("tab_crashed", "tab_gone")
    assert daemon.do("navigate", tab_id=victim, url=site.url("article.html"))["status"] == 200
    assert daemon.do("read_page", tab_id=other)["title"] == "Steps"


def _renderers_of(daemon: Daemon, before: set[Identity]) -> set[Identity]:
    fresh = set(daemon.renderers()) - before
    assert fresh, "the tab has no renderer of its own"
    return fresh


# --- the same in a crawl: each is a record, and the crawl goes on --------------------------------


def _crawl(daemon: Daemon, site: Site, *names: str, **options: object) -> dict[str, dict[str, Any]]:
    """Crawl just these pages as a task; return their records by name."""
    urls = [site.url(name) for name in names]
    task_id = daemon.start_task("crawl", urls=urls, max_depth=0, retries=0, **options)
    daemon.finish(task_id)
    pages = daemon.result_of(task_id)["pages"]
    return {page["url"].removeprefix(site.url()): page for page in pages}


QUICK = ("redirect-loop", "download", "pdf", "image", "status/500", "article.html")


@pytest.mark.parametrize("engine", ["static", "browser"])
def test_crawl_continues_past_every_kind_of_bad_page(
    daemon: Daemon, site: Site, engine: str
) -> None:
    """Each ends as a record: those that hang at their time, and those that fail with their code."""
    hanging = ("hang", "alert-on-load.html", "hang-script")
    slow = _crawl(daemon, site, *hanging, *QUICK, engine=engine, page_timeout_ms=2000)
    assert slow.keys() == {*hanging, *QUICK}
    assert slow["hang"]["error"]["code"] == "timeout"
    pages = _crawl(daemon, site, *QUICK, engine=engine, page_timeout_ms=60_000)
    assert "Cape Ambler" in pages["article.html"]["content"]
    assert pages["redirect-loop"]["error"]["code"] == "too_many_redirects"
    assert pages["status/500"]["error"]["code"] == "http_error"
    for name, kind in (("pdf", "application/pdf"), ("image", "image/png")):
        assert pages[name]["content_type"] == kind
        assert not pages[name].get("content")


@pytest.mark.parametrize("engine", ["static", "browser"])
def test_crawl_of_an_unreachable_start_page_fails_with_its_record(
    daemon: Daemon, dead_port: int, engine: str
) -> None:
    """A start page that cannot be fetched fails the crawl; its record is the partial result."""
    url = f"http://127.0.0.1:{dead_port}/"
    error = daemon.call("crawl", url=url, retries=0, engine=engine).error
    result = daemon.result_of(error["task_id"])
    (page,) = result["pages"]
    assert page["url"] == url
    assert page["error"]["code"] in ("fetch_failed", "navigation_failed")
    assert result["summary"]["failed"] == 1


def test_crawl_of_a_robots_denied_start_page_fails(daemon: Daemon, make_site: object) -> None:
    """A start page that robots.txt forbids is `robots_denied`, and is never fetched."""
    denied: Site = make_site(robots="User-agent: *\nDisallow: /\n")  # type: ignore[operator]
    assert daemon.call("crawl", url=denied.url("article.html")).code == "robots_denied"
    assert denied.seen("article.html") == []
    result = daemon.do("crawl", url=denied.url("article.html"), respect_robots=False, max_pages=1)
    assert result["pages"][0]["title"] == "The lighthouse"


def test_page_too_busy_to_be_read_is_reported_as_such(daemon: Daemon, site: Site) -> None:
    """A page that spins once it has loaded: `navigate` says what it does not know."""
    there = daemon.do("navigate", url=site.url("spins.html"))
    assert there["left_out"] == ["element_count", "blocking_page", "auth_redirect"]
    assert "element_count" not in there
    other = daemon.do("navigate", "calm", url=site.url("article.html"))
    assert other["element_count"] > 0
    assert "left_out" not in other


def test_hint_for_a_hung_page_says_to_close_its_tab(daemon: Daemon, site: Site) -> None:
    """The hint says how in the caller's words: a tool call, or a command to paste."""
    tab_id = daemon.do("navigate", url=site.url("spins.html"))["tab_id"]
    hint = daemon.call("find", query="Anything", timeout_ms=500).error["hint"]
    assert f'`tabs_close {{"tab_id": "{tab_id}"}}`' in hint
    told = daemon.oc("find", "Anything", "--timeout-ms", "500").err
    assert f"`oc tab close --tab-id {tab_id}`" in told
    daemon.oc("tab", "close", "--tab-id", tab_id).ok()


@pytest.mark.parametrize("hung", ["spins.html", "spins-on-leave.html"])
def test_a_hung_page_can_be_navigated_away_from(daemon: Daemon, site: Site, hung: str) -> None:
    """Its script is ended, which the reply says; the tab and its history stay."""
    tab_id = daemon.do("navigate", url=site.url("article.html"))["tab_id"]
    before = daemon.do("javascript_tool", code="history.length")["content"]
    daemon.do("navigate", url=site.url(hung), wait="dom")
    there = daemon.do("navigate", url=site.url("form.html"))
    assert (there["tab_id"], there["url"]) == (tab_id, site.url("form.html"))
    assert "its script was ended" in there["ended"]
    assert daemon.do("find", query="Email")["count"] > 0
    assert "ended" not in daemon.do("navigate", url=site.url("article.html"))
    after = daemon.do("javascript_tool", code="history.length")["content"]
    assert int(after) == int(before) + 3


def test_a_hung_page_can_be_reloaded_and_gone_back_from(daemon: Daemon, site: Site) -> None:
    """As going elsewhere; the shell says what was ended, too. It hangs from its load on."""
    daemon.do("navigate", url=site.url("article.html"))
    daemon.do("navigate", url=site.url("spins.html"))
    assert "its script was ended" in daemon.do("page_reload", wait="load")["ended"]
    back = daemon.oc("navigate", "back").ok()
    assert site.url("article.html") in back.out
    assert "its script was ended" in back.out


def test_final_reading_respects_the_calls_deadline(daemon: Daemon, site: Site) -> None:
    """The look is given up in time for the answer, however little time the call has."""
    there = daemon.do("navigate", url=site.url("spins.html"), timeout_ms=2500)
    assert there["left_out"]


def test_busy_page_is_reported_as_a_problem(daemon: Daemon, site: Site) -> None:
    """`validate_page` names it among the problems rather than leave its summary empty."""
    seen = daemon.do("validate_page", url=site.url("spins.html"))
    assert "too busy to be examined" in seen["problems"]
    assert seen["left_out"]
