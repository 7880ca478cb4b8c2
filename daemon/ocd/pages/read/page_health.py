"""Page health: open a page, wait until it is quiet, and check it; also a quick check."""

import asyncio
import contextlib
import re
import time
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import unquote

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.browser.injected import script
from ocd.browser.observe.console import ConsoleMessage
from ocd.browser.observe.requests import NetworkRequest
from ocd.browser.tabs.navigation import Navigation
from ocd.browser.tabs.tab import Tab
from ocd.safety.host_canonical import parse_url

_LOGIN = re.compile(
    r"(^|[/._-])(log-?in|sign-?in|auth|oauth2?|sso|saml|session/new|accounts?)([/._?-]|$)", re.I
)
# Time limit for examining a page; a busy page is reported without it.
PAGE_ANSWER_S = 3.0
_TAB_ENDED = ("tab_gone", "browser_gone", "domain_blocked", "invalid_url")


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """What to open, and how long to wait: in all, and for the page to become quiet."""

    url: str
    selector: str
    timeout_s: float
    quiet_s: float
    sample: int


@dataclass(slots=True)
class HealthReport:
    """The result. `look`: the result of page_health.js, {} if the page did not respond."""

    asked: str
    seconds: float = 0.0
    arrived: Navigation | None = None
    error: OcdError | None = None
    look: dict[str, Any] = field(default_factory=dict)
    messages: list[ConsoleMessage] = field(default_factory=list)
    failed: list[NetworkRequest] = field(default_factory=list)

    @property
    def status(self) -> str:
        """The overall status."""
        if self.error is not None:
            return "timeout" if self.error.code == "timeout" else "navigation_failed"
        assert self.arrived is not None
        if self.login_at:
            return "auth_redirect_required"
        return "http_error" if (self.arrived.status or 0) >= 400 else "ok"

    @property
    def login_at(self) -> str:
        """The URL of the login page that was shown instead, or an empty string."""
        if self.arrived is None:
            return ""
        asks_password = "login" in self.look.get("gates", ())
        redirected = is_redirected_to_login(
            self.asked, self.arrived.url, has_password_field=asks_password
        )
        return self.arrived.url if redirected else ""


def is_redirected_to_login(requested_url: str, final_url: str, *, has_password_field: bool) -> bool:
    """Return whether a page was requested and the site's login page was shown instead."""
    if final_url.split("#")[0] == requested_url.split("#")[0]:
        return False
    final, requested = parse_url(final_url), parse_url(requested_url)
    path, requested_path = unquote(final.pathname), unquote(requested.pathname)
    if _LOGIN.search(f"{final.hostname}{path}") and not _LOGIN.search(requested_path):
        return True
    return has_password_field and path.rstrip("/") != requested_path.rstrip("/")


def _is_favicon(url: str) -> bool:
    # Only the browser itself requests it.
    return url.endswith("/favicon.ico")


@cache
def _look(name: str) -> str:
    """Return the function of a script that is given what page_gates.js knows of the page."""
    return f"(...args) => ({script(f'tabs/{name}')})(({script('tabs/page_gates')})(), ...args)"


async def glance(tab: Tab) -> dict[str, Any]:
    """Return the page's count (of elements), gate, title and login; {} from a busy page.

    It waits at most PAGE_ANSWER_S seconds, and no longer than the call's deadline allows.

    gate: what stands in front of the page (captcha, bot-check, access-denied, js-required), or "".
    login: whether the page asks for a password that exists already.
    """
    with contextlib.suppress(TimeoutError, OcdError):
        async with asyncio.timeout(call_context.seconds_left(PAGE_ANSWER_S)):
            result: dict[str, Any] = await tab.evaluate(
                _look("page_glance"), args=(), isolated=True
            )
            return result
    return {}


async def check_health(tab: Tab, check: HealthCheck) -> HealthReport:
    """Open the page and report its health; raises only if the tab is gone or the URL is blocked."""
    report = HealthReport(check.url)
    console, requests = tab.console.log.end, tab.request_log.log.end
    started = time.monotonic()
    await _open(tab, check, report)
    await _wait_quiet(tab, check, check.timeout_s - (time.monotonic() - started))
    with contextlib.suppress(TimeoutError, OcdError):
        async with asyncio.timeout(call_context.seconds_left(PAGE_ANSWER_S)):
            report.look = await tab.evaluate(
                _look("page_health"), args=[check.sample], isolated=True
            )
    report.messages = _messages(tab, console)
    report.failed = _failed_requests(tab, requests)
    report.seconds = time.monotonic() - started
    return report


async def _open(tab: Tab, check: HealthCheck, report: HealthReport) -> None:
    """Open the page and wait for what is expected; record the outcome in the report."""
    try:
        async with asyncio.timeout(check.timeout_s):
            report.arrived = await tab.navigate(check.url)
            if check.selector:
                await tab.wait_for("selector", check.selector, timeout_s=check.timeout_s)
    except TimeoutError:
        waited_for = f"selector {check.selector}" if report.arrived else f"load of {check.url}"
        report.error = OcdError("timeout", f"Waited {check.timeout_s:g} s for the {waited_for}.")
    except OcdError as error:
        if error.code in _TAB_ENDED or error.code == "invalid_argument":
            raise
        report.error = error


async def _wait_quiet(tab: Tab, check: HealthCheck, seconds_left: float) -> None:
    with contextlib.suppress(TimeoutError, OcdError):
        async with asyncio.timeout(max(0, min(check.quiet_s, seconds_left))):
            documents = tab.page_loads
            await documents.wait_until(lambda: documents.current.has_reached("networkIdle"))


def _messages(tab: Tab, start: int) -> list[ConsoleMessage]:
    return [
        message
        for message in tab.console.since(start)
        if not _is_favicon(message.location.get("url", ""))
    ]


def _failed_requests(tab: Tab, start: int) -> list[NetworkRequest]:
    return [
        request
        for request in tab.request_log.requests(start)
        if request.failed and not request.canceled and not _is_favicon(request.url)
    ]
