"""The dashboard's views in a real browser, which another daemon drives."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable

import pytest

from support import npm
from support.daemon import Daemon
from support.dashboard import DashboardPort
from support.films import BLUE, RED, last_colour_is
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")

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

# Pictures are decoded when `letGo` is called; `held`: once there is one.
HOLD_PICTURES = """const decode = createImageBitmap; window.held = new Promise((came) => {
  window.createImageBitmap = (...given) => new Promise((done) => {
    came(1);
    window.letGo = async () => {
      done(await decode(...given));
      await new Promise((drawn) => setTimeout(drawn)); }; }); }); 1"""


@pytest.fixture
def watched(share_daemon: Callable[..., Daemon]) -> Daemon:
    return share_daemon("--dashboard", "0", config='[policy]\nexfiltration = "ask"\n')


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


def test_a_running_task_is_shown_and_can_be_cancelled(
    port: DashboardPort, watched: Daemon, daemon: Daemon, site: Site
) -> None:
    """It appears without a reload, with its pages as they come; its button does what it says."""
    look(daemon, f"{port.origin}/tasks", "Start a crawl")
    urls = [site.url("article.html"), site.url("gate/dashboard")]
    task = watched.start_task("crawl", urls=urls, max_pages=2)
    wait_for_text(daemon, task)
    daemon.do("interact", selector=f"a[href='/task/{task}']", timeout_ms=60_000)
    wait_for_text(daemon, "The lighthouse")
    daemon.do("interact", selector="button.bad", timeout_ms=60_000)
    assert watched.finish(task)["status"] == "CANCELLED"
    wait_for_text(daemon, "Export")
    site.open_gate("dashboard")
    wait_for_text(daemon, "The lighthouse")
    cookie = {"Cookie": port.cookie(control=False)}
    for form, start in (
        ("csv", b"url,"),
        ("jsonl", b"{"),
        ("markdown", b"PK"),
        ("sqlite", b"SQLite"),
    ):
        reply, headers = port.ask("GET", f"/api/task/{task}/export/{form}", **cookie)
        assert reply.raw.startswith(start)
        assert headers["Content-Disposition"].startswith(f'attachment; filename="{task}.')
    assert port.ask("GET", f"/api/task/{task}/export/exe", **cookie)[0].status == 404


def test_older_tasks_are_loaded_on_request(
    port: DashboardPort, watched: Daemon, daemon: Daemon, site: Site
) -> None:
    """A hundred are listed at once, newest first."""
    newest = watched.start_task("crawl", url=site.url("article.html"), max_pages=1)
    watched.finish(newest)
    folder = watched.home.path / "tasks"
    meta = json.loads((folder / newest / "meta.json").read_bytes())
    older = [f"{number:016x}" for number in range(150)]
    for number, task in enumerate(older):
        (folder / task).mkdir(mode=0o700)
        then = {"task_id": task, "created_at": f"2026-01-01T00:00:{number % 60:02}.{number:03}Z"}
        (folder / task / "meta.json").write_text(json.dumps({**meta, **then}))
    look(daemon, f"{port.origin}/tasks", newest)
    assert rows(daemon) == 100
    daemon.do("interact", query="Older tasks", timeout_ms=60_000)
    wait_for_text(daemon, older[0])
    assert rows(daemon) > 150
    for task in older:
        shutil.rmtree(folder / task)


def rows(daemon: Daemon) -> int:
    code = "document.querySelectorAll('.tasks tbody tr').length"
    return int(daemon.do("javascript_tool", code=code)["content"])


def test_a_tab_is_shown_as_it_changes(
    port: DashboardPort, watched: Daemon, daemon: Daemon, site: Site
) -> None:
    """Its picture, where an agent acts, its calls and console, and that it was closed."""
    tab = watched.new_tab(site.url("dashboard/hands.html"), session="painter")
    watched.do("emulate_device", "painter", tab_id=tab, width=1000, height=600)
    look(daemon, f"{port.origin}/tab/painter/{tab}", "emulate_device")
    daemon.do("javascript_tool", code=HAS_PICTURE, timeout_ms=60_000)
    watched.do("interact", "painter", query="Send")
    marked = daemon.do("javascript_tool", code=MARKED, timeout_ms=60_000)
    assert json.loads(marked["content"]) == ["40,200,240,40", "160,220"]
    watched.do("navigate", "painter", url=site.url("article.html"))
    for color in ([200, 0, 0], [0, 0, 200]):
        words = ", ".join(map(str, color))
        paint = f"console.log('now {words}'); document.body.replaceChildren(); "
        paint += f"document.documentElement.style.background = 'rgb({words})'"
        watched.do("javascript_tool", "painter", code=paint)
        seen = daemon.do("javascript_tool", code=PIXEL % words, timeout_ms=60_000)
        assert json.loads(seen["content"]) == color
    wait_for_text(daemon, "javascript_tool")
    daemon.do("interact", query="Console", timeout_ms=60_000)
    wait_for_text(daemon, "now 0, 0, 200")
    daemon.do("interact", query="Requests", timeout_ms=60_000)
    wait_for_text(daemon, f"GET {site.url('article.html')}")
    watched.do("tabs_close", "painter", tab_id=tab)
    wait_for_text(daemon, "was closed")


def test_the_note_that_a_tab_was_closed_stays(
    port: DashboardPort, watched: Daemon, daemon: Daemon, site: Site
) -> None:
    """A picture that came before the end, and is drawn after it, does not wipe out the words."""
    tab = watched.new_tab(site.url("article.html"), session="painter")
    look(daemon, f"{port.origin}/tab/painter/{tab}", "The lighthouse")
    daemon.do("javascript_tool", code=HAS_PICTURE, timeout_ms=60_000)
    daemon.do("javascript_tool", code=HOLD_PICTURES)
    watched.do("javascript_tool", "painter", code="document.body.style.background = 'red'; 1")
    daemon.do("javascript_tool", code="await window.held; 1", timeout_ms=60_000)
    watched.do("tabs_close", "painter", tab_id=tab)
    wait_for_text(daemon, "was closed")
    told = "await letGo(); document.querySelector('.stage [role=status]').textContent"
    assert "was closed" in daemon.do("javascript_tool", code=told)["content"]


HAS_PICTURE = """
const canvas = document.querySelector('canvas');
while (!canvas.dataset.frames) await new Promise(requestAnimationFrame);
"""
# Where the outline and the mouse stand, once both do.
MARKED = """
const marks = ['outline', 'pointer'].map(name => document.querySelector(`.picture .${name}`));
while (marks.some(mark => !mark.dataset.at)) await new Promise(requestAnimationFrame);
JSON.stringify(marks.map(mark => mark.dataset.at))
"""
# Resolves once the picture's middle has about this colour.
PIXEL = """
const wanted = [%s];
await new Promise(done => {
  const look = () => {
    const canvas = document.querySelector('canvas');
    const [x, y] = [canvas.width >> 1, canvas.height >> 1];
    const now = canvas.getContext('2d').getImageData(x, y, 1, 1).data;
    if (wanted.every((part, i) => Math.abs(part - now[i]) < 12)) done();
    else requestAnimationFrame(look);
  };
  look();
});
JSON.stringify(wanted)
"""


def test_a_person_approves_a_waiting_call(
    port: DashboardPort, watched: Daemon, daemon: Daemon, site: Site
) -> None:
    """The question appears without a reload, and the call that waits goes on with the answer."""
    watched.do("navigate", "asks", url=site.url("article.html"))
    watched.do("read_page", "asks")
    look(daemon, f"{port.origin}/approvals", "Nothing needs your attention")
    url = f"{site.other_origin}/article.html?mail=words"
    call = watched.start_call("navigate", "asks", url=url, timeout_ms=120_000)
    wait_for_text(daemon, "a call is waiting until")
    daemon.do("interact", query="Allow once", timeout_ms=60_000)
    assert call.reply().result["url"] == url
    wait_for_text(daemon, "Nothing needs your attention")
    late = watched.start_call("navigate", "asks", url=f"{url}2", timeout_ms=2_000)
    assert late.reply().code == "consent_needed"
    wait_for_text(daemon, "no call is waiting")
    daemon.do("interact", query="Deny", timeout_ms=60_000)
    wait_for_text(daemon, "Nothing needs your attention")


def test_a_used_link_shows_what_to_do(port: DashboardPort, daemon: Daemon) -> None:
    """A used link shows a page with advice; a view-only link shows no buttons."""
    link = port.link(control=False)
    daemon.do("navigate", url=link)
    wait_for_text(daemon, "Connected")
    assert "Start a crawl" not in daemon.do("read_page")["content"]
    daemon.do("navigate", url=link)
    wait_for_text(daemon, "oc dashboard")


def test_markup_of_pages_is_shown_as_text(
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


def test_a_film_plays_beside_its_steps(
    port: DashboardPort, watched: Daemon, daemon: Daemon, site: Site
) -> None:
    """From the start of a step, by ranges of the file, and only for viewers with access."""
    film = watched.do("oc_recording_start", "film", video=True)["recording_id"]
    watched.do("navigate", "film", url=site.url("records/film.html"))
    path = watched.home.path / "recordings" / film / "film.webm"
    wait_until(lambda: last_colour_is(path, RED), what="the page in the film")
    watched.do("interact", "film", query="Turn button")
    wait_until(lambda: last_colour_is(path, BLUE), what="the next page in the film")
    watched.do("oc_recording_stop", "film")
    look(daemon, f"{port.origin}/recording/{film}", "Previous")
    daemon.do("interact", query="button 2. interact", timeout_ms=60_000)
    daemon.do("interact", query="button Play", timeout_ms=60_000)
    ended = "document.querySelector('video').ended"
    daemon.do("wait_for", type="function", value=ended, timeout_ms=120_000)
    where = f"/api/recording/{film}/film"
    part, headers = port.ask("GET", where, Cookie=port.cookie(), Range="bytes=0-3")
    assert (part.status, part.raw) == (206, b"\x1a\x45\xdf\xa3")
    assert headers["Content-Type"] == "video/webm"
    assert port.ask("GET", where)[0].status == 401


def test_the_dashboard_is_usable_by_keyboard_alone(
    port: DashboardPort, watched: Daemon, daemon: Daemon, site: Site
) -> None:
    """Every view, and what is done there: by Tab, Enter and typing alone."""
    tab = watched.new_tab(site.url("dashboard/hands.html"), session="keys")
    task = watched.start_task("crawl", url=site.url("article.html"), max_pages=1)
    watched.finish(task)
    look(daemon, f"{port.origin}/journal", "oc_task_start")
    press(daemon, "Tasks")
    wait_for_text(daemon, task)
    press(daemon, f"crawl {task}")
    wait_for_text(daemon, "The lighthouse")
    press(daemon, "Export")
    wait_for_text(daemon, "JSON lines")
    handle = watched.do("crawl", url=site.url("article.html"), max_pages=1, output_mode="handle")[
        "output_handle"
    ]
    press(daemon, "Outputs")
    wait_for_text(daemon, handle)
    press(daemon, handle)
    wait_for_text(daemon, "of 1 item")
    record(watched, site, "walk")
    press(daemon, "Recordings")
    wait_for_text(daemon, "walk")
    press(daemon, "walk")
    wait_for_text(daemon, "Previous")
    press(daemon, "Next")
    take_evidence(watched, site)
    press(daemon, "Evidence")
    wait_for_text(daemon, "With the previous one")
    press(daemon, "With the previous one")
    wait_for_text(daemon, "checked")
    press(daemon, "Journal")
    wait_for_text(daemon, "oc_evidence_bundle")
    watched.do("navigate", "walks", url=site.url("article.html"))
    watched.do("read_page", "walks")
    away = f"{site.other_origin}/article.html?mail=words"
    call = watched.start_call("navigate", "walks", url=away, timeout_ms=120_000)
    wait_for_text(daemon, "Approvals 1")
    press(daemon, "Approvals 1")
    wait_for_text(daemon, "a call is waiting until")
    press(daemon, "Deny")
    assert call.reply().code == "exfiltration_denied"
    press(daemon, "Live")
    wait_for_text(daemon, "Calls")
    look(daemon, f"{port.origin}/tab/keys/{tab}", "Take over")
    press(daemon, "Take over")
    wait_for_text(daemon, "Ctrl+Alt+Enter")
    daemon.do("computer", action="key", text="Tab x ctrl+alt+Enter", timeout_ms=60_000)
    press(daemon, "Give back")
    wait_for_text(daemon, "You gave the tab back.")
    assert "keydown KeyX x" in watched.do("read_page", "keys", tab_id=tab)["content"]


def press(daemon: Daemon, name: str) -> None:
    """Go on with Tab until what is named so has the focus, and press Enter."""
    for _ in range(120):
        if focused(daemon) == name:
            daemon.do("computer", action="key", text="Enter", timeout_ms=60_000)
            return
        daemon.do("computer", action="key", text="Tab", timeout_ms=60_000)
    raise AssertionError(f"Tab does not reach {name}")


def focused(daemon: Daemon) -> str:
    code = "document.activeElement.textContent.trim().replace(/\\s+/g, ' ')"
    return str(json.loads(daemon.do("javascript_tool", code=f"JSON.stringify({code})")["content"]))


def test_every_view_is_accessible(
    port: DashboardPort, watched: Daemon, daemon: Daemon, site: Site
) -> None:
    """axe-core finds nothing, wide and narrow, and nothing is wider than a narrow screen."""
    task = watched.start_task("crawl", url=site.url("article.html"), max_pages=1)
    watched.finish(task)
    stored = watched.do("crawl", url=site.url("article.html"), max_pages=1, output_mode="handle")
    handle, tab = stored["output_handle"], watched.new_tab(site.url("article.html"))
    film = record(watched, site, "order")
    before, after = take_evidence(watched, site)
    axe = (npm.installed() / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    views = {
        "/tasks": task, f"/task/{task}": "Parameters", "/outputs": handle,
        f"/output/{handle}": "of 1 item", "/journal": "oc_task_start",
        f"/tab/default/{tab}": "Requests", "/approvals": "Nothing needs your attention",
        f"/recording/{film}": "Previous", "/evidence": "With the previous one",
        f"/evidence/{before}/{after}": "checked",
    }  # fmt: skip
    for path, text in views.items():
        daemon.do("navigate", url=f"{port.origin}{path}")
        wait_for_text(daemon, text)
        daemon.do("emulate_device", width=1440, height=800)
        assert daemon.do("javascript_tool", code=WIDER)["content"] == "false", path
        daemon.do("emulate_device", width=375, height=800)
        assert daemon.do("javascript_tool", code=WIDER)["content"] == "false", path
        found = daemon.do("javascript_tool", code=f"{axe};{AXE}", timeout_ms=60_000)
        assert json.loads(found["content"]) == [], path
    picture = daemon.do("javascript_tool", code=PICTURE, timeout_ms=60_000)
    assert int(picture["content"]) > 0


def record(watched: Daemon, site: Site, name: str) -> str:
    """Return a recording of one action."""
    watched.do("oc_recording_start", "film", name=name, screenshots="after")
    watched.do("navigate", "film", url=site.url("article.html"))
    recording: str = watched.do("oc_recording_stop", "film")["recording_id"]
    return recording


def take_evidence(watched: Daemon, site: Site) -> tuple[str, str]:
    """Return two bundles: of a form, and of the same with a box that is checked."""
    watched.do("navigate", "proof", url=site.url("form.html"))
    before = watched.do("oc_evidence_bundle", "proof")["bundle_id"]
    watched.do("interact", "proof", query="Send me news")
    return before, watched.do("oc_evidence_bundle", "proof")["bundle_id"]


PICTURE = "const i = document.querySelector('img.still'); await i.decode(); i.naturalWidth"
WIDER = "document.documentElement.scrollWidth > innerWidth"
AXE = """
const found = await axe.run(document);
JSON.stringify(found.violations.map(one => [one.id, one.nodes.map(node => node.html)]))
"""
