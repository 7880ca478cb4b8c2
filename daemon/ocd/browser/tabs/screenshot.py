"""Screenshots of a page."""

import base64
import io
import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ocd.api.errors import OcdError
from ocd.browser.tabs.page_target import PageTarget

Format = Literal["png", "jpeg", "webp"]
Clip = tuple[float, float, float, float]

# The most pixels per side that a GPU compositor can draw, and the most of an image.
MAX_SIDE = 16_384
MAX_PIXELS = 40_000_000
# At a smaller scale nothing is legible: the rest is left out instead.
MIN_SCALE = 0.25
# Larger images are useless inline.
MAX_INLINE = 8 << 20
_SMALLER_QUALITY = 80

_TRANSPARENT = {"color": {"r": 0, "g": 0, "b": 0, "a": 0}}


@dataclass(frozen=True, slots=True)
class ScreenshotRequest:
    """What to capture, and how; at most one of full_page and clip.

    max_bytes: a larger PNG is taken again as JPEG.
    """

    full_page: bool = False
    clip: Clip | None = None
    format: Format = "png"
    quality: int | None = None
    omit_background: bool = False
    max_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Screenshot:
    """An image: its bytes, width and height in pixels, and `notes` on how it was fitted.

    rest: x, y, width, height of the part of the page that was left out.
    """

    data: bytes
    format: Format
    size: tuple[int, int]
    scale: float = 1.0
    notes: list[str] = field(default_factory=list)
    rest: Clip | None = None


async def take_screenshot(tab: PageTarget, shot: ScreenshotRequest) -> Screenshot:
    """Return the image; one that is too large is scaled down, then cut. See Tab.screenshot."""
    tab.check_usable()
    clip = await _clip(tab, shot)
    scale, rest, notes = 1.0, None, list[str]()
    if clip is not None:
        clip, scale, rest = _fit_clip(_check_clip(clip))
        notes = _clip_to_dict(clip, scale, rest)
    if not shot.omit_background or shot.format == "jpeg":
        picture = await _capture(tab, shot, clip, scale)
    else:
        picture = await _capture_transparent(tab, shot, clip, scale)
    return replace(picture, scale=scale, rest=rest, notes=notes + picture.notes)


async def _capture_transparent(
    tab: PageTarget, shot: ScreenshotRequest, clip: Clip | None, scale: float
) -> Screenshot:
    await tab.cdp.send("Emulation.setDefaultBackgroundColorOverride", _TRANSPARENT)
    try:
        return await _capture(tab, shot, clip, scale)
    finally:
        tab.cdp.send_nowait("Emulation.setDefaultBackgroundColorOverride")


async def _capture(
    tab: PageTarget, shot: ScreenshotRequest, clip: Clip | None, scale: float
) -> Screenshot:
    params: dict[str, Any] = {"format": shot.format, "optimizeForSpeed": shot.format == "png"}
    if shot.quality is not None and shot.format != "png":
        params["quality"] = shot.quality
    if clip is not None:
        x, y, width, height = clip
        params["clip"] = {"x": x, "y": y, "width": width, "height": height, "scale": scale}
        params["captureBeyondViewport"] = True
    reply = await tab.cdp.send("Page.captureScreenshot", params)
    data = base64.b64decode(reply["data"])
    if shot.max_bytes is not None and len(data) > shot.max_bytes and shot.format == "png":
        smaller = replace(shot, format="jpeg", quality=_SMALLER_QUALITY, max_bytes=None)
        picture = await _capture(tab, smaller, clip, scale)
        picture.notes.append(f"JPEG: as PNG it would have {len(data)} bytes")
        return picture
    return Screenshot(data, shot.format, _pixel_size(data))


def _pixel_size(data: bytes) -> tuple[int, int]:
    from PIL import Image  # 30 ms and some memory, only for screenshots

    with Image.open(io.BytesIO(data)) as image:  # reads the header only
        return image.size


async def _clip(tab: PageTarget, shot: ScreenshotRequest) -> Clip | None:
    if shot.clip is not None:
        return shot.clip
    if not shot.full_page:
        return None
    metrics = await tab.cdp.send("Page.getLayoutMetrics")
    size = metrics["cssContentSize"]
    # A page that is being replaced has no size: only the viewport can be captured.
    return (0, 0, size["width"], size["height"]) if size["width"] and size["height"] else None


def _check_clip(clip: Clip) -> Clip:
    x, y, width, height = clip
    if width <= 0 or height <= 0:
        raise OcdError("invalid_argument", "The area has no size: there is nothing to capture.")
    # Whole pixels, so that no edge is blended with its surroundings.
    left, top = math.floor(x), math.floor(y)
    return left, top, math.ceil(x + width) - left, math.ceil(y + height) - top


def _fit_clip(clip: Clip) -> tuple[Clip, float, Clip | None]:
    """Return the part of the area that fits, its scale, and the rest below, if any."""
    x, y, width, height = clip
    rest = None
    wide = min(width, MAX_SIDE / MIN_SCALE)
    high = min(height, MAX_SIDE / MIN_SCALE, MAX_PIXELS / MIN_SCALE**2 // wide)
    if high < height:
        rest = (x, y + high, width, height - high)
    scale = min(1.0, MAX_SIDE / max(wide, high), math.sqrt(MAX_PIXELS / (wide * high)))
    # Rounded down, so that the last pixel is not one too many.
    return (x, y, wide, high), math.floor(scale * 10_000) / 10_000, rest


def _clip_to_dict(clip: Clip, scale: float, rest: Clip | None) -> list[str]:
    notes: list[str] = []
    if scale < 1:
        size = f"{clip[2]:.0f} by {clip[3]:.0f} pixels"
        notes.append(f"Scaled to {scale:.0%}: {size} exceed the size limit of an image")
    if rest is not None:
        notes.append(f"Cut at {rest[1]:.0f} pixels; {rest[3]:.0f} below are missing")
    return notes
