"""Hidden tabs that load a crawl's pages."""

from dataclasses import dataclass
from typing import Literal, Self

from ocd.browser.chromium import Chromium

PoolWait = Literal["load", "dom", "idle"]


@dataclass(frozen=True, slots=True)
class LoadedPage:
    """A rendered page: final URL, HTTP status (None without one), document as HTML."""

    url: str
    status: int | None
    content_type: str
    title: str
    html: str
    links: list[str]
    redirected: bool


@dataclass(frozen=True, slots=True)
class Fetched:
    """A body fetched with the browser's network stack (cookies, TLS), not rendered."""

    url: str
    status: int
    headers: dict[str, str]
    body: bytes


class PagePool:
    """Reused tabs of one crawl, in their own browser context (or the user's: share_login)."""

    def __init__(self, chromium: Chromium, size: int, *, share_login: bool = False) -> None:
        self.size = size

    async def __aenter__(self) -> Self:
        raise NotImplementedError

    async def __aexit__(self, *exc: object) -> None:
        raise NotImplementedError

    async def load(self, url: str, timeout_s: float, wait: PoolWait = "load") -> LoadedPage:
        """Render `url` within `timeout_s`; navigation_failed, timeout, tab_crashed, not_html, ..."""
        raise NotImplementedError

    async def fetch(self, url: str, timeout_s: float) -> Fetched:
        """Fetch `url` without rendering it; fetch_failed, timeout."""
        raise NotImplementedError
