"""A task can be subscribed to, in both eras, over the relay, HTTP and the bare socket."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourceUpdated

from support.daemon import SCRIPTS, Daemon
from support.mcp import Bridge, Http, modern_meta
from support.site import Site
from support.waiting import wait_until

UPDATED = "notifications/resources/updated"
# The SDK warns of what the newest revision has given up.
pytestmark = pytest.mark.filterwarnings(
    "ignore::mcp.shared.exceptions.MCPDeprecationWarning", "ignore::DeprecationWarning"
)


def start_crawl(daemon: Daemon, url: str, **more: object) -> str:
    """Start a crawl of one page and return the task's address."""
    given: dict[str, object] = {"url": url, "max_pages": 1, "engine": "static", **more}
    return f"openchrome://task/{daemon.start_task('crawl', **given)}"


def status_of(read: Any) -> str:  # noqa: ANN401 - the client's result
    found: str = json.loads(read.contents[0].text)["status"]
    return found


class Heard:
    """The addresses whose updates a client was told of."""

    def __init__(self) -> None:
        self.uris: asyncio.Queue[str] = asyncio.Queue()

    async def __call__(self, message: object) -> None:
        if getattr(message, "method", "") == UPDATED:
            self.uris.put_nowait(str(message.params.uri))  # type: ignore[attr-defined]

    async def next(self) -> str:
        async with asyncio.timeout(300):
            return await self.uris.get()


@asynccontextmanager
async def handshake_host(daemon: Daemon, transport: str, heard: Heard) -> AsyncIterator[Client]:
    """Yield a client that a server can reach: over HTTP once its own stream is open."""
    if transport == "relay":
        target = StdioServerParameters(command=str(SCRIPTS / "oc-mcp"), env=daemon.home.environ)
        async with Client(target, mode="legacy", message_handler=heard) as client:
            yield client
        return
    reachable = asyncio.Event()

    async def see(response: httpx2.Response) -> None:
        if response.request.method == "GET" and response.is_success:
            reachable.set()

    async with httpx2.AsyncClient(timeout=300, event_hooks={"response": [see]}) as http:
        target = streamable_http_client(Http(daemon).url, http_client=http)
        async with Client(target, mode="legacy", message_handler=heard) as client:
            async with asyncio.timeout(300):
                await reachable.wait()
            yield client


everywhere = pytest.mark.parametrize("transport", ["relay", "http"])


@everywhere
async def test_a_handshake_host_is_notified_until_it_unsubscribes(
    serving: Daemon, site: Site, transport: str
) -> None:
    """Nothing is heard of a task any more once the subscription to it has ended."""
    heard = Heard()
    first, second, third = (
        start_crawl(serving, site.url(f"gate/{name}")) for name in ("first", "second", "third")
    )
    for name in ("first", "second", "third"):
        await asyncio.to_thread(site.wait_for, f"gate/{name}")
    async with handshake_host(serving, transport, heard) as client:
        assert client.server_capabilities.resources is not None
        assert client.server_capabilities.resources.subscribe
        for uri in (first, second, second, third):
            await client.subscribe_resource(uri)
        await client.unsubscribe_resource(first)
        await client.unsubscribe_resource(first)
        site.open_gate("second")
        while status_of(await client.read_resource(second)) == "RUNNING":
            # What had changed before may still be under way: they come in their order.
            assert await heard.next() in (first, second, third)
        assert status_of(await client.read_resource(second)) == "COMPLETED"
        site.open_gate("first")
        await asyncio.to_thread(serving.finish, first.rpartition("/")[2])
        site.open_gate("third")
        while status_of(await client.read_resource(third)) == "RUNNING":
            assert await heard.next() in (second, third)
        for missing in ("openchrome://task/0000000000000000", "openchrome://guide", "file:///x"):
            with pytest.raises(MCPError) as caught:
                await client.subscribe_resource(missing)
            assert caught.value.error.code == -32602


