"""Regular-expression search in a stored output, bounded in time, memory and result size.

google-re2 matches in linear time. The payload is read in windows of about 1 MiB. Text is searched
line by line, JSON with items item by item (its stored bytes, so a quote in a string is \\"). A line
or item larger than a window is searched in overlapping windows: there, a match of more than 8 KiB
may be missed.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from time import monotonic
from typing import Any, NamedTuple

import msgspec

from ocd.api.wire import FETCH_VERB
from ocd.outputs.inline_policy import boundary, is_text
from ocd.outputs.meta import HandleMeta
from ocd.outputs.paging import unsuited_format_error
from ocd.outputs.reader import PayloadReader
from ocd.safety.regex import compile_pattern

SECONDS = 10.0
RESULT_BYTES = 32 * 1024
EXCERPT_BYTES = 500

_WINDOW = 1024 * 1024
_OVERLAP = 8 * 1024
# What a pattern may look at before a match (\b, ^): one code point.
_BEHIND = 4
# How much text on either side of a match's line is searched for its neighbours.
_BESIDE = 8 * 1024
# How much of a long line is shown before the match.
_LEAD_IN = 150
_INDEX_BLOCK = 16_384
# Size of the reply besides matches and pattern: keys, handle, next step.
_FRAME_BYTES = 1024


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A search. limit: matches; context: lines before and after; stop: stop request."""

    pattern: str
    limit: int
    context: int
    stop: threading.Event = field(default_factory=threading.Event)


class _Window(NamedTuple):
    """Bytes to search: matches begin at or after `pos` and before `until`.

    base: the position of data[0] in the payload. line: the number of the line at `pos`, from 1;
    item: the index of the item it lies in. At most one of them is known.
    """

    data: bytes
    base: int
    pos: int
    until: int
    line: int | None = None
    item: int | None = None


class _Excerpt(NamedTuple):
    """A part of a window's data: from `start` to `end`; `is_line` if it is exactly one line."""

    start: int
    end: int
    is_line: bool


