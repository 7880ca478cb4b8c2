"""One page of a stored output; only its own bytes are read, wherever they are."""

from base64 import b64encode
from bisect import bisect_right
from typing import Any, Literal, NamedTuple

import msgspec

from ocd.api.errors import OcdError
from ocd.outputs.inline_policy import is_text
from ocd.outputs.meta import HandleMeta
from ocd.outputs.reader import PayloadReader
from ocd.storage.files import UNDECODABLE, unreadable_error
from ocd.storage.payload import JSON

Format = Literal["auto", "items", "text", "bytes"]

DEFAULT_BYTES = 65_536
DEFAULT_ITEMS = 200
MAX_BYTES = 1024 * 1024
MAX_ITEMS = 100_000
# A page of items ends before this; a single item may be larger.
MAX_ITEMS_BYTES = 4 * 1024 * 1024
# A UTF-8 code point has at most three bytes after its first.
_TRAIL = 3


class _Slice(NamedTuple):
    """What a page holds: from `offset` up to `end`, both in the page's unit."""

    offset: int
    end: int
    content: object


def read_page(
    payload: PayloadReader, meta: HandleMeta, offset: int, limit: int | None, requested: Format
) -> dict[str, Any]:
    """Return the page from `offset` on, at most `limit` items or bytes, as the fetch verb's result.

    `limit` in it is the one that was applied; `content` of items is msgspec.Raw, the stored bytes.
    A text page that would begin inside a code point begins with it, and says so in `offset`.
    """
    form = _choose_format(meta, requested)
    items = form == "items"
    default, maximum = (DEFAULT_ITEMS, MAX_ITEMS) if items else (DEFAULT_BYTES, MAX_BYTES)
    limit = min(limit or default, maximum)
    total = (meta.item_count or 0) if items else meta.size_bytes
    if offset >= total:
        page = _Slice(offset, offset, msgspec.Raw(b"[]") if items else "")
    elif items:
        page = _items(payload, offset, min(limit, total - offset))
    elif form == "text":
        page = _text(payload, offset, limit, meta)
    else:
        page = _bytes(payload, offset, limit)
    eof = page.end >= total
    return {
        "output_handle": meta.output_handle,
        "offset": page.offset,
        "limit": limit,
        "returned": page.end - page.offset,
        "total": total,
        "next_offset": None if eof else page.end,
        "content": page.content,
        "eof": eof,
        "format": form,
    }


def _choose_format(meta: HandleMeta, requested: Format) -> Format:
    """Return the page's format; one that does not suit the payload is refused."""
    has_items, text = meta.item_count is not None, is_text(meta.mime_type)
    if requested == "auto":
        if has_items:
            return "items"
        return "text" if meta.mime_type.startswith("text/") else "bytes"
    if (requested == "items" and not has_items) or (requested == "text" and not text):
        raise unsuited_format_error(meta, requested)
    return requested


def unsuited_format_error(meta: HandleMeta, requested: str) -> OcdError:
    """Return the error of asking for items or text where there are none."""
    suited = [
        *(["items"] if meta.item_count is not None else []),
        *(["text"] if is_text(meta.mime_type) else []),
        "bytes",
    ]
    return OcdError(
        "invalid_format_for_payload",
        f"{meta.output_handle} ({meta.mime_type}) has no {requested}",
        hint=f"Fetch it with format {' or '.join(suited)}.",
        mime_type=meta.mime_type,
        formats=suited,
    )


def _items(payload: PayloadReader, first: int, count: int) -> _Slice:
    starts = payload.starts(first, count)
    # The page ends with the last item within its limits, but has at least one.
    fitting = bisect_right(starts, starts[0] + MAX_ITEMS_BYTES + 1) - 1
    count = max(1, min(count, fitting))
    content = b"[%b]" % payload.read(starts[0], starts[count] - 1 - starts[0])
    _check_items(payload, content, count)
    return _Slice(first, first + count, msgspec.Raw(content))


def _check_items(payload: PayloadReader, content: bytes, count: int) -> None:
    """Raise unreadable_file if this is no list of `count` JSON values.

    With checksums only the index can be wrong; without them (older releases) all of it is decoded.
    """
    try:
        found: list[Any] = msgspec.json.decode(
            content, type=list[msgspec.Raw] if payload.has_checksums else list[Any]
        )
        wrong = (
            "" if len(found) == count else f"{len(found)} items found where {count} were expected"
        )
    except UNDECODABLE as error:
        wrong = str(error)
    if wrong:
        raise unreadable_error(payload.path, f"its items: {wrong}")


def _bytes(payload: PayloadReader, start: int, limit: int) -> _Slice:
    content = payload.read(start, limit)
    return _Slice(start, start + len(content), b64encode(content).decode())


def _text(payload: PayloadReader, start: int, limit: int, meta: HandleMeta) -> _Slice:
    base = max(0, start - _TRAIL)
    data = payload.read(base, start + limit + _TRAIL - base)
    first = _code_point_start(data, start - base)
    last = _code_point_start(data, min(first + limit, len(data)))
    if last <= first:
        # Not even one code point fits the limit: it is returned whole.
        last = _next_code_point(data, first)
    try:
        return _Slice(base + first, base + last, data[first:last].decode())
    except UnicodeDecodeError as error:
        if meta.mime_type == JSON:
            raise unreadable_error(payload.path, str(error)) from error
        raise unsuited_format_error(meta, "valid UTF-8 text") from error


def _code_point_start(data: bytes, at: int) -> int:
    """Return `at`, or the start of the code point around it."""
    lowest = max(0, at - _TRAIL)
    while lowest < at < len(data) and _is_trail(data[at]):
        at -= 1
    return at


def _next_code_point(data: bytes, at: int) -> int:
    at += 1
    while at < len(data) and _is_trail(data[at]):
        at += 1
    return at


def _is_trail(byte: int) -> bool:
    return byte & 0xC0 == 0x80
