"""The socket's contract: bad requests, closed connections, deadlines, and queueing."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from support import wire
from support.daemon import Daemon
from support.site import Site
from support.waiting import wait_until


def test_status_reports_version_browser_counts_and_memory(daemon: Daemon) -> None:
    """`GET /v1/status` answers version, pid, uptime, browser, counts and memory."""
    status = daemon.status()
    assert status["pid"] == daemon.identity.pid
    for key in ("version", "browser", "sessions", "tabs", "tasks", "handles", "memory"):
        assert key in status


def test_catalog_lists_every_verb_with_a_schema(daemon: Daemon) -> None:
    """`GET /v1/catalog` answers a hash and the verbs sorted by name, each with its parameters."""
    catalog = daemon.request("GET", "/v1/catalog").body
    assert catalog["hash"]
    names = [verb["name"] for verb in catalog["verbs"]]
    assert names == sorted(names)
    assert all(verb["params"]["type"] == "object" for verb in catalog["verbs"])


# --- bad input --------------------------------------------------------------------------------


def test_unknown_verb_names_the_nearest(daemon: Daemon) -> None:
    """A verb that does not exist is `unknown_verb` (404) with the nearest name in the hint."""
    reply = daemon.call("raed_page")
    assert (reply.status, reply.code) == (404, "unknown_verb")
    assert "read_page" in reply.error["hint"]


def test_unknown_parameter_names_the_nearest(daemon: Daemon) -> None:
    """A parameter that does not exist is `invalid_argument`, naming it and a near match."""
    error = daemon.call("crawl", url="http://127.0.0.1:1/", max_pagse=3).error
    assert error["code"] == "invalid_argument"
    assert "max_pagse" in error["message"]
    assert "max_pages" in error["hint"]


@pytest.mark.parametrize(
    ("verb", "params", "parameter"),
    [
        ("crawl", {"url": "http://127.0.0.1:1/", "max_pages": "three"}, "max_pages"),
        ("crawl", {"url": "http://127.0.0.1:1/", "max_pages": 0}, "max_pages"),
        ("crawl", {"url": "http://127.0.0.1:1/", "max_pages": 1.5}, "max_pages"),
        ("crawl", {"url": "http://127.0.0.1:1/", "engine": "magic"}, "engine"),
        ("crawl", {"url": 7}, "url"),
        ("crawl", {}, "url"),
        ("navigate", {"url": ""}, "url"),
        ("navigate", {"url": "http://127.0.0.1:1/", "timeout_ms": -1}, "timeout_ms"),
        ("navigate", {"url": "http://127.0.0.1:1/", "timeout_ms": 600_001}, "timeout_ms"),
        ("oc_task_wait", {"task_id": ["a"]}, "task_id"),
        ("read_page", {"output_mode": "everything"}, "output_mode"),
        ("oc_output_fetch", {"output_handle": "oh_AAAAAAAAAAAA", "offset": -1}, "offset"),
    ],
)
def test_wrong_values_name_the_parameter(
    daemon: Daemon, verb: str, params: dict[str, Any], parameter: str
) -> None:
    """A wrong type or a value out of range is `invalid_argument` and names the parameter."""
    reply = daemon.call(verb, **params)
    assert (reply.status, reply.code) == (400, "invalid_argument")
    assert parameter in reply.error["message"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"[]",
        b'"navigate"',
        b"{}",
        b'{"verb": 3}',
        b'{"verb": "tabs_context", "params": []}',
        b'{"verb": "tabs_context", "parms": {}}',
        b'{"verb": "tabs_context"',
        b'{"verb": "tabs_context", "params": {}} trailing',
        b'{"verb": "tabs_\xff"}',
        b"[" * 100_000,
        b'{"verb": "navigate", "params": {"url": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
        b'{"verb": "navigate", "params": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001,
    ],
)
def test_invalid_body_is_400(daemon: Daemon, body: bytes) -> None:
    """A body that is no JSON object of the right shape, however nested, is `bad_request` (400)."""
    reply = daemon.request("POST", "/v1/call", body, wire.JSON_BODY)
    assert (reply.status, reply.code) == (400, "bad_request")
    assert "Traceback" not in reply.raw.decode()


@pytest.mark.parametrize("levels", [450, 600, 800, 950])
@pytest.mark.parametrize("verb", ["extract_data", "interact", "oc_checkpoint"])
def test_deeply_nested_parameters_are_answered(daemon: Daemon, verb: str, levels: int) -> None:
    """As deep as the decoder accepts; nothing behind it fails."""
    nested = b'{"a":' * levels + b"1" + b"}" * levels
    body = b'{"verb": "%s", "params": {"schema": %s}}' % (verb.encode(), nested)
    reply = daemon.request("POST", "/v1/call", body, wire.JSON_BODY)
    assert reply.code in ("invalid_argument", "no_tab", "bad_request")


def test_body_with_a_false_content_encoding_is_refused(daemon: Daemon) -> None:
    """A body that calls itself gzip and is none is `bad_request` (400), too."""
    headers = {"Content-Encoding": "gzip"}
    reply = daemon.request("POST", "/v1/call", b'{"verb": "oc_journal"}', headers)
    assert (reply.status, reply.code) == (400, "bad_request")


def test_body_over_16_mib_is_413(daemon: Daemon) -> None:
    """A request body over 16 MiB is refused with 413; one just below is read."""
    filler = b'{"verb":"tabs_context","params":{"x":"%s"}}'
    reply = daemon.request("POST", "/v1/call", filler % (b"a" * (16 << 20)), wire.JSON_BODY)
    assert (reply.status, reply.code) == (413, "request_too_large")
    reply = daemon.request("POST", "/v1/call", filler % (b"a" * (15 << 20)), wire.JSON_BODY)
    assert reply.code == "invalid_argument"
    assert len(reply.raw) < 4096


def test_unknown_route_is_not_found(daemon: Daemon) -> None:
    """A path or method that does not exist answers the one error shape."""
    assert daemon.request("GET", "/v2/status").code == "not_found"
    assert daemon.request("GET", "/v1/call").code == "not_found"


def test_errors_have_one_shape(daemon: Daemon) -> None:
    """An error is {"error": {code, message, …}} with strings, and nothing beside it."""
    body = daemon.call("oc_task_get", task_id="ffffffffffffffff").body
    assert list(body) == ["error"]
    assert body["error"]["code"] == "task_not_found"
    assert isinstance(body["error"]["message"], str)


# --- spelling ---------------------------------------------------------------------------------


def test_camel_case_parameters_are_accepted(daemon: Daemon, site: Site) -> None:
    """`maxPages`, `tabId` and `sameOrigin` mean max_pages, tab_id and same_origin."""
    result = daemon.do("crawl", url=site.url("many-pages/1.html"), maxPages=2, sameOrigin=True)
    assert len(result["pages"]) == 2
    tab = daemon.new_tab(site.url("article.html"))
    daemon.new_tab(site.url("table.html"))
    assert daemon.do("read_page", tabId=tab)["title"] == "The lighthouse"


def test_parameter_given_in_both_spellings_is_refused(daemon: Daemon) -> None:
    """The same parameter twice is `invalid_argument`, not a guess."""
    for given in ({"tab_id": "t1", "tabId": "t2"}, {"tabId": "t2", "tab_id": "t1"}):
        error = daemon.call("read_page", **given).error
        assert error["code"] == "invalid_argument"
        assert all(f"'{name}'" in error["message"] for name in given), error


def test_timeout_is_accepted_for_timeout_ms(daemon: Daemon, site: Site) -> None:
    """`timeout` is the call's deadline, too."""
    reply = daemon.call("navigate", url=site.url("hang"), timeout=300)
    assert (reply.status, reply.code) == (504, "timeout")


