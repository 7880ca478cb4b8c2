"""The browser as a source of pages; its pool is opened for the first page that needs it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from types import TracebackType
from typing import Any, Protocol, Self

from ocd.api.errors import OcdError
from ocd.browser.pool.page_pool import FetchedBody as BrowserFetched
from ocd.browser.pool.page_pool import LoadedPage, PoolOptions
from ocd.crawl.request_options import Cookie
from ocd.crawl.spec import CrawlSpec
from ocd.crawl.urls import origin_of, with_login, without_login
from ocd.storage.machine_limits import usable_processors

# Errors that mean there is no browser, now and for the rest of the crawl.
NO_BROWSER = ("browser_not_found", "browser_failed", "disabled")


class PageSource(Protocol):
    """What a crawl needs from the browser's page pool."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
        /,
    ) -> None: ...

    async def load(self, url: str, timeout_s: float) -> LoadedPage:
        """Render `url` in a tab; see PagePool."""
        ...

    async def fetch(self, url: str, timeout_s: float) -> BrowserFetched:
        """Fetch `url` with the browser's cookies, without rendering it; see PagePool."""
        ...


# Added to the pool's own deadline, for a load that misses it.
_GRACE_S = 1.0

# Called with the number of tabs and their options.
OpenPool = Callable[[int, PoolOptions], PageSource]


def automatic_tabs() -> int:
    """Return the number of tabs beyond which more would only cost memory."""
    return min(4, 2 * usable_processors())


def pool_options(spec: CrawlSpec) -> PoolOptions:
    """Return the options of a crawl's tabs."""
    requests = spec.requests
    return PoolOptions(
        share_login=spec.share_login, user_agent=requests.user_agent,
        headers=dict(requests.headers), origins=requests.origins,
        proxies=tuple(map(without_login, requests.proxies)),
        cookies=tuple(map(_cdp_cookie, requests.cookies)), text_only=requests.resources == "text",
        actions=spec.actions, init_script=spec.init_script, tools=spec.tools,
        keep=frozenset(spec.keep), any_certificate=requests.any_certificate,
    )  # fmt: skip


def _cdp_cookie(cookie: Cookie) -> dict[str, Any]:
    host = f"[{cookie.domain}]" if ":" in cookie.domain else cookie.domain
    scheme = "https" if cookie.secure else "http"
    found = {
        "name": cookie.name, "value": cookie.value, "path": cookie.path, "secure": cookie.secure,
        "httpOnly": cookie.http_only, "url": f"{scheme}://{host}/",
    }  # fmt: skip
    found |= {"domain": f".{cookie.domain}"} if cookie.subdomains else {}
    found |= {"sameSite": cookie.same_site} if cookie.same_site else {}
    return found | ({"expires": cookie.expires} if cookie.expires is not None else {})


@asynccontextmanager
async def _hard_timeout(timeout_s: float) -> AsyncIterator[None]:
    """End a load that the pool should have ended itself, a little later."""
    try:
        async with asyncio.timeout(timeout_s + _GRACE_S):
            yield
    except TimeoutError as error:
        raise OcdError("timeout", f"not loaded within {timeout_s:g} s") from error


class BrowserFetcher:
    """The page pool of one crawl, opened on first use; an async context manager.

    A load waits for a free tab before its time begins to count. logins: "user:password" by
    origin; the pool is given them in the URL, and nobody else sees that URL.
    """

    def __init__(
        self, open_pool: OpenPool, tabs: int, options: PoolOptions, *, logins: Mapping[str, str]
    ) -> None:
        self._logins = logins
        self._open_pool = open_pool
        self._tabs = tabs
        self._options = options
        self._free = asyncio.Semaphore(tabs)
        self._opening = asyncio.Lock()
        self._stack = AsyncExitStack()
        self._pool: PageSource | None = None
        self._missing: OcdError | None = None

    async def close(self) -> None:
        """Close the browser's pool, if one was opened."""
        await self._stack.aclose()

    @property
    def missing(self) -> OcdError | None:
        """Why no browser is available, once that is known."""
        return self._missing

    async def load(self, url: str, timeout_s: float) -> LoadedPage:
        """Render `url` in a free tab; raises what the pool raises."""
        pool = await self._open_tab()
        async with self._free, _hard_timeout(timeout_s):
            with self._uses_login(url) as full:
                page = await pool.load(full, timeout_s)
        return replace(page, url=without_login(page.url)[0]) if "@" in page.url else page

    async def fetch(self, url: str, timeout_s: float) -> BrowserFetched:
        """Fetch `url` with the browser's network stack and cookies, without rendering it."""
        pool = await self._open_tab()
        async with self._free, _hard_timeout(timeout_s):
            with self._uses_login(url) as full:
                answer = await pool.fetch(full, timeout_s)
        return replace(answer, url=without_login(answer.url)[0]) if "@" in answer.url else answer

    @contextmanager
    def _uses_login(self, url: str) -> Iterator[str]:
        login = self._logins.get(origin_of(url)) if self._logins else None
        if login is None:
            yield url
            return
        try:
            yield with_login(url, login)
        except OcdError as error:
            details = {
                key: value.replace(f"{login}@", "") if isinstance(value, str) else value
                for key, value in error.details.items()
            }
            message = error.message.replace(f"{login}@", "")
            raise OcdError(error.code, message, hint=error.hint, **details) from None

    async def _open_tab(self) -> PageSource:
        async with self._opening:
            if self._missing is not None:
                raise self._missing
            if self._pool is None:
                pool = self._open_pool(self._tabs, self._options)
                try:
                    self._pool = await self._stack.enter_async_context(pool)
                except OcdError as error:
                    if error.code in NO_BROWSER:
                        self._missing = error
                    raise
            return self._pool
