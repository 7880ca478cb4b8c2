"""Comparing what a control holds after the page has reacted with what it was given."""

from typing import Any

from ocd.pages.act.field_errors import difference, value_error
from ocd.pages.act.observation import ActionResult
from ocd.pages.locate.target import Target

_SAID = 100  # characters of the page's message
_INVALID = "function () { return openchrome.isInvalid(this) }"
_INSTEAD = "function (given) { return openchrome.differingValue(this, given) }"


async def instead_of(target: Target, given: dict[str, Any]) -> dict[str, Any] | None:
    """Return in `held` what a control holds instead of its value; None if it holds the value."""
    held: dict[str, Any] | None = await target.element.call(_INSTEAD, given)
    return held


async def is_invalid(target: Target) -> bool:
    """Return whether the browser's validation rejects the control's value."""
    return bool(await target.element.call(_INVALID))


def check(target: Target, value: Any, done: ActionResult) -> None:  # noqa: ANN401
    """Raise wrong_value or value_differs if the control does not hold what it was given."""
    if done.instead is None:
        return
    held = done.instead["held"]
    if value and held == "":
        hint = _page_message(done) or "Is it a number field, or too short?"
        raise value_error(target, "it did not accept the text.", hint)
    raise difference(target, value, held, _page_message(done))


def _page_message(done: ActionResult) -> str:
    """Return the first text that the page has added."""
    added = (line[2:].strip() for line in done.lines if line.startswith("+ "))
    return next(added, "")[:_SAID]
