"""A task's events.jsonl: appended to by whoever changes the task, and followed by readers."""

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from ocd.storage.files import UNDECODABLE, JsonLinesLog, reading

EVENTS = "events.jsonl"
_encode = msgspec.json.Encoder().encode


class Events:
    """A task's events.jsonl, open for appending, by the loop and by threads.

    `end` writes the last event: later events of threads are dropped.
    """

    def __init__(self, path: Path, now: Callable[[], str]) -> None:
        self._log = JsonLinesLog(path)
        self._now = now
        self._ended = False
        # Keeps a thread's late event from being written after the last one.
        self._lock = threading.Lock()

    def append(self, event: str, **data: Any) -> None:  # noqa: ANN401 - JSON values
        """Append one event: {"ts", "kind", "data"?}."""
        with self._lock:
            self._write(event, data)

    def end(self, event: str, **data: Any) -> None:  # noqa: ANN401 - JSON values
        """Append the last event and close the file."""
        with self._lock:
            try:
                self._write(event, data)
            finally:
                self._close()

    def close(self) -> None:
        """Close the file without a last event."""
        with self._lock:
            self._close()

    def _write(self, event: str, data: dict[str, Any]) -> None:
        if not self._ended:
            more = {"data": data} if data else {}
            self._log.append(_encode({"ts": self._now(), "kind": event, **more}))

    def _close(self) -> None:
        self._ended = True
        self._log.close()


class Tail:
    """Reads the lines of a growing file, each once. Its method blocks."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._number = 0

    def new_lines(self) -> list[bytes]:
        """Return the complete lines that were appended since the last call.

        A line that is not an event is replaced by an event of the kind `unreadable_file`.
        """
        with reading(self._path):
            return list(self._read())

    def _read(self) -> Iterator[bytes]:
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            return
        with file:
            file.seek(self._offset, os.SEEK_SET)
            for line in file:
                if not line.endswith(b"\n"):
                    return  # still being written: read from its start next time
                self._offset += len(line)
                self._number += 1
                if line != b"\n":
                    yield line[:-1] if _is_event(line) else self._complaint()

    def _complaint(self) -> bytes:
        where = {"path": str(self._path), "line": self._number}
        return _encode({"ts": "", "kind": "unreadable_file", "data": where})


def _is_event(line: bytes) -> bool:
    try:
        msgspec.json.decode(line, type=_Event)
    except UNDECODABLE:
        return False
    return True


class _Event(msgspec.Struct):
    kind: str
    ts: str = ""
    data: dict[str, Any] = {}
