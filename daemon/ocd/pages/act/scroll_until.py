"""Scrolling a list until words appear in it; virtual lists contain only what is visible."""

from typing import Any

from ocd.api.errors import OcdError
from ocd.pages.engine.refs import Element, refs_of
from ocd.pages.locate.matches import Match
from ocd.pages.locate.target import ActionDeadline

_SHOW = "function (across, o) { return openchrome.showIn(this, across, o) }"
_ON = "function (across, way) { return openchrome.scrollOn(this, across, way) }"
_LIMIT = 20


async def scroll_until(
    element: Element, words: str, deadline: ActionDeadline, *, across: bool, way: int
) -> tuple[Match, dict[str, Any]]:
    """Scroll the box around the element until it shows the words; return the match and where.

    Raises element_not_found at the end of the list, timeout.
    """
    registry = refs_of(element.tab)
    where: dict[str, Any] = {}
    at_end = False
    while True:
        numbering = registry.numbering(element.frame.frame_id)
        options = {"query": words, "limit": _LIMIT, "begins": not where, **numbering}
        reply = await element.call(_SHOW, across, options)
        registry.record(element.frame.frame_id, reply)
        if reply["result"] is not None:
            return Match(**reply["result"]), where
        if at_end:
            raise OcdError(
                "element_not_found", f"{words!r} did not appear before the end of the list.",
                hint="Try the other direction, or other words.", **where,
            )  # fmt: skip
        if not deadline.seconds_left:
            raise OcdError(
                "timeout", f"{words!r} did not appear in time; the list continues.",
                hint="Call it again to scroll on, or raise timeout_ms.", **where,
            )  # fmt: skip
        where = dict(await element.call(_ON, across, way))
        at_end = where.pop("ended")
