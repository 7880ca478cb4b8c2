"""Egress after a page was read: allowed and journalled, asked about, or refused."""

import contextlib
import http.client
import json
from collections.abc import Callable, Iterator
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters

from support.daemon import SCRIPTS, Daemon
from support.mcp import JSON, LEGACY, Http, error_of, json_of
from support.site import Site

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.usefixtures("headless_shell"),
]
Said = types.ElicitResult
STREAMS = {**JSON, "accept": "application/json, text/event-stream"}


def left(daemon: Daemon) -> list[dict[str, Any]]:
    events = daemon.do("oc_journal", count=100)
    return [event for event in events if event.get("event") == "data_left"]


def read_then_send(daemon: Daemon, site: Site) -> Any:  # noqa: ANN401 - a socket's reply
    daemon.do("navigate", url=site.url("article.html"))
    daemon.do("read_page")
    return daemon.call("navigate", url=f"{site.other_origin}/article.html?mail=secret%20words")


def test_egress_is_allowed_and_journalled_by_default(
    share_daemon: Callable[..., Daemon], site: Site
) -> None:
    """Nobody can be asked at a shell: the journal says what went where, after reading whom."""
    daemon = share_daemon()
    assert read_then_send(daemon, site).status == 200
    (event,) = left(daemon)
    assert (event["way"], event["decision"]) == ("address", "allowed")
    assert event["target"] == site.other_origin
    assert event["after_reading"] == [site.origin]


def test_denied_egress_never_reaches_the_other_site(
    share_daemon: Callable[..., Daemon], site: Site
) -> None:
    """The rule does not apply if nothing was read or sent, or the data goes back to its origin."""
    daemon = share_daemon(config='[policy]\nexfiltration = "deny"\n')
    query = f"{site.other_origin}/article.html?q=1"
    error = read_then_send(daemon, site).error
    assert error["code"] == "exfiltration_denied"
    assert not [seen for seen in site.seen("/article.html") if "mail=" in seen.query]
    assert daemon.call("navigate", url=site.url("article.html?back=1")).status == 200
    assert daemon.call("navigate", url=f"{site.other_origin}/article.html").status == 200
    other = daemon.call("navigate", session="fresh", url=query)
    assert other.status == 200


def test_ask_names_the_approval_where_the_host_cannot_ask(
    share_daemon: Callable[..., Daemon], site: Site
) -> None:
    daemon = share_daemon("--http", "0", config='[policy]\nexfiltration = "ask"\n')
    daemon.do("navigate", url=site.url("article.html"))
    daemon.do("read_page")
    url = f"{site.other_origin}/article.html?x=1"
    failed = error_of(Http(daemon).call("navigate", url=url, timeout_ms=1000).result)
    assert failed["code"] == "consent_needed"
    assert f"oc approvals allow {failed['approval']}" in failed["hint"]
    assert not [seen for seen in site.seen("/article.html") if seen.query == "x=1"]


@pytest.mark.parametrize("era", ["legacy", "auto"])
@pytest.mark.parametrize("yes", [True, False])
async def test_a_host_that_supports_elicitation_is_asked(
    share_daemon: Callable[..., Daemon], site: Site, era: str, yes: bool
) -> None:
    """A person says yes once for a way and a target; no is an error, and nothing is sent."""
    daemon = share_daemon()
    asked: list[str] = []

    async def answer(_context: object, params: Any) -> Said:  # noqa: ANN401 - the SDK's
        asked.append(params.message)
        return Said(action="accept" if yes else "decline", content={} if yes else None)

    target = StdioServerParameters(command=str(SCRIPTS / "oc-mcp"), env=daemon.home.environ)
    url = f"{site.other_origin}/article.html?mail=words"
    async with Client(target, mode=era, elicitation_callback=answer) as client:
        await client.call_tool("navigate", {"url": site.url("article.html")})
        await client.call_tool("read_page", {})
        for _ in range(2):
            result = await client.call_tool("navigate", {"url": url})
            shown = result.model_dump(by_alias=True, exclude_none=True, mode="json")
            if yes:
                assert json_of(shown)["url"] == url
            else:
                assert error_of(shown)["code"] == "exfiltration_denied"
    assert len(asked) == (1 if yes else 2)
    assert site.origin in asked[0]
    assert bool([seen for seen in site.seen("/article.html") if "mail=" in seen.query]) == yes


@pytest.mark.parametrize("way", ["click", "press", "fill_form"])
def test_submitting_a_form_to_another_origin_asks_first(
    share_daemon: Callable[..., Daemon], site: Site, way: str
) -> None:
    """The form of a page that was read sends what the agent typed to somebody else."""
    daemon = share_daemon(config='[policy]\nexfiltration = "deny"\n')
    daemon.do("navigate", url=site.url("injection/form.html"))
    daemon.do("read_page")
    daemon.do("form_input", query="Message", value="all I know")
    if way == "fill_form":
        fields = [{"label": "Message", "value": "more"}]
        refused = daemon.call("fill_form", fields=fields, submit="Send")
    elif way == "press":
        refused = daemon.call("interact", query="Message", action="press", value="Enter")
    else:
        refused = daemon.call("interact", query="Send", action="click")
    assert refused.error["code"] == "exfiltration_denied"
    assert refused.error["target"] == site.other_origin
    assert daemon.do("interact", query="Home", action="click")["changed"]
    assert not [seen for seen in site.requests if "message" in seen.query]


def events_of(response: http.client.HTTPResponse) -> Iterator[dict[str, Any]]:
    """Yield the messages of an event stream as they arrive."""
    for line in iter(response.readline, b""):
        if line.startswith(b"data:") and line[5:].strip():
            yield json.loads(line[5:])


def test_a_host_over_http_is_asked_on_the_stream_of_its_call(
    share_daemon: Callable[..., Daemon], site: Site
) -> None:
    """A host need not have a stream of GET open: one that has none is asked all the same."""
    asking = Http(share_daemon("--http", "0", config='[policy]\nexfiltration = "ask"\n'))
    hello = {"protocolVersion": LEGACY, "capabilities": {"elicitation": {}},
             "clientInfo": {"name": "test", "version": "0"}}  # fmt: skip
    greeted = asking.ask("initialize", hello, headers=STREAMS)
    headers = {**STREAMS, "mcp-session-id": greeted.headers["mcp-session-id"]}
    asking.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}', headers)
    for verb, arguments in (("navigate", {"url": site.url("article.html")}), ("read_page", {})):
        asking.ask("tools/call", {"name": verb, "arguments": arguments}, headers=headers)
    url = f"{site.other_origin}/article.html?mail=words"
    call = {"name": "navigate", "arguments": {"url": url}}
    body = {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": call}
    connection = http.client.HTTPConnection("127.0.0.1", asking.port, timeout=60)
    with contextlib.closing(connection):
        connection.request("POST", "/mcp", json.dumps(body), headers)
        events = events_of(connection.getresponse())
        question = next(events)
        assert question["method"] == "elicitation/create"
        yes = {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept"}}
        assert asking.send(json.dumps(yes).encode(), headers).status == 202
        answered = next(event for event in events if event.get("id") == 9)
    assert json_of(answered["result"])["url"] == url
    assert asking.send(None, headers, method="DELETE").status == 200
