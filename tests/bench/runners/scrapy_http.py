"""Scrapy, tuned: no delays, no log; Markdown by html2text, into its own feed of JSON lines."""

import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

import scrapy
from html2text import HTML2Text
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

start, out, concurrency = sys.argv[1:]


class Documents(scrapy.Spider):
    name = "documents"
    start_urls = (start,)
    allowed_domains = (urlsplit(start).hostname,)
    links = LinkExtractor()

    def parse(self, response: Response) -> Iterator[object]:
        if not isinstance(response, HtmlResponse):
            return
        converter = HTML2Text(baseurl=response.url, bodywidth=0)
        title = " ".join(response.css("title::text").get("").split())
        yield {"url": response.url, "title": title, "markdown": converter.handle(response.text)}
        for link in self.links.extract_links(response):
            yield response.follow(link)


process = CrawlerProcess(
    {
        "CONCURRENT_REQUESTS": int(concurrency),
        "CONCURRENT_REQUESTS_PER_DOMAIN": int(concurrency),
        "DOWNLOAD_DELAY": 0,
        "FEEDS": {out: {"format": "jsonlines"}},
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
        "COOKIES_ENABLED": False,
    }
)
process.crawl(Documents)
process.start()
