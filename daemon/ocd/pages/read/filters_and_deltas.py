"""A reading as it was asked for: filtered, summed up, or as the difference to the last one."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.read import reader, semantic
from ocd.pages.read.reader import Filter, Mode, Reading

# A reading that is longer is not kept to compare the next one with.
MAX_KEPT = 2_000_000
# Characters whose filtering takes some milliseconds: longer texts go to a thread.
_LONG = 50_000

R = TypeVar("R")

ContentFilter = Literal["none", "prune", "bm25"]


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """What of a page is to be read; two readings of one kind can be compared."""

    mode: Mode | Literal["semantic"] = "outline"
    filter: Filter = "all"
    ref: str | None = None
    selector: str | None = None
    depth: int | None = None
    only_main_content: bool = False
    include_links: bool = True
    content_filter: ContentFilter = "none"
    query: str | None = None

    def check(self) -> None:
        """Raise invalid_argument for what does not go together."""
        if self.content_filter != "none" and self.mode not in ("markdown", "text"):
            raise OcdError(
                "invalid_argument", f"Mode {self.mode} has no content_filter.",
                hint="Pass mode='markdown' with it.", parameter="content_filter",
                expected=["markdown", "text"],
            )  # fmt: skip
        if self.mode == "semantic" and (self.ref or self.selector):
            raise OcdError(
                "invalid_argument", "Mode semantic reads whole pages.",
                hint="Read a part with mode='outline' or 'markdown'.",
                parameter="ref" if self.ref else "selector",
            )  # fmt: skip


@dataclass(slots=True)
class _LastReading:
    """The last reading of a tab, and the one it was compared with."""

    request: ReadRequest
    url: str
    text: str
    before: str | None = None


async def read_view(
    tab: Tab, request: ReadRequest, options: Mapping[str, float] | None = None
) -> tuple[Reading, Reading, dict[str, Any]]:
    """Return the reading before and after its filter, and what was left out of it.

    These are `filter`, `left_out_chars` and `hidden_chars`.
    """
    request.check()
    raw = reading = await _read_unfiltered(tab, request)
    facts: dict[str, Any] = {}
    kind = request.content_filter
    if kind != "none":
        from ocd.content.content_filter import fit  # for those who ask for it

        fitted = await compute_beside(
            len(reading.text),
            lambda: fit(raw.text, kind, request.query, options),
        )
        reading, facts["filter"] = replace(reading, text=fitted.text), fitted.facts
    if reading.left_out:
        facts["left_out_chars"] = reading.left_out
    if reading.hidden_chars:
        facts["hidden_chars"] = reading.hidden_chars
    return raw, reading, facts


async def _read_unfiltered(tab: Tab, request: ReadRequest) -> Reading:
    if request.mode == "semantic":
        about = await semantic.summarise(tab)
        main = await reader.read(tab, mode="markdown", only_main_content=True, include_links=False)
        text = f"title: {main.title}\n{about}content:\n{main.text}"
        return replace(main, text=text, mime="text/plain")
    return await reader.read(
        tab, mode=request.mode, filter=request.filter, ref=request.ref, selector=request.selector,
        depth=request.depth, only_main_content=request.only_main_content,
        include_links=request.include_links,
    )  # fmt: skip


async def compute_beside(characters: int, function: Callable[[], R]) -> R:
    """Return what the function makes of so many characters; in a thread if they are many."""
    return await asyncio.to_thread(function) if characters > _LONG else function()


async def compare_with_last(
    tab: Tab, request: ReadRequest, reading: Reading, *, first: bool
) -> tuple[Reading, dict[str, Any]]:
    """Return the difference to the tab's last reading of the same kind, and its counts.

    The reading itself, with `full` and why, where there is none or too much is different. first:
    whether this is not the next part of a difference that was told before.
    """
    from ocd.content.line_diff import MUCH, difference

    url = _address(reading.url)
    memory = tab.state(_LastReading)
    base = (memory.text if first else memory.before) if memory else None
    why = _difference_note(memory, request, url) or ("first_reading" if base is None else "")
    remember(tab, request, reading, before=base if not why else None)
    if why or base is None:
        return reading, {"full": True, "reason": why}
    before, after = base, reading.text
    change = await compute_beside(len(before) + len(after), lambda: difference(before, after))
    counts = {**change.counts, "ratio": round(change.ratio, 3), "refs": change.refs}
    if change.ratio > MUCH:
        return reading, {"full": True, "reason": "too_much_changed", **counts}
    changes = replace(reading, text=change.text(), mime="text/plain", about={})
    return changes, {"full": False, **counts}


def _difference_note(memory: _LastReading | None, request: ReadRequest, url: str) -> str:
    if memory is None:
        return "first_reading"
    if memory.url != url:
        return "other_page"
    return "" if memory.request == request else "read_differently"


def remember(tab: Tab, request: ReadRequest, reading: Reading, before: str | None = None) -> None:
    """Remember a reading as the tab's last."""
    if len(reading.text) > MAX_KEPT:
        tab.drop_state(_LastReading)
    else:
        tab.set_state(_LastReading(request, _address(reading.url), reading.text, before))


def _address(url: str) -> str:
    return url.partition("#")[0]
