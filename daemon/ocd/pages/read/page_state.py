"""The state of a page in about 2 KB: open dialogs, errors, and possible next steps."""

import re
from dataclasses import dataclass, field
from typing import Any

from ocd.api.spelling import truncate
from ocd.browser.tabs.tab import Tab
from ocd.pages.locate import locators
from ocd.pages.read.rendering import RenderingWait

MAX_BYTES = 1900
_ORDER = (
    "dialogs", "errors", "focused", "matches", "fields", "buttons", "tabs", "tables", "pagination",
    "headings", "links", "content",
)  # fmt: skip
_MAX_LINES = {
    "dialogs": 3, "errors": 5, "focused": 1, "matches": 5, "fields": 8, "buttons": 6, "tabs": 6,
    "tables": 3, "pagination": 4, "headings": 5, "links": 3, "content": 2,
}  # fmt: skip
_MAX_REQUESTED_LINES = 12
# The words of a query that select a section of the report.
_SECTION_WORDS = {
    "errors": "error errors invalid warning warnings fail failed failure problem problems"
    " validation alert alerts message messages status toast",
    "dialogs": "dialog dialogs modal modals popup popups overlay overlays consent banner",
    "fields": "form forms field fields input inputs value values filled checkbox checkboxes radio"
    " select dropdown textbox",
    "buttons": "button buttons actions clickable",
    "links": "link links navigation nav menu",
    "tables": "table tables row rows grid columns data",
    "headings": "heading headings title structure sections",
    "pagination": "pagination pager page pages next previous",
    "tabs": "tab tabs",
    "content": "content text main article panel panels",
    "focused": "focus focused",
}
_SECTION_OF = {word: name for name, words in _SECTION_WORDS.items() for word in words.split()}
_FILLERS = frozenset(
    (  # noqa: SIM905 - a list of words a line
        "the a an of on in is are there any what which show me state current and or for to with"
        " how many does do it this that list check find all visible scroll position"
    ).split()
)


@dataclass(slots=True)
class _Section:
    total: int = 0
    lines: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class PageState:
    """The state of the page and its frames; `format_page_state` renders it.

    rendering: whether its scripts may be about to show something.
    """

    sections: dict[str, _Section]
    ready: str = ""
    rendering: bool = False
    frames: int = 0
    scroll: tuple[int, int, int] = (0, 0, 0)

    @property
    def counts(self) -> dict[str, int]:
        """The number of entries of each kind, except matches."""
        return {
            name: self.sections[name].total
            for name in _ORDER
            if name != "matches" and self.sections[name].total
        }


def parse_query(query: str) -> tuple[list[str], str]:
    """Return the sections that a query names, and its other words."""
    words = re.findall(r"[^\W_]+", query.lower())
    sections = [_SECTION_OF[word] for word in words if word in _SECTION_OF]
    rest = [word for word in words if word not in _SECTION_OF and word not in _FILLERS]
    return list(dict.fromkeys(sections)), " ".join(rest)


async def read_page_state(tab: Tab, query: str, scope: str) -> PageState:
    """Read the page and its frames; scope: interactive, all, visible (visible ones first).

    A young page that shows nothing yet is given time to render.
    """
    wait = RenderingWait(tab)
    while True:
        report = await _read_once(tab, query, scope)
        if not report.rendering or wait.is_over:
            return report
        await wait.look_again()


async def _read_once(tab: Tab, query: str, scope: str) -> PageState:
    _, words = parse_query(query)
    report = PageState({name: _Section() for name in _ORDER})
    options = {"words": words, "first": scope == "visible", "interactive": scope == "interactive"}

    def take(result: dict[str, Any]) -> bool:
        if not report.ready:
            report.ready = result["ready"]
            report.rendering = result["rendering"]
            report.scroll = tuple(result["scroll"])
        report.frames += int(result["frames"])
        for name, lines in result["lines"].items():
            report.sections[name].lines += lines
            report.sections[name].total += result["totals"][name]
        report.sections["matches"].lines += result["matches"]
        report.sections["matches"].total += len(result["matches"])
        return False

    tab.check_usable()
    await locators.call_in_frames(tab, "inspect", options, take)
    report.sections["matches"].lines.sort(key=lambda line: -line["score"])
    return report


def format_page_state(report: PageState, query: str, title: str, url: str) -> str:
    """Return the state as lines under bracketed headings, the requested sections first."""
    requested, _ = parse_query(query)
    first = ("dialogs", "errors", "focused", "matches")
    order = list(dict.fromkeys([*first, *requested, *_ORDER]))
    output = [_page_line(report, title, url)]
    bytes_left = MAX_BYTES - len(output[0].encode())
    omitted: list[str] = []
    for name in order:
        section = report.sections[name]
        max_lines = _MAX_REQUESTED_LINES if name in requested else _MAX_LINES[name]
        lines = _lines_within(_render_lines(section.lines[:max_lines]), bytes_left - 80)
        shown_count = sum(not line.startswith("form ") for line in lines)
        if shown_count:
            of = f" {shown_count} of {section.total}" if shown_count < section.total else ""
            block = [f"[{name.title()}]{of}", *lines]
            output += block
            bytes_left -= sum(len(line.encode()) + 1 for line in block)
        elif section.total:
            omitted.append(f"{section.total} {name}")
        elif name in requested:
            output.append(f"[{name.title()}] none")
            bytes_left -= len(name) + 8
    if omitted:
        output.append(f"[More] {', '.join(omitted)}; name one in query, or read_page")
    return "\n".join(output) + "\n"


def _page_line(report: PageState, title: str, url: str) -> str:
    offset, window, height = report.scroll
    scrollable = height - window
    scrolled = "all shows"
    if scrollable > 0:
        percent = round(100 * offset / scrollable)
        scrolled = f"scrolled {offset} of {scrollable} px ({percent} %)"
    frames = f", {report.frames} frames" if report.frames else ""
    page = f"[Page] {truncate(title, 100)} — {truncate(url, 200)}"
    return f"{page}\n{report.ready}, {scrolled}{frames}"


def _render_lines(lines: list[dict[str, Any]]) -> list[str]:
    rendered: list[str] = []
    form = ""
    for line in lines:
        if line.get("form", form) != form:
            form = line["form"]
            if form:
                rendered.append(f"form {form}:")
        rendered.append(f"- {line['text']}")
    return rendered


def _lines_within(lines: list[str], bytes_left: int) -> list[str]:
    fitting: list[str] = []
    for line in lines:
        bytes_left -= len(line.encode()) + 1
        if bytes_left < 0:
            break
        fitting.append(line)
    return fitting
