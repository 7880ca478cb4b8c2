"""request_intercept: requests logged, blocked, changed and answered by rules."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from support.daemon import Daemon
from support.pages import Page
from support.site import Site
from support.waiting import wait_until

At = Callable[[str], Page]


@pytest.fixture
def page(at: At) -> Page:
    return at("inner.html")


def rule(page: Page, **given: object) -> str:
    """Add a rule and return its id."""
    told = page.do("request_intercept", action="addRule", rule=given)
    rule_id: str = told["rule"]["id"]
    return rule_id


def fetched(page: Page, path: str, **options: object) -> Any:  # noqa: ANN401 - any JSON value
    script = f"""const r = await fetch('{path}', {json.dumps(options)});
      return {{status: r.status, text: await r.text(), headers: Object.fromEntries(r.headers)}}"""
    return json.loads(page.js(script))


def echoed(page: Page, path: str = "/echo", **options: object) -> Any:  # noqa: ANN401
    return json.loads(fetched(page, path, **options)["text"])


def test_block_stops_requests_before_the_site(page: Page, site: Site) -> None:
    """The page's request fails, and the site has not seen it; others pass."""
    rule(page, pattern="*/json?secret*", action="block")
    assert page.js("await fetch('/json?secret=1').catch(e => e.name)") == "TypeError"
    assert fetched(page, "/json?open")["status"] == 200
    assert [seen.query for seen in site.seen("json") if "inner" not in seen.query] == ["open"]
    logs = page.do("request_intercept", action="getLogs")
    assert logs["summary"] == {"api": 0, "failed": 1, "assets": 0}
    assert logs["failed_logs"][0]["rule_id"] == "rule_1"


def test_mock_answers_without_the_site(page: Page, site: Site) -> None:
    """Status, headers and body are the rule's; unknown hosts can be mocked, too."""
    rule(
        page,
        pattern="https://api.example.test/*",
        action="mock",
        response={
            "status": 201,
            "headers": {"Content-Type": "application/json", "Access-Control-Allow-Origin": "*"},
            "body": '{"name": "한국어"}',
        },
    )
    got = fetched(page, "https://api.example.test/v1?x=[1]")
    assert (got["status"], json.loads(got["text"])) == (201, {"name": "한국어"})
    rule(page, pattern="/bytes", action="fulfill", response={"bodyBase64": "AAEC"})
    assert page.js("(await (await fetch('/capture/bytes')).arrayBuffer()).byteLength") == "3"
    assert site.seen("capture/bytes") == []


def test_a_large_body_comes_from_a_file(page: Page, daemon: Daemon, site: Site) -> None:
    """body_path is read by the daemon: a response of 200 KB."""
    folder = daemon.home.path / "files"
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "answer.txt").write_text("a" * 200_000)
    given = {"pattern": "*/large", "action": "mock"}
    page.do(
        "request_intercept", action="add_rule", rule=given, body_path=str(folder / "answer.txt")
    )
    assert len(fetched(page, "/large")["text"]) == 200_000
    assert not site.seen("/large")
    block = {"pattern": "x", "action": "block"}
    refused = page.call("request_intercept", action="add_rule", rule=block, body="x")
    assert refused.code == "invalid_argument"


def test_modify_changes_the_request(page: Page, site: Site) -> None:
    """Address, method, headers and body of the request."""
    rule(
        page,
        pattern="/json?change",
        action="modify",
        request={
            "url": site.url("echo"), "method": "put",
            "headers": {"X-Added": "yes", "X-Taken": None}, "body": "new body",
        },
    )  # fmt: skip
    got = fetched(page, "/json?change", headers={"X-Taken": "1"}, method="POST", body="old")
    assert got["status"] == 200
    seen = site.seen("echo")[-1]
    assert (seen.method, seen.headers["X-Added"]) == ("PUT", "yes")
    assert "X-Taken" not in seen.headers
    assert "new body" in got["text"]


def test_modify_changes_the_response(page: Page) -> None:
    """Status and headers of the server's answer, its body kept; or its body alone."""
    rule(
        page,
        pattern="/json?patched",
        action="modify",
        response={"status": 418, "headers": {"X-Patched": "1"}},
    )
    got = fetched(page, "/json?patched")
    assert (got["status"], got["headers"]["x-patched"]) == (418, "1")
    assert json.loads(got["text"])
    rule(page, pattern="/json?body", action="modify", response={"body": "instead"})
    got = fetched(page, "/json?body")
    assert (got["status"], got["text"]) == (200, "instead")
    assert got["headers"]["content-type"].startswith("application/json")


def test_modify_options_are_understood(page: Page, site: Site) -> None:
    """The short form: status and body answer here, headers alone change the request."""
    rule(
        page, pattern="/json?short", action="modify",
        modifyOptions={"status": 503, "headers": {"X-Why": "rule"}, "body": "down"},
    )  # fmt: skip
    got = fetched(page, "/json?short")
    assert (got["status"], got["text"], got["headers"]["x-why"]) == (503, "down", "rule")
    rule(page, pattern="/echo", action="modify", modify_options={"headers": {"X-From": "rule"}})
    fetched(page, "/echo")
    assert site.seen("echo")[-1].headers["X-From"] == "rule"