# --- deadlines, closed connections, waiting ---------------------------------------------------


@pytest.mark.parametrize("path", ["hang", "hang-body", "drip?bytes=100&ms=60000"])
def test_deadline_applies_when_a_page_hangs(daemon: Daemon, site: Site, path: str) -> None:
    """A call past its `timeout_ms` is `timeout`, and the tab is usable afterwards."""
    assert daemon.call("navigate", url=site.url(path), timeout_ms=500).code == "timeout"
    assert daemon.do("navigate", url=site.url("article.html"))["title"] == "The lighthouse"


def test_looping_script_is_terminated_with_its_call(daemon: Daemon, site: Site) -> None:
    """Past its deadline a loop stops in the page, too: the tab answers the next call."""
    daemon.do("navigate", url=site.url("many-pages/"))
    assert daemon.call("javascript_tool", code="while (true) {}", timeout_ms=300).code == "timeout"
    assert daemon.do("javascript_tool", code="6 * 7", timeout_ms=60_000)["content"] == "42"


def test_abandoned_promise_does_not_affect_the_page(daemon: Daemon, site: Site) -> None:
    """Giving up on a promise ends nothing in the page, whose work continues."""
    daemon.do("navigate", url=site.url("many-pages/"))
    code = "setTimeout(() => { window.later = 'done' }, 400); new Promise(() => {})"
    assert daemon.call("javascript_tool", code=code, timeout_ms=100).code == "timeout"
    daemon.do("wait_for", type="function", value="window.later === 'done'", timeout_ms=60_000)


