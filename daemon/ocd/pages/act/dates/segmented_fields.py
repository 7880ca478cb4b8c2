"""Dates and times that are typed in parts, each into a spin button."""

import re

from ocd.pages.act import input_events
from ocd.pages.act.actionability import wait_ready
from ocd.pages.act.field_errors import value_error
from ocd.pages.act.observation import Given
from ocd.pages.locate.target import ActionDeadline, Target

_KINDS = "function () { return openchrome.segmentKinds(this) }"
_FOCUS = "function (kind) { openchrome.focusSegment(this, kind) }"
_VALUE = "function (kind) { return openchrome.segmentValue(this, kind) }"
_STATE = "function () { return openchrome.stateOf(this) }"
_DATE = re.compile(r"(?P<year>\d{4})-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?")
_TIME = re.compile(r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?")
_NOON = 12


async def fill(target: Target, deadline: ActionDeadline, text: str) -> Given:
    """Type each part of a date or time; return what must hold then. Raises wrong_value."""
    await wait_ready(target, deadline, point=False)
    kinds: list[str] = await target.element.call(_KINDS)
    parts = _parts(text, kinds)
    if missing := [kind for kind in kinds if kind not in parts]:
        raise value_error(
            target, f"it has {', '.join(kinds)}, and {text!r} does not say {' or '.join(missing)}.",
            "Pass a date as 2031-12-24, a time as 18:30, both as 2031-12-24T18:30.",
        )  # fmt: skip
    for kind in kinds:
        await target.element.call(_FOCUS, kind)
        await input_events.type_text(target.element.tab, parts[kind])
    for kind in kinds:
        now = await target.element.call(_VALUE, kind)
        same = (
            str(now).lower().startswith(parts[kind]) if kind == "half" else now == int(parts[kind])
        )
        if not same:
            raise value_error(target, f"its {kind} is {now!r} after {parts[kind]!r} was typed.")
    return {"state": await target.element.call(_STATE)}


def _parts(text: str, kinds: list[str]) -> dict[str, str]:
    """Return the text for each part, as far as the given text contains it."""
    found: dict[str, str] = {}
    for pattern in (_DATE, _TIME):
        match = pattern.search(text)
        found |= {k: v.zfill(2) for k, v in match.groupdict().items() if v} if match else {}
    if "hour" in found and "second" in kinds:
        found.setdefault("second", "00")
    if "hour" in found and "half" in kinds:
        hour = int(found["hour"])
        found["half"] = "p" if hour >= _NOON else "a"
        found["hour"] = str(hour % _NOON or _NOON).zfill(2)
    return found
