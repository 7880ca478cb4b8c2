"""CDP's IO streams: traces, PDFs."""

import base64
from collections.abc import AsyncIterator

from ocd.api.errors import OcdError
from ocd.browser.cdp.connection import CdpSession

_CHUNK = 4 << 20


async def read_stream(
    cdp: CdpSession, stream: str, *, what: str, max_bytes: int
) -> AsyncIterator[bytes]:
    """Yield a stream's bytes and close it; too_large names it by `what`."""
    size = 0
    try:
        while True:
            got = await cdp.send("IO.read", {"handle": stream, "size": _CHUNK})
            encoded = got.get("base64Encoded")
            data = base64.b64decode(got["data"]) if encoded else got["data"].encode()
            size += len(data)
            if size > max_bytes:
                raise OcdError("too_large", f"{what} has more than {max_bytes} bytes.")
            yield data
            if got["eof"]:
                return
    finally:
        cdp.send_nowait("IO.close", {"handle": stream})
