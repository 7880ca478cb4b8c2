"""HAR files on disk."""

import asyncio
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import msgspec

from ocd.browser.observe import har
from ocd.browser.observe.request_log import RequestLog
from ocd.browser.observe.requests import NetworkRequest
from ocd.browser.observe.response_bodies import ResponseBody
from ocd.storage.files import write_whole

# What one HAR holds of one body, and of all.
BODY_BYTES = 1 << 20
BODIES_BYTES = 32 << 20


async def write(
    path: str, traffic: RequestLog, requests: Sequence[NetworkRequest], *, with_bodies: bool
) -> int:
    """Write the requests as HAR 1.2 and return the file's size in bytes; storage_* errors."""
    bodies: dict[str, ResponseBody] = {}
    room = BODIES_BYTES
    for one in reversed(requests if with_bodies else ()):
        if room > 0:
            body = bodies[one.id] = await traffic.body(one, min(BODY_BYTES, room))
            room -= len(body.text)
    document = har.document(requests, bodies, version("openchrome"))
    return await asyncio.to_thread(write_whole, Path(path), msgspec.json.encode(document))
