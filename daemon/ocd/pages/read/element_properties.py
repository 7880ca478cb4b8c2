"""Single properties of a page or of an element: text, value, whether it is enabled."""

from dataclasses import replace
from typing import Any, Literal

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.locate.locators import Among, Locator, count_matches
from ocd.pages.locate.target import resolve_target
from ocd.pages.read import reader

Property = Literal[
    "text", "value", "attribute", "count", "url", "title", "visible", "enabled", "checked"
]
_OF_PAGE = ("url", "title")
# Properties of elements that need not be controls.
_OF_ANYTHING = ("text", "attribute", "visible")
_PROPERTY = "function (name, attribute) { return openchrome.property(this, name, attribute) }"


async def read_property(
    tab: Tab, name: Property, locator: Locator, attribute: str | None = None
) -> tuple[Any, str | None]:
    """Return the value of a property, and the ref of the element that has it, if it is of one.

    Raises what `locators.resolve` raises, except that a missing element counts as not visible;
    wrong_value for `checked` of an element that cannot be checked.
    """
    tab.check_usable()
    if name in _OF_PAGE:
        return (tab.url if name == "url" else await tab.title()), None
    if name == "count":
        locator.check()
        return await count_matches(tab, locator), None
    among: Among = "all" if name in _OF_ANYTHING else "acting"
    try:
        return await _read_element(
            tab, name, replace(locator, among=among, texts="any" if among == "all" else ""),
            attribute,
        )  # fmt: skip
    except OcdError as error:
        if name != "visible" or error.code not in ("element_not_found", "stale_ref"):
            raise
        return False, None


async def _read_element(
    tab: Tab, name: Property, locator: Locator, attribute: str | None
) -> tuple[Any, str]:
    target = await resolve_target(tab, locator)
    async with target.element as element:
        if name == "text":
            reading = await reader.read(tab, mode="text", ref=target.ref)
            return reading.text.strip("\n"), target.ref
        value = await element.call(_PROPERTY, name, attribute)
    if name == "checked" and value is None:
        raise OcdError(
            "wrong_value", f"{locator} is neither checked nor unchecked: {target.about['role']}",
            hint="Ask for its value instead.", ref=target.ref,
        )  # fmt: skip
    return value, target.ref
