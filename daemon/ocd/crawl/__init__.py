"""Crawling: what to fetch next, how, and what to keep of a page."""
