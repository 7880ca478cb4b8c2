"""Page verbs beside those of other MCP servers: one site, one Chromium, by turns in one run."""

import argparse
import contextlib
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.crawls import site
from bench.daemon import Daemon
from bench.figures import Section, median
from bench.mcp import bench_sides, bounded, bridge_rss_mb, running
from bench.peers import Call, Side
from bench.site import ROWS
from oc.mcp import stdio_client

# Calls of one side in its turn, and how often a page is loaded anew for first calls.
CALLS = 7
FRESH = 3
AGAIN = 2
LAST = f"Item {ROWS - 1:05d}"
WHOLE = 100_000_000  # characters, where a reading is to come in one piece
DRAWN = "new Promise(done => requestAnimationFrame(() => setTimeout(() => done(1))))"
# No names, no refs: what any reading of all cells in the page costs at least.
WALK = """(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT);
  const lines = [];
  for (let el = walker.nextNode(); el; el = walker.nextNode()) {
    if (!el.checkVisibility()) continue;
    const own = el.firstChild?.nodeType === Node.TEXT_NODE ? el.firstChild.data : '';
    lines.push(`${el.getAttribute('role') ?? el.tagName} ${own}`);
  }
  return lines.join(String.fromCharCode(10)).length;
})()"""


@dataclass(frozen=True)
class Words:
    """How one server spells the operations; `ref` finds a ref before or after a name."""

    go: Callable[[str], Call]
    look: Call
    ref: str
    click: Callable[[str], Call]
    fill: Callable[[Mapping[str, str]], Call]
    find: Call
    picture: Call
    finds: bool = True  # whether it has a tool for that


OURS = Words(
    go=lambda url: ("navigate", {"url": url}),
    look=("read_page", {"limit": WHOLE, "output_mode": "inline"}),
    ref=r'{} "{}".*?\[ref=(\w+)\]',
    click=lambda ref: ("interact", {"ref": ref}),
    fill=lambda values: (
        "fill_form", {"fields": [{"ref": ref, "value": value} for ref, value in values.items()]},
    ),
    find=("find", {"query": LAST}),
    picture=("page_screenshot", {}),
)  # fmt: skip
PLAYWRIGHT = Words(
    go=lambda url: ("browser_navigate", {"url": url}),
    look=("browser_snapshot", {}),
    ref=r'{} "{}".*?\[ref=(\w+)\]',
    click=lambda ref: ("browser_click", {"element": "button", "target": ref}),
    fill=lambda values: (
        "browser_fill_form",
        {"fields": [
            {"name": ref, "type": "textbox", "target": ref, "value": value}
            for ref, value in values.items()
        ]},
    ),
    find=("browser_find", {"text": LAST}),
    picture=("browser_take_screenshot", {}),
)  # fmt: skip
DEVTOOLS = Words(
    go=lambda url: ("navigate_page", {"pageId": 1, "url": url}),
    look=("take_snapshot", {"pageId": 1}),
    ref=r'uid=(\S+) {} "{}"',
    click=lambda ref: ("click", {"pageId": 1, "uid": ref}),
    fill=lambda values: (
        "fill_form",
        {"pageId": 1, "elements": [{"uid": ref, "value": v} for ref, v in values.items()]},
    ),
    find=("take_snapshot", {"pageId": 1}),
    picture=("take_screenshot", {"pageId": 1}),
    finds=False,
)  # fmt: skip
WORDS = {"ours": OURS, "playwright-mcp": PLAYWRIGHT, "chrome-devtools-mcp": DEVTOOLS}
BOTH = "navigate to 12,000 cells and outline them"
# What is compared, and the milliseconds that ours must keep.
BOUNDS: Mapping[str, float | None] = {
    "navigate to a simple page": 60,
    "click without navigation": 20,
    "fill two fields": None,
    "screenshot": 40,
    BOTH: None,
    "outline, 12,000 cells, first call": None,
    "outline, 12,000 cells, again": None,
    "find, 12,000 cells, first call": None,
    "find, 12,000 cells, again": None,
}
# How many times the floor ours may take, which holds on slower machines, too: where the floor took
# 8.8 ms (2026-11-22), these were 12, 101, 70, 44 and 44 ms.
FLOOR_BOUNDS = {
    "fill two fields": 1.36,
    "outline, 12,000 cells, first call": 11.5,
    "outline, 12,000 cells, again": 7.95,
    "find, 12,000 cells, first call": 5.0,
    "find, 12,000 cells, again": 5.0,
}


@dataclass
class Contestant:
    """A running server, and the milliseconds of each operation."""

    side: Side
    server: stdio_client.Server
    base: str
    taken: dict[str, list[float]] = field(default_factory=dict)
    sizes: dict[str, float] = field(default_factory=dict)  # KB of text

    @property
    def words(self) -> Words:
        return WORDS[self.side.name]

    def call(self, call: Call, what: str = "") -> dict[str, Any]:
        """Call a tool, count its time as that of `what`, and return its result."""
        name, arguments = call
        started = time.perf_counter()
        reply = self.server.request("tools/call", {"name": name, "arguments": arguments})
        called = stdio_client.result(reply)
        assert not called.get("isError"), stdio_client.texts(called)
        if what:
            self.taken.setdefault(what, []).append((reply.arrived - started) * 1000)
        return called

    def text(self, call: Call, what: str = "") -> str:
        return "\n".join(stdio_client.texts(self.call(call, what)))

    def go(self, page: str, what: str = "") -> None:
        self.text(self.words.go(f"{self.base}/{page}"), what)

    def shows(self, expression: str, wanted: str) -> None:
        """Ask the page itself whether an operation has taken effect."""
        found = self.text(self.side.evaluate(expression))
        assert wanted in found, f"{self.side.name}: {expression}: {found}"

    def ref(self, role: str, name: str) -> str:
        shown = self.text(self.words.look)
        found = re.search(self.words.ref.format(role, name), shown)
        assert found, f"{self.side.name} shows no {role} {name!r}: {shown[:2000]}"
        return found[1]


