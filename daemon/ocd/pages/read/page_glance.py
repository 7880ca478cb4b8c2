"""One quick look at a page that has just come: how much it has, and what stands before it."""

import asyncio
import contextlib
from typing import Any

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.browser.injected import script
from ocd.browser.tabs.tab import Tab

# A page that has not answered then, on however busy a machine, is busy itself.
LOOK_S = 3.0


async def glance(tab: Tab) -> dict[str, Any]:
    """Return count (of elements), gate, title and login; an empty object from a busy page.

    It is waited for as long as LOOK_S and the call's deadline allow.

    gate: what stands before the page (captcha, bot-check, access-denied, js-required), or "".
    login: whether it asks for a password.
    """
    with contextlib.suppress(TimeoutError, OcdError):
        async with asyncio.timeout(call_context.seconds_left(LOOK_S)):
            found: dict[str, Any] = await tab.evaluate(
                script("page_glance"), args=(), isolated=True
            )
            return found
    return {}
