"""Prompts of the browser itself, which nobody sees and which receive the mouse and the keys.

Chromium shows one when a request is answered with 401. Preventing it would slow down every page:
Chromium passes such answers to CDP only together with every request, which took 7 to 14 % more of
its CPU on a small page. So it is noticed when an action's input does not reach the page, or when a
page does not finish loading. It is closed then, and later challenges of the tab are answered: with
the credentials of `http_auth`, or with none.

Prompts that ask whether to open another program are prevented, but for those of a frame's first
address and of redirects (ocd.browser.sessions.external_links).
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from ocd.api.errors import OcdError
from ocd.browser.injected import script
from ocd.browser.network.interception import interception_of
from ocd.browser.observe.request_views import display_url
from ocd.browser.observe.requests import NetworkRequest
from ocd.browser.sessions.external_links import ExternalPrompt, StartedProgram
from ocd.browser.tabs.tab import Navigation, Tab
from ocd.pages.act import input_events

Load = Callable[[], Awaitable[Navigation]]
# How often it is looked whether a prompt has closed, and the seconds between.
_LOOKS = 50
_PAUSE_S = 0.02
# Seconds that a page has been loading when it is looked for a prompt, and between two looks.
_LOADING_S = 1.5
_MAX_ASKED = 3  # requests
_UNAUTHORIZED = 401
_LOGIN_HINT = (
    "If you know them, set them with `http_auth` and load the page again. Otherwise try again: "
    "from now on the page gets such responses, and there is no prompt."
)
_OTHER_HINT = "Close it: `navigate` to about:blank and back."


async def check_heard(tab: Tab) -> None:
    """Raise `covered` if the mouse does not reach the page; closes a prompt for a password."""
    if await _hears(tab):
        return
    what, hint = "a prompt of the browser received it", _OTHER_HINT
    if external := tab.state(ExternalPrompt):
        what = f"a prompt received it that asks whether to open {external.url} in another program"
    unanswered = _unanswered(tab)
    if unanswered:
        await _refuse(tab)
        if await _hears_again(tab):
            asked = _describe(unanswered[-1])
            what = (
                "it went to a prompt of the browser for a user name and a password (`http_auth`), "
                f"which the answer to {asked} asked for; it is closed, and that request failed"
            )
            hint = _LOGIN_HINT
    raise OcdError(
        "covered", f"The page did not receive the input: {what}.", hint=hint, covered_by=what
    )


async def load_past_prompts(tab: Tab, load: Load, again: Load | None) -> tuple[Navigation, str]:
    """Return what `load` returns, and the request whose prompt kept the page from loading, or "".

    Such a prompt for a password is closed, which stops all else that was being loaded. So `again`
    loads the page once more: now such requests get their 401 at once. None: the page stays so.
    """
    tab.drop_state(StartedProgram)
    if again and tab.state(ExternalPrompt) is not None:
        await _close_external_prompt(tab)
    closed: list[NetworkRequest] = []

    async def watch() -> None:
        asked: set[int] = set()
        while not closed:
            await asyncio.sleep(_LOADING_S)
            # The load itself says what is wrong with the tab.
            with contextlib.suppress(OcdError, TimeoutError):
                closed.extend(await _close_prompt(tab, asked))

    try:
        async with asyncio.TaskGroup() as group:
            watcher = group.create_task(watch())
            result = await load()
            watcher.cancel()
    except* OcdError as errors:
        raise _explain(tab, errors.exceptions[0]) from None
    if not closed:
        return result, ""
    return await again() if again else result, _describe(closed[0])


def _explain(tab: Tab, error: BaseException) -> BaseException:
    """Return the error of a failed load, or a better one if a server redirected to a program."""
    if not isinstance(error, OcdError) or error.code != "navigation_failed":
        return error
    if external := tab.state(ExternalPrompt):
        error.message = f"The address leads to another program, which is not opened: {external.url}"
    elif started := tab.state(StartedProgram):
        error.message = f"The address leads to another program, which is opened: {started.url}"
    return error


async def _close_external_prompt(tab: Tab) -> None:
    """Leave the page for an empty one: the prompt stays where the next page is of the same host."""
    for _ in range(_LOOKS):  # it is shown a moment after its link was followed, and then stays
        if not await _hears(tab):
            break
        await asyncio.sleep(_PAUSE_S)
    tab.drop_state(ExternalPrompt)
    await tab.navigate("about:blank", "commit")


async def _close_prompt(tab: Tab, asked: set[int]) -> list[NetworkRequest]:
    """Close the prompt for a password that the page waits for; return the request, if there is one.

    A page that is not drawn yet does not hear the mouse either: so the server is asked once more.

    asked: the numbers of the requests that this was done for; more are added.
    """
    unanswered = [
        request
        for request in _unanswered(tab)
        if request.method == "GET" and request.number not in asked
    ]
    if not unanswered or await _hears(tab):
        return []
    for request in unanswered[:_MAX_ASKED]:
        asked.add(request.number)
        if await _wants_login(tab, request.url):
            await _refuse(tab)
            return [request]
    return []


async def _wants_login(tab: Tab, url: str) -> bool:
    """Whether the server answers 401 to the request without credentials, which shows no prompt."""
    async with asyncio.timeout(_LOADING_S):
        status = await tab.evaluate(script("tabs/anonymous_status"), args=(url,), isolated=True)
    return bool(status == _UNAUTHORIZED)


async def _refuse(tab: Tab) -> None:
    """Close the tab's prompt for a password, and have no other one shown."""
    await interception_of(tab).refuse_prompts()
    await tab.cdp.send("Page.stopLoading")


def _describe(request: NetworkRequest) -> str:
    return f"{request.method} {display_url(request.url)}"


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
