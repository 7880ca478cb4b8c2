"""What a control holds once the page has done with it, against what it was given."""

from typing import Any

from ocd.pages.act.field_errors import difference, value_error
from ocd.pages.act.observation import ActionResult
from ocd.pages.locate.target import Target

_SAID = 100  # characters of what the page says
_INVALID = "function () { return openchrome.isInvalid(this) }"
_INSTEAD = "function (given) { return openchrome.heldInstead(this, given) }"


async def instead_of(target: Target, given: dict[str, Any]) -> dict[str, Any] | None:
    """Return what a control holds in place of what it was given, in `held`; None if it is that."""
    held: dict[str, Any] | None = await target.element.call(_INSTEAD, given)
    return held


async def is_invalid(target: Target) -> bool:
    """Return whether the browser has something against the value of a control."""
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
    """Return the first words that the page has added."""
    added = (line[2:].strip() for line in done.lines if line.startswith("+ "))
    return next(added, "")[:_SAID]
