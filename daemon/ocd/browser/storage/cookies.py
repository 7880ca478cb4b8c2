"""The browser's cookies: find, set, delete.

The domain policy is checked for every cookie's domain, as for a visit.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.browser.tabs.tab import Tab
from ocd.safety.host_canonical import canonical_host, hostname_of
from ocd.safety.origins import origin_of, text_source

# Seconds since 1970 have ten digits for the next 260 years; more are milliseconds.
_MAX_SECONDS = 1e11
Fits = Callable[[str], bool]
_RULES = (
    "Chromium's rules: SameSite=None needs secure; a name that begins with __Secure- or __Host- "
    "needs secure, __Host- also path / and no domain; names and values have no ; and no control "
    "characters; at most 4096 characters."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CookieQuery:
    """A query for cookies.

    domain: cookies of this domain and those below it ("*": of every domain). host: cookies that a
    request to this host carries. Without both: the same for the host of the tab's page.
    """

    name: str | None = None
    domain: str | None = None
    path: str | None = None
    host: str | None = None


@dataclass(frozen=True, slots=True)
class CookieMatches:
    """The cookies, as CDP describes them, and the number withheld by the domain policy."""

    cookies: list[dict[str, Any]]
    blocked: int


async def find_cookies(tab: Tab, query: CookieQuery) -> CookieMatches:
    """Return the matching cookies of the tab's browser context, sorted.

    Raises domain_blocked, invalid_argument (the tab shows no web page).
    """
    if query.host is not None:
        fits = _of_host(tab, query.host)
    else:
        fits = _of_domain(tab, query.domain) if query.domain else _of_page(tab)
    reply = await tab.cdp.connection.send("Storage.getCookies", _context(tab))
    matching = [
        cookie
        for cookie in reply["cookies"]
        if fits(cookie["domain"])
        and query.name in (None, cookie["name"])
        and query.path in (None, cookie["path"])
    ]
    allowed = [cookie for cookie in matching if tab.guard.policy.allows(host_url(cookie["domain"]))]
    allowed.sort(key=lambda cookie: (cookie["domain"].lstrip("."), cookie["path"], cookie["name"]))
    return CookieMatches(allowed, len(matching) - len(allowed))


def _context(tab: Tab) -> dict[str, Any]:
    number = tab.cdp.target.get("browserContextId")
    return {"browserContextId": number} if number else {}


def _of_domain(tab: Tab, domain: str) -> Fits:
    if domain == "*":
        return lambda _: True
    host = _host(domain)
    tab.guard.policy.check(host_url(host))
    return lambda of: (bare := of.lstrip(".")) == host or bare.endswith(f".{host}")


def _of_page(tab: Tab) -> Fits:
    host = page_host(tab)
    tab.guard.policy.check(tab.url)
    return lambda of: domain_matches(of, host)


def _of_host(tab: Tab, host: str) -> Fits:
    tab.guard.policy.check(host_url(host))
    return lambda of: domain_matches(of, host)


def domain_matches(domain: str, host: str) -> bool:
    """Return whether a cookie of this domain is sent to the host."""
    return domain == host or (domain.startswith(".") and f".{host}".endswith(domain))


def owner(domain: str | None, page_url: str) -> str:
    """Return the origin that a cookie of this domain belongs to, if a page sets it.

    A cookie that the page could set itself, even for a domain above it, belongs to the page's
    origin.
    """
    if domain is None or domain_matches(f".{domain.lstrip('.').lower()}", hostname_of(page_url)):
        return text_source(page_url)
    return host_url(domain).rstrip("/")


def page_host(tab: Tab) -> str:
    """Return the host of the tab's page; invalid_argument if it is not a web page."""
    if not origin_of(tab.url):
        raise OcdError(
            "invalid_argument", f"The tab does not show a web page ({tab.url or 'nothing'}).",
            hint=f"Pass a domain, or open a page first: {tool_call('navigate', url='URL')}",
            parameter="domain",
        )  # fmt: skip
    return hostname_of(tab.url)


def host_url(domain: str) -> str:
    """Return the URL for which the domain policy is checked for a cookie's domain."""
    host = domain.lstrip(".")
    return f"https://[{host}]/" if ":" in host else f"https://{host}/"


def _host(domain: str) -> str:
    try:
        return canonical_host(domain.partition("://")[2].partition("/")[0] or domain.lstrip("."))
    except ValueError as error:
        raise OcdError(
            "invalid_argument", f"Not a valid domain: '{domain}' ({error})",
            hint="For example example.com, or * for all.", parameter="domain",
        ) from None  # fmt: skip


async def delete_cookies(tab: Tab, cookies: list[dict[str, Any]]) -> None:
    """Delete exactly these cookies (of `find_cookies`), no others of the same name."""
    keys = ("name", "domain", "path", "partitionKey")
    for cookie in cookies:
        only = {key: cookie[key] for key in keys if key in cookie}
        await tab.cdp.send("Network.deleteCookies", only)


async def set_cookie(tab: Tab, cookie: dict[str, Any]) -> None:
    """Set a cookie in CDP's form, for its `url` or `domain`, else for the tab's page.

    Raises wrong_value if Chromium refuses it, domain_blocked, invalid_argument (`expires`, or no
    URL and a tab that shows no web page).
    """
    if "url" not in cookie and "domain" not in cookie:
        page_host(tab)
        cookie = {**cookie, "url": tab.url}
    if cookie.get("domain"):
        cookie = {**cookie, "domain": _with_leading_dot(cookie["domain"])}
        tab.guard.policy.check(host_url(cookie["domain"]))
    if "url" in cookie:
        tab.guard.policy.check(cookie["url"])
    _check_expiry(cookie.get("expires"))
    try:
        accepted = (await tab.cdp.send("Network.setCookie", cookie))["success"]
    except OcdError as error:
        if error.code != "cdp_error":
            raise
        accepted = False
    if not accepted:
        raise OcdError(
            "wrong_value", f"Chromium refuses the cookie {cookie['name']!r}.", hint=_RULES,
            name=cookie["name"],
        )  # fmt: skip


def _with_leading_dot(domain: str) -> str:
    # In some versions, a domain without a leading dot makes a cookie for that host alone.
    return f".{_host(domain)}" if domain.startswith(".") else _host(domain)


def _check_expiry(expires: float | None) -> None:
    if expires is None:
        return
    if expires > _MAX_SECONDS:
        why = "is too far in the future: give seconds since 1970, not milliseconds"
    elif expires <= time.time():
        why = "is in the past: use delete to remove a cookie"
    else:
        return
    raise OcdError("invalid_argument", f"expires {expires:.0f} {why}", parameter="expires")


def to_dict(cookie: dict[str, Any]) -> dict[str, Any]:
    """Return CDP's cookie as callers see it; expires is null for a session cookie."""
    result: dict[str, Any] = {
        "name": cookie["name"],
        "value": cookie["value"],
        "domain": cookie["domain"],
        "path": cookie["path"],
        "expires": None if cookie["session"] else cookie["expires"],
        "http_only": cookie["httpOnly"],
        "secure": cookie["secure"],
        "same_site": cookie.get("sameSite"),
        "size": cookie["size"],
    }
    if "partitionKey" in cookie:
        result["partition_key"] = cookie["partitionKey"]
    return result
