"""crawl4ai's breadth-first crawl over HTTP, its delays set to zero; JSON lines."""

import asyncio
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import TextIO

os.environ["CRAWL4_AI_BASE_DIRECTORY"] = tempfile.mkdtemp(prefix="crawl4ai-")

from crawl4ai import AsyncWebCrawler, CacheMode, CrawlerRunConfig
from crawl4ai.async_crawler_strategy import AsyncCrawlResponse, AsyncHTTPCrawlerStrategy
from crawl4ai.deep_crawling import BFSDeepCrawlStrategy


class OverHttp(AsyncHTTPCrawlerStrategy):
    async def crawl(self, url: str, **options: object) -> AsyncCrawlResponse:
        # Of a page with an XML declaration it would read nothing.
        answer = await super().crawl(url, **options)
        answer.html = re.sub(r"^\s*<\?xml[^>]*>", "", answer.html)
        return answer


async def main(start: str, concurrency: str, file: TextIO) -> None:
    config = CrawlerRunConfig(
        cache_mode=CacheMode.BYPASS,
        verbose=False,
        stream=True,
        semaphore_count=int(concurrency),
        mean_delay=0,
        max_range=0,
        delay_before_return_html=0,
        deep_crawl_strategy=BFSDeepCrawlStrategy(max_depth=1000, include_external=False),
    )
    async with AsyncWebCrawler(crawler_strategy=OverHttp()) as crawler:
        async for result in await crawler.arun(start, config=config):
            if not result.success:
                continue
            page = {
                "url": result.redirected_url or result.url,
                "title": (result.metadata or {}).get("title") or "",
                "markdown": result.markdown.raw_markdown if result.markdown else "",
            }
            file.write(json.dumps(page) + "\n")


start, out, concurrency = sys.argv[1:]
with Path(out).open("w", encoding="utf-8") as file:
    asyncio.run(main(start, concurrency, file))
