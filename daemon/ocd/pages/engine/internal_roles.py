"""Roles and states that custom elements give themselves by ElementInternals: only CDP knows them.

Chromium builds its accessibility tree to answer, once for all elements that are asked together, so
only those are asked that can be acted on and have no role of their own in the page's markup.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class _Taken:
    """An array in the page, and the ids of its elements."""

    array: str
    objects: list[str]


_STATES = ("checked", "selected", "pressed", "expanded", "disabled")
_VALUES = ("valuemin", "valuemax", "valuetext")


async def learn_internals(tab: "Tab", frame: Frame) -> bool:
    """Tell the engine what its last reading did not know about custom elements.

    That is the role of one element of each tag, and the states of those that were told.

    Returns:
        Whether that reading would say something else now.
    """
    kinds = await _take_array(tab, frame, "openchrome.takeCustoms()")
    told = await _take_array(tab, frame, "openchrome.takeStated()")
    nodes = await _nodes(frame, [*kinds.objects, *told.objects])
    roles = [_role_in(node) for node in nodes[: len(kinds.objects)]]
    states = [_states_in(node) for node in nodes[len(kinds.objects) :]]
    changes = [await _learn(frame, kinds, _LEARN_ROLES, roles)]
    changes.append(await _learn(frame, told, _LEARN_STATES, states))
    frame.cdp.send_nowait("Runtime.releaseObjectGroup", {"objectGroup": _CUSTOMS})
    return any(changes)


async def refresh_state(element: "Element") -> None:
    """Tell the engine the states of one such element."""
    (node,) = await _nodes(element.frame, [element.object_id])
    await element.call(_LEARN_STATE, _states_in(node))


async def _take_array(tab: "Tab", frame: Frame, expression: str) -> _Taken:
    array = await engine.handle(tab, frame, expression, needed=1, group=_CUSTOMS)
    assert array
    listed = await frame.cdp.send(
        "Runtime.getProperties", {"objectId": array, "ownProperties": True}
    )
    return _Taken(array, [
        str(item["value"]["objectId"])
        for item in listed["result"]
        if item["name"].isdecimal() and "objectId" in item.get("value", {})
    ])  # fmt: skip


async def _learn(frame: Frame, taken: _Taken, learn: str, values: Sequence[object]) -> bool:
    reply = await frame.cdp.send("Runtime.callFunctionOn", {
        "functionDeclaration": learn, "objectId": taken.array,
        "arguments": [{"value": value} for value in values], "returnByValue": True,
    })  # fmt: skip
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
