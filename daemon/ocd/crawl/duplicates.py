"""Pages that are exact or near duplicates of another page of the crawl."""

import hashlib
from array import array
from collections import OrderedDict
from itertools import filterfalse
from operator import eq
from zlib import crc32

# The number of consecutive words in a shingle.
_SHINGLE = 3
_NUMBERS = 64
_NUMBER_BYTES = 4
_BANDS = 8
_BAND_BYTES = _NUMBERS * _NUMBER_BYTES // _BANDS
_MIN_SHINGLES = 28
_LINK_LINES = ("[", "- [", "* [")
# One of this many lines is used, chosen by its hash, so the same ones on every page.
_LINKS_OF = 4
# How many characters are compared at either end of a long content.
_ENDS = 4_000
# The least share of equal signature values of near-duplicates (Jaccard similarity).
_NEARLY = 0.9
# The latest pages that others are compared with: 1 KB each.
_REMEMBERED = 20_000


def fingerprint(content: str) -> tuple[str, bytes]:
    """Return the hash of a content and its MinHash signature, b"" for a short content."""
    digest = hashlib.blake2b(content.encode(errors="replace"), digest_size=8).hexdigest()
    sample = content if len(content) <= 2 * _ENDS else content[:_ENDS] + content[-_ENDS:]
    shingles = _shingles(sample.lower())
    if len(shingles) < _MIN_SHINGLES:
        return digest, b""
    # 1 ms to import, half a millisecond a page.
    from rensa import RMinHash  # pyright: ignore[reportAttributeAccessIssue] - compiled

    signs = RMinHash(num_perm=_NUMBERS, seed=1)
    signs.update(shingles)
    return digest, array("I", signs.digest()).tobytes()


def _shingles(text: str) -> list[str]:
    """Return the parts of a text to compare: word triples, and some of the lines that are links.

    With all of its links, a long menu would make pages with little text look alike.
    """
    lines = text.split("\n")
    links = [line for line in lines if line[-1:] == ")" and line.lstrip().startswith(_LINK_LINES)]
    if links:
        of_links = frozenset(links)
        text = " ".join(filterfalse(of_links.__contains__, lines))
    words = text.split()
    shingles = list(map(" ".join, zip(*(words[at:] for at in range(_SHINGLE)), strict=False)))
    some = [link for link in links if crc32(link.encode(errors="replace")) % _LINKS_OF == 0]
    return shingles + (some if len(shingles) + len(some) >= _MIN_SHINGLES else links)


class Duplicates:
    """The contents of one crawl's pages, as far as they are remembered."""

    def __init__(self) -> None:
        self._urls: OrderedDict[str, tuple[str, bytes]] = OrderedDict()
        # The digest of the latest page with this hash of a band of its signature.
        self._bands: dict[int, str] = {}

    def find(self, url: str, digest: str, signature: bytes) -> str:
        """Return the URL of an earlier page with the same or nearly the same content, or "".

        If there is none, the page itself is remembered.
        """
        known = self._urls.get(digest)
        if known is not None:
            return known[0]
        bands = _bands(signature)
        for band in bands:
            other = self._urls.get(self._bands.get(band, ""))
            if other is not None and _similarity(signature, other[1]) >= _NEARLY:
                return other[0]
        self._remember(url, digest, signature)
        self._bands.update(dict.fromkeys(bands, digest))
        return ""

    def _remember(self, url: str, digest: str, signature: bytes) -> None:
        self._urls[digest] = (url, signature)
        if len(self._urls) > _REMEMBERED:
            gone, (_, numbers) = self._urls.popitem(last=False)
            for band in _bands(numbers):
                if self._bands.get(band) == gone:
                    del self._bands[band]


def _bands(signature: bytes) -> list[int]:
    starts = range(0, len(signature), _BAND_BYTES)
    return [hash((at, signature[at : at + _BAND_BYTES])) for at in starts]


def _similarity(one: bytes, other: bytes) -> float:
    if len(one) != len(other):
        return 0.0
    alike: int = sum(map(eq, memoryview(one).cast("I"), memoryview(other).cast("I")))
    return alike / _NUMBERS
