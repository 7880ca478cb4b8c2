"""The element that the engine has found last, as an option of a list or a part of a control."""

from ocd.pages.engine import engine
from ocd.pages.engine.refs import Element
from ocd.pages.locate.target import Target

_FIELD_INSIDE = "function () { return openchrome.findFieldInside(this) }"


async def field_inside(target: Target) -> Element | None:
    """Return the text field inside a combobox that is not one itself, or None.

    `async with` releases it.
    """
    return await found_option(target) if await target.element.call(_FIELD_INSIDE) else None


async def found_option(target: Target) -> Element:
    """Return the option that the engine has found; `async with` releases it."""
    frame, tab = target.element.frame, target.element.tab
    object_id = await engine.handle(tab, frame, "openchrome.foundOption()")
    assert object_id is not None
    return Element(tab, frame, object_id)
