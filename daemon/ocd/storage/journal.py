"""The journal: one JSON line for every call and event, one file per day, kept for a week.

A file begins with a line that names its format version. Appending is one write without a sync: the
journal survives the daemon's death, and may lose its last lines when the machine dies. It is a
record that nothing depends on: a failing disk costs entries, never a call.
"""

import logging
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import time
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.safety import secrets
from ocd.storage.files import UNDECODABLE, JsonLinesLog, make_dir, storage

logger = logging.getLogger(__name__)

CALL = "tool_call"
_HEADER = b'{"format":"journal","version":1}'
_NAME = re.compile(r"journal-([0-9]{4}-[0-9]{2}-[0-9]{2})\.jsonl")
# A longer entry keeps only the beginning of its arguments.
_MAX_LINE = 16 * 1024
_KEPT_ARGS = 2000
# Reading back stops after this many bytes; a longer line is not one of ours.
_MAX_READ = 8 * 1024 * 1024
_BLOCK = 64 * 1024
_DAY_S = 86_400

Entry = dict[str, Any]
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(dict[str, Any]).decode
# What the journal keeps of one argument.
MAX_JOURNAL_CHARS = 2000


class Journal:
    """Recent calls (`event` is "tool_call") and events, oldest first in the files.

    Recording is for the loop and takes microseconds; reading back blocks and belongs in a thread.
    keep_days: may be set while running; it counts from the next file on. listeners: called with
    each entry, masked as it is written.
    """

    def __init__(
        self, folder: Path, *, keep_days: int = 7, clock: Callable[[], float] = time
    ) -> None:
        self.folder = folder
        self.keep_days = keep_days
        self.listeners: list[Callable[[Entry], None]] = []
        self._clock = clock
        self._log: JsonLinesLog | None = None
        self._day = -1
        self._failing = False

    def record_call(self, call: Mapping[str, Any]) -> None:
        """Append one call: ts, tool, session, args (redacted already), ok, error, and more."""
        self.record_event({"event": CALL, **call})

    def record_event(self, event: Mapping[str, Any]) -> None:
        """Append one entry, with the keys `event` and `ts`; a failing disk is logged once.

        The values of secrets are masked in all of it, names of verbs and sessions included.
        """
        masked = secrets.current().mask(event)
        for listener in tuple(self.listeners):
            listener(dict(masked))
        try:
            self._open_today().append(_line(masked))
            self._failing = False
        except (OcdError, OSError) as error:
            self.close()
            if not self._failing:
                logger.warning("Journal entries are being lost: %s", error)
            self._failing = True

    def _open_today(self) -> JsonLinesLog:
        day = int(self._clock() // _DAY_S)
        if self._log is None or day != self._day:
            self.close()
            make_dir(self.folder)
            self._log = JsonLinesLog(self.folder / f"journal-{_date(day)}.jsonl")
            self._day = day
            if self._log.path.stat().st_size == 0:
                self._log.append(_HEADER)
            self._delete_old(day)
        return self._log

    def _delete_old(self, today: int) -> None:
        """Delete the files of days before the last `keep_days`, as far as that is possible."""
        oldest = _date(today - self.keep_days + 1)
        for path in self._files():
            if path.name[len("journal-") :] < oldest:
                try:
                    path.unlink()
                except OSError as error:
                    logger.warning("Cannot delete the old journal %s: %s", path, error)

    def _files(self) -> list[Path]:
        """Return the journal's files, newest first."""
        with storage("listing", self.folder):
            try:
                names = [entry.name for entry in os.scandir(self.folder)]
            except FileNotFoundError:
                return []
        return [self.folder / name for name in sorted(filter(_NAME.fullmatch, names), reverse=True)]

    def recent(self, count: int) -> list[Entry]:
        """Return the last `count` entries, newest last; fewer if they fill more than 8 MiB."""
        entries: list[Entry] = []
        for entry in self._backwards():
            if len(entries) >= count:
                break
            entries.append(entry)
        return entries[::-1]

    def summary(self) -> Entry:
        """Return counts over the last entries (at most 8 MiB of them).

        Keys: since, until, calls, failed, tools {name: {calls, failed, mean_ms}}, errors {code:
        count}, events {event: count}.
        """
        tools: dict[str, list[Entry]] = defaultdict(list)
        events: Counter[str] = Counter()
        times: list[str] = []
        for entry in self._backwards():
            times.append(str(entry.get("ts", "")))
            if entry["event"] == CALL:
                tools[str(entry.get("tool"))].append(entry)
            else:
                events[str(entry["event"])] += 1
        calls = [call for of_tool in tools.values() for call in of_tool]
        return {
            "since": times[-1] if times else None,
            "until": times[0] if times else None,
            "calls": len(calls),
            "failed": _failed_calls(calls),
            "tools": {name: _totals(tools[name]) for name in sorted(tools)},
            "errors": dict(Counter(str(call["error"]) for call in calls if call.get("error"))),
            "events": dict(events),
        }

    def _backwards(self) -> Iterator[Entry]:
        """Yield the entries, newest first; lines that are not entries are skipped."""
        left = _MAX_READ
        for path in self._files():
            with storage("reading", path), suppress(FileNotFoundError):
                for line in _lines_backwards(path, left):
                    left -= len(line) + 1
                    entry = _entry(line)
                    if entry is not None:
                        yield entry
            if left <= 0:
                return

    def close(self) -> None:
        """Close today's file; the next entry opens it again."""
        if self._log is not None:
            # Whatever a full disk kept from being written is tried once more here, then given up.
            with suppress(OSError):
                self._log.close()
            self._log = None

    def __repr__(self) -> str:
        return f"Journal({str(self.folder)!r})"


def _date(day: int) -> str:
    """Return the date of a number of days since 1970."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=day)).date().isoformat()


def _line(entry: Mapping[str, Any]) -> bytes:
    line = _encode(entry)
    if len(line) > _MAX_LINE:
        args = _encode(entry.get("args")).decode()
        line = _encode({**entry, "args": {"cut": args[:_KEPT_ARGS], "characters": len(args)}})
    return line


def _entry(line: bytes) -> Entry | None:
    try:
        entry = _decode(line)
    except UNDECODABLE:
        return None
    return entry if isinstance(entry.get("event"), str) else None


def _lines_backwards(path: Path, max_bytes: int) -> Iterator[bytes]:
    """Yield the whole lines of a file, last first, from its last `max_bytes` bytes."""
    with path.open("rb") as file:
        at = file.seek(0, os.SEEK_END)
        stop = max(0, at - max_bytes)
        rest = b""
        torn = True  # what follows the last newline
        while at > stop:
            size = min(_BLOCK, at - stop)
            at -= size
            file.seek(at)
            first, *lines = (file.read(size) + rest).split(b"\n")
            if torn and lines:
                lines.pop()
                torn = False
            yield from reversed(lines)
            rest = first
        if at == 0 and not torn:
            yield rest


def _failed_calls(calls: list[Entry]) -> int:
    return sum(not call.get("ok") for call in calls)


def _totals(calls: list[Entry]) -> Entry:
    times = [ms for call in calls if isinstance(ms := call.get("duration_ms"), int | float)]
    mean = round(sum(times) / len(times), 1) if times else None
    return {"calls": len(calls), "failed": _failed_calls(calls), "mean_ms": mean}
