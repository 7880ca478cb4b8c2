"""A memory-efficient set of very many URLs."""

# Each URL is 8 bytes of its hash, two of which select the bucket of the other six. Among a
# million URLs two are taken for one another with a chance of one in thirty million.
_BUCKETS = 1 << 16
_BYTES = 6
_REST = (1 << 8 * _BYTES) - 1
# Up to this many hashes, a Python set is faster, and takes a megabyte.
_FEW = 10_000


class UrlSet:
    """A set of URLs, which takes about 10 bytes for each if there are many."""

    def __init__(self) -> None:
        self._hashes: set[int] = set()
        self._buckets: list[bytes] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, url: str) -> bool:
        mark = hash(url)
        if not self._buckets:
            return mark in self._hashes
        rest = (mark >> 16 & _REST).to_bytes(_BYTES, "big")
        return _holds(self._buckets[mark % _BUCKETS], rest)

    def add(self, url: str) -> None:
        """Add the URL to the set."""
        mark = hash(url)
        if self._buckets:
            self._put(mark)
            return
        self._hashes.add(mark)
        self._count = len(self._hashes)
        if self._count > _FEW:
            self._fill_buckets()

    def _fill_buckets(self) -> None:
        self._buckets = [b""] * _BUCKETS
        few, self._hashes, self._count = self._hashes, set(), 0
        for mark in few:
            self._put(mark)

    def _put(self, mark: int) -> None:
        rest = (mark >> 16 & _REST).to_bytes(_BYTES, "big")
        bucket = self._buckets[mark % _BUCKETS]
        if not _holds(bucket, rest):
            self._buckets[mark % _BUCKETS] = bucket + rest
            self._count += 1

    def __repr__(self) -> str:
        return f"UrlSet({self._count})"


def _holds(bucket: bytes, rest: bytes) -> bool:
    at = bucket.find(rest)
    while at % _BYTES and at > 0:  # the match began in the middle of another hash
        at = bucket.find(rest, at + 1)
    return at >= 0
