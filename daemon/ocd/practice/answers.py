"""Answers of the practice site that several routes give."""

from __future__ import annotations

import mimetypes
import zlib
from typing import TYPE_CHECKING

from aiohttp import web

if TYPE_CHECKING:
    from pathlib import Path

# The files that were sent here, by name.
UPLOADS: web.AppKey[list[tuple[str, bytes]]] = web.AppKey("uploads")
mimetypes.add_type("application/xhtml+xml", ".xhtml")  # not every computer's list has it


def html(title: str, body: str, *, status: int = 200, head: str = "") -> web.Response:
    """Return a whole page."""
    text = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}'
        f"</head><body>{body}</body></html>"
    )
    return web.Response(text=text, status=status, content_type="text/html")


def media_type(path: Path) -> str:
    """Return the Content-Type of a file, by its name."""
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


def red_dot() -> bytes:
    """Return a PNG of one red pixel."""
    head = b"\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00"
    rows = zlib.compress(b"\x00\xff\x00\x00")
    chunks = _chunk(b"IHDR", head) + _chunk(b"IDAT", rows) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def _chunk(kind: bytes, data: bytes) -> bytes:
    body = kind + data
    return len(data).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")
