"""A loaded page as files: a full-page screenshot and a PDF."""

import base64

from ocd.api.errors import OcdError
from ocd.browser.cdp.connection import CdpSession
from ocd.browser.cdp.io_stream import read_stream

MAX_FILE_BYTES = 32 << 20
# WebP images cannot be longer.
_MAX_SIDE = 16_383
_QUALITY = 80


async def take_picture(cdp: CdpSession) -> bytes:
    """Return an image of the page as WebP, from its top left; at most 16,383 pixels each way.

    Raises cdp_error, too_large.
    """
    size = (await cdp.send("Page.getLayoutMetrics"))["cssContentSize"]
    width, height = (max(1, min(size[side], _MAX_SIDE)) for side in ("width", "height"))
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    reply = await cdp.send(
        "Page.captureScreenshot",
        {"format": "webp", "quality": _QUALITY, "clip": clip, "captureBeyondViewport": True},
    )
    data = base64.b64decode(reply["data"])
    if len(data) > MAX_FILE_BYTES:
        raise OcdError("too_large", f"The image has more than {MAX_FILE_BYTES} bytes.")
    return data


async def print_pdf(cdp: CdpSession) -> bytes:
    """Return the page as PDF, with its backgrounds. Raises cdp_error, too_large."""
    params = {"printBackground": True, "transferMode": "ReturnAsStream"}
    stream = (await cdp.send("Page.printToPDF", params))["stream"]
    pieces = read_stream(cdp, stream, what="The PDF", max_bytes=MAX_FILE_BYTES)
    return b"".join([piece async for piece in pieces])
