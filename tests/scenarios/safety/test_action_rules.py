"""[[policy.action]]: which calls are allowed, asked about or refused, by the page they act on."""

from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")
RULES = """
[[policy.action]]
origin = "127.0.0.1"
verbs = ["form_input"]
rule = "allow"

[[policy.action]]
origin = "127.0.0.1"
verbs = ["form_input", "interact", "crawl"]
rule = "ask"

[[policy.action]]
origin = "http://localhost"
rule = "deny"
"""


def pending(daemon: Daemon) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = daemon.oc("approvals", "--json").ok().json["result"]["approvals"]
    return found


def test_the_first_matching_rule_wins(site: Site) -> None:
    """On the page it acts on and the address it opens, in plans and tasks, too; reading is free."""
    with Daemon(config=RULES) as daemon:
        daemon.do("navigate", url=site.url("injection/form.html"))
        daemon.do("form_input", query="Message", value="words")
        click = daemon.start_call("interact", query="Home", action="click", timeout_ms=120_000)
        (one,) = wait_until(lambda: pending(daemon), what="the approval")
        assert (one["kind"], one["verb"]) == ("action", "interact")
        assert one["params"]["query"] == "Home"
        assert one["details"] == {"verb": "interact", "origin": site.origin}
        assert daemon.do("read_page")["title"]
        daemon.oc("approvals", "allow", one["approval"]).ok()
        assert click.reply().result["changed"]
        crawl = daemon.start_call("oc_task_start", kind="crawl", args={"url": site.url()})
        (one,) = wait_until(lambda: pending(daemon), what="the crawl's approval")
        daemon.oc("approvals", "deny", one["approval"]).ok()
        assert crawl.reply().error["code"] == "action_denied"

        there = f"{site.other_origin}/article.html"
        for refused in (
            daemon.call("navigate", url=there),
            daemon.call("tabs_create", url=there),
            daemon.call("call_verb", name="navigate", arguments={"url": there}),
            daemon.call(
                "execute_plan", plan={"steps": [{"tool": "navigate", "args": {"url": there}}]}
            ),
        ):
            assert refused.status >= 400
            assert "action_denied" in str(refused.error)
        assert [seen for seen in site.seen("/article.html") if seen.host.startswith("local")] == []

        daemon.home.write_config("")
        wait_until(lambda: daemon.call("navigate", url=there).status == 200, what="no rules")
