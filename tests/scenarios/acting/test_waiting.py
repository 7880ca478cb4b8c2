"""Waiting beside other calls: what may run meanwhile, what it returns, and queueing."""

from collections.abc import Callable

from support.pages import Page
from support.waiting import wait_until

At = Callable[[str], Page]


def _later(page: Page, text: str) -> None:
    page.js(f"setTimeout(() => document.body.append('{text}'), 300); 1")


def test_calls_run_while_another_waits(at: At) -> None:
    """An endless wait holds up nobody; another ends because of what a call does meanwhile."""
    page = at("things.html")
    never = page.daemon.start_call("wait_for", type="selector", value="#never", timeout_ms=60_000)
    waiting = page.daemon.start_call("wait_for", type="text", value="Second view")
    page.do("interact", query="Route")
    assert waiting.reply().result["text"] == "Second view"
    page.do("tabs_close")
    assert never.reply().status != 200


def test_download_is_waited_for_before_or_after_it_began(at: At) -> None:
    """Both orders return the file: waiting first, and waiting after the reply."""
    page = at("things.html")
    page.daemon.do("navigate", url=page.site.url("state/downloads.html"))
    waiting = page.daemon.start_call("wait_for", type="download", timeout_ms=60_000)
    (told,) = page.do("interact", query="Report")["changed"]["downloads"]
    assert waiting.reply().result["downloads"][0]["path"] == told["path"]
    (again,) = page.do("interact", query="Report")["changed"]["downloads"]
    (waited,) = page.do("wait_for", type="download", timeout_ms=60_000)["downloads"]
    assert waited["path"] == again["path"]
    assert page.call("wait_for", type="download", timeout_ms=100).code == "timeout"


def test_text_is_waited_for(at: At) -> None:
    """Visible words, in any case and across spaces; hidden ones do not count."""
    page = at("things.html")
    _later(page, "Your  order is ready")
    assert page.do("wait_for", type="text", value="your order is READY")["elapsed"] >= 0
    page.js("document.body.insertAdjacentHTML('beforeend', '<p hidden>Unseen words</p>'); 1")
    failure = page.call("wait_for", type="text", value="Unseen words", timeout_ms=300)
    assert failure.code == "timeout"
    assert "Unseen words" in failure.error["message"]


def test_call_that_waited_in_the_queue_says_so(at: At) -> None:
    """The error of a call behind a long one names that call and the tab, not the page."""
    page = at("things.html")
    busy = page.daemon.start_call(
        "javascript_tool", code="fetch('/begun'); new Promise(() => {})", timeout_ms=60_000
    )
    wait_until(lambda: page.site.seen("/begun"))
    error = page.call("interact", query="Route", timeout_ms=300).error
    assert error["code"] == "timeout"
    assert "behind javascript_tool" in error["message"]
    assert error["waited_for"]["verb"] == "javascript_tool"
    page.do("tabs_close")
    assert busy.reply().status != 200
