"""Hash routes: an application's routes in the URL fragment, such as `/app#/settings`.

Only a browser shows them, so only pages rendered by a browser have such links.
"""

from collections import Counter

from ocd.crawl.crawl_result import PageRecord
from ocd.crawl.urls import is_route

# After this many routes that show nothing new, a document counts as having none.
MAX_FRUITLESS = 5
# A parameter counts as a place in a page if so many times as many routes show their page as show
# another.
_ODD_ONES = 2


class HashRoutes:
    """What the routes of each document of one crawl have shown."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._fruitless: dict[str, set[str]] = {}
        self._fruitful: set[str] = set()
        self._known: set[tuple[str, str]] = set()  # documents and paths of routes
        self._alike: Counter[tuple[str, str]] = Counter()  # by document and parameters' names
        self._odd: Counter[tuple[str, str]] = Counter()

    def is_fruitless(self, url: str) -> bool:
        """Return whether the URL is a route that shows nothing new.

        That is one of a document whose routes all show the same, or a place in a known page.
        """
        if not is_route(url):
            return False
        document = url.partition("#")[0]
        tried = self._fruitless.get(document, ())
        if document not in self._fruitful and len(tried) >= MAX_FRUITLESS:
            return True
        path, names = _parts(url)
        return (document, path) in self._known and self._are_places((document, names))

    def _are_places(self, kind: tuple[str, str]) -> bool:
        alike = self._alike[kind]
        return alike >= MAX_FRUITLESS and alike >= _ODD_ONES * self._odd[kind]

    def note(self, record: PageRecord) -> None:
        """Record what a rendered page shows."""
        if record.engine != "browser" or record.error is not None:
            return
        document = record.url.partition("#")[0]
        if is_route(record.url):
            self._note_place(document, record)
        if record.content_hash != self._first.setdefault(document, record.content_hash):
            self._fruitful.add(document)
        elif is_route(record.url):
            # With parameters, a route names a place in a page: `#/guide?id=second`.
            self._fruitless.setdefault(document, set()).add(_parts(record.url)[0])

    def _note_place(self, document: str, record: PageRecord) -> None:
        path, names = _parts(record.url)
        if (document, path) not in self._known:
            self._known.add((document, path))
        elif names:
            kind, other = (document, names), record.duplicate_of
            if not other:
                self._odd[kind] += 1
            elif other.partition("#")[0] == document and _parts(other)[0] == path:
                self._alike[kind] += 1

    def __repr__(self) -> str:
        return f"HashRoutes({len(self._first)} documents)"


def _parts(url: str) -> tuple[str, str]:
    """Return a route's path, and the names of its parameters."""
    path, _, query = url.partition("#")[2].partition("?")
    return path, "&".join(sorted({pair.partition("=")[0] for pair in query.split("&")}))