class Search:
    """One search over one payload; `run` once."""

    def __init__(
        self, payload: PayloadReader, meta: HandleMeta, query: SearchQuery, seconds: float = SECONDS
    ) -> None:
        if not is_text(meta.mime_type):
            raise unsuited_format_error(meta, "text to search")
        self._payload = payload
        self._meta = meta
        self._query = query
        self._regex = compile_pattern(query.pattern, "pattern", lines_of_bytes=True)
        self._deadline = monotonic() + seconds
        pattern_bytes = len(msgspec.json.encode(query.pattern))
        self._bytes_left = RESULT_BYTES - _FRAME_BYTES - pattern_bytes
        self._matches: list[dict[str, Any]] = []
        self._stopped_by: str | None = None

    def run(self) -> dict[str, Any]:
        """Return the verb's result; `stopped_by` says why it is `truncated`: limit, size, time."""
        for window in self._windows():
            if not self._search(window):
                break
        return {
            "output_handle": self._meta.output_handle,
            "pattern": self._query.pattern,
            "matches": self._matches,
            "returned": len(self._matches),
            "truncated": self._stopped_by is not None,
            "stopped_by": self._stopped_by,
            "next_step": self._next_step(),
        }

    def _next_step(self) -> dict[str, Any] | None:
        """Return the call that fetches the first match with its surroundings; None without one."""
        if not self._matches:
            return None
        first = self._matches[0]
        item = first.get("item")
        if item is not None:
            where = {"offset": item, "limit": 1, "format": "items"}
        else:
            where = {"offset": max(0, first["offset"] - 2000), "limit": 4000, "format": "text"}
        arguments = {"output_handle": self._meta.output_handle, **where}
        return {"verb": FETCH_VERB, "params": arguments}

    def _must_stop(self) -> bool:
        if self._query.stop.is_set() or monotonic() > self._deadline:
            self._stopped_by = "time"
        return self._stopped_by is not None

    # --- matches in a window ------------------------------------------------------------------

    def _search(self, window: _Window) -> bool:
        """Add the window's matches; return whether to continue."""
        pos = window.pos
        while not self._must_stop():
            match = self._regex.search(window.data, pos)
            if match is None or match.start() >= window.until:
                return True
            excerpt = _excerpt(window.data, match.start())
            if not self._take(window, match.start(), excerpt):
                return False
            # What the excerpt shows is not shown again.
            pos = max(excerpt.end + excerpt.is_line, match.end(), pos + 1)
        return False

    def _take(self, window: _Window, start: int, excerpt: _Excerpt) -> bool:
        match = self._describe_match(window, start, excerpt)
        size = len(msgspec.json.encode(match)) + 1
        if len(self._matches) >= self._query.limit:
            self._stopped_by = "limit"
        elif size > self._bytes_left:
            self._stopped_by = "size"
        else:
            self._bytes_left -= size
            self._matches.append(match)
        return self._stopped_by is None

    def _describe_match(self, window: _Window, start: int, excerpt: _Excerpt) -> dict[str, Any]:
        before: list[str] = []
        after: list[str] = []
        where: dict[str, Any] = {"item": window.item}
        if window.line is not None:
            where = {"line": window.line + window.data.count(b"\n", window.pos, start)}
            if excerpt.is_line and self._query.context:
                before = self._lines_before(window.base + excerpt.start)
                after = self._lines_after(window.base + excerpt.end + 1)
        text = _readable(window.data[excerpt.start : excerpt.end])
        return {
            "offset": window.base + start,
            **where,
            "text": text,
            "before": before,
            "after": after,
        }

    def _lines_before(self, end: int) -> list[str]:
        start = max(0, end - _BESIDE)
        lines = self._payload.read(start, end - start).split(b"\n")[:-1]
        return [_clip(line) for line in lines[-self._query.context :]]

    def _lines_after(self, start: int) -> list[str]:
        data = self._payload.read(start, _BESIDE)
        lines = data.split(b"\n", self._query.context)[: self._query.context]
        if data.endswith(b"\n") and lines and not lines[-1]:
            lines.pop()
        return [_clip(line) for line in lines] if data else []

    # --- windows ------------------------------------------------------------------------------

    def _windows(self) -> Iterator[_Window]:
        count = self._meta.item_count
        if not count:
            yield from self._text_windows(0, self._meta.size_bytes, line=1)
            return
        first, end = (self._payload.starts(at, 0)[0] for at in (0, count))
        yield from self._text_windows(0, first)
        yield from self._item_windows(count)
        yield from self._text_windows(end - 1, self._meta.size_bytes)

    def _text_windows(
        self, start: int, end: int, line: int | None = None, item: int | None = None
    ) -> Iterator[_Window]:
        """Yield the windows of a range, cut behind a line's end where there is one."""
        at = start
        while at < end:
            base = max(start, at - _BEHIND)
            data = self._payload.read(base, min(_WINDOW, end - base))
            pos, until = at - base, len(data)
            if base + until < end:
                until = data.rfind(b"\n", pos) + 1 or len(data) - _OVERLAP
            yield _Window(data, base, pos, until, line, item)
            if line is not None:
                line += data.count(b"\n", pos, until)
            at = base + until

    def _item_windows(self, count: int) -> Iterator[_Window]:
        for first in range(0, count, _INDEX_BLOCK):
            starts = self._payload.starts(first, min(_INDEX_BLOCK, count - first))
            for low, high in _batches(starts):
                if self._must_stop():
                    return
                yield from self._batch(starts[low : high + 1], first + low)

    def _batch(self, starts: list[int], first: int) -> Iterator[_Window]:
        """Yield a window for each item between the starts, or none if no item can match."""
        begin, end = starts[0], starts[-1] - 1
        if end - begin > _WINDOW:
            yield from self._text_windows(begin, end, item=first)
            return
        data = self._payload.read(begin, end - begin)
        if self._can_skip() and self._regex.search(data) is None:
            return
        for number, (start, after) in enumerate(pairwise(starts), first):
            piece = data[start - begin : after - 1 - begin]
            yield _Window(piece, start, 0, len(piece), item=number)

    def _can_skip(self) -> bool:
        # Without anchors, what matches within an item also matches in the bytes around it.
        return not any(mark in self._query.pattern for mark in ("^", "$", r"\A", r"\z"))


def _batches(starts: list[int]) -> Iterator[tuple[int, int]]:
    """Yield ranges of items of at most a window's size, or of one item."""
    low = 0
    for high in range(1, len(starts)):
        if high == len(starts) - 1 or starts[high + 1] - 1 - starts[low] > _WINDOW:
            yield low, high
            low = high


def _excerpt(data: bytes, start: int) -> _Excerpt:
    """Return the line around `start`, or the part of a long one that begins a little before it."""
    line_start = data.rfind(b"\n", 0, start) + 1
    line_end = data.find(b"\n", start)
    line_end = len(data) if line_end < 0 else line_end
    if line_end - line_start <= EXCERPT_BYTES:
        return _Excerpt(line_start, line_end, is_line=True)
    low = max(line_start, min(start - _LEAD_IN, line_end - EXCERPT_BYTES))
    high = min(line_end, low + EXCERPT_BYTES)
    return _Excerpt(boundary(data, low), boundary(data, high), is_line=False)


def _clip(line: bytes) -> str:
    return _readable(line[: boundary(line, EXCERPT_BYTES)])


def _readable(data: bytes) -> str:
    return data.decode(errors="replace")
