"""The state of a page in about 2 KB: what stands open, what went wrong, what can be done next."""

import re
from dataclasses import dataclass, field
from typing import Any

from ocd.browser.tabs.tab import Tab
from ocd.pages.locate import locators

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
# Words of a query that name a section of the report.
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
    """What the page and its frames said; `text` makes the report of it."""

    sections: dict[str, _Section]
    ready: str = ""
    frames: int = 0
    scroll: tuple[int, int, int] = (0, 0, 0)

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each kind, matches aside."""
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
    """Ask the page and its frames; scope: interactive, all, visible (what shows comes first)."""
    _, words = parse_query(query)
    report = PageState({name: _Section() for name in _ORDER})
    options = {"words": words, "first": scope == "visible", "interactive": scope == "interactive"}

    def take(found: dict[str, Any]) -> bool:
        if not report.ready:
            report.ready = found["ready"]
            report.scroll = tuple(found["scroll"])
        report.frames += int(found["frames"])
        for name, lines in found["lines"].items():
            report.sections[name].lines += lines
            report.sections[name].total += found["totals"][name]
        report.sections["matches"].lines += found["matches"]
        report.sections["matches"].total += len(found["matches"])
        return False

    tab.check_usable()
    await locators.call_in_frames(tab, "inspect", options, take)
    report.sections["matches"].lines.sort(key=lambda line: -line["score"])
    return report


def format_page_state(report: PageState, query: str, title: str, url: str) -> str:
    """Return the report as lines under bracketed headings, the sections asked for first."""
    asked, _ = parse_query(query)
    first = ("dialogs", "errors", "focused", "matches")
    order = list(dict.fromkeys([*first, *asked, *_ORDER]))
    out = [_page_line(report, title, url)]
    left = MAX_BYTES - len(out[0].encode())
    untold: list[str] = []
    for name in order:
        section = report.sections[name]
        most = _MAX_REQUESTED_LINES if name in asked else _MAX_LINES[name]
        lines = _lines_within(_render_lines(section.lines[:most]), left - 80)
        told = sum(not line.startswith("form ") for line in lines)
        if told:
            of = f" {told} of {section.total}" if told < section.total else ""
            block = [f"[{name.title()}]{of}", *lines]
            out += block
            left -= sum(len(line.encode()) + 1 for line in block)
        elif section.total:
            untold.append(f"{section.total} {name}")
        elif name in asked:
            out.append(f"[{name.title()}] none")
            left -= len(name) + 8
    if untold:
        out.append(f"[More] {', '.join(untold)}; name one in query, or read_page")
    return "\n".join(out) + "\n"


def _page_line(report: PageState, title: str, url: str) -> str:
    at, window, height = report.scroll
    more = height - window
    scrolled = (
        f"scrolled {at} of {more} px ({round(100 * at / more)} %)" if more > 0 else "all shows"
    )
    frames = f", {report.frames} frames" if report.frames else ""
    head = f"[Page] {_truncate(title, 100)} — {_truncate(url, 200)}"
    return f"{head}\n{report.ready}, {scrolled}{frames}"


def _truncate(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _render_lines(lines: list[dict[str, Any]]) -> list[str]:
    told: list[str] = []
    form = ""
    for line in lines:
        if line.get("form", form) != form:
            form = line["form"]
            if form:
                told.append(f"form {form}:")
        told.append(f"- {line['text']}")
    return told


def _lines_within(lines: list[str], left: int) -> list[str]:
    kept: list[str] = []
    for line in lines:
        left -= len(line.encode()) + 1
        if left < 0:
            break
        kept.append(line)
    return kept
