"""Clickable boxes: whether the box itself handles clicks, or the parts inside it."""

from dataclasses import dataclass

from ocd.api.errors import OcdError
from ocd.browser.tabs import evaluate
from ocd.pages.engine.empty_elements import CLICK_TYPES
from ocd.pages.engine.refs import Element, refs_of

_MAX_PARTS = 100
_PARTS = "function (o, ...parts) { return openchrome.clickParts(this, parts, o) }"


@dataclass(frozen=True, slots=True)
class ClickParts:
    """What handles clicks on a box: the box itself, or the parts that make up its text.

    Each part is a line of the outline, with its ref.
    """

    listens: bool
    parts: list[dict[str, str]]


async def click_parts(element: Element) -> ClickParts:
    """Return what listens to clicks on a box, by the listeners on it and inside it.

    Listeners of its ancestors are ignored: they may be meant for the box or for its parts.
    """
    cdp = element.frame.cdp
    described = await cdp.send("DOM.describeNode", {"objectId": element.object_id})
    box = described["node"]["backendNodeId"]
    # Held in the page's own world: asked in another one what is deep inside, Chromium mixes up the
    # two worlds' objects for it, and the engine's later calls on them fail ("Illegal invocation").
    resolved = await cdp.send("DOM.resolveNode", {"backendNodeId": box})
    node = {"objectId": resolved["object"]["objectId"]}
    deep = {"depth": -1, "pierce": True}
    listeners = await cdp.send("DOMDebugger.getEventListeners", {**node, **deep})
    cdp.send_nowait("Runtime.releaseObject", node)
    listening = [
        listener["backendNodeId"]
        for listener in listeners["listeners"]
        if listener["type"] in CLICK_TYPES
    ]
    inner = [node for node in dict.fromkeys(listening) if node != box][:_MAX_PARTS]
    return ClickParts(box in listening, await _parts(element, inner) if inner else [])


async def _parts(element: Element, nodes: list[int]) -> list[dict[str, str]]:
    cdp, registry = element.frame.cdp, refs_of(element.tab)
    context = await evaluate.isolated_context(element.frame)
    calls = [
        cdp.send("DOM.resolveNode", {"backendNodeId": node, "executionContextId": context})
        for node in nodes
    ]
    objects = [str((await call)["object"]["objectId"]) for call in calls]
    numbering = registry.numbering(element.frame.frame_id)
    reply = await cdp.send("Runtime.callFunctionOn", {
        "functionDeclaration": _PARTS, "objectId": element.object_id, "returnByValue": True,
        "arguments": [{"value": numbering}, *({"objectId": object_id} for object_id in objects)],
    })  # fmt: skip
    for object_id in objects:
        cdp.send_nowait("Runtime.releaseObject", {"objectId": object_id})
    try:
        answer = evaluate.value_of(reply)
    except OcdError as error:
        raise evaluate.script_error(error) from None
    registry.record(element.frame.frame_id, answer)
    parts: list[dict[str, str]] = answer["result"]
    return parts
