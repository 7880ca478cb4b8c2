"""Hash routes: an application's routes in the URL fragment, such as `/app#/settings`.

Only a browser shows them, so only pages rendered by a browser have such links.
"""

from ocd.crawl.crawl_result import PageRecord
from ocd.crawl.urls import is_route

# After this many routes that show nothing new, a document counts as having none.
MAX_FRUITLESS = 5


class HashRoutes:
    """What the routes of each document of one crawl have shown."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._fruitless: dict[str, set[str]] = {}
        self._fruitful: set[str] = set()

    def is_fruitless(self, url: str) -> bool:
        """Return whether the URL is a route of a document whose routes all show the same."""
        if not is_route(url):
            return False
        document = url.partition("#")[0]
        tried = self._fruitless.get(document, ())
        return document not in self._fruitful and len(tried) >= MAX_FRUITLESS

    def note(self, record: PageRecord) -> None:
        """Record what a rendered page shows."""
        if record.engine != "browser" or record.error is not None:
            return
        document, _, route = record.url.partition("#")
        if record.content_hash != self._first.setdefault(document, record.content_hash):
            self._fruitful.add(document)
        elif is_route(record.url):
            # With parameters, a route names a place in a page: `#/guide?id=second`.
            tried = self._fruitless.setdefault(document, set())
            tried.add(route.partition("?")[0])

    def __repr__(self) -> str:
        return f"HashRoutes({len(self._first)} documents)"
