"""crawl4ai's breadth-first deep crawl, tuned: its fixed delays set to zero."""

import asyncio
import json
import os
import sys
import tempfile
import time

os.environ["CRAWL4_AI_BASE_DIRECTORY"] = tempfile.mkdtemp(prefix="crawl4ai-")

from crawl4ai import AsyncWebCrawler, BrowserConfig, CacheMode, CrawlerRunConfig
from crawl4ai.browser_manager import BrowserManager
from crawl4ai.deep_crawling import BFSDeepCrawlStrategy

_arguments = BrowserManager._build_browser_args


def _with_binary(self: BrowserManager) -> dict:
    # It has no option for the binary; all sides must run the same one.
    return {**_arguments(self), "executable_path": sys.argv[1]}


BrowserManager._build_browser_args = _with_binary


async def main(base: str, pages: int, tabs: int) -> None:
    done = made = markdown = 0
    config = CrawlerRunConfig(
        cache_mode=CacheMode.BYPASS,
        verbose=False,
        stream=True,
        semaphore_count=tabs,
        mean_delay=0,
        max_range=0,
        delay_before_return_html=0,
        deep_crawl_strategy=BFSDeepCrawlStrategy(
            max_depth=9, max_pages=pages, include_external=False
        ),
    )
    started = time.perf_counter()
    async with AsyncWebCrawler(config=BrowserConfig(headless=True, verbose=False)) as crawler:
        async for result in await crawler.arun(f"{base}/p/0", config=config):
            done += result.success
            made += "MADE-BY-SCRIPT words" in (result.html or "")
            markdown += len(result.markdown.raw_markdown) if result.markdown else 0
        seconds = time.perf_counter() - started
    print(json.dumps({"pages": done, "scripted": made, "seconds": seconds, "markdown": markdown}))


asyncio.run(main(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
