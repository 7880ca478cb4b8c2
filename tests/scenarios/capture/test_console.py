"""console_capture: console messages of pages, also those from before the first call."""

from collections.abc import Callable
from typing import Any

from support.daemon import Daemon
from support.pages import Page
from support.site import Site
from support.waiting import wait_until

At = Callable[[str], Page]


def logs(page: Page | Daemon, **params: object) -> list[dict[str, Any]]:
    """Return the console's entries."""
    found: list[dict[str, Any]] = page.do("console_capture", action="get", **params)["logs"]
    return found


def texts(page: Page | Daemon, **params: object) -> list[str]:
    return [entry["text"] for entry in logs(page, **params)]


def test_messages_from_before_the_first_call_are_included(at: At) -> None:
    """What the head's first script logged is there, formatted as in a console."""
    page = at("console.html")
    found = texts(page)
    assert "first of all" in found
    assert "cart has 3 items [1, 2] {a: 'b'}" in found
    assert any("half a pair: \ufffd and 한국어 🙂" in text for text in found)


def test_types_filter_entries(at: At) -> None:
    """Types select entries; `warn` means warning."""
    page = at("console.html")
    assert texts(page, filter=["warn"])[0] == "careful"
    assert {entry["type"] for entry in logs(page, filter=["warning", "debug"])} == {
        "warning", "debug",
    }  # fmt: skip
    wait_until(lambda: len(logs(page, filter=["exception"])) == 2, 20, "two exceptions")


def test_uncaught_exceptions_and_failed_requests_are_entries(at: At) -> None:
    """A thrown error has its message and place; a picture's 404 is an entry of the network."""
    page = at("console.html")
    wait_until(lambda: len(logs(page, filter=["exception"])) == 2, 20, "two exceptions")
    thrown = next(e for e in logs(page, filter=["exception"]) if "thrown later" in e["text"])
    assert thrown["location"]["url"].endswith("/capture/console.html")
    assert thrown["location"]["line"] == 14
    wait_until(lambda: bool(logs(page, filter=["network"])), 20, "the picture's 404")
    assert "404" in logs(page, filter=["network"])[0]["text"]


def test_an_error_names_its_function_and_line(at: At) -> None:
    """console.error has location and stack."""
    entry = next(e for e in logs(at("console.html")) if e["text"].startswith("deep trouble"))
    assert entry["location"]["function"] == "deep"
    assert entry["location"]["line"] == 4
    assert entry["stack"][0].startswith("deep (")


def test_repeated_lines_are_one_entry_except_warnings(at: At) -> None:
    """Five equal lines: one with count 5. Four equal warnings: four."""
    page = at("console.html")
    assert [e["count"] for e in logs(page, pattern="again")] == [5]
    assert [e["count"] for e in logs(page, pattern="never merged")] == [1, 1, 1, 1]


def test_secrets_in_messages_are_masked(at: At) -> None:
    """A logged token is masked."""
    assert texts(at("console.html"), pattern="token=") == ["token=[redacted]"]


def test_ten_thousand_lines_are_bounded_and_counted(at: At) -> None:
    """The newest thousand stay; the count of the others is told; the page still works."""
    page = at("spam.html")
    stats = page.do("console_capture", limit=0)["stats"]
    assert stats["total"] <= 1000
    assert stats["total"] + stats["dropped"] == 10_000
    assert texts(page)[-1] == "line 9999 {i: 9999}"
    assert page.js("1 + 1") == "2"


def test_get_returns_messages_between_start_and_stop(at: At) -> None:
    """Only messages between them are returned; starting twice is reported."""
    page = at("console.html")
    assert page.do("console_capture", action="start")["status"] == "started"
    assert page.do("console_capture", action="start")["status"] == "already_capturing"
    page.js("console.log('inside'); 1")
    assert page.do("console_capture", action="stop")["captured_logs"] == 1
    page.js("console.log('after'); 1")
    assert texts(page) == ["inside"]
    assert page.do("console_capture", action="stop")["status"] == "not_running"


def test_clear_removes_all_messages(at: At) -> None:
    """After clear there are no messages, and the reply has how many there were."""
    page = at("spam.html")
    assert page.do("console_capture", action="clear")["cleared_count"] == 1000
    assert texts(page) == []


def test_messages_of_frames_workers_and_content_security_policies(at: At, site: Site) -> None:
    """Messages of a cross-origin frame, a worker and a Content-Security-Policy are there."""
    page = at("requests.html")
    wait_until(lambda: page.js("document.title") == "All answered", 10, "the requests")
    assert "from the frame" in texts(page)
    assert texts(page).count("from the worker") == 1
    page.do("navigate", url=site.url("capture/csp"))
    said = logs(page, pattern="Content Security Policy")
    assert [entry["type"] for entry in said] == ["error"]


def test_running_code_in_frames_repeats_no_message(at: At) -> None:
    """Reading a frame switches Chromium's domains; no message appears twice."""
    page = at("console.html")
    before = len(logs(page, limit=0))
    page.js("document.body.append(document.createElement('iframe')); 1")
    page.do("read_page")
    assert len(logs(page, limit=0)) == before


def test_bad_patterns_and_actions_are_refused(at: At) -> None:
    """A wrong expression names the parameter; a wrong action lists the right ones."""
    page = at("console.html")
    assert page.call("console_capture", pattern="/(/").error["parameter"] == "pattern"
    assert page.call("console_capture", action="begin").code == "invalid_argument"
