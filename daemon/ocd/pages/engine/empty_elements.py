"""Elements with nothing in them: CDP alone knows what they hide and whether they take clicks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ocd.browser.tabs.frames import Frame
from ocd.pages.engine import engine
from ocd.pages.engine.closed_shadow import reveal_closed_shadow

if TYPE_CHECKING:
    from ocd.browser.tabs.tab import Tab

CLICK_TYPES = frozenset(
    ("click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend")
)
# A board to play on has fewer empty boxes; where there are more, they are cells without data.
_MOST_ASKED = 64
_LISTENING = "function (...others) { return openchrome.listening([this, ...others]) }"


async def look_into_empty(tab: "Tab", frame: Frame) -> bool:
    """Tell the engine what its last reading could not see of empty elements.

    Returns whether it has learnt of a closed shadow tree, or of a box that listens to clicks.
    """
    array = await engine.handle(tab, frame, "openchrome.takeSuspects()")
    assert array
    listed = await frame.cdp.send(
        "Runtime.getProperties", {"objectId": array, "ownProperties": True}
    )
    found = [
        str(item["value"]["objectId"])
        for item in listed["result"]
        if item["name"].isdigit() and "objectId" in item.get("value", {})
    ]
    revealed = await reveal_closed_shadow(frame, found)
    listening = await _listening(frame, found) if len(found) <= _MOST_ASKED else []
    known = bool(listening) and await _make_known(frame, listening)
    frame.cdp.send_nowait("Runtime.releaseObjectGroup", {"objectGroup": "openchrome-handles"})
    return revealed or known


async def _listening(frame: Frame, objects: Sequence[str]) -> list[str]:
    # `pierce`: also those of other worlds than the one in which the element is held. Not of what is
    # in a shadow tree, which may take clicks where the rest of its host does not.
    alone = {"depth": 1, "pierce": True}
    calls = [
        frame.cdp.send("DOMDebugger.getEventListeners", {"objectId": one, **alone})
        for one in objects
    ]
    replies = [await call for call in calls]
    return [
        one
        for one, reply in zip(objects, replies, strict=True)
        if any(listener["type"] in CLICK_TYPES for listener in reply["listeners"])
    ]


async def _make_known(frame: Frame, objects: Sequence[str]) -> bool:
    first, *others = objects
    reply = await frame.cdp.send("Runtime.callFunctionOn", {
        "functionDeclaration": _LISTENING,
        "objectId": first, "arguments": [{"objectId": one} for one in others],
        "returnByValue": True,
    })  # fmt: skip
    return bool(reply["result"].get("value"))
