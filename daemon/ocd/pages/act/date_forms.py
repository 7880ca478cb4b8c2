"""Dates in the form of a field that does not take ISO's."""

import re

from ocd.pages.act.date_pickers import is_date_or_time
from ocd.pages.locate.target import Target

_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?")
_FORMS = "function (iso) { return openchrome.dateForms(this, iso) }"
_REJECTED = "function () { return openchrome.isMarkedInvalid(this) }"
_MEANS = "function (iso) { return openchrome.meansDate(this, iso) }"


async def is_rejected(target: Target, text: str) -> bool:
    """Return whether the page marks the field as invalid since it was given a date or a time."""
    return is_date_or_time(text) and bool(await target.element.call(_REJECTED))


async def own_forms(target: Target, text: str) -> list[str]:
    """Return other ways to write an ISO date, those first that the field says it takes."""
    if not _ISO.fullmatch(text.strip()):
        return []
    return list(await target.element.call(_FORMS, text.strip()))


async def is_taken(target: Target, text: str) -> bool:
    """Return whether the field holds the date now, and no other one that is written alike."""
    if await target.element.call(_REJECTED):
        return False
    return bool(await target.element.call(_MEANS, text.strip()))
