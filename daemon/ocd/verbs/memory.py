"""The verb about notes: memory."""

import asyncio
from typing import Annotated, Any, Literal, TypedDict

import msgspec
from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.memory.notes import Note, Notes
from ocd.verb_api.declaration import PAYLOAD, Output, Params, daemon_verb

MAX_CHARACTERS = 65_536
Name = Annotated[str, Meta(min_length=1, max_length=10_240)]


class Memory(Params):
    """Keep notes about sites, with confidence

    record (domain, key, value) adds or replaces a note; query finds notes by domain, key and words,
    highest confidence first; validate (id, success) reports whether a note was right: +0.1 or -0.2,
    below 0.2 it is removed; delete (id). Keys by convention: selector:…, tip:…, avoid:…
    """

    action: Annotated[
        Literal["record", "query", "validate", "delete"], Meta(description="What to do")
    ]
    domain: Annotated[
        Name | None, Meta(description="Host or any name; a URL counts as its host")
    ] = None
    key: Annotated[
        Name | None, Meta(description="Key; query also matches the part before a colon")
    ] = None
    value: Annotated[
        str | int | float | bool | dict[str, Any] | list[Any] | None,
        Meta(description="Content; secrets are masked", extra=PAYLOAD),
    ] = None
    id: Annotated[Name | None, Meta(description="The note's id")] = None
    success: Annotated[bool | None, Meta(description="Whether the note was right")] = None
    query: Annotated[str, Meta(description="Words that key or value must contain")] = ""
    limit: Annotated[int, Meta(ge=1, le=10_000, description="Max notes")] = 100
    offset: Annotated[int, Meta(ge=0, description="Notes to skip")] = 0


class MemoryResult(TypedDict, total=False):
    """The note, or the notes found."""

    id: str
    domain: str
    key: str
    value: Any
    confidence: float
    created_at: str
    updated_at: str
    redacted: bool
    evicted: list[str]
    entries: list[Note]
    count: int
    total: int
    next_offset: int
    new_confidence: float
    pruned: bool
    deleted: bool
    message: str
    unreadable: Annotated[dict[str, Any], Meta(description="path, lines")]


@daemon_verb(
    "memory",
    Memory,
    needs=Notes,
    returns=MemoryResult,
    capability="core",
    tier=3,
    example={
        "action": "record",
        "domain": "example.com",
        "key": "tip:login",
        "value": "Press Continue twice",
    },
)
async def memory(notes: Notes, params: Memory) -> Output:
    handlers = {"record": _record, "query": _query, "validate": _validate, "delete": _delete}
    data = await asyncio.to_thread(handlers[params.action], notes, params)
    return Output(data=data | notes.store.unreadable_note())


def _required_params(params: Memory, *names: str) -> list[Any]:
    values = [getattr(params, name) for name in names]
    for name, value in zip(names, values, strict=True):
        if value is None:
            raise OcdError(
                "invalid_argument",
                f"memory: {params.action} needs the parameter '{name}'",
                parameter=name,
            )
    return values


def _record(notes: Notes, params: Memory) -> dict[str, Any]:
    domain, key, value = _required_params(params, "domain", "key", "value")
    size = len(msgspec.json.encode(value))
    if size > MAX_CHARACTERS:
        raise OcdError(
            "invalid_argument", f"value: {size} bytes, at most {MAX_CHARACTERS}",
            parameter="value", limit=MAX_CHARACTERS,
        )  # fmt: skip
    note, evicted = notes.record(domain, key, value)
    masked = {"redacted": True} if note.value != value else {}
    return _note_to_dict(note) | masked | ({"evicted": evicted} if evicted else {})


def _query(notes: Notes, params: Memory) -> dict[str, Any]:
    found, total = notes.query(params.domain, params.key, params.query, params.limit, params.offset)
    end = params.offset + len(found)
    more = {"next_offset": end} if end < total else {}
    return {
        "entries": [_note_to_dict(note) for note in found],
        "count": len(found),
        "total": total,
        **more,
    }


def _validate(notes: Notes, params: Memory) -> dict[str, Any]:
    note_id, success = _required_params(params, "id", "success")
    note, remains = notes.validate(note_id, success=success)
    if remains:
        return {"id": note.id, "new_confidence": note.confidence}
    message = f"Removed: its confidence fell to {note.confidence:g}"
    return {"id": note.id, "pruned": True, "message": message}


def _delete(notes: Notes, params: Memory) -> dict[str, Any]:
    note = notes.delete(*_required_params(params, "id"))
    return {"id": note.id, "deleted": True}


def _note_to_dict(note: Note) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(note)
    return fields
