"""Every way by which a page may reach another host, against the domain policy; the host counts.

Each way is run without a policy, too: a way that leads nowhere then would prove nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

import pytest

from support.daemon import Daemon
from support.recording_origin import Page, RecordingOrigin
from support.waiting import wait_until
from support.ways_out import (
    LEAVING,
    PEERS_AND_HINTS,
    REQUESTS,
    SILENT,
    SOCKET,
    SOCKETS,
    at_once,
    pages,
)  # fmt: skip

MakeDaemon = Callable[..., Daemon]
Origins = Mapping[str, RecordingOrigin]
GOOD, EVIL = "good.localhost", "evil.test"

FLAGS = {"allow": ["--allow-domain", GOOD], "block": ["--block-domain", EVIL]}


@contextmanager
def origins(ways: Mapping[str, str]) -> Iterator[tuple[RecordingOrigin, Origins]]:
    """Serve our own host, and for each way one of the other host's ports."""
    with ExitStack() as stack:
        evil = {way: stack.enter_context(RecordingOrigin()) for way in ways}
        reports = evil.get("csp report", evil[next(iter(ways))])
        yield stack.enter_context(RecordingOrigin(pages(f"{EVIL}:{reports.port}"))), evil


def go(daemon: Daemon, good: RecordingOrigin, ways: Mapping[str, str], evil: Origins) -> None:
    """Go all ways from a fresh page, then from another one those by which it is left."""
    addresses = {way: f"{EVIL}:{one.port}" for way, one in evil.items()}
    staying = {way: code for way, code in ways.items() if way not in LEAVING}
    leaving = {way: code for way, code in ways.items() if way in LEAVING}
    for together in filter(None, (staying, leaving)):
        daemon.do("navigate", url=f"http://{GOOD}:{good.port}/")
        code = f"{at_once(together, addresses)} 'gone'"
        reply = daemon.call("javascript_tool", code=code, timeout_ms=300_000)
        assert together is leaving or reply.result["content"] == "gone"
        for tab in daemon.do("tabs_context")["tabs"][1:]:
            daemon.close_tab(tab["tab_id"])


# Every host is this machine, so that only the policy stands between them.
RULES = "--browser-arg=--host-resolver-rules=MAP evil.test 127.0.0.1, MAP evil.test. 127.0.0.1"


@pytest.mark.timeout(600)
@pytest.mark.parametrize("policy", ["allow", "block"])
@pytest.mark.parametrize("ways", [SOCKETS, PEERS_AND_HINTS, REQUESTS])
def test_no_way_reaches_a_blocked_host(
    share_daemon: MakeDaemon, policy: str, ways: dict[str, str]
) -> None:
    """Not one connection and not one datagram has come when Chromium has ended."""
    with origins(ways) as (good, evil):
        daemon = share_daemon("--isolated", RULES, *FLAGS[policy])
        go(daemon, good, ways, evil)
        browser = daemon.chromium()
        daemon.do("oc_stop")
        browser.wait_gone()
        assert {way: one.words for way, one in evil.items() if one.seen} == {}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("ways", [SOCKETS, PEERS_AND_HINTS, REQUESTS])
def test_every_way_reaches_the_host_without_a_policy(
    share_daemon: MakeDaemon, ways: dict[str, str]
) -> None:
    """So none of them is refused for a reason of its own."""
    daemon = share_daemon("--isolated", RULES)
    with origins(ways) as (good, evil):
        go(daemon, good, ways, evil)
        for way in sorted(set(ways) - SILENT):
            evil[way].wait_seen()
            assert evil[way].seen, way


@pytest.mark.parametrize("policy", FLAGS)
def test_a_page_that_goes_on_to_a_blocked_host_by_itself_is_an_error(
    share_daemon: MakeDaemon, policy: str
) -> None:
    """The error names that host: Chromium's own page about it is not taken for the site's."""
    daemon = share_daemon("--isolated", RULES, *FLAGS[policy])
    with RecordingOrigin() as evil:
        target = f"http://{EVIL}:{evil.port}/"
        code = f"<title>Here</title><script>location = '{target}'</script>"
        with RecordingOrigin({"/": Page(code, "text/html")}) as good:
            url = f"http://{GOOD}:{good.port}/"
            opened = daemon.call("navigate", url=url).error
            assert (opened["code"], opened["url"]) == ("domain_blocked", target)
            assert opened["hint"].startswith(url)
            asked = {"engine": "browser", "max_pages": 1, "respect_robots": False}
            crawled = daemon.call("crawl", url=url, **asked).error
            assert (crawled["code"], crawled["url"]) == ("domain_blocked", target)
            assert EVIL in crawled["message"]
        assert not evil.seen


