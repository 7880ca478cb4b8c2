"""Filtered readings, summaries, and differences from earlier readings."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.read import reader, semantic
from ocd.pages.read.reader import Filter, Mode, Reading

# Longer readings are not kept for comparison with the next one.
MAX_KEPT = 2_000_000
# Pages of a site whose last readings are kept, those before the last only if they are not longer.
MAX_PAGES = 4
MAX_KEPT_LONGER = 200_000
# Filtering this many characters takes a few milliseconds: longer texts go to a thread.
_LONG = 50_000

R = TypeVar("R")

ContentFilter = Literal["none", "prune", "bm25"]


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """What to read of a page; only readings of the same kind can be compared."""

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
        """Raise invalid_argument for options that exclude each other."""
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


@dataclass(frozen=True, slots=True)
class _Past:
    """A reading that was returned to the caller."""

    url: str
    text: str


@dataclass(slots=True)
class _LastReadings:
    """A tab's last readings, newest first, and those they were compared with."""

    request: ReadRequest
    readings: tuple[_Past, ...]
    before: tuple[_Past, ...] = ()


async def read_view(
    tab: Tab, request: ReadRequest, options: Mapping[str, float] | None = None
) -> tuple[Reading, Reading, dict[str, Any]]:
    """Return the reading before and after its filter, and what was left out of it.

    The latter is reported as `filter`, `left_out_chars` and `hidden_chars`.
    """
    request.check()
    raw = reading = await _read_unfiltered(tab, request)
    facts: dict[str, Any] = {}
    kind = request.content_filter
    if kind != "none":
        from ocd.content.content_filter import filter_blocks  # only for callers who ask for it

        fitted = await compute_beside(
            len(reading.text),
            lambda: filter_blocks(raw.text, kind, request.query, options),
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
    """Return what the function returns; it runs in a thread if there are many characters."""
    return await asyncio.to_thread(function) if characters > _LONG else function()


async def compare_with_last(
    tab: Tab, request: ReadRequest, reading: Reading, *, first: bool
) -> tuple[Reading, dict[str, Any]]:
    """Return the difference to the tab's last readings of the same kind, and its counts.

    If the last reading was of the same page, that is the difference to it. For another page of the
    site, or one that was loaded again, it is what no earlier reading had. Without anything to
    compare with, or if too much differs, it is the reading itself, with `full` and the reason.

    first: whether this is the first part of a difference, not the next one of a difference that was
    returned before.
    """
    memory = tab.state(_LastReadings)
    known = (memory.readings if first else memory.before) if memory else ()
    usable = known if memory is not None and memory.request == request else ()
    remember(tab, request, reading, known=known)
    if not usable:
        return reading, {"full": True, "reason": "read_differently" if known else "first_reading"}
    facts: dict[str, Any] = {"reason": "other_page"}
    if usable[0].url == _address(reading.url):
        changes, facts = await _difference(usable[0], reading)
        if changes is not None:
            return changes, {"full": False, **facts}
    shortened, like = await _without_repeats(reading, usable)
    return (reading, {"full": True, **facts}) if shortened is None else (shortened, like)


async def _difference(past: _Past, reading: Reading) -> tuple[Reading | None, dict[str, Any]]:
    """Return the changes from a reading of the same page, None if there are too many."""
    from ocd.content.line_diff import MUCH, difference

    size = len(past.text) + len(reading.text)
    change = await compute_beside(size, lambda: difference(past.text, reading.text))
    counts = {**change.counts, "ratio": round(change.ratio, 3), "refs": change.refs}
    if change.ratio > MUCH:
        return None, {"reason": "too_much_changed", **counts}
    return replace(reading, text=change.text(), mime="text/plain", about={}), counts


async def _without_repeats(
    reading: Reading, known: Sequence[_Past]
) -> tuple[Reading | None, dict[str, Any]]:
    """Return a reading without what the most similar one had, None if that is little."""
    from ocd.content.repeated_lines import LITTLE, without_repeats

    pasts = [past for past in known if _site(past.url) == _site(reading.url)]
    size = sum(len(past.text) + len(reading.text) for past in pasts)
    found = await compute_beside(
        size, lambda: [without_repeats(reading.text, reading.url, p.text, p.url) for p in pasts]
    )
    best = max(zip(found, pasts, strict=True), key=lambda pair: pair[0].share, default=None)
    if best is None or best[0].share < LITTLE:
        return None, {}
    short, past = best
    note = f"- as before: as on {_path(past.url)}, with new refs: act on it by words\n"
    facts = {"full": False, "like": past.url, "added": short.added, "unchanged": short.left_out}
    return replace(reading, text=note + short.text), facts


def remember(
    tab: Tab, request: ReadRequest, reading: Reading, known: tuple[_Past, ...] | None = None
) -> None:
    """Store a reading as the tab's last one, before those that were known."""
    memory = tab.state(_LastReadings)
    if known is None:
        known = memory.readings if memory else ()
    if memory is not None and memory.request != request:
        known = ()
    if len(reading.text) > MAX_KEPT:
        tab.drop_state(_LastReadings)
        return
    newest = _Past(_address(reading.url), reading.text)
    others = [p for p in known if p.url != newest.url and len(p.text) <= MAX_KEPT_LONGER]
    readings = (newest, *others[: MAX_PAGES - 1])
    tab.set_state(_LastReadings(request, readings, known))


def _address(url: str) -> str:
    return url.partition("#")[0]


def _path(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(scheme="", netloc="").geturl() or url


def _site(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc
