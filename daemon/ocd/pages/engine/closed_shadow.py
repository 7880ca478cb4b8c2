"""Closed shadow trees: only CDP can look into them, and reveals them to the engine."""

from collections.abc import Mapping, Sequence
from typing import Any

from ocd.browser.tabs import evaluate
from ocd.browser.tabs.frames import Frame


async def reveal_closed_shadow(
    frame: Frame, hosts: Sequence[str], nodes: Sequence[Mapping[str, Any]]
) -> bool:
    """Reveal the closed shadow trees of elements; return whether there were any.

    hosts: their object ids. nodes: what CDP describes them as, shadow trees included.
    """
    revealed = False
    for host, node in zip(hosts, nodes, strict=True):
        for root in node.get("shadowRoots", ()):
            if root["shadowRootType"] == "closed":
                await _adopt(frame, host, int(root["backendNodeId"]))
                revealed = True
    return revealed


async def _adopt(frame: Frame, host: str, root: int) -> None:
    context = await evaluate.isolated_context(frame)
    params = {"backendNodeId": root, "executionContextId": context}
    resolved = await frame.cdp.send("DOM.resolveNode", params)
    call = {
        "functionDeclaration": "function (root) { openchrome.adopt(this, root) }",
        "objectId": host,
        "arguments": [{"objectId": resolved["object"]["objectId"]}],
    }
    await frame.cdp.send("Runtime.callFunctionOn", call)
