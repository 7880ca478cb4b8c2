"""Prompts of the browser itself, which nobody sees and which receive the mouse and the keys.

Chromium shows one when a request is answered with 401, when a link leads to another program
(`tel:`), or when a page asks to share the screen. Preventing the first kind would slow down every
page: Chromium passes such answers to CDP only together with every request, which took 7 to 14 %
more of its CPU on a small page. So a prompt is noticed when an action's input does not reach the
page. One for a password is closed then, and later challenges of the tab are answered: with the
credentials of `http_auth`, or with none.
"""

import asyncio

from ocd.api.errors import OcdError
from ocd.browser.injected import script
from ocd.browser.network.interception import interception_of
from ocd.browser.observe.request_views import display_url
from ocd.browser.observe.requests import NetworkRequest
from ocd.browser.tabs.tab import Tab
from ocd.pages.act import input_events

# How often it is looked whether a prompt has closed, and the seconds between.
_LOOKS = 50
_PAUSE_S = 0.02
_LOGIN_HINT = (
    "If you have them, give them with `http_auth` and load the page again. Without them try again: "
    "from now on the page gets such answers instead."
)
_OTHER_HINT = (
    "Close it: `navigate` to about:blank and back. A link for another program or a question about "
    "sharing the screen may have opened it."
)


async def check_heard(tab: Tab) -> None:
    """Raise `covered` if the mouse does not reach the page; closes a prompt for a password."""
    if await _hears(tab):
        return
    what, hint = "a prompt of the browser itself gets it", _OTHER_HINT
    unanswered = _unanswered(tab)
    if unanswered:
        await interception_of(tab).refuse_prompts()
        await tab.cdp.send("Page.stopLoading")
        if await _hears_again(tab):
            asked = f"{unanswered[-1].method} {display_url(unanswered[-1].url)}"
            what = (
                "it went to a prompt of the browser for a user name and a password (`http_auth`), "
                f"which the answer to {asked} asked for; it is closed, and that request failed"
            )
            hint = _LOGIN_HINT
    raise OcdError(
        "covered", f"The page got nothing of the input: {what}.", hint=hint, covered_by=what
    )


async def _hears_again(tab: Tab) -> bool:
    """Whether the mouse reaches the page soon: a prompt closes once its request has ended."""
    for _ in range(_LOOKS):
        if await _hears(tab):
            return True
        await asyncio.sleep(_PAUSE_S)
    return False


async def _hears(tab: Tab) -> bool:
    """Whether the mouse reaches the page; True, too, where that cannot be found out."""
    if tab.state(input_events.HeldButton) is not None:
        return True
    place = tab.state(input_events.MousePlace) or input_events.MousePlace(0, 0)
    probe = script("tabs/mouse_probe")
    point = await tab.evaluate(probe, args=(place.x, place.y), isolated=True)
    if point is None:
        return True
    await input_events.move_mouse(tab, *point)
    return bool(await tab.evaluate(probe, args=(), isolated=True))


def _unanswered(tab: Tab) -> list[NetworkRequest]:
    return [
        request
        for request in tab.request_log.requests()
        if request.state == "pending" and request.status is None and request.type != "WebSocket"
    ]
