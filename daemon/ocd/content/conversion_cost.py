"""Estimates of how large a document becomes when converted, from its bytes. Pure and fast."""

import re

from ocd.content.depth_limit import MAX_NESTING

# Few bytes can make much Markdown: a nested quote or list indents each line of it, and every link
# takes the page's address. So many characters take a tenth of a second; ordinary pages make a tenth
# of them.
MUCH_GROWTH = 8_000_000
_LISTS = (b"<ul", b"<ol", b"<menu", b"<dir")
_LINE_ENDS = (b"\n", b"\r", b"&")  # an entity may be one
# One whose attributes are what they look like, and short.
_SHORT_BASE = re.compile(
    rb"<base(?:\s{1,9}[a-z]{1,20}=(?:\"[^\"<>]{0,500}\"|'[^'<>]{0,500}'|[^\s\"'<>`=]{1,500})){0,5}+"
    rb"\s{0,9}/?>"
)
_MAX_BASE = 500
# Memory that the converter takes at most (tests/unit/test_conversion_memory.py: the worst shapes).
_BYTES_PER_TAG = 1200
_BYTES_PER_BYTE = 16
_BYTES_PER_GROWTH = 2


def growth(url: str, body: bytes) -> int:
    """Return how many characters a document may make the converter write, at most."""
    body = body.lower()
    tags = body.count(b"<")
    lines = tags + sum(map(body.count, _LINE_ENDS))
    quotes = min(body.count(b"<blockquote"), MAX_NESTING)
    lists = min(sum(map(body.count, _LISTS)), MAX_NESTING)
    bases = body.count(b"<base")
    address = len(url) + (_length_of_base(body, bases) if bases else 0)
    # The converter writes the lines of a quote once more for each quote around it.
    return 2 * lines * (quotes * quotes + lists) + tags * address


def _length_of_base(body: bytes, count: int) -> int:
    return _MAX_BASE if count == len(_SHORT_BASE.findall(body)) else len(body)


def memory_to_convert(url: str, body: bytes) -> int:
    """Return how many bytes of memory the converter takes for a document, at most."""
    needed = (_BYTES_PER_TAG + 2 * len(url)) * body.count(b"<") + _BYTES_PER_BYTE * len(body)
    # Lists and addresses make little of what tags may take.
    return needed + (_BYTES_PER_GROWTH * growth(url, body) if b"<blockquote" in body else 0)
