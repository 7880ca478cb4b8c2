"""The approvals queue: calls that need consent wait there, and the first answer decides."""

from collections.abc import Callable, Iterator
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters

from support.daemon import SCRIPTS, Daemon
from support.mcp import error_of, json_of
from support.site import Site
from support.waiting import wait_until

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.usefixtures("headless_shell"),
]
ASK = '[policy]\nexfiltration = "ask"\n'


@pytest.fixture(scope="module")
def asking() -> Iterator[Daemon]:
    with Daemon(config=ASK) as daemon:
        yield daemon


def pending(daemon: Daemon, session: str) -> list[dict[str, Any]]:
    found = daemon.oc("approvals", "--json").ok().json["result"]["approvals"]
    return [one for one in found if one["session"] == session]


def read(daemon: Daemon, site: Site, session: str) -> None:
    daemon.do("navigate", session=session, url=site.url("article.html"))
    daemon.do("read_page", session=session)


def address(site: Site, words: str) -> str:
    return f"{site.other_origin}/article.html?mail={words}"


def came(site: Site, words: str) -> bool:
    return any(words in seen.query for seen in site.seen("/article.html"))


def test_a_call_waits_until_a_person_allows_it(asking: Daemon, site: Site) -> None:
    """At a terminal: listed with what would happen; once is once, and for the session is that."""
    session = "waits"
    read(asking, site, session)
    call = asking.start_call(
        "navigate", session=session, url=address(site, "first"), timeout_ms=120_000
    )
    (one,) = wait_until(lambda: pending(asking, session), what="the approval")
    assert (one["verb"], one["kind"], one["waiting"]) == ("navigate", "data", True)
    assert one["params"]["url"] == address(site, "first")
    assert site.other_origin in one["asks"]
    assert not came(site, "first")
    shown = asking.oc("approvals").ok()
    assert one["asks"] in shown.out
    assert f"oc approvals allow {one['approval']}" in shown.err
    asking.oc("approvals", "allow", one["approval"]).ok()
    assert call.reply().result["url"] == address(site, "first")
    again = asking.oc("approvals", "deny", one["approval"], "--json")
    assert (again.code, again.json["error"]["code"]) == (2, "not_found")
    second = asking.start_call("navigate", session=session, url=address(site, "second"))
    (one,) = wait_until(lambda: pending(asking, session), what="the second approval")
    asking.oc("approvals", "allow", one["approval"], "--for-session").ok()
    assert second.reply().status == 200
    assert asking.do("navigate", session=session, url=address(site, "third"))["status"] == 200
    assert pending(asking, session) == []
    events = asking.do("oc_journal", count=200)
    answers = [one for one in events if one.get("event") == "approval_answered"]
    assert [(one["decision"], one["scope"], one["by"]) for one in answers[-2:]] == [
        ("allowed", "once", "terminal"),
        ("allowed", "session", "terminal"),
    ]


def test_an_unanswered_call_says_how_to_continue(asking: Daemon, site: Site) -> None:
    """The approval outlives the call: allowed later, the same call passes, and no other."""
    session = "late"
    read(asking, site, session)
    url = address(site, "late")
    error = asking.call("navigate", session=session, url=url, timeout_ms=1000).error
    assert error["code"] == "consent_needed"
    (one,) = pending(asking, session)
    assert one["waiting"] is False
    assert error["approval"] == one["approval"]
    assert f"oc approvals allow {one['approval']}" in error["hint"]
    asking.oc("approvals", "allow", one["approval"]).ok()
    other = asking.call("navigate", session=session, url=address(site, "x"), timeout_ms=1000)
    assert other.error["code"] == "consent_needed"
    assert asking.do("navigate", session=session, url=url)["url"] == url
    denied = other.error["approval"]
    asking.oc("approvals", "deny", denied).ok()
    refused = asking.call("navigate", session=session, url=address(site, "x"))
    assert refused.error["code"] == "exfiltration_denied"
    assert (refused.error["approval"], refused.error["by"]) == (denied, "terminal")
    assert not came(site, "mail=x")


def test_steps_before_the_question_are_done_only_once(asking: Daemon, site: Site) -> None:
    """An instruction of several steps waits at the step that sends, and continues there."""
    session = "steps"
    asking.do("navigate", session=session, url=site.url("injection/form.html"))
    asking.do("read_page", session=session)
    words = 'type "all I know" into Message then click Send'
    call = asking.start_call("act", session=session, instruction=words, timeout_ms=120_000)
    (one,) = wait_until(lambda: pending(asking, session), what="the approval")
    assert one["details"]["target"] == site.other_origin
    assert not [seen for seen in site.requests if "message" in seen.query]
    asking.oc("approvals", "allow", one["approval"]).ok()
    assert len(call.reply().result["steps"]) == 2
    (sent,) = wait_until(lambda: [seen for seen in site.requests if "message" in seen.query])
    assert sent.query == "message=all I know"


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_the_terminal_may_answer_before_the_host(
    make_daemon: Callable[..., Daemon], site: Site, era: str
) -> None:
    """If the host's person gives no usable answer, the terminal's counts."""
    daemon = make_daemon(config=ASK)

    async def answer(_context: object, _params: object) -> types.ElicitResult:
        (one,) = daemon.oc("approvals", "--json").ok().json["result"]["approvals"]
        daemon.oc("approvals", "deny", one["approval"]).ok()
        return types.ElicitResult(action="accept", content={})

    target = StdioServerParameters(command=str(SCRIPTS / "oc-mcp"), env=daemon.home.environ)
    async with Client(target, mode=era, elicitation_callback=answer) as client:
        await client.call_tool("navigate", {"url": site.url("article.html")})
        await client.call_tool("read_page", {})
        result = await client.call_tool("navigate", {"url": address(site, "raced")})
        shown = result.model_dump(by_alias=True, exclude_none=True, mode="json")
        assert error_of(shown)["code"] == "exfiltration_denied"
        assert error_of(shown)["by"] == "terminal"
        tabs = await client.call_tool("tabs_context", {})
        assert json_of(tabs.model_dump(by_alias=True, exclude_none=True, mode="json"))["tabs"]
    assert not came(site, "raced")
