"""Routes of an application that stand in the fragment of its address: `/app#/settings`.

Only a browser shows them, so they are links of pages that one has rendered, and of no others.
"""

from ocd.crawl.stats import PageRecord
from ocd.crawl.urls import is_route

# A document whose routes show so many times in a row what was there already has none.
MAX_FRUITLESS = 5


class HashRoutes:
    """What the routes of each document of one crawl have shown."""

    def __init__(self) -> None:
        self._hashes: dict[str, set[str]] = {}
        self._fruitless: dict[str, int] = {}

    def is_fruitless(self, url: str) -> bool:
        """Return whether the URL is a route of a document that shows the same by all of them."""
        return is_route(url) and self._fruitless.get(_document(url), 0) >= MAX_FRUITLESS

    def judge(self, record: PageRecord) -> None:
        """Take note of what a rendered page shows."""
        if record.engine != "browser" or record.error is not None:
            return
        document = _document(record.url)
        known = self._hashes.setdefault(document, set())
        if is_route(record.url):
            again = record.content_hash in known
            self._fruitless[document] = self._fruitless.get(document, 0) + 1 if again else 0
        known.add(record.content_hash)

    def __repr__(self) -> str:
        return f"HashRoutes({len(self._fruitless)} documents)"


def _document(url: str) -> str:
    return url.partition("#")[0]
