"""frontier.jsonl: what resuming a crawl needs beyond its page records.

The frontier is rebuilt from the records: taking in their links again yields every waiting URL, with
its depth. Only entries about which more must be known have a line here. It is written before the
entry's record, and counts only with it: an entry with a line but no record was in flight, and is
fetched again, except for entries that were skipped after a request, which have no record. Cookies
and logins are not stored.
"""

from pathlib import Path
from typing import Literal

import msgspec

from ocd.crawl.archive.file_names import FRONTIER
from ocd.safety import secrets
from ocd.storage import crash_points
from ocd.storage.files import JsonLinesLog
from ocd.storage.payload import JsonLinesFile

_encode = msgspec.json.Encoder().encode


class FrontierNote(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One line: what happened to an entry beyond its record.

    Attributes:
        claims: keys of the addresses that its redirects led through, except the last.
        unfollowed: links that are marked nofollow.
        is_file: it does not count as a page.
        scores: the relevance of the links that it added.
        skipped, target: why it has no record, and because of which URL.
    """

    url: str
    claims: list[str] = []
    unfollowed: list[str] = []
    is_file: bool = False
    scores: dict[str, float] = {}
    skipped: Literal["", "robots_denied", "duplicate"] = ""
    target: str = ""

    @property
    def is_needed(self) -> bool:
        """Whether it has anything to say."""
        return bool(self.claims or self.unfollowed or self.is_file or self.scores or self.skipped)


class FrontierLog:
    """The notes of one crawl; the file is created with the first one. Close it at the end."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / FRONTIER
        self._log: JsonLinesLog | None = None

    def append(self, note: FrontierNote) -> None:
        """Store a note if it has anything to say; raises storage_full or storage_failed."""
        if not note.is_needed:
            return
        if self._log is None:
            self._log = JsonLinesLog(self._path)
        self._log.append(secrets.current().mask(_encode(note)))
        crash_points.point("frontier.line")

    def read(self) -> dict[str, FrontierNote]:
        """Return the notes by URL, the latest of each. Blocks."""
        decode = msgspec.json.Decoder(FrontierNote).decode
        notes = map(decode, JsonLinesFile(self._path, readable_only=True))
        return {note.url: note for note in notes}

    def close(self) -> None:
        """Close the file."""
        if self._log is not None:
            self._log.close()

    def __repr__(self) -> str:
        return f"FrontierLog({str(self._path)!r})"
