"""Every way for what an agent has read to reach another origin, with the rule set to deny.

The other origin's own record says whether anything came.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site

pytestmark = pytest.mark.usefixtures("headless_shell")

WORDS = "all-that-was-read"
# In base64, as a login is sent.
LOGIN = "YWRhOmFsbC10aGF0LXdhcy1yZWFk"
Call = tuple[str, dict[str, Any]]


@pytest.fixture(scope="module")
def denying() -> Iterator[Daemon]:
    with Daemon(config='[policy]\nexfiltration = "deny"\n') as daemon:
        yield daemon


def query(site: Site) -> str:
    return f"{site.other_origin}/article.html?mail={WORDS}"


def envelope(site: Site) -> dict[str, Any]:
    cookie = {"name": "mail", "value": WORDS, "domain": "localhost", "path": "/"}
    return {"version": 1, "origin": site.other_origin, "cookies": [cookie]}


def rule(site: Site, **rest: object) -> dict[str, Any]:
    return {"pattern": f"{site.other_origin}/", "action": "modify", **rest}


WAYS: dict[str, Callable[[Site], Call]] = {
    "navigate": lambda site: ("navigate", {"url": query(site)}),
    "without a scheme": lambda site: ("navigate", {"url": query(site).removeprefix("http://")}),
    "with backslashes": lambda site: (
        "navigate",
        {"url": query(site).replace("//localhost", "\\\\localhost")},
    ),
    "as a user name": lambda site: (
        "navigate",
        {"url": f"http://{WORDS}@localhost:{site.port}/basic-auth"},
    ),
    "page of its own": lambda site: (
        "navigate",
        {"url": f'data:text/html,<img src="{query(site)}">'},
    ),
    "tabs_create": lambda site: ("tabs_create", {"url": query(site)}),
    "worker": lambda site: ("worker", {"action": "create", "url": query(site)}),
    "validate_page": lambda site: ("validate_page", {"url": query(site)}),
    "oc_performance_insights": lambda site: ("oc_performance_insights", {"url": query(site)}),
    "crawl, static": lambda site: ("crawl", {"url": query(site), "engine": "static"}),
    "crawl, browser": lambda site: ("crawl", {"url": query(site), "engine": "browser"}),
    "crawl, several": lambda site: ("crawl", {"urls": f"{site.url()}\n# more\n{query(site)}"}),
    "crawl, headers": lambda site: (
        "crawl",
        {"urls": [site.url(), f"{site.other_origin}/"], "headers": {"X-Mail": WORDS}},
    ),
    "crawl, user agent": lambda site: ("crawl", {"url": site.url(), "user_agent": WORDS}),
    "crawl, cookies": lambda site: (
        "crawl",
        {"url": site.url(), "cookies": [{"name": "m", "value": WORDS, "domain": "localhost"}]},
    ),
    "crawl, proxy": lambda site: (
        "crawl",
        {"url": "http://docs.invalid/", "proxy": f"{WORDS}@localhost:{site.port}"},
    ),
    "crawl, webhook": lambda site: (
        "crawl",
        {"url": site.url(), "webhook": f"{site.other_origin}/{WORDS}"},
    ),
    "crawl by call_verb": lambda site: (
        "call_verb",
        {"name": "crawl", "arguments": {"url": query(site)}},
    ),
    "crawl as a task": lambda site: (
        "oc_task_start",
        {"kind": "crawl", "args": {"url": query(site)}},
    ),
    "crawl_sitemap, url": lambda site: ("crawl_sitemap", {"url": query(site)}),
    "crawl_sitemap, sitemap_url": lambda site: (
        "crawl_sitemap",
        {"url": site.url(), "sitemap_url": query(site)},
    ),
    "crawl_sitemap as a task": lambda site: (
        "oc_task_start",
        {"kind": "crawl_sitemap", "args": {"url": site.url(), "sitemap_url": query(site)}},
    ),
    "act": lambda site: ("act", {"instruction": f'go to "{query(site)}"'}),
    "act, in two steps": lambda site: (
        "act",
        {"instruction": f'go to {site.other_origin}/ then go to "/article.html?mail={WORDS}"'},
    ),
    "act, to a relative address": lambda site: (
        "act",
        {"instruction": f'go to {site.other_origin}/ then go to "./article.html?mail={WORDS}"'},
    ),
    "act, to a relative address from wherever a key leads": lambda _site: (
        "act",
        {"instruction": f'press Enter then go to "?mail={WORDS}"'},
    ),
    "http_auth": lambda site: (
        "http_auth",
        {
            "action": "set",
            "username": "ada",
            "password": WORDS,
            "origins": [site.other_origin],
        },
    ),
    "http_auth, whoever asks": lambda site: (
        "http_auth",
        {"action": "set", "username": "ada", "password": WORDS},
    ),
    "intercept, request headers": lambda site: (
        "request_intercept",
        {"action": "add_rule", "rule": rule(site, request={"headers": {"x-mail": WORDS}})},
    ),
    "intercept, short form": lambda site: (
        "request_intercept",
        {"action": "add_rule", "rule": rule(site, modify_options={"headers": {"x-mail": WORDS}})},
    ),
    "intercept, another address": lambda site: (
        "request_intercept",
        {
            "action": "add_rule",
            "rule": {"pattern": site.url(), "action": "modify", "request": {"url": query(site)}},
        },
    ),
    "intercept, body": lambda site: (
        "request_intercept",
        {"action": "add_rule", "rule": rule(site, request={"method": "POST"}), "body": WORDS},
    ),
    "intercept, redirect": lambda site: (
        "request_intercept",
        {
            "action": "add_rule",
            "rule": {
                "pattern": site.url(),
                "action": "mock",
                "response": {"status": 302, "headers": {"location": query(site)}},
            },
        },
    ),
    "oc_context_import": lambda site: ("oc_context_import", {"envelope": envelope(site)}),
    "cookies": lambda site: (
        "cookies",
        {"action": "set", "name": "mail", "value": WORDS, "domain": "localhost"},
    ),
    "user_agent": lambda _site: ("user_agent", {"custom": WORDS}),
    "user_agent, language": lambda _site: (
        "user_agent",
        {"preset": "chrome-mac", "accept_language": f"en-{WORDS}"},
    ),
    "emulate_device": lambda _site: (
        "emulate_device",
        {"preset": "iphone-se", "user_agent": WORDS},
    ),
    "batch_execute": lambda site: (
        "batch_execute",
        {"tasks": [{"script": "1", "url": query(site)}]},
    ),
    "batch_paginate": lambda site: (
        "batch_paginate",
        {"strategy": "url", "url_template": f"{query(site)}-{{page}}", "total_pages": 1},
    ),
    "workflow_init": lambda site: (
        "workflow_init",
        {"name": "out", "workers": [{"name": "one", "task": "go", "url": query(site)}]},
    ),
    "execute_plan": lambda site: (
        "execute_plan",
        {"plan": {"steps": [{"tool": "crawl", "args": {"url": query(site)}}]}},
    ),
    "oc_task_start of a batch": lambda site: (
        "oc_task_start",
        {
            "kind": "batch_execute",
            "args": {"tasks": [{"script": "1", "url": query(site)}]},
        },
    ),
}
# They run other verbs, whose refusal is a part of their own answer.
THROUGH_OTHERS = ("batch_", "workflow_init", "execute_plan", "oc_task_start of a batch")


@pytest.mark.parametrize("way", WAYS)
def test_denied_egress_is_refused(denying: Daemon, site: Site, way: str) -> None:
    """Refused where it is asked for; pages of the other origin opened later carry nothing."""
    verb, params = WAYS[way](site)
    session = way.replace(" ", "-").replace(",", "")
    denying.do("navigate", session=session, url=site.url("article.html"))
    denying.do("read_page", session=session)
    said = denying.call(verb, session=session, **params)
    if way.startswith("oc_task_start of"):
        said = denying.finish(said.result["task_id"])
    elif not way.startswith(THROUGH_OTHERS):
        assert said.status == 403
    assert "exfiltration_denied" in str(said)
    for path in ("article.html", "basic-auth"):
        denying.do("navigate", session=session, url=f"{site.other_origin}/{path}")
    there = [seen for seen in site.requests if seen.host.startswith("localhost")]
    assert there
    told = "\n".join(f"{seen.path} {seen.query} {dict(seen.headers)}" for seen in there)
    assert WORDS not in told
    assert LOGIN not in told


def test_task_results_count_as_read(denying: Daemon, site: Site) -> None:
    """The pages of a crawl reach the caller by oc_task_get, in a session that opened none."""
    session = "by-task"
    task = denying.do(
        "oc_task_start",
        session="starter",
        kind="crawl",
        args={"url": site.url("article.html"), "max_pages": 1},
    )
    denying.finish(task["task_id"])
    denying.do("oc_task_get", session=session, task_id=task["task_id"], include_result=True)
    refused = denying.call("navigate", session=session, url=query(site))
    assert refused.error["code"] == "exfiltration_denied"


def read_crawl(denying: Daemon, site: Site, reading: str, session: str) -> None:
    """Have the session read pages of two origins, in one of the ways that a crawl's pages come."""
    pages = {"urls": [f"{site.other_origin}/article.html", site.url("article.html")]}
    crawl: dict[str, Any] = {"max_pages": 2, "engine": "static", **pages}
    if reading == "inline":
        denying.do("crawl", session=session, **crawl)
        return
    if reading == "task":
        task = denying.do("oc_task_start", session="starter", kind="crawl", args=crawl)["task_id"]
        denying.finish(task)
        denying.do("oc_task_get", session=session, task_id=task, include_result=True)
        return
    stored = denying.do("crawl", session="starter", output_mode="handle", **crawl)
    found = {"output_handle": stored["output_handle"]}
    if reading == "search":
        denying.do("oc_output_search", session=session, pattern="lamp", **found)
    else:
        denying.do("oc_output_fetch", session=session, **found)


