"""Agents' notes about domains, each with a confidence.

    memory/memory.jsonl     see storage.keyed_log

A note is a value under a domain and a key. A new note has confidence 0.5; validation adds 0.1 or
subtracts 0.2; below 0.2 it is removed. Writing a note again does not raise its confidence: the same
value keeps it, another value gets 0.5 at most.
"""

import heapq
from dataclasses import dataclass
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from ocd.api.errors import OcdError
from ocd.api.timestamps import now
from ocd.api.tool_calls import tool_call
from ocd.safety.host_canonical import hostname_of
from ocd.safety.redact import redact
from ocd.storage.keyed_log import KeyedLog

MAX_NOTES = 20_000
INITIAL_CONFIDENCE, REWARD, PENALTY, MIN_CONFIDENCE = 0.5, 0.1, 0.2, 0.2
_DIGITS = 2
_ADVICE_PREFIXES = ("selector:", "tip:", "avoid:")


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """One note; `updated_at` is RFC 3339 UTC."""

    id: str
    domain: str
    key: str
    value: Any
    confidence: float
    created_at: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class _Entry:
    note: Note
    key: str
    text: str
    order: tuple[float, str]


def domain_of(text: str) -> str:
    """Return the domain in lower case; of a URL, its host."""
    text = text.strip()
    if "://" in text:
        text = hostname_of(text).strip("[]") or text
    return text.lower()


def note_id(domain: str, key: str) -> str:
    """Return the id of the one note that there can be under a domain and a key."""
    data = f"{domain}\0{key}".encode("utf-8", "surrogatepass")
    return f"dk-{sha256(data).hexdigest()[:16]}"


def _redact_note(key: str, value: object) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value with secrets masked; advice on finding a password field is not a secret."""
    return redact(value) if key.startswith(_ADVICE_PREFIXES) else redact({key: value})[key]


class Notes:
    """All notes of a home (a part); for threads, as it blocks on its first use and on writes."""

    def __init__(self, folder: Path, *, most: int = MAX_NOTES) -> None:
        self.store = KeyedLog(folder / "memory.jsonl", Note, listener=self._index)
        self._max_count = most
        self._domains: dict[str, dict[str, _Entry]] = {}

    def _index(self, key: str, old: Note | None, new: Note | None) -> None:
        if new is not None:
            text = f"{new.key} {new.value}".lower()
            entry = _Entry(new, new.key, text, (new.confidence, new.updated_at))
            self._domains.setdefault(new.domain, {})[key] = entry
        elif old is not None:
            entries = self._domains[old.domain]
            del entries[key]
            if not entries:
                del self._domains[old.domain]

    def record(self, domain: str, key: str, value: object) -> tuple[Note, list[str]]:
        """Store a note, its secrets masked; second: the ids of notes evicted for it."""
        domain = domain_of(domain)
        value = _redact_note(key, value)
        with self.store.hold() as notes:
            known = notes.get(note_id(domain, key))
            at = now()
            if known is None:
                note = Note(
                    id=note_id(domain, key), domain=domain, key=key, value=value,
                    confidence=INITIAL_CONFIDENCE, created_at=at, updated_at=at,
                )  # fmt: skip
            else:
                believed = (
                    known.confidence
                    if known.value == value
                    else min(known.confidence, INITIAL_CONFIDENCE)
                )
                note = replace(known, value=value, confidence=believed, updated_at=at)
            self.store.put(note.id, note)
            evicted = self.store.evict(
                note.id, self._max_count, lambda one: (one.confidence, one.updated_at)
            )
            return note, evicted

    def validate(self, note_id: str, *, success: bool) -> tuple[Note, bool]:
        """Change a note's confidence; second: whether the note was kept. Raises not_found."""
        with self.store.hold() as notes:
            note = self._require(notes, note_id)
            change = REWARD if success else -PENALTY
            confidence = round(min(1.0, note.confidence + change), _DIGITS)
            note = replace(note, confidence=max(0.0, confidence), updated_at=now())
            if confidence < MIN_CONFIDENCE:
                self.store.drop(note.id)
                return note, False
            self.store.put(note.id, note)
        return note, True

    def delete(self, note_id: str) -> Note:
        """Remove a note and return it; not_found."""
        with self.store.hold() as notes:
            note = self._require(notes, note_id)
            self.store.drop(note_id)
        return note

    def _require(self, notes: dict[str, Note], note_id: str) -> Note:
        note = notes.get(note_id)
        if note is None:
            raise OcdError(
                "not_found", f"There is no note {note_id[:200]!r}",
                hint=f"List ids: {tool_call('memory', action='query')}", id=note_id[:200],
            )  # fmt: skip
        return note

    def query(
        self, domain: str | None, key: str | None, words: str, limit: int, offset: int
    ) -> tuple[list[Note], int]:
        """Return the matching notes, highest confidence and then newest first, and their total."""
        with self.store.hold():
            found = self._within(domain)
        if key is not None:
            start = key if key.endswith(":") else f"{key}:"
            found = [e for e in found if e.key == key or e.key.startswith(start)]
        for word in words.lower().split():
            found = [entry for entry in found if word in entry.text]
        best = heapq.nlargest(offset + limit, found, key=attrgetter("order"))
        return [entry.note for entry in best[offset:]], len(found)

    def _within(self, domain: str | None) -> list[_Entry]:
        if domain is None:
            return [entry for entries in self._domains.values() for entry in entries.values()]
        return list(self._domains.get(domain_of(domain), {}).values())

    def __repr__(self) -> str:
        return f"Notes({self.store!r})"
