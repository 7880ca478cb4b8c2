"""Running the crawler itself, without a daemon: its pages come back as decoded records."""

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from ocd.api.errors import OcdError
from ocd.browser.pool.page_pool import FetchedBody, LoadedPage, PoolOptions
from ocd.crawl.crawler import Crawler
from ocd.crawl.fetch.browser_fetch import OpenPool
from ocd.crawl.spec import CrawlSpec
from ocd.ledger.task_handle import TaskHandle
from ocd.safety.domain_policy import DomainPolicy
from ocd.safety.sanitize import Sanitizer
from ocd.storage.payload import JsonLinesFile


@dataclass
class Crawled:
    """What a crawl returned, and the pages that it kept."""

    summary: dict[str, Any]
    pages: list[dict[str, Any]]

    def page(self, url: str) -> dict[str, Any]:
        """Return the one record of a URL."""
        (found,) = [page for page in self.pages if page["url"] == url]
        return found

    @property
    def good(self) -> list[dict[str, Any]]:
        """The pages without an error."""
        return [page for page in self.pages if "error" not in page]


class FakePool:
    """A page source without a browser: pages by URL, or the errors to raise."""

    def __init__(self, pages: dict[str, LoadedPage | OcdError] | None = None) -> None:
        self.pages = pages or {}
        self.loaded: list[str] = []
        self.refuses: OcdError | None = None

    def __call__(self, tabs: int, options: PoolOptions) -> Self:
        return self

    async def __aenter__(self) -> Self:
        if self.refuses:
            raise self.refuses
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
        /,
    ) -> None:
        return None

    async def load(self, url: str, timeout_s: float) -> LoadedPage:
        self.loaded.append(url)
        found = self.pages[url]
        if isinstance(found, OcdError):
            raise found
        return found

    async def fetch(self, url: str, timeout_s: float) -> FetchedBody:
        self.loaded.append(url)
        return FetchedBody(url, 200, {"Content-Type": "text/html"}, b"<title>As user</title>")


def rendered(url: str, html: str, *links: str, status: int = 200) -> LoadedPage:
    """Return a page as a browser would load it."""
    return LoadedPage(url, status, "text/html", "Rendered", html, list(links), redirected=False)


async def run_crawl(
    directory: Path,
    *,
    pool: OpenPool | None = None,
    policy: DomainPolicy | None = None,
    work: TaskHandle | None = None,
    sitemap: bool = False,
    **spec: Any,  # noqa: ANN401 - CrawlSpec's own fields
) -> Crawled:
    """Run one crawl into `directory` and return its result."""
    directory.mkdir(exist_ok=True)  # noqa: ASYNC240 - a test's own folder
    work = work or TaskHandle("0" * 16, "default", directory)
    crawler = Crawler(
        None,  # the fake pool stands for the browser
        policy or DomainPolicy(),
        Sanitizer(),
        open_pool=pool or FakePool(),
    )
    run = crawler.crawl_sitemap if sitemap else crawler.crawl
    spec = {"page_timeout_ms": 60_000, **spec}
    try:
        summary = await run(work, CrawlSpec(**spec))
    finally:
        work.close()
        await crawler.close()
    return Crawled(summary, kept_pages(work))


def kept_pages(work: TaskHandle) -> list[dict[str, Any]]:
    """Return the records that a crawl has kept so far."""
    return [msgspec.json.decode(line) for line in JsonLinesFile(work.units)]
