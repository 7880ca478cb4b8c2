"""Crawling: what to fetch next, how, and what is kept of a page."""
