"""Empty elements: only CDP knows their contents and listeners."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ocd.browser.tabs.frames import Frame
from ocd.pages.engine import engine
from ocd.pages.engine.closed_shadow import reveal_closed_shadow
from ocd.pages.engine.internal_roles import learn_internals

if TYPE_CHECKING:
    from ocd.browser.tabs.tab import Tab

CLICK_TYPES = frozenset(
    ("click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend")
)
# The engine asks for fewer boxes with their wrappers; where there are more, they are cells without
# data.
_MAX_ASKED = 64
_WRAPPED = 3  # levels of elements that are asked for listeners: a box, and what alone is in it
# An object group of their own: other callers continue to use the elements in theirs.
_SUSPECTS = "openchrome-suspects"
_LISTENING = "function (...others) { return openchrome.listening([this, ...others]) }"


async def look_further(tab: "Tab", frame: Frame, reply: Mapping[str, Any]) -> bool:
    """Tell the engine what its last reading, which gave this reply, could not see.

    Returns:
        Whether it would tell something else now.
    """
    asked = reply["customs"] or reply["stated"]
    learned = bool(asked) and await learn_internals(tab, frame)
    return (bool(reply["suspects"]) and await look_into_empty(tab, frame)) or learned


async def look_into_empty(tab: "Tab", frame: Frame) -> bool:
    """Tell the engine what its last reading could not see in empty elements.

    Returns:
        Whether that was a closed shadow tree, or a box that listens to clicks.
    """
    array = await engine.handle(tab, frame, "openchrome.takeSuspects()", needed=1, group=_SUSPECTS)
    assert array
    listed = await frame.cdp.send(
        "Runtime.getProperties", {"objectId": array, "ownProperties": True}
    )
    found = [
        str(item["value"]["objectId"])
        for item in listed["result"]
        if item["name"].isdecimal() and "objectId" in item.get("value", {})
    ]
    # Sent together, answered in order.
    calls = [
        frame.cdp.send("DOM.describeNode", {"objectId": object_id, "pierce": True})
        for object_id in found
    ]
    nodes = [(await reply)["node"] for reply in calls]
    added_shadow_trees = await reveal_closed_shadow(frame, found, nodes)
    listens = await _listens(frame, nodes) if len(found) <= _MAX_ASKED else [False] * len(found)
    listening = [one for one, clicked in zip(found, listens, strict=True) if clicked]
    known = bool(listening) and await _make_known(frame, listening)
    frame.cdp.send_nowait("Runtime.releaseObjectGroup", {"objectGroup": _SUSPECTS})
    return added_shadow_trees or known


async def _listens(frame: Frame, nodes: Sequence[Mapping[str, Any]]) -> list[bool]:
    """Return for each element whether it, or what is in it, listens to clicks.

    What is in it and is asked for itself does not count.

    Each is resolved in the page's own world, for which Chromium lists the page's listeners. When
    asked from another world for the listeners of all, it mixes up the worlds' objects, and the page
    may crash.
    """
    group = {"objectGroup": "openchrome-listeners"}
    held = [
        frame.cdp.send("DOM.resolveNode", {"backendNodeId": node["backendNodeId"], **group})
        for node in nodes
    ]
    objects = [(await reply)["object"]["objectId"] for reply in held]
    requests = [
        frame.cdp.send("DOMDebugger.getEventListeners", {"objectId": object_id, "depth": _WRAPPED})
        for object_id in objects
    ]
    replies = [await reply for reply in requests]
    frame.cdp.send_nowait("Runtime.releaseObjectGroup", group)
    asked = {node["backendNodeId"] for node in nodes}
    return [
        any(
            listener["type"] in CLICK_TYPES
            and (own := listener.get("backendNodeId")) is not None
            and (own == node["backendNodeId"] or own not in asked)
            for listener in reply["listeners"]
        )
        for node, reply in zip(nodes, replies, strict=True)
    ]


async def _make_known(frame: Frame, objects: Sequence[str]) -> bool:
    first, *others = objects
    reply = await frame.cdp.send("Runtime.callFunctionOn", {
        "functionDeclaration": _LISTENING,
        "objectId": first, "arguments": [{"objectId": object_id} for object_id in others],
        "returnByValue": True,
    })  # fmt: skip
    return bool(reply["result"].get("value"))
