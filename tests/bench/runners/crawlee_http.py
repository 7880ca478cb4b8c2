"""crawlee's HTTP crawler (Parsel), tuned: full concurrency from the start, memory storage."""

import asyncio
import json
import logging
import sys
import time

from crawlee import ConcurrencySettings
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.storage_clients import MemoryStorageClient


async def main(_binary: str, base: str, pages: int, tabs: int) -> None:
    crawler = ParselCrawler(
        max_requests_per_crawl=pages,
        configure_logging=False,
        storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(
            min_concurrency=tabs, max_concurrency=tabs, desired_concurrency=tabs
        ),
    )
    logging.disable(logging.WARNING)
    done = 0

    @crawler.router.default_handler
    async def handle(context: ParselCrawlingContext) -> None:
        nonlocal done
        html = context.selector.get()
        await context.enqueue_links()
        await context.push_data({"url": context.request.url, "size": len(html)})
        done += 1

    started, used = time.perf_counter(), time.process_time()
    await crawler.run([f"{base}/p/0"])
    seconds, used = time.perf_counter() - started, time.process_time() - used
    print(json.dumps({"pages": done, "seconds": seconds, "cpu_ms": used * 1000 / done}))


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
