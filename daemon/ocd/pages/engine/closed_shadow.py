"""Closed shadow trees, which only CDP can open for the engine."""

from collections.abc import Mapping, Sequence
from typing import Any

from ocd.browser.tabs import evaluate
from ocd.browser.tabs.frames import Frame


async def reveal_closed_shadow(
    frame: Frame, hosts: Sequence[str], nodes: Sequence[Mapping[str, Any]]
) -> bool:
    """Reveal the closed shadow trees of elements; return whether there were any.

    hosts: the elements' object ids. nodes: CDP's descriptions of them, shadow trees included.
    """
    found = [
        (host, int(root["backendNodeId"]))
        for host, node in zip(hosts, nodes, strict=True)
        for root in node.get("shadowRoots", ())
        if root["shadowRootType"] == "closed"
    ]
    if found:
        await _adopt(frame, found)
    return bool(found)


async def _adopt(frame: Frame, found: Sequence[tuple[str, int]]) -> None:
    context = await evaluate.isolated_context(frame)
    # Sent together, answered in order.
    calls = [
        frame.cdp.send("DOM.resolveNode", {"backendNodeId": root, "executionContextId": context})
        for _, root in found
    ]
    roots = [(await reply)["object"]["objectId"] for reply in calls]
    objects = [
        object_id
        for (host, _), root in zip(found, roots, strict=True)
        for object_id in (host, root)
    ]
    call = {
        "functionDeclaration": "function (...rest) { openchrome.adopt(this, ...rest) }",
        "objectId": objects[0],
        "arguments": [{"objectId": object_id} for object_id in objects[1:]],
    }
    await frame.cdp.send("Runtime.callFunctionOn", call)
