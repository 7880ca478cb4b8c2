"""Roles and states that custom elements give themselves by ElementInternals: only CDP knows them.

Chromium builds its accessibility tree to answer, once for all elements that are asked together, so
only those are asked that can be acted on and have no role of their own in the page's markup.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ocd.api.errors import OcdError
from ocd.browser.tabs.frames import Frame
from ocd.pages.engine import engine

if TYPE_CHECKING:
    from ocd.browser.tabs.tab import Tab
    from ocd.pages.engine.refs import Element

_Node = Mapping[str, Any]  # of the accessibility tree

_CUSTOMS = "openchrome-customs"
_LEARN_ROLES = "function (...roles) { return openchrome.learnInternalRoles(this, roles) }"
_LEARN_STATES = "function (...states) { return openchrome.learnInternalStates(this, states) }"
_LEARN_STATE = "function (state) { return openchrome.learnInternalStates([this], [state]) }"
_STATES = ("checked", "selected", "pressed", "expanded", "disabled")
_VALUES = ("valuemin", "valuemax", "valuetext")


async def learn_roles(tab: "Tab", frame: Frame) -> bool:
    """Tell the engine the roles of the custom elements that its last reading did not know.

    It asks for one element of each tag.

    Returns:
        Whether any has one.
    """
    return await _learn(tab, frame, "openchrome.takeCustoms()", _LEARN_ROLES, _role_in)


async def learn_states(tab: "Tab", frame: Frame) -> bool:
    """Tell the engine the states of such elements that its last reading told.

    Returns:
        Whether any is another one than the reading said.
    """
    return await _learn(tab, frame, "openchrome.takeStated()", _LEARN_STATES, _states_in)


async def refresh_state(element: "Element") -> None:
    """Tell the engine the states of one such element."""
    (node,) = await _nodes(element.frame, [element.object_id])
    await element.call(_LEARN_STATE, _states_in(node))


async def _learn(
    tab: "Tab", frame: Frame, take: str, learn: str, value_in: Callable[[_Node], object]
) -> bool:
    array = await engine.handle(tab, frame, take, needed=1, group=_CUSTOMS)
    assert array
    listed = await frame.cdp.send(
        "Runtime.getProperties", {"objectId": array, "ownProperties": True}
    )
    found = [
        str(item["value"]["objectId"])
        for item in listed["result"]
        if item["name"].isdecimal() and "objectId" in item.get("value", {})
    ]
    nodes = await _nodes(frame, found)
    reply = await frame.cdp.send("Runtime.callFunctionOn", {
        "functionDeclaration": learn, "objectId": array,
        "arguments": [{"value": value_in(node)} for node in nodes], "returnByValue": True,
    })  # fmt: skip
    frame.cdp.send_nowait("Runtime.releaseObjectGroup", {"objectGroup": _CUSTOMS})
    return bool(reply["result"].get("value"))


async def _nodes(frame: Frame, objects: Sequence[str]) -> list[_Node]:
    """Return what the accessibility tree has about elements; {} for one that has been removed."""
    # Else Chromium would build the tree anew for each.
    await frame.cdp.send("Accessibility.enable", {})
    calls = [
        frame.cdp.send(
            "Accessibility.getPartialAXTree", {"objectId": object_id, "fetchRelatives": False}
        )
        for object_id in objects
    ]
    nodes: list[_Node] = []
    for call in calls:
        try:
            nodes.append((await call)["nodes"][0])
        except OcdError as error:
            if error.code != "cdp_error":
                raise
            nodes.append({})
    frame.cdp.send_nowait("Accessibility.disable", {})
    return nodes


def _role_in(node: _Node) -> str:
    return str(node.get("role", {}).get("value", ""))


def _states_in(node: _Node) -> dict[str, str]:
    told = {one["name"]: one["value"].get("value") for one in node.get("properties", ())}
    states = {name: str(told[name]).lower() for name in _STATES if name in told}
    states |= {name: str(told[name]) for name in _VALUES if told.get(name) not in (None, "")}
    if "value" in node and "valuemin" in states:
        states["valuenow"] = str(node["value"].get("value", ""))
    return states
