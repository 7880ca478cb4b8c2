"""Whether something is on a page, and waiting for the page to change."""

from ocd.api.errors import OcdError
from ocd.browser import engine
from ocd.browser.acting import Clock, take_aim
from ocd.browser.aiming import GOOD_ENOUGH, Aim, search
from ocd.browser.tab import Tab

# How long one look at a page waits for its next change, in ms: frames change unseen by it.
_LOOK_MS = 200
_SURELY = 60  # a score: the words are there, and not only some of them


async def wait_altered(tab: Tab, clock: Clock) -> None:
    """Wait for the page's next change, at most for a look."""
    try:
        await engine.call(tab, tab.main_frame, "altered", min(clock.left * 1000, _LOOK_MS))
    except OcdError as error:
        if not error.details.get("navigated"):
            raise


async def is_there(tab: Tab, at: Aim) -> bool:
    """Return whether the page shows what a ref, a selector or words mean; text counts, too."""
    if at.query is None:
        try:
            (await take_aim(tab, at)).element.release()
        except OcdError as error:
            if error.code == "ambiguous":
                return True
            if error.code in ("element_not_found", "stale_ref"):
                return False
            raise
        return True
    try:
        found, _ = await search(tab, at.query, 1)
    except OcdError as error:
        if error.details.get("navigated"):
            return False
        raise
    return bool(found) and found[0].score >= max(_SURELY, GOOD_ENOUGH)
