"""network: requests recorded from the tab's creation on, and network throttling."""

import base64
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from support.capture_routes import BYTES
from support.pages import Page
from support.site import Site
from support.waiting import wait_until

At = Callable[[str], Page]


def requests(page: Page, **params: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.do("network", **params)["requests"]
    return found


@pytest.fixture
def asked(at: At) -> Page:
    """The page of requests, all of them answered."""
    page = at("requests.html")
    wait_until(lambda: page.js("document.title") == "All answered", 10, "the requests")
    wait_until(lambda: all_ended(page), 10, "the ends of all answers")
    return page


def all_ended(page: Page) -> bool:
    """Return whether no answer still comes: a fetch is fulfilled before its body is there."""
    return all(one.get("state") != "pending" for one in requests(page))


def test_list_has_every_request_since_the_tab_began(asked: Page, site: Site) -> None:
    """Document, picture, fetches, the frame's and the worker's: what the site has seen."""
    found = requests(asked)
    urls = {one["url"] for one in found}
    for path in ("capture/requests.html", "image", "json", "echo", "json?worker"):
        assert site.url(path) in urls
    assert f"{site.other_origin}/json?inner" in urls
    document = found[0]
    assert (document["method"], document["status"]) == ("GET", 200)
    assert document["resource_type"] == "document"
    assert document["duration_ms"] > 0


def test_redirects_are_requests_of_their_own(asked: Page) -> None:
    """Each hop has its status and where it went."""
    hops = requests(asked, url="/redirect/")
    assert [hop["status"] for hop in hops] == [302, 302, 200]
    assert hops[0]["redirect_url"] == hops[1]["url"]


def test_failed_requests_can_be_selected(asked: Page) -> None:
    """Refused connections have Chromium's error, HTTP errors their status."""
    failed = requests(asked, failed=True)
    assert {one["status"] for one in failed} == {None, 404, 500}
    refused = next(one for one in failed if one["status"] is None)
    assert refused["error"].startswith("net::ERR_")


@pytest.mark.parametrize(
    ("params", "least"),
    [
        ({"status": "4xx"}, 1),
        ({"status": 500}, 1),
        ({"status": ">=500"}, 1),
        ({"resourceType": ["image"]}, 1),
        ({"method": "post"}, 1),
        ({"url": "/\\/redirect\\/[01]$/"}, 2),
        ({"url": "*/json*worker"}, 1),
    ],
)
def test_filters(asked: Page, params: dict[str, Any], least: int) -> None:
    """Requests can be selected by status, type, method and URL."""
    everything = len(requests(asked))
    assert least <= len(requests(asked, **params)) < everything


def test_get_has_headers_timing_and_body(asked: Page) -> None:
    """One request by its id, complete; the response body as text."""
    one = requests(asked, url="/json", resource_type=["fetch"])[0]
    got = asked.do("network", action="get", id=one["id"])
    assert got["response"]["headers"]["Content-Type"].startswith("application/json")
    assert got["timing"]["wait_ms"] >= 0
    assert json.loads(got["body"])
    assert got["initiator"]["type"] == "script"


def test_credentials_are_masked(asked: Page) -> None:
    """Authorisation headers, API keys and posted passwords are not shown."""
    one = requests(asked, url="/json", resource_type=["fetch"])[0]
    text = json.dumps(asked.do("network", id=one["id"]))
    posted = requests(asked, method="POST")[0]
    text += json.dumps(asked.do("network", id=posted["id"]))
    assert "abcdef123456" not in text
    assert "k-123456789" not in text
    assert "lovelace1815" not in text
    assert "[redacted]" in text


def test_binary_bodies_come_as_base64_and_large_ones_cut(asked: Page, site: Site) -> None:
    """Bytes survive; a body beyond max_body_bytes is cut, and says so."""
    got = asked.do("network", action="get", url="/capture/bytes")
    assert got["body_encoding"] == "base64"
    assert base64.b64decode(got["body"]) == BYTES
    asked.js("await fetch('/capture/large?kb=300').then(r => r.text()); 1")
    wait_until(lambda: all_ended(asked), 10, "the end of the answer")
    big = asked.do("network", action="get", url="/large", max_body_bytes=1000)
    assert (len(big["body"]), big["body_truncated"]) == (1000, True)
    assert big["body_bytes"] == 300 * 1024


def test_a_stream_is_pending_and_get_does_not_wait_for_its_body(at: At) -> None:
    """A response that does not end is listed as pending, and `get` returns at once."""
    page = at("inner.html")
    page.js("new EventSource('/capture/stream'); 1")
    wait_until(lambda: bool(requests(page, url="/stream", status=200)), 20, "the stream")
    assert requests(page, url="/stream")[0]["state"] == "pending"
    got = page.do("network", action="get", url="/stream")
    assert got["body"] is None
    assert "not complete" in got["body_error"]


def test_the_log_is_bounded_and_counts_dropped_requests(at: At) -> None:
    """Old requests are dropped; ids do not change; a dropped id is reported as such."""
    page = at("pictures?count=1")
    page.js("await Promise.all(Array.from({length: 900}, (_, i) => fetch('/json?' + i))); 1")
    page.js("await Promise.all(Array.from({length: 900}, (_, i) => fetch('/json?b' + i))); 1")
    listed = page.do("network", limit=5)
    assert listed["dropped"] > 0
    assert listed["known"] + listed["dropped"] == int(listed["requests"][-1]["id"][1:])
    assert "no longer" in page.call("network", id="r1").error["message"]
    assert page.call("network", id="r99999").code == "not_found"


def test_har_is_written_to_a_file_without_credentials(asked: Page) -> None:
    """HAR 1.2 with every request; the answer names the file instead of listing them."""
    path = asked.daemon.home.base / "tmp" / "page.har"
    told = asked.do("network", har_path=str(path), har_bodies=True)
    log = json.loads(path.read_text())["log"]
    assert log["version"] == "1.2"
    assert len(log["entries"]) == told["har_entries"]
    for entry in log["entries"]:
        assert {"startedDateTime", "time", "request", "response", "cache", "timings"} <= set(entry)
    texts = [entry["response"]["content"].get("text", "") for entry in log["entries"]]
    assert any("<h1>Requests</h1>" in text for text in texts)
    assert "abcdef123456" not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


def test_clear_empties_the_list_and_numbering_continues(asked: Page) -> None:
    """After clear the list is empty; the next request has the next number."""
    count = asked.do("network", action="clear")["cleared_count"]
    assert requests(asked) == []
    asked.js("await fetch('/json?later'); 1")
    assert requests(asked)[0]["id"] == f"r{count + 1}"


def test_offline_fails_requests_until_cleared(at: At) -> None:
    """Preset offline fails the page's requests; clear lets them through."""
    page = at("inner.html")
    assert page.do("network", preset="offline")["action"] == "network_throttle"
    assert page.js("await fetch('/json').catch(e => 'no')") == "no"
    page.do("network", preset="clear")
    assert page.js("(await fetch('/json')).status") == "200"


def test_custom_latency_slows_requests_down(at: At) -> None:
    """300 ms of latency take 300 ms; navigations, too."""
    page = at("inner.html")
    told = page.do("network", preset="custom", downloadKbps=5000, uploadKbps=5000, latencyMs=300)
    assert (told["action"], told["latency_ms"]) == ("network_custom", 300)
    started = time.monotonic()
    page.js("await fetch('/json?slow'); 1")
    assert time.monotonic() - started > 0.29


def test_wrong_arguments_are_named(at: At) -> None:
    """Half a custom speed, an unknown preset, a wrong status, get without a name."""
    page = at("inner.html")
    assert (
        page.call("network", preset="custom", download_kbps=5).error["parameter"] == "upload_kbps"
    )
    assert page.call("network", preset="5g").code == "invalid_argument"
    for status in ("many", "²", ">=²", "9" * 5000):
        assert page.call("network", status=status).error.get("parameter") == "status", status[:9]
    for number in ("²", "9" * 5000):
        assert page.call("network", action="get", id=f"r{number}").code == "not_found", number[:9]
    assert page.call("network", action="get").error["parameter"] == "id"
    assert page.call("network", url="/(/").error["parameter"] == "url"
    assert page.call("network", har_path="/etc/shadow/x.har").status >= 400
