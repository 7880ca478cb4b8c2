"""The dashboard in a real browser: one that another daemon drives."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from support import npm
from support.daemon import Daemon
from support.dashboard import DashboardPort
from support.site import Site

MARKUP = (
    "<script>hit=1</script>", "<img src=x onerror=hit=1>", "<svg onload=hit=1>", "<b>bold</b>",
    "<iframe srcdoc='<script>parent.hit=1</script>'>", "'\"><script>hit=1</script>",
    "</pre><script>hit=1</script>", "</title><script>hit=1</script>", "<!--", "]]>", "<style>*{}",
    "javascript:hit=1", "<a href=javascript:hit=1>x</a>", "<base href=//evil.example>",
    "<meta http-equiv=refresh content=0;url=//evil.example>", "<form action=//evil>",
    "<details open ontoggle=hit=1>", "<input autofocus onfocus=hit=1>", "<object data=x>",
    "<embed src=x>", "<link rel=stylesheet href=//evil.example>", "<marquee onstart=hit=1>",
    "<video src=x onerror=hit=1>", "<audio src=x onerror=hit=1>", "<body onload=hit=1>",
    "<math><mtext><script>hit=1</script></mtext></math>", "<template><script>hit=1</script>",
    "<noscript><p title='</noscript><img src=x onerror=hit=1>'>", "&lt;script&gt;",
    "&#60;b&#62;",
    "{{constructor.constructor('hit=1')()}}", "${hit=1}", "<%= hit %>", "\u202egnp.exe",
    "\u0000<b>",
    "<plaintext>", "<xmp><b>", "<textarea><script>hit=1</script>", "<select><option><b>",
    "<table><tr><td><script>hit=1", "<frameset onload=hit=1>", "<keygen autofocus onfocus=hit=1>",
    "<isindex onfocus=hit=1>", "<svg><animate onbegin=hit=1>", "<svg><use href=data:,x>",
    "<x contenteditable onfocus=hit=1>", "data:text/html,<script>hit=1</script>", "<?php hit ?>",
    "\\x3cscript\\x3ehit=1", "<ScRiPt>hit=1</sCrIpT>",
)  # fmt: skip
# What stands in the page as elements, where there should be text alone.
STRANGERS = """JSON.stringify([typeof hit, ...[...document.querySelectorAll(
  'main :is(script, img, iframe, b, style, base, meta, object, embed, link, video, audio)'
)].map(one => one.outerHTML)])"""


@pytest.fixture
def watched(share_daemon: Callable[..., Daemon]) -> Daemon:
    return share_daemon("--dashboard", "0")


@pytest.fixture
def port(watched: Daemon, daemon: Daemon) -> DashboardPort:
    """The watched daemon's dashboard, after the other's browser was let in."""
    there = DashboardPort(watched)
    daemon.do("navigate", url=there.link())
    wait_for_text(daemon, "Connected")
    return there


def wait_for_text(daemon: Daemon, text: str) -> None:
    daemon.do("wait_for", type="text", value=text, timeout_ms=60_000)


def look(daemon: Daemon, url: str, text: str) -> str:
    """Open a page of the dashboard and return how it reads once it has the text."""
    daemon.do("navigate", url=url)
    wait_for_text(daemon, text)
    return str(daemon.do("read_page")["content"])


def test_a_task_is_seen_while_it_runs_and_cancelled(
    port: DashboardPort, watched: Daemon, daemon: Daemon, site: Site
) -> None:
    """It appears without a reload, its page has a button, and the ledger has what that did."""
    wait_for_text(daemon, "Tasks")
    task = watched.start_task("crawl", url=site.url("gate/dashboard"), max_pages=1)
    wait_for_text(daemon, task)
    daemon.do("interact", selector=f"a[href='/task/{task}']")
    wait_for_text(daemon, "Asked for")
    daemon.do("interact", selector="button.bad")
    assert watched.finish(task)["status"] == "CANCELLED"
    wait_for_text(daemon, "cancelled")
    site.open_gate("dashboard")


def test_a_used_link_says_what_to_do(port: DashboardPort, daemon: Daemon) -> None:
    """A link that was used shows a page for people; a key to look shows no buttons."""
    link = port.link(control=False)
    daemon.do("navigate", url=link)
    wait_for_text(daemon, "Connected")
    assert "Start a crawl" not in daemon.do("read_page")["content"]
    daemon.do("navigate", url=link)
    wait_for_text(daemon, "oc dashboard")


def test_what_pages_say_is_text(
    port: DashboardPort, watched: Daemon, daemon: Daemon, site: Site
) -> None:
    """Fifty kinds of markup in tasks' arguments and in the journal: all are text."""
    for part in (MARKUP[:25], MARKUP[25:]):
        include = [f"*{text}" for text in part]
        args = {"url": site.url("article.html"), "max_pages": 1, "include": include}
        task = watched.start_task("crawl", **args)
        watched.finish(task)
        look(daemon, f"{port.origin}/task/{task}", part[-1][:12])
        assert strangers(daemon) == ["undefined"]
    look(daemon, f"{port.origin}/journal", "oc_task_start")
    daemon.do(
        "javascript_tool",
        code="document.querySelectorAll('details').forEach(one => one.open = true)",
    )
    wait_for_text(daemon, MARKUP[0])
    assert strangers(daemon) == ["undefined"]


def strangers(daemon: Daemon) -> list[str]:
    found: list[str] = json.loads(daemon.do("javascript_tool", code=STRANGERS)["content"])
    return found


def test_every_view_is_accessible(
    port: DashboardPort, watched: Daemon, daemon: Daemon, site: Site
) -> None:
    """axe-core finds nothing, wide and narrow, and nothing is wider than a narrow screen."""
    task = watched.start_task("crawl", url=site.url("article.html"), max_pages=1)
    watched.finish(task)
    stored = watched.do("crawl", url=site.url("article.html"), max_pages=1, output_mode="handle")
    handle = stored["output_handle"]
    axe = (npm.installed() / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    views = {
        "/tasks": task, f"/task/{task}": "Asked for", "/outputs": handle,
        f"/output/{handle}": "of 1 item", "/journal": "oc_task_start",
    }  # fmt: skip
    for path, text in views.items():
        daemon.do("navigate", url=f"{port.origin}{path}")
        wait_for_text(daemon, text)
        daemon.do("javascript_tool", code=f"{axe};0", timeout_ms=60_000)
        for width in (375, 1440):
            daemon.do("emulate_device", width=width, height=800)
            found = daemon.do("javascript_tool", code=AXE, timeout_ms=60_000)
            assert json.loads(found["content"]) == {"wider": False, "violations": []}, (path, width)


AXE = """
const found = await axe.run(document);
JSON.stringify({wider: document.documentElement.scrollWidth > innerWidth,
  violations: found.violations.map(one => [one.id, one.nodes.map(node => node.html)])})
"""
