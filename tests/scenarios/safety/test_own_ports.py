"""The daemon's own HTTP port and its Chromium: no page reaches the port, under any name."""

from __future__ import annotations

import json

import pytest

from support.daemon import Daemon
from support.mcp import Bridge, Http, error_of
from support.site import Site

SPELLINGS = (
    "127.0.0.1", "localhost", "localhost.", "[::1]", "0.0.0.0", "2130706433", "0x7f.1", "127.1",
    "127.0.0.2", "any.localhost", "[::ffff:127.0.0.1]", "[::]", "LOCALHOST", "user@localhost",
)  # fmt: skip
ASK = """
const ask = host => fetch(`http://${host}:PORT/mcp`, {mode: 'no-cors'})
  .then(() => 'came', () => '');
const talk = host => new Promise(done => { const s = new WebSocket(`ws://${host}:PORT/mcp`);
  s.onopen = () => done('came'); s.onerror = () => done(''); });
const found = [];
for (const host of HOSTS) found.push(host, await ask(host), await talk(host));
JSON.stringify(found.filter(word => word === 'came'))
"""


@pytest.mark.parametrize("host", SPELLINGS)
def test_opening_the_own_port_is_refused(serving: Daemon, host: str) -> None:
    """Neither in a tab nor in a crawl, and the error names what it is."""
    url = f"http://{host}:{Http(serving).port}/mcp"
    for call in (
        serving.call("navigate", url=url),
        serving.call("tabs_create", url=url),
        serving.call("crawl", url=url),
    ):
        assert call.code == "domain_blocked", (host, call.body)
        assert "OpenChrome's own" in call.error["message"]


def test_pages_cannot_connect_to_the_own_port(serving: Daemon, site: Site) -> None:
    """By request or by WebSocket: both fail before there is a connection."""
    serving.do("navigate", url=site.url("article.html"))
    hosts = json.dumps([host for host in SPELLINGS if "@" not in host])
    code = ASK.replace("HOSTS", hosts).replace("PORT", str(Http(serving).port))
    said = serving.do("javascript_tool", code=code, timeout_ms=60_000)
    assert said["content"] == "[]"


def test_redirects_to_the_own_port_are_refused(serving: Daemon, site: Site) -> None:
    """The page that answers with it is asked, the port is not."""
    target = f"http://localhost:{Http(serving).port}/mcp"
    reply = serving.call("navigate", url=site.url(f"redirect-to?status=302&url={target}"))
    assert reply.code in ("navigation_failed", "domain_blocked")


def test_a_restricted_host_stays_restricted(serving: Daemon) -> None:
    """It gets neither a verb of another group nor a page of the daemon's own port."""
    with Bridge(serving.home, "--tools-only", "core") as bridge:
        bridge.greet()
        assert error_of(bridge.call("cookies"))["code"] == "CAPABILITY_DISABLED"
        assert error_of(bridge.call("navigate", url=Http(serving).url))["code"] == "domain_blocked"


def test_a_restricted_host_has_no_indirect_way(serving: Daemon) -> None:
    """By no verb that starts others, and no resource, prompt or session of another host."""
    step = {"verb": "cookies", "params": {"action": "get"}}
    with Bridge(serving.home, "--session", "shared") as full:
        full.greet()
        full.do("oc_skill_record", domain="x.test", name="theirs", steps=[step])
    get = {"action": "get"}
    ways: dict[str, dict[str, object]] = {
        "cookies": get,
        "call_verb": {"name": "cookies", "arguments": get},
        "expand_tools": {"name": "cookies"},
        "batch_execute": {"tasks": [{"tool": "cookies", "args": get}]},
        "execute_plan": {"plan": {"steps": [{"tool": "cookies", "args": get}]}},
        "oc_task_start": {"kind": "crawl", "args": {"url": "http://x.test"}},
        "oc_skill_replay": {"domain": "x.test", "name": "theirs"},
        "oc_context_export": {},
        "worker": {"action": "list"},
    }
    with Bridge(serving.home, "--tools-only", "core", "--session", "shared") as narrow:
        narrow.greet()
        for tool, arguments in ways.items():
            answer = narrow.call(tool, **arguments)
            assert "CAPABILITY_DISABLED" in json.dumps(answer), (tool, answer)


def test_other_local_ports_can_be_opened(serving: Daemon, site: Site) -> None:
    """Only the daemon's own ports are refused; other local servers can be opened."""
    assert serving.do("navigate", url=site.url("article.html"))["status"] == 200
