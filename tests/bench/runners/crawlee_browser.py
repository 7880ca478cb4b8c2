"""crawlee's PlaywrightCrawler, tuned: full concurrency from the start, memory storage."""

import asyncio
import json
import logging
import sys
import time

from crawlee import ConcurrencySettings
from crawlee.crawlers import PlaywrightCrawler, PlaywrightCrawlingContext
from crawlee.storage_clients import MemoryStorageClient


async def main(binary: str, base: str, pages: int, tabs: int) -> None:
    crawler = PlaywrightCrawler(
        headless=True,
        browser_launch_options={"executable_path": binary, "chromium_sandbox": False},
        max_requests_per_crawl=pages,
        configure_logging=False,
        storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(
            min_concurrency=tabs, max_concurrency=tabs, desired_concurrency=tabs
        ),
    )
    logging.disable(logging.WARNING)
    done = made = 0

    @crawler.router.default_handler
    async def handle(context: PlaywrightCrawlingContext) -> None:
        nonlocal done, made
        html = await context.page.content()
        await context.enqueue_links()
        await context.push_data({"url": context.request.url, "title": await context.page.title()})
        done += 1
        made += "MADE-BY-SCRIPT words" in html

    started = time.perf_counter()
    await crawler.run([f"{base}/p/0"])
    print(json.dumps({"pages": done, "scripted": made, "seconds": time.perf_counter() - started}))


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
