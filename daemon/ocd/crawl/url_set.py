"""A memory-efficient set of very many URLs."""

# Each URL is 8 bytes of its hash, two of which say in which bucket the other six are. Among a
# million URLs two are taken for one another with a chance of one in thirty million.
_BUCKETS = 1 << 16
_BYTES = 6
_REST = (1 << 8 * _BYTES) - 1
# So many hashes are found faster in a set of Python's, which takes a megabyte for them.
_FEW = 10_000


class UrlSet:
    """Which URLs were put into it; about 10 bytes each where they are many."""

    def __init__(self) -> None:
        self._few: set[int] = set()
        self._buckets: list[bytes] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, url: str) -> bool:
        mark = hash(url)
        if not self._buckets:
            return mark in self._few
        rest = (mark >> 16 & _REST).to_bytes(_BYTES, "big")
        return _holds(self._buckets[mark % _BUCKETS], rest)

    def add(self, url: str) -> None:
        """Put the URL into the set."""
        mark = hash(url)
        if self._buckets:
            self._put(mark)
            return
        self._few.add(mark)
        self._count = len(self._few)
        if self._count > _FEW:
            self._fill_buckets()

    def _fill_buckets(self) -> None:
        self._buckets = [b""] * _BUCKETS
        few, self._few, self._count = self._few, set(), 0
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
    while at % _BYTES and at > 0:  # it began in the middle of another one
        at = bucket.find(rest, at + 1)
    return at >= 0
