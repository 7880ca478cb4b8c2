"""crawlee over HTTP (Parsel), tuned; Markdown by html2text, as JSON lines."""

import asyncio
import json
import logging
import sys
from pathlib import Path
from typing import TextIO

from crawlee import ConcurrencySettings
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.storage_clients import MemoryStorageClient
from html2text import HTML2Text


async def main(start: str, concurrency: str, file: TextIO) -> None:
    count = int(concurrency)
    crawler = ParselCrawler(
        configure_logging=False,
        storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(
            min_concurrency=count, max_concurrency=count, desired_concurrency=count
        ),
    )
    logging.disable(logging.WARNING)

    @crawler.router.default_handler
    async def read(context: ParselCrawlingContext) -> None:
        url, html = context.request.loaded_url, context.selector.get()
        title = " ".join((context.selector.css("title::text").get() or "").split())
        markdown = HTML2Text(baseurl=url, bodywidth=0).handle(html)
        file.write(json.dumps({"url": url, "title": title, "markdown": markdown}) + "\n")
        await context.enqueue_links()

    await crawler.run([start])


start, out, concurrency = sys.argv[1:]
with Path(out).open("w", encoding="utf-8") as file:
    asyncio.run(main(start, concurrency, file))