# --- operations ---------------------------------------------------------------------------------


def _small(one: Contestant, turn: int) -> None:
    one.go("simple")  # the first one of a turn finds everything cold: another had the machine
    for _ in range(CALLS):
        one.go("simple", "navigate to a simple page")
    button = one.ref("button", "Count")
    for _ in range(CALLS):
        one.call(one.words.click(button), "click without navigation")
    one.shows("'clicks:' + window.clicks", f"clicks:{CALLS}")
    for _ in range(CALLS):
        content = one.call(one.words.picture, "screenshot")["content"]
        assert any(block["type"] == "image" for block in content), content
    one.go("form")
    refs = [one.ref("textbox", name) for name in ("First name", "City")]
    for number in range(CALLS):
        values = {ref: f"{turn}-{number}-{ref}" for ref in refs}
        one.call(one.words.fill(values), "fill two fields")
        wanted = " ".join(values.values())
    one.shows("[...document.querySelectorAll('input')].map(i => i.value).join(' ')", wanted)


def _large(one: Contestant) -> None:
    for _ in range(FRESH):
        # What answers before the page is drawn leaves that to the next call.
        started = time.perf_counter()
        one.go("table")
        one.text(one.words.look)
        one.taken.setdefault(BOTH, []).append((time.perf_counter() - started) * 1000)
        for operation, call in (("outline", one.words.look), ("find", one.words.find)):
            one.go("table")
            one.text(one.side.evaluate(DRAWN))
            one.sizes[operation] = _seen(one, call, f"{operation}, 12,000 cells, first call")
            for _ in range(AGAIN):
                _seen(one, call, f"{operation}, 12,000 cells, again")


def _seen(one: Contestant, call: Call, what: str) -> float:
    shown = one.text(call, what)
    assert LAST in shown, f"{one.side.name}: {what}: {shown[:2000]}"
    return len(shown.encode()) / 1000


# --- the section --------------------------------------------------------------------------------


def verbs(options: argparse.Namespace) -> Section:
    """Compare reading, acting and capture in turns, and the servers' memory afterwards."""
    section = Section("MCP: pages")
    with Daemon() as daemon, site(1) as base, contextlib.ExitStack() as stack:
        contestants = []
        for side in bench_sides(options, daemon):
            server = stack.enter_context(running(side))
            server.initialize("bench")
            contestants.append(Contestant(side, server, base))
        for turn in range(max(1, options.rounds)):
            for one in contestants:
                _small(one, turn)
            for one in contestants:
                _large(one)
        for what, bound in BOUNDS.items():
            _compare(section, contestants, what, bound)
        _sizes(section, contestants)
        _weigh(section, contestants, daemon)
    return section


def _compare(
    section: Section, contestants: list[Contestant], what: str, bound: float | None
) -> None:
    medians = {one.side.name: median(one.taken[what]) for one in contestants}
    for one in contestants:
        name = one.side.name
        row = f"{name}: {what}"
        if what.startswith("find") and not one.words.finds:
            row += " (has none: the whole outline)"
        if bound is None:
            section.add(row, medians[name], "ms")
        else:
            bounded(section, name, row, medians[name], bound, "ms")
    for name, figure in medians.items():
        if name != "ours":
            section.add(f"{name} / ours: {what}", figure / medians["ours"], "×")


def _sizes(section: Section, contestants: list[Contestant]) -> None:
    """Add the sizes of replies, of our first page, and of the shortest possible outline."""
    ours = contestants[0]
    for one in contestants:
        name = one.side.name
        row = f"{name}: outline, 12,000 cells, whole"
        bounded(section, name, row, one.sizes["outline"], 400, "KB")
        section.add(f"{name}: find, 12,000 cells", one.sizes["find"], "KB")
    ours.go("table")
    what = "outline, 12,000 cells, its first page"
    pages = [ours.text(("read_page", {}), what) for _ in range(CALLS)]
    section.at_most(f"ours: {what}", len(pages[0].encode()) / 1000, 22, "KB")
    section.add(f"ours: {what}", median(ours.taken[what]), "ms")
    for _ in range(CALLS):
        ours.text(ours.side.evaluate(WALK), "walk")
    floor = median(ours.taken["walk"])
    section.add("floor: a bare walk over the 12,000 cells, by one evaluate", floor, "ms")
    for what, bound in FLOOR_BOUNDS.items():
        section.at_most(f"ours / floor: {what}", median(ours.taken[what]) / floor, bound, "×")


def _weigh(section: Section, contestants: list[Contestant], daemon: Daemon) -> None:
    """Add the memory of the servers, without Chromium."""
    section.at_most("ours: RSS of the daemon, after all of these", daemon.rss_mb(), 120, "MB")
    for one in contestants:
        what = "bridge" if one.side.name == "ours" else "server"
        row = f"{one.side.name}: RSS of the {what}, after all of these"
        section.add(row, bridge_rss_mb(one.server), "MB")
