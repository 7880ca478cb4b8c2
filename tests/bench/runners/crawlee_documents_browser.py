"""crawlee's PlaywrightCrawler, tuned; Markdown by html2text, as JSON lines."""

import asyncio
import json
import logging
import sys
from pathlib import Path
from typing import TextIO

from crawlee import ConcurrencySettings
from crawlee.crawlers import PlaywrightCrawler, PlaywrightCrawlingContext
from crawlee.storage_clients import MemoryStorageClient
from html2text import HTML2Text

start, out, concurrency, pages, binary = sys.argv[1:]


async def main(file: TextIO) -> None:
    count = int(concurrency)
    crawler = PlaywrightCrawler(
        headless=True,
        browser_launch_options={"executable_path": binary, "chromium_sandbox": False},
        max_requests_per_crawl=int(pages),
        configure_logging=False,
        storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(
            min_concurrency=count, max_concurrency=count, desired_concurrency=count
        ),
    )
    logging.disable(logging.WARNING)

    @crawler.router.default_handler
    async def read(context: PlaywrightCrawlingContext) -> None:
        url, html = context.page.url, await context.page.content()
        markdown = HTML2Text(baseurl=url, bodywidth=0).handle(html)
        page = {"url": url, "title": await context.page.title(), "markdown": markdown}
        file.write(json.dumps(page) + "\n")
        await context.enqueue_links()

    await crawler.run([start])


with Path(out).open("w", encoding="utf-8") as file:
    asyncio.run(main(file))