def test_deadline_applies_when_the_renderer_hangs(daemon: Daemon, site: Site) -> None:
    """A script that never returns costs its own call only; the tab can still be closed."""
    tab = daemon.new_tab(site.url("article.html"))
    reply = daemon.call("javascript_tool", tab_id=tab, code="for(;;);", timeout_ms=700)
    assert reply.code == "timeout"
    assert daemon.do("tabs_close", tab_id=tab)["closed"] == [tab]


def test_a_hung_page_blocks_no_other_tab_or_control(daemon: Daemon, site: Site) -> None:
    """While one tab hangs, other tabs, tasks, outputs, journal and status answer."""
    stuck = daemon.new_tab(site.url("article.html"))
    other = daemon.new_tab(site.url("table.html"))
    pending = daemon.start_call("navigate", tab_id=stuck, url=site.url("hang"), timeout_ms=120_000)
    site.wait_for("hang")
    assert daemon.do("read_page", tab_id=other)["title"] == "Steps"
    assert daemon.do("tabs_context")["tab_count"] == 2
    assert "tasks" in daemon.do("oc_task_list")
    assert isinstance(daemon.do("oc_journal", action="recent", count=1), list)
    assert daemon.call("oc_output_fetch", output_handle="oh_DEADBEEF0000").status == 404
    assert daemon.status()["pid"]
    late = daemon.call("wait_for", tab_id=stuck, type="load", timeout_ms=200).error
    assert late["message"].startswith("wait_for took longer than 0.2 s: it waited")
    assert not pending.done
    site.open_gate("hang")
    assert pending.reply().result["title"] == "Released"


def test_hanging_tab_can_be_closed_under_its_call(daemon: Daemon, site: Site) -> None:
    """`tabs_close` does not wait for the call on that tab; the call ends with an error."""
    stuck = daemon.new_tab(site.url("article.html"))
    pending = daemon.start_call("navigate", tab_id=stuck, url=site.url("hang"), timeout_ms=120_000)
    site.wait_for("hang")
    daemon.do("tabs_close", tab_id=stuck)
    assert pending.reply(10).code in ("tab_gone", "navigation_failed")


def test_calls_on_one_tab_run_in_order(daemon: Daemon, site: Site) -> None:
    """A later call on the same tab sees what the earlier one left."""
    tab = daemon.new_tab(site.url("article.html"))
    first = daemon.start_call("navigate", tab_id=tab, url=site.url("gate/order"))
    site.wait_for("gate/order")
    second = daemon.start_call("read_page", tab_id=tab)
    wait_until(lambda: daemon.status()["calls_in_flight"] >= 2, 20)
    site.open_gate("order")
    assert first.reply().result["title"] == "Gate order"
    assert second.reply().result["title"] == "Gate order"