@pytest.mark.parametrize("policy", FLAGS)
def test_a_refused_websocket_is_shown_as_blocked(share_daemon: MakeDaemon, policy: str) -> None:
    """`network` lists it among the page's requests, and says whose refusal it was."""
    daemon = share_daemon("--isolated", RULES, *FLAGS[policy])
    with RecordingOrigin(pages("")) as good:
        daemon.do("navigate", url=f"http://{GOOD}:{good.port}/")
        code = f"{SOCKET}; await openSocket('{EVIL}:81')"
        assert daemon.do("javascript_tool", code=code, timeout_ms=90_000)["content"] == "refused"

        def shown() -> list[str]:
            found = daemon.do("network")["requests"]
            return [one.get("blocked_reason", "") for one in found if one["url"].startswith("ws:")]

        wait_until(lambda: shown() == ["domain-policy"], 20, "the refused socket")


ADDRESS_FLAGS = {
    "allow": ["--allow-domain", GOOD],
    "block": [
        "--block-domain",
        "127.0.0.1",
        "--block-domain",
        "::1",
        "--block-domain",
        "localhost",
    ],
}
SPELLINGS = ("127.0.0.1", "localhost", "[::1]", "2130706433", "[::ffff:127.0.0.1]", "localhost.")


@pytest.mark.parametrize("policy", ADDRESS_FLAGS)
def test_policy_applies_to_ip_addresses_and_loopback(policy: str) -> None:
    """A proxy's usual exception for loopback is none here, and an address has one meaning."""
    with RecordingOrigin() as evil, RecordingOrigin(pages("")) as good:
        with Daemon("--isolated", *ADDRESS_FLAGS[policy]) as daemon:
            daemon.do("navigate", url=f"http://{GOOD}:{good.port}/")
            for host in SPELLINGS:
                code = f"{SOCKET}; await openSocket('{host}:{evil.port}')"
                said = daemon.do("javascript_tool", code=code, timeout_ms=90_000)["content"]
                assert (host, said) == (host, "refused")
        assert evil.words == []


def test_policy_applies_to_crawls_and_workers(make_daemon: MakeDaemon) -> None:
    """Their pages live in browser contexts of their own."""
    with RecordingOrigin() as evil, RecordingOrigin() as good:
        # What it says to its own server, it says when the other has answered or was refused.
        tries = f"openSocket('{EVIL}:{evil.port}').then(() => openSocket(location.host))"
        good.pages["/"] = Page(f"<title>x</title><script>{SOCKET}{tries}</script>")
        daemon = make_daemon(RULES, "--allow-domain", GOOD)
        url = f"http://{GOOD}:{good.port}/"
        found = daemon.do("crawl", url=url, engine="browser", max_pages=1, respect_robots=False)[
            "pages"
        ]
        assert [entry["url"] for entry in found] == [url]
        good.seen.clear()
        daemon.do("worker", action="create", name="apart", url=url)
        wait_until(lambda: "Upgrade: websocket" in "".join(good.words), 30, "the second socket")
        assert evil.words == []


def test_a_changed_policy_applies_to_websockets(make_daemon: MakeDaemon) -> None:
    """Chromium starts again with the rules of the edited file."""
    with RecordingOrigin() as evil, RecordingOrigin(pages("")) as good:
        daemon = make_daemon(RULES)
        url = f"http://{GOOD}:{good.port}/"
        code = f"{SOCKET}; await openSocket('{EVIL}:{evil.port}')"

        def said() -> object:
            opened = daemon.call("navigate", url=url)
            ran = daemon.call("javascript_tool", code=code, timeout_ms=90_000)
            return ran.body["result"]["content"] if (opened.status, ran.status) == (200, 200) else 0

        assert said() == "heard hello"
        first = daemon.status()["browser"]["generation"]
        daemon.home.write_config(f'block_domain = ["{EVIL}"]\n')
        wait_until(lambda: said() == "refused", 40, "the block")
        evil.seen.clear()
        assert said() == "refused"
        assert evil.words == []
        daemon.home.write_config("")
        wait_until(lambda: said() == "heard hello", 40, "the block's end")
        assert daemon.status()["browser"]["generation"] > first