def test_navigations_and_frames_are_intercepted(page: Page, site: Site) -> None:
    """Documents, frames of other origins and workers obey the rules, also of tabs' next pages."""
    mocked = {"headers": {"content-type": "text/html"}, "body": "<title>Mocked</title>"}
    rule(page, pattern="/capture/inner.html", action="mock", response=mocked)
    rule(page, pattern="?worker", action="block")
    page.do("navigate", url=site.url("capture/requests.html"))
    wait_until(lambda: bool(page.do("network", url="?worker", failed=True)["requests"]), 20, "it")
    frame = page.do("network", url=f"{site.other_origin}/capture/inner.html")["requests"][0]
    assert frame["status"] == 200
    assert not [seen for seen in site.seen("json") if seen.query == "worker"]
    page.do("navigate", url=site.url("capture/inner.html"))
    assert page.js("document.title") == "Mocked"


def test_logs_mask_credentials(page: Page) -> None:
    """A log rule notes matching requests without their authorisation."""
    rule(page, pattern="*", action="log")
    page.js("""await fetch('/json?token=abcdefghijkl0123', {headers:
      {Authorization: 'Bearer sesame123456', 'X-Seen': 'plain'}}); 1""")
    page.js("await new Promise(r => { const i = new Image(); i.onload = r; i.src = '/image'; }); 1")
    logs = page.do("request_intercept", action="get_logs")
    text = json.dumps(logs)
    assert "sesame123456" not in text
    assert "abcdefghijkl0123" not in text
    assert logs["api_logs"][0]["headers"]["X-Seen"] == "plain"
    assert logs["asset_groups"][0]["type"] == "image"
    assert page.do("request_intercept", action="clearLogs")["cleared_count"] == 2


def test_rules_are_listed_removed_and_switched_off(page: Page) -> None:
    """A removed or disabled rule has no effect; an unknown id is an error."""
    first = rule(page, pattern="/json?a", action="block")
    rule(page, pattern="/json?b", action="block")
    assert page.do("request_intercept", action="listRules")["count"] == 2
    page.do("request_intercept", action="removeRule", ruleId=first)
    assert fetched(page, "/json?a")["status"] == 200
    page.do("request_intercept", action="disable")
    assert fetched(page, "/json?b")["status"] == 200
    page.do("request_intercept", action="enable")
    assert page.js("await fetch('/json?b').catch(e => e.name)") == "TypeError"
    assert page.call("request_intercept", action="removeRule", ruleId=first).code == "not_found"


def test_first_acting_rule_wins(page: Page) -> None:
    """A log rule before it notes the request, one after it does not."""
    rule(page, pattern="/json?x", action="log")
    rule(page, pattern="/json", action="mock", response={"body": "first"})
    rule(page, pattern="/json?x", action="block")
    assert fetched(page, "/json?x")["text"] == "first"
    logs = page.do("request_intercept", action="get_logs")
    assert [entry["action"] for entry in logs["api_logs"]] == ["log", "mock"]


@pytest.mark.parametrize(
    ("given", "parameter"),
    [
        ({"pattern": "/(/", "action": "block"}, "rule.pattern"),
        ({"pattern": "x", "action": "modify"}, "rule"),
        ({"pattern": "x", "action": "explode"}, "rule.action"),
        ({"pattern": "x", "action": "mock", "response": {"status": 99}}, "rule.response.status"),
        ({"pattern": "x", "action": "mock", "response": {"headers": {"a b": "c"}}}, "rule.headers"),
        (
            {"pattern": "x", "action": "mock", "response": {"headers": {"a": "b\nc"}}},
            "rule.headers",
        ),
        (
            {"pattern": "x", "action": "mock", "response": {"body_base64": "?"}},
            "rule.response.body_base64",
        ),
    ],
)
def test_bad_rules_are_refused(page: Page, given: dict[str, Any], parameter: str) -> None:
    """Each names what is wrong with it."""
    reply = page.call("request_intercept", action="add_rule", rule=given)
    assert (reply.code, reply.error["parameter"]) == ("invalid_argument", parameter)


def test_rules_cannot_bypass_the_domain_policy(
    make_daemon: Callable[..., Daemon], site: Site
) -> None:
    """A rule sends no request to a blocked domain, and rules do not switch the policy off."""
    daemon = make_daemon("--block-domain", "localhost")
    page = Page(daemon, site)
    daemon.do("navigate", url=site.url("capture/inner.html"))
    to_blocked = {"pattern": "/json", "action": "modify", "request": {"url": site.other_origin}}
    assert (
        page.call("request_intercept", action="add_rule", rule=to_blocked).code == "domain_blocked"
    )
    rule(page, pattern="*", action="log")
    script = f"await fetch('{site.other_origin}/json', {{mode: 'no-cors'}}).catch(e => e.name)"
    assert page.js(script) == "TypeError"
    assert not [seen for seen in site.seen("json") if seen.host.startswith("localhost")]