def test_closed_connection_cancels_its_call(daemon: Daemon, site: Site) -> None:
    """When the client hangs up, its call ends: the tab's lock is free long before the deadline."""
    tab = daemon.new_tab(site.url("article.html"))
    pending = daemon.start_call("navigate", tab_id=tab, url=site.url("hang"), timeout_ms=60_000)
    site.wait_for("hang")
    pending.drop()
    wait_until(lambda: daemon.status()["calls_in_flight"] == 0, 20, "the call's end")
    assert daemon.do("navigate", tab_id=tab, url=site.url("table.html"))["title"] == "Steps"


def _called(daemon: Daemon, verb: str, **params: object) -> socket.socket:
    """Send a call over a connection of its own."""
    body = json.dumps({"verb": verb, "params": params}).encode()
    head = f"POST /v1/call HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.settimeout(300)
    line.connect(str(daemon.socket))
    line.sendall(head.encode() + body)
    return line


def _half_closed(daemon: Daemon, verb: str, **params: object) -> socket.socket:
    """Send a call, and say that nothing more will come, as `nc -N` does."""
    line = _called(daemon, verb, **params)
    line.shutdown(socket.SHUT_WR)
    return line


def _all_of(line: socket.socket) -> bytes:
    with line:
        return b"".join(iter(lambda: line.recv(65536), b""))


def test_a_half_closed_connection_gets_its_reply(daemon: Daemon, site: Site) -> None:
    """It has sent its request and waits; if it hangs up, its call ends as usual."""
    tab = daemon.new_tab(site.url("article.html"))
    there = {"tab_id": tab, "timeout_ms": 60_000}
    going = _half_closed(daemon, "navigate", url=site.url("gate/half"), **there)
    site.wait_for("gate/half")
    site.open_gate("half")
    answer = _all_of(going)
    assert answer.startswith(b"HTTP/1.1 200")
    assert b'"title":"Gate half"' in answer
    assert _all_of(_half_closed(daemon, "tabs_context")).startswith(b"HTTP/1.1 200")
    leaving = _half_closed(daemon, "navigate", url=site.url("hang"), **there)
    site.wait_for("hang")
    leaving.close()
    wait_until(lambda: daemon.status()["calls_in_flight"] == 0, 20, "the call's end")


def test_half_closing_after_the_reply_ends_the_connection(daemon: Daemon) -> None:
    """A short call is often answered before its caller shuts down its write side."""
    line = _called(daemon, "tabs_context")
    assert line.recv(65536).startswith(b"HTTP/1.1 200")
    line.shutdown(socket.SHUT_WR)
    assert _all_of(line).count(b"HTTP/1.1") == 0


def test_input_that_is_not_http_leaves_no_traceback(daemon: Daemon) -> None:
    """Garbage is refused with one line in the log, and the daemon continues."""
    log = daemon.home.path / "log" / "ocd.log"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(300)
        line.connect(str(daemon.socket))
        line.sendall(b"GET /v1/status junk-4711\r\n\r\n")
        assert b"400" in line.recv(65536)
    wait_until(lambda: "input that is not HTTP" in log.read_text(), 20, "the line in the log")
    assert "Traceback" not in log.read_text().rpartition("junk-4711")[0][-2000:]
    assert "http_exceptions" not in log.read_text()
    assert daemon.do("tabs_context")["session"] == "default"


def test_a_long_call_past_its_deadline_suggests_a_task(daemon: Daemon, site: Site) -> None:
    """As a task it has no deadline: the command, and the call with its arguments filled in."""
    url = site.url("hang")
    error = daemon.call("crawl", url=url, max_pages=1, engine="static", timeout_ms=300).error
    assert error["code"] == "timeout"
    assert "oc_task_start" in error["hint"]
    args = {"url": url, "max_pages": 1, "engine": "static"}
    assert error["next_step"] == {
        "verb": "oc_task_start", "arguments": {"kind": "crawl", "args": args},
    }  # fmt: skip


