"""What a caller gets of a large result: the pure rules of inline, handle and guard."""

import shlex
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from ocd.api.wire import FETCH_VERB, Descriptor
from ocd.storage.payload import JSON, Payload

PREVIEW_BYTES = 2048
REPLY_BYTES = 4096
# Around the descriptor in an MCP reply: the JSON-RPC frame, the resource link, the untrusted-text
# line. A transport that knows better passes its own measure to `fit`.
_ENVELOPE_BYTES = 1024


def is_text(mime_type: str) -> bool:
    """Return whether payloads of this media type are UTF-8 text (JSON is)."""
    return mime_type == JSON or mime_type.startswith("text/")


def exceeds(payload: Payload, limit: int) -> bool:
    """Return whether the payload has more than `limit` bytes; reads no further than that."""
    size = 0
    for chunk in payload:
        size += len(chunk.data)
        if size > limit:
            return True
    return False


def preview_of(head: bytes, mime_type: str) -> str | None:
    """Return at most 2048 bytes of a payload's beginning, cut at a code point; None for binary."""
    if not is_text(mime_type):
        return None
    try:
        return head[: boundary(head, PREVIEW_BYTES)].decode()
    except UnicodeDecodeError:
        return None


def boundary(data: bytes, at: int) -> int:
    """Return the largest index <= `at` that is not inside a UTF-8 code point of `data`."""
    if at >= len(data):
        return len(data)
    while at > 0 and data[at] & 0xC0 == 0x80:
        at -= 1
    return at


def mcp_size(descriptor: Descriptor) -> int:
    """Return an upper estimate of an MCP reply's bytes: the JSON is escaped once more in it."""
    encoded = msgspec.json.encode(descriptor)
    return len(msgspec.json.encode(encoded.decode())) + _ENVELOPE_BYTES


def fit(
    descriptor: Descriptor,
    measure: Callable[[Descriptor], int] = mcp_size,
    limit: int = REPLY_BYTES,
) -> Descriptor:
    """Return the descriptor with the longest preview whose whole reply has at most `limit` bytes.

    measure: size of the reply around a descriptor, after all escaping. The preview is cut at a code
    point, to nothing if necessary.
    """
    preview = descriptor.preview
    if preview is None or measure(descriptor) <= limit:
        return descriptor
    fits, too_long = 0, len(preview)
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        if measure(_with_preview(descriptor, preview[:middle])) <= limit:
            fits = middle
        else:
            too_long = middle
    return _with_preview(descriptor, preview[:fits])


def _with_preview(descriptor: Descriptor, preview: str) -> Descriptor:
    return msgspec.structs.replace(descriptor, preview=preview)


class TextExtent(NamedTuple):
    """The length of a payload in characters, and its first ones."""

    characters: int
    preview: str


# Bytes inside a UTF-8 code point: all but its first.
_INNER = bytes(range(0x80, 0xC0))


def extent(payload: Payload, preview_size: int) -> TextExtent:
    """Return a text payload's characters and its first `preview_size`; reads it once."""
    characters = 0
    head = b""
    head_size = 4 * preview_size
    for chunk in payload:
        characters += len(chunk.data.translate(None, delete=_INNER))
        if len(head) < head_size:
            head += chunk.data[: head_size - len(head)]
    return TextExtent(characters, head.decode("utf-8", "ignore")[:preview_size])


def pointer(verb: str, extent: TextExtent, handle: str, path: str) -> str:
    """Return the guard's text in place of a large one, with the handle beside the path.

    path: the stored file.
    """
    return (
        f"[{verb} response: {extent.characters} chars, full output saved to {path}]\n\n"
        f"First {len(extent.preview)} chars:\n{extent.preview}\n\n"
        f"[Use shell tool to read: cat {shlex.quote(path)}]\n"
        f'[Or read it by pages: {FETCH_VERB} {{"output_handle": "{handle}"}}]'
    )
