"""Hidden tabs that load a crawl's pages: reused, kept for one site, replaced when they break."""

import asyncio
import base64
from collections import deque
from dataclasses import dataclass
from typing import Any, Self

from ocd.api.errors import OcdError
from ocd.browser.pool.loaded_page import LoadedPage
from ocd.browser.pool.pool_options import DEFAULT_OPTIONS, PoolOptions
from ocd.browser.pool.pool_tab import USERS_OWN, BrowserPlace, PoolTab
from ocd.browser.process.chromium import Chromium
from ocd.browser.tabs.navigation import STATUS_ONLY
from ocd.safety import certificate_errors
from ocd.safety.host_canonical import hostname_of, netloc_of

__all__ = ["FetchedBody", "LoadedPage", "PagePool", "PoolOptions"]

_READ_BYTES = 1 << 20
# With more proxies than this, a tab is closed and another one opened for each page.
_MAX_TABS = 8


@dataclass(frozen=True, slots=True)
class FetchedBody:
    """A body fetched with the browser's network stack (cookies, TLS), not rendered.

    url: as requested; Chromium follows redirects without reporting where they led.
    """

    url: str
    status: int
    headers: dict[str, str]
    body: bytes


class PagePool:
    """Reused tabs of one crawl, in their own browser context (or the user's: share_login).

    Each of several proxies has its own context; they are used in turn, page by page. At most `size`
    pages load at once, further calls wait. The pool survives Chromium's death: pages that were
    loading fail with browser_gone, the next ones get new tabs.
    """

    def __init__(
        self, chromium: Chromium, size: int, options: PoolOptions = DEFAULT_OPTIONS
    ) -> None:
        self.size = size
        self._chromium = chromium
        self._options = options
        self._free = asyncio.Semaphore(size)
        self._idle: list[PoolTab] = []
        self._busy: list[PoolTab] = []
        self._fetcher: PoolTab | None = None
        self._opening = asyncio.Lock()
        self._places: deque[BrowserPlace] = deque([USERS_OWN])
        self._generation = -1

    async def __aenter__(self) -> Self:
        if self._options.proxies and not self._chromium.guard.policy.empty:
            # Chromium's rules for what the guard does not see need the proxy and the resolver.
            raise OcdError(
                "disabled", "With a domain policy the browser cannot use another proxy",
                hint="Crawl with engine static.",
            )  # fmt: skip
        self._chromium.retain()
        try:
            await self._renew()
        except BaseException:  # a cancelled crawl must not keep Chromium alive
            self._chromium.release()
            raise
        return self

    async def __aexit__(self, *exc: object) -> None:
        try:
            await asyncio.shield(self._close())
        finally:
            self._chromium.release()

    async def _close(self) -> None:
        if self._generation != self._chromium.generation or self._chromium.state != "running":
            return
        for tab in [*self._idle, *([self._fetcher] if self._fetcher else [])]:
            await tab.close()
        await self._drop_context()

    async def _drop_context(self) -> None:
        # This also closes the tabs that are still loading.
        for place in self._places:
            if place.context_id is None:
                continue
            params = {"browserContextId": place.context_id}
            try:
                async with asyncio.timeout(3):
                    await self._chromium.connection.send("Target.disposeBrowserContext", params)
            except (OcdError, TimeoutError):
                return

    async def _renew(self) -> None:
        # After Chromium's death nothing remains of the old generation.
        async with self._opening:
            await self._chromium.ensure()
            if self._generation == self._chromium.generation:
                return
            self._idle.clear()
            self._fetcher = None
            self._places = deque([USERS_OWN])
            if not self._options.share_login:
                proxies = self._options.proxies or (("", ""),)
                self._places = deque([await self._open_context(proxy) for proxy in proxies])
            self._generation = self._chromium.generation

    async def _open_context(self, proxy: tuple[str, str]) -> BrowserPlace:
        connection = self._chromium.connection
        address, login = proxy
        params: dict[str, Any] = {"disposeOnDetach": True}
        if address:
            # Loopback also goes through the proxy, as with the static engine.
            params |= {"proxyServer": address, "proxyBypassList": "<-loopback>"}
        reply = await connection.send("Target.createBrowserContext", params)
        context_id = str(reply["browserContextId"])
        await self._chromium.downloads.deny_in(connection, context_id)
        if self._options.cookies:
            cookies = {"cookies": self._options.cookies, "browserContextId": context_id}
            await connection.send("Storage.setCookies", cookies)
        return BrowserPlace(context_id, login)

    async def load(self, url: str, timeout_s: float) -> LoadedPage:
        """Render `url` within `timeout_s` seconds.

        With styles, and with images unless the options say text_only. Content that scripts are
        about to insert is waited for, a few seconds at most.

        Raises navigation_failed, too_many_redirects, download_started, not_html, domain_blocked,
        tab_crashed, timeout, browser_gone.
        """
        await self._chromium.guard.check(url)
        try:
            return await self._load(url, timeout_s)
        except OcdError as error:
            if error.details.get("net_error") not in STATUS_ONLY:
                # Of a page that goes on to a blocked one, Chromium says only that it failed.
                await self._chromium.guard.check(str(error.details.get("url", url)))
                raise
        # An error status without a page: Chromium shows its own page and reports no status.
        answer = await self.fetch(url, timeout_s)
        kind = answer.headers.get("content-type", "").partition(";")[0]
        return LoadedPage(url, answer.status, kind, title="", html="", links=[], redirected=False)

    async def _load(self, url: str, timeout_s: float) -> LoadedPage:
        async with self._free:
            tab = await self._take(site_of(url))
            try:
                async with asyncio.timeout(timeout_s):
                    page = await tab.load(url, timeout_s)
            except TimeoutError:
                self._return_later(tab)
                raise OcdError("timeout", f"{url} took more than {timeout_s:g} s.") from None
            except BaseException:  # the tab of a cancelled load is still loading
                self._return_later(tab)
                raise
            self._give_back(tab)
            return page

    async def _take(self, site: str) -> PoolTab:
        await self._renew()
        place = self._places[0]
        self._places.rotate(-1)
        usable = [tab for tab in self._idle if not tab.broken and tab.place is place]
        tab = next((tab for tab in usable if tab.site in (site, "")), None)
        # Another site needs a new renderer: a new tab is better while there is room.
        if tab is None and len(usable) >= self.size:
            tab = usable[0]
        if tab is None:
            await self._make_room(place)
            tab = await PoolTab.open(self._chromium.targets, place, self._options)
        else:
            self._idle.remove(tab)
        tab.site = site
        self._busy.append(tab)
        return tab

    async def _make_room(self, place: BrowserPlace) -> None:
        # The tabs of other proxies are kept while there are few.
        others = [tab for tab in self._idle if tab.place is not place]
        if others and len(self._idle) + len(self._busy) >= max(self.size, _MAX_TABS):
            self._idle.remove(others[0])
            await others[0].close()

    def _give_back(self, tab: PoolTab) -> None:
        if tab.stale or tab.broken:
            self._return_later(tab)
        else:
            self._busy.remove(tab)
            self._idle.append(tab)

    def _return_later(self, tab: PoolTab) -> None:
        self._busy.remove(tab)
        self._chromium.spawn(self._repair(tab, self._generation))

    async def _repair(self, tab: PoolTab, generation: int) -> None:
        if not (tab.broken or tab.stale):
            await tab.recover()
        if generation != self._generation:
            return
        if tab.broken or tab.stale:
            await tab.close()
        else:
            self._idle.append(tab)

    async def fetch(self, url: str, timeout_s: float) -> FetchedBody:
        """Fetch `url` with the context's cookies, without rendering it.

        Responses of 400 and above have no body here. Raises domain_blocked, fetch_failed, timeout,
        browser_gone.
        """
        await self._chromium.guard.check(url)
        try:
            async with asyncio.timeout(timeout_s):
                return await self._fetch(url)
        except TimeoutError:
            raise OcdError("timeout", f"{url} took more than {timeout_s:g} s.") from None

    async def _fetch(self, url: str) -> FetchedBody:
        tab = await self._fetching()
        params = {
            "frameId": tab.cdp.target_id,
            "url": url,
            "options": {"disableCache": False, "includeCredentials": True},
        }
        result = (await tab.cdp.send("Network.loadNetworkResource", params))["resource"]
        status = int(result.get("httpStatusCode", 0))
        headers = {name.lower(): value for name, value in result.get("headers", {}).items()}
        if result["success"]:
            return FetchedBody(url, status, headers, await _read_stream(tab, result["stream"]))
        if status >= 400:
            return FetchedBody(url, status, headers, b"")
        error = result.get("netErrorName", "net::ERR_FAILED")
        untrusted = certificate_errors.certificate_error(url, netloc_of(url), error)
        raise untrusted or OcdError("fetch_failed", f"{url}: {error}", url=url, net_error=error)

    async def _fetching(self) -> PoolTab:
        await self._renew()
        async with self._opening:
            if self._fetcher is None or self._fetcher.broken:
                self._fetcher = await PoolTab.open(
                    self._chromium.targets, self._places[0], self._options
                )
            return self._fetcher

    def __repr__(self) -> str:
        return f"PagePool({self.size} tabs, idle: {self._idle}, busy: {self._busy})"


async def _read_stream(tab: PoolTab, handle: str) -> bytes:
    parts: list[bytes] = []
    while True:
        piece = await tab.cdp.send("IO.read", {"handle": handle, "size": _READ_BYTES})
        data = piece["data"]
        parts.append(base64.b64decode(data) if piece.get("base64Encoded") else data.encode())
        if piece["eof"]:
            break
    tab.cdp.send_nowait("IO.close", {"handle": handle})
    return b"".join(parts)


def site_of(url: str) -> str:
    """Return a key for pages that can share a renderer: scheme and the host's last two labels.

    This only approximates Chromium's notion of a site, well enough to choose a tab by.
    """
    scheme, host = url.partition(":")[0].lower(), hostname_of(url)
    if ":" in host or host.rpartition(".")[2].isdecimal():
        return f"{scheme}://{host}"
    return f"{scheme}://{'.'.join(host.split('.')[-2:])}"