def test_closed_connection_cancels_a_direct_crawl_and_keeps_its_pages(
    daemon: Daemon, site: Site
) -> None:
    """Hanging up on a direct crawl cancels its task; the finished pages stay in the result."""
    url = site.url("chain/1?hold=4")
    pending = daemon.start_call("crawl", url=url, max_pages=50, max_depth=50)
    site.wait_for("chain/4")
    (task,) = daemon.do("oc_task_list", kind="crawl", limit=1)["tasks"]
    wait_until(lambda: daemon.task(task["task_id"])["progress"]["done"] == 3, 20, "three pages")
    pending.drop()
    meta = daemon.finish(task["task_id"])
    assert meta["status"] == "CANCELLED"
    titles = [page["title"] for page in daemon.result_of(meta["task_id"])["pages"]]
    assert titles == ["Link 1", "Link 2", "Link 3"]


def test_closed_connection_never_cancels_a_task(daemon: Daemon, site: Site) -> None:
    """A caller that waits for a task and hangs up leaves the task running."""
    task_id = daemon.start_task("crawl", url=site.url("chain/1?hold=2&last=2"), max_depth=5)
    site.wait_for("chain/2")
    pending = daemon.start_call("oc_task_wait", task_id=task_id, timeout_ms=60_000)
    wait_until(lambda: daemon.status()["calls_in_flight"] >= 1, 20)
    pending.drop()
    wait_until(lambda: daemon.status()["calls_in_flight"] == 0, 20)
    site.open_gate("chain")
    assert daemon.finish(task_id)["status"] == "COMPLETED"


def test_256_calls_may_be_in_flight(daemon: Daemon, site: Site) -> None:
    """256 callers can wait at once, and the daemon still answers others."""
    task_id = daemon.start_task("crawl", url=site.url("gate/crowd"), max_pages=1)
    site.wait_for("gate/crowd")
    calls = [daemon.start_call("oc_task_wait", task_id=task_id) for _ in range(256)]
    wait_until(lambda: daemon.status()["calls_in_flight"] >= 256, 20, "256 calls in flight")
    site.open_gate("crowd")
    with ThreadPoolExecutor(16) as threads:
        metas = list(threads.map(lambda call: call.reply(30).result["meta"]["status"], calls))
    assert set(metas) == {"COMPLETED"}


def test_progress_lines_come_before_the_result(daemon: Daemon, site: Site) -> None:
    """With NDJSON accepted, a crawl's progress lines come first and the result last."""
    lines = list(daemon.progress("crawl", url=site.url("many-pages/1.html"), max_pages=5))
    assert lines[-1]["result"]["pages"]
    assert len(lines) > 1
    assert all(set(line) == {"progress"} for line in lines[:-1])
    done = [line["progress"]["done"] for line in lines[:-1]]
    assert done == sorted(done)


def test_progress_reply_carries_errors(daemon: Daemon) -> None:
    """With NDJSON accepted, a failed call's last line is the error object."""
    (line,) = list(daemon.progress("read_page", session="empty-session"))
    assert line["error"]["code"] == "no_tab"


def test_sessions_do_not_see_each_other(daemon: Daemon, site: Site) -> None:
    """A tab belongs to its session: another session has its own list and cannot name it."""
    tab = daemon.new_tab(site.url("article.html"), session="one")
    assert daemon.do("tabs_context", session="two")["tabs"] == []
    reply = daemon.call("read_page", session="two", tab_id=tab)
    assert reply.code in ("tab_not_found", "no_tab")
    assert daemon.do("read_page", session="one")["title"] == "The lighthouse"


def test_page_text_is_separate_from_the_json(daemon: Daemon, site: Site) -> None:
    """On the socket the page's text is the key `content`, the rest is small JSON."""
    daemon.do("navigate", url=site.url("article.html"))
    result = daemon.do("read_page", mode="text")
    assert "Cape Ambler" in result.pop("content")
    assert "Cape Ambler" not in json.dumps(result)
