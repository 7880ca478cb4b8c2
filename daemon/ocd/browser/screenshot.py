"""Pictures of a page."""

import base64
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ocd.api.errors import OcdError

if TYPE_CHECKING:
    from ocd.browser.tab import Tab

Format = Literal["png", "jpeg", "webp"]
Clip = tuple[float, float, float, float]

# Chromium's compositor gives up beyond this many pixels a side.
MAX_SIDE = 16_384

_RECT = """function () {
  this.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
  const box = this.getBoundingClientRect();
  return [box.x + scrollX, box.y + scrollY, box.width, box.height];
}"""


@dataclass(frozen=True, slots=True)
class Shot:
    """What to picture, and how; at most one of clip, selector and backend_node_id counts."""

    full_page: bool = False
    clip: Clip | None = None
    selector: str | None = None
    backend_node_id: int | None = None
    format: Format = "png"
    quality: int | None = None


async def take(tab: "Tab", shot: Shot) -> bytes:
    """Return the picture; see Tab.screenshot for the errors."""
    params: dict[str, Any] = {"format": shot.format, "optimizeForSpeed": shot.format == "png"}
    if shot.quality is not None and shot.format != "png":
        params["quality"] = shot.quality
    clip = await _clip(tab, shot)
    if clip is not None:
        x, y, width, height = clip
        params["clip"] = {"x": x, "y": y, "width": width, "height": height, "scale": 1}
        params["captureBeyondViewport"] = True
    reply = await tab.cdp.send("Page.captureScreenshot", params)
    return base64.b64decode(reply["data"])


async def _clip(tab: "Tab", shot: Shot) -> Clip | None:
    if shot.selector is not None:
        clip = await _of_selector(tab, shot.selector)
    elif shot.backend_node_id is not None:
        clip = await _of_node(tab, shot.backend_node_id)
    elif shot.clip is not None:
        clip = shot.clip
    elif shot.full_page:
        metrics = await tab.cdp.send("Page.getLayoutMetrics")
        size = metrics["cssContentSize"]
        clip = (0, 0, size["width"], size["height"])
    else:
        return None
    return _checked(clip)


def _checked(clip: Clip) -> Clip:
    x, y, width, height = clip
    if width <= 0 or height <= 0:
        raise OcdError("invalid_argument", "The area has no size: there is nothing to picture.")
    if max(width, height) > MAX_SIDE:
        raise OcdError(
            "too_large",
            f"The picture would be {width:.0f} by {height:.0f} pixels; {MAX_SIDE} is the most.",
            hint="Take it in parts with clip.",
            width=width,
            height=height,
        )
    # Whole pixels, so that no edge is blended with what is beside it.
    left, top = math.floor(x), math.floor(y)
    return left, top, math.ceil(x + width) - left, math.ceil(y + height) - top


async def _of_selector(tab: "Tab", selector: str) -> Clip:
    find = f"(s) => {{ const e = document.querySelector(s); return e && ({_RECT}).call(e); }}"
    try:
        found = await tab.evaluate(find, args=[selector], isolated=True)
    except OcdError as error:
        if error.code == "script_error" and "is not a valid selector" in error.message:
            raise OcdError("invalid_argument", f"Not a CSS selector: {selector}") from None
        raise
    if found is None:
        raise OcdError("element_not_found", f"No element matches {selector}.", selector=selector)
    return found[0], found[1], found[2], found[3]


async def _of_node(tab: "Tab", backend_node_id: int) -> Clip:
    try:
        node = await tab.cdp.send("DOM.resolveNode", {"backendNodeId": backend_node_id})
        call = {"functionDeclaration": _RECT, "objectId": node["object"]["objectId"]}
        reply = await tab.cdp.send("Runtime.callFunctionOn", {**call, "returnByValue": True})
    except OcdError as error:
        if error.code == "cdp_error":
            raise OcdError("stale_ref", "That element is no longer in the page.") from None
        raise
    x, y, width, height = reply["result"]["value"]
    return x, y, width, height
