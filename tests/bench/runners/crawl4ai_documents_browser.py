"""crawl4ai's breadth-first crawl in its browser, its delays set to zero; JSON lines."""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TextIO

os.environ["CRAWL4_AI_BASE_DIRECTORY"] = tempfile.mkdtemp(prefix="crawl4ai-")

from crawl4ai import AsyncWebCrawler, BrowserConfig, CacheMode, CrawlerRunConfig
from crawl4ai.browser_manager import BrowserManager
from crawl4ai.deep_crawling import BFSDeepCrawlStrategy

start, out, concurrency, pages, binary = sys.argv[1:]
_arguments = BrowserManager._build_browser_args


def _with_binary(self: BrowserManager) -> dict:
    # It has no option for the binary; all sides must run the same one.
    return {**_arguments(self), "executable_path": binary}


BrowserManager._build_browser_args = _with_binary


async def main(file: TextIO) -> None:
    config = CrawlerRunConfig(
        cache_mode=CacheMode.BYPASS,
        verbose=False,
        stream=True,
        semaphore_count=int(concurrency),
        mean_delay=0,
        max_range=0,
        delay_before_return_html=0,
        deep_crawl_strategy=BFSDeepCrawlStrategy(
            max_depth=1000, max_pages=int(pages), include_external=False
        ),
    )
    async with AsyncWebCrawler(config=BrowserConfig(headless=True, verbose=False)) as crawler:
        async for result in await crawler.arun(start, config=config):
            if not result.success:
                continue
            page = {
                "url": result.redirected_url or result.url,
                "title": (result.metadata or {}).get("title") or "",
                "markdown": result.markdown.raw_markdown if result.markdown else "",
            }
            file.write(json.dumps(page) + "\n")


with Path(out).open("w", encoding="utf-8") as file:
    asyncio.run(main(file))