@everywhere
async def test_a_listen_stream_acknowledges_the_tasks_it_follows(
    serving: Daemon, site: Site, transport: str
) -> None:
    """The newest revision; what is no task of ours is not in the acknowledgement."""
    uri = start_crawl(serving, site.url("gate/listened"))
    asked = [uri, "openchrome://guide", "openchrome://task/0000000000000000"]
    target: Any = Http(serving).url
    if transport == "relay":
        target = StdioServerParameters(command=str(SCRIPTS / "oc-mcp"), env=serving.home.environ)
    async with (
        Client(target, mode="auto") as client,
        client.listen(resource_subscriptions=asked, tools_list_changed=True) as stream,
    ):
        assert stream.honored.resource_subscriptions == [uri]
        assert stream.honored.tools_list_changed
        site.open_gate("listened")
        async for event in stream:
            assert event == ResourceUpdated(uri=uri)
            if status_of(await client.read_resource(uri, cache_mode="bypass")) == "COMPLETED":
                break


def test_a_bare_socket_gets_updates(serving: Daemon, site: Site) -> None:
    """Tagged with the stream's id."""
    uri = start_crawl(serving, site.url("gate/counted"))
    params = {"notifications": {"resourceSubscriptions": [uri]}, "_meta": modern_meta()}
    listen = {"jsonrpc": "2.0", "id": "all", "method": "subscriptions/listen", "params": params}
    with socket.socket(socket.AF_UNIX) as plain:
        plain.connect(str(serving.home.path / "run" / "mcp.sock"))
        plain.settimeout(300)
        plain.sendall(json.dumps(listen).encode() + b"\n")
        with plain.makefile("rb") as lines:
            acknowledged = json.loads(lines.readline())
            assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
            site.open_gate("counted")
            update = json.loads(lines.readline())
    assert update["method"] == UPDATED
    assert update["params"]["uri"] == uri
    assert update["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == "all"


def test_updates_are_limited_to_two_a_second(serving: Daemon, site: Site) -> None:
    """At most two a second and the last, which comes after the end."""
    url = site.url("many-pages/")
    with Bridge(serving.home) as bridge:
        bridge.greet()
        uri = start_crawl(serving, url, max_pages=12, max_depth=20, delay_ms=100)
        assert bridge.ask("resources/subscribe", {"uri": uri})["result"] == {}
        heard, meta = 0, {}
        while meta.get("status") not in ("COMPLETED", "FAILED"):
            assert bridge.next()["params"] == {"uri": uri}
            heard += 1
            (content,) = bridge.ask("resources/read", {"uri": uri})["result"]["contents"]
            meta = json.loads(content["text"])
    assert meta["progress"]["done"] == 12
    begun, ended = (datetime.fromisoformat(meta[key]) for key in ("created_at", "ended_at"))
    assert heard <= 2 * (ended - begun).total_seconds() + 2, meta


def test_subscriptions_end_when_their_host_dies(serving: Daemon, site: Site) -> None:
    """The connection ends although the task that was followed goes on."""
    uri = start_crawl(serving, site.url("gate/outlived"))
    with Bridge(serving.home) as bridge:
        bridge.greet()
        assert bridge.ask("resources/subscribe", {"uri": uri})["result"] == {}
        bridge.process.kill()
    wait_until(lambda: not serving.status()["mcp"]["bridges"], 20, "the connection's end")
    site.open_gate("outlived")
    task_id = uri.rpartition("/")[2]
    assert serving.finish(task_id)["status"] == "COMPLETED"


def test_subscriptions_outlive_the_daemon(make_daemon: Callable[..., Daemon], site: Site) -> None:
    """The relay subscribes again at the next daemon, and tells the host that the task changed."""
    daemon = make_daemon()
    uri = start_crawl(daemon, site.url("gate/orphan"))
    with Bridge(daemon.home) as bridge:
        bridge.greet()
        assert bridge.ask("resources/subscribe", {"uri": uri})["result"] == {}
        daemon.kill9()
        daemon.start()
        while (message := bridge.next())["method"] != UPDATED:
            pass
        assert message["params"] == {"uri": uri}
        (content,) = bridge.ask("resources/read", {"uri": uri})["result"]["contents"]
        assert json.loads(content["text"])["status"] != "RUNNING"
        other = start_crawl(daemon, site.url("gate/other"))
        assert bridge.ask("resources/subscribe", {"uri": other})["result"] == {}


def test_bare_requests_cannot_subscribe(http: Http) -> None:
    for method in ("resources/subscribe", "resources/unsubscribe", "subscriptions/listen"):
        error = http.ask(method, {"uri": "openchrome://guide"}).error
        assert error["code"] == -32601
