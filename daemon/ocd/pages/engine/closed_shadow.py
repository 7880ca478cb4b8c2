"""Closed shadow trees: only CDP can look into them, and reveals them to the engine."""

from ocd.browser.tabs import evaluate
from ocd.browser.tabs.frames import Frame
from ocd.browser.tabs.tab import Tab
from ocd.pages.engine import engine


async def reveal_closed_shadow(tab: Tab, frame: Frame) -> bool:
    """Reveal the closed shadow trees of the engine's suspects; return whether there were any."""
    array = await engine.handle(tab, frame, "openchrome.takeSuspects()")
    assert array
    listed = await frame.cdp.send(
        "Runtime.getProperties", {"objectId": array, "ownProperties": True}
    )
    hosts = [
        str(item["value"]["objectId"])
        for item in listed["result"]
        if item["name"].isdigit() and "objectId" in item.get("value", {})
    ]
    # Sent at once, answered in order.
    calls = [
        frame.cdp.send("DOM.describeNode", {"objectId": host, "pierce": True}) for host in hosts
    ]
    nodes = [(await reply)["node"] for reply in calls]
    revealed = False
    for host, node in zip(hosts, nodes, strict=True):
        for root in node.get("shadowRoots", ()):
            if root["shadowRootType"] == "closed":
                await _adopt(frame, host, int(root["backendNodeId"]))
                revealed = True
    frame.cdp.send_nowait("Runtime.releaseObjectGroup", {"objectGroup": "openchrome-handles"})
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