@pytest.mark.parametrize("reading", ["inline", "task", "fetch", "search"])
def test_crawled_pages_count_as_read(denying: Daemon, site: Site, reading: str) -> None:
    """Those of each origin, not only of its first: what they say may go to neither of the others.

    A stored output counts for the session that fetches it, not only for the one that made it.
    """
    session = f"crawl-{reading}"
    assert denying.call("navigate", session=session, url=query(site)).status == 200
    read_crawl(denying, site, reading, session)
    refused = denying.call("navigate", session=session, url=query(site))
    assert refused.code == "exfiltration_denied"
    assert refused.error["read"] == [site.origin]


def test_data_sent_back_to_its_own_site_is_not_egress(denying: Daemon, site: Site) -> None:
    """A login, a cookie, a header of a known kind and an address with a query, for the site."""
    session = "at-home"
    denying.do("navigate", session=session, url=site.url("article.html"))
    denying.do("read_page", session=session)
    login = {"username": "ada", "password": "lovelace", "origins": [site.origin]}
    denying.do("http_auth", session=session, action="set", **login)
    denying.do("navigate", session=session, url=site.url("basic-auth?why=home"))
    at = denying.do("navigate", session=session, url="./article.html?why=home")["url"]
    assert at == site.url("article.html?why=home")
    denying.do("cookies", session=session, action="set", name="seen", value="yes")
    denying.do("storage", session=session, action="set", key="seen", value="yes")
    kept = denying.do("oc_context_export", session=session)["envelope"]
    denying.do("oc_context_import", session=session, envelope=kept)
    denying.do("user_agent", session=session, preset="chrome-mac")
    denying.do("act", session=session, instruction='go to "/article.html?back=1"')
    pages = denying.do("crawl", session=session, url=site.url("article.html?all=1"), max_pages=1)
    assert pages["pages"][0]["status"] == 200
    with_login = [seen for seen in site.seen("/basic-auth") if "Authorization" in seen.headers]
    assert with_login


def test_an_address_relative_to_another_site_is_egress(denying: Daemon, site: Site) -> None:
    """What is read in one tab does not leave by a query in the page of another tab."""
    session = "relative"
    other = denying.do("navigate", session=session, url=f"{site.other_origin}/article.html")
    home = denying.do("tabs_create", session=session, url=site.url("article.html"))["tab_id"]
    denying.do("read_page", session=session, tab_id=home)
    for url in (f"?mail={WORDS}", f"./article.html?mail={WORDS}", f"/article.html?mail={WORDS}"):
        said = denying.call("navigate", session=session, tab_id=other["tab_id"], url=url)
        assert said.code == "exfiltration_denied"
    assert not [one for one in site.seen("article.html") if WORDS in one.query]
