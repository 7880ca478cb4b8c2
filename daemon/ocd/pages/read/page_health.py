"""Is a page healthy: it is opened, given the time to become quiet, and looked at once."""

import asyncio
import contextlib
import re
import time
from dataclasses import dataclass, field
from typing import Any

from yarl import URL

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.browser.injected import script
from ocd.browser.observe.console import ConsoleMessage
from ocd.browser.observe.requests import NetworkRequest
from ocd.browser.tabs.navigation import Navigation
from ocd.browser.tabs.tab import Tab

_LOGIN = re.compile(
    r"(^|[/._-])(log-?in|sign-?in|auth|oauth2?|sso|saml|session/new|accounts?)([/._?-]|$)", re.I
)
# What a page may take to be looked at; one that is busy then is told of without it.
PAGE_ANSWER_S = 3.0
_TAB_ENDED = ("tab_gone", "browser_gone", "domain_blocked", "invalid_url")


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """What is opened, and how long is waited: for all, and for the page to become quiet."""

    url: str
    selector: str
    timeout_s: float
    quiet_s: float
    sample: int


@dataclass(slots=True)
class HealthReport:
    """What was found. `look`: the answer of page_health.js, {} if the page did not answer."""

    asked: str
    seconds: float = 0.0
    arrived: Navigation | None = None
    error: OcdError | None = None
    look: dict[str, Any] = field(default_factory=dict)
    messages: list[ConsoleMessage] = field(default_factory=list)
    failed: list[NetworkRequest] = field(default_factory=list)

    @property
    def status(self) -> str:
        """One word for all of it."""
        if self.error is not None:
            return "timeout" if self.error.code == "timeout" else "navigation_failed"
        assert self.arrived is not None
        if self.login_at:
            return "auth_redirect_required"
        return "http_error" if (self.arrived.status or 0) >= 400 else "ok"

    @property
    def login_at(self) -> str:
        """Where the page sends visitors to log in, or an empty string."""
        if self.arrived is None:
            return ""
        asks = "login" in self.look.get("gates", ())
        sent = is_redirected_to_login(self.asked, self.arrived.url, asks=asks)
        return self.arrived.url if sent else ""


def is_redirected_to_login(asked: str, arrived: str, *, asks: bool) -> bool:
    """Return whether who wanted one page is shown the login; asks: it asks for a password."""
    if arrived.split("#")[0] == asked.split("#")[0]:
        return False
    there, wanted = URL(arrived), URL(asked)
    named = _LOGIN.search(f"{there.host}{there.path}") and not _LOGIN.search(wanted.path)
    return bool(named) or (asks and there.path.rstrip("/") != wanted.path.rstrip("/"))


def _is_favicon(url: str) -> bool:
    # Nobody asks for it but the browser itself.
    return url.endswith("/favicon.ico")


async def glance(tab: Tab) -> dict[str, Any]:
    """Return count (of elements), gate, title and login; an empty object from a busy page.

    It is waited for as long as LOOK_S and the call's deadline allow.

    gate: what stands before the page (captcha, bot-check, access-denied, js-required), or "".
    login: whether it asks for a password.
    """
    with contextlib.suppress(TimeoutError, OcdError):
        async with asyncio.timeout(call_context.seconds_left(PAGE_ANSWER_S)):
            result: dict[str, Any] = await tab.evaluate(
                script("page_glance"), args=(), isolated=True
            )
            return result
    return {}


async def check_health(tab: Tab, asked: HealthCheck) -> HealthReport:
    """Open the page and tell how it is; raises only if the tab or the policy ends it."""
    health = HealthReport(asked.url)
    console, requests = tab.console.log.end, tab.request_log.log.end
    started = time.monotonic()
    try:
        async with asyncio.timeout(asked.timeout_s):
            health.arrived = await tab.navigate(asked.url)
            if asked.selector:
                await tab.wait_for("selector", asked.selector, timeout_s=asked.timeout_s)
    except TimeoutError:
        what = f"selector {asked.selector}" if health.arrived else f"load of {asked.url}"
        health.error = OcdError("timeout", f"Waited {asked.timeout_s:g} s for the {what}.")
    except OcdError as error:
        if error.code in _TAB_ENDED or error.code == "invalid_argument":
            raise
        health.error = error
    left = asked.timeout_s - (time.monotonic() - started)
    with contextlib.suppress(TimeoutError, OcdError):
        async with asyncio.timeout(max(0, min(asked.quiet_s, left))):
            await tab.page_loads.wait_until(lambda: "networkIdle" in tab.page_loads.current.reached)
    with contextlib.suppress(TimeoutError, OcdError):
        async with asyncio.timeout(call_context.seconds_left(PAGE_ANSWER_S)):
            health.look = await tab.evaluate(
                script("page_health"), args=[asked.sample], isolated=True
            )
    health.messages = [
        m for m in tab.console.since(console) if not _is_favicon(m.location.get("url", ""))
    ]
    health.failed = [
        one
        for one in tab.request_log.requests(requests)
        if one.failed and not one.canceled and not _is_favicon(one.url)
    ]
    health.seconds = time.monotonic() - started
    return health
