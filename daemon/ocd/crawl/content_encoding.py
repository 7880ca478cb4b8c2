"""Bodies as they were before a server compressed them, however often it did that.

aiohttp knows one encoding a body, and takes a body that ends too early for a whole one.
"""

import zlib
from collections.abc import Iterator, Sequence

from ocd.crawl.fetch_errors import fetch_error

ACCEPTED = "gzip, deflate"
# More encodings on top of each other are nobody's need.
MAX_LAYERS = 3
_GZIP = ("gzip", "x-gzip")
_OTHERS = ("br", "zstd", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip")
_PIECE = 256 * 1024
_MEMBER = b"\x1f\x8b"


class Decoder:
    """Decodes one body, piece by piece, by its Content-Encoding headers.

    Names that are none (`identity`, `utf-8`) are passed over, as browsers do. Raises FetchError
    fetch_failed for encodings that were not asked for, and for bytes that are not what they say.
    """

    def __init__(self, headers: Sequence[str]) -> None:
        names = [name.strip().lower() for header in headers for name in header.split(",")]
        unknown = [name for name in names if name in _OTHERS]
        known = [name for name in names if name in (*_GZIP, "deflate")]
        if unknown or len(known) > MAX_LAYERS:
            raise fetch_error(
                "fetch_failed",
                f"its Content-Encoding is {', '.join(names)[:100]!r}, which was not asked for",
                encoding=", ".join(names)[:100],
            )
        # What was done last is undone first.
        self._layers = [_Layer(name) for name in reversed(known)]

    def decode(self, piece: bytes) -> Iterator[bytes]:
        """Yield what a piece says, in parts of bounded size; no further than they are taken."""
        return _through(self._layers, piece)

    @property
    def incomplete(self) -> bool:
        """Whether the body has ended before what was compressed did."""
        return any(layer.unfinished for layer in self._layers)


class _Layer:
    def __init__(self, name: str) -> None:
        self._name = name
        self._gzip = name in _GZIP
        self._inflate = zlib.decompressobj(31) if self._gzip else None
        self._begun = False
        self._held = b""  # the first byte of another member, or of nothing

    @property
    def unfinished(self) -> bool:
        return self._begun and not (self._inflate is None or self._inflate.eof)

    def decode(self, data: bytes) -> Iterator[bytes]:
        data, self._held = self._held + data, b""
        try:
            while data:
                inflate = self._ready(data)
                if inflate is None:
                    return  # what follows the end is nothing
                piece = inflate.decompress(data, _PIECE)
                data = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
                if piece:
                    yield piece
        except zlib.error as error:
            message = f"its content is not {self._name}, as it says: {error}"
            raise fetch_error("fetch_failed", message, encoding=self._name) from None

    def _ready(self, data: bytes) -> "zlib._Decompress | None":
        self._begun = True
        if self._inflate is None:
            # With a header, as the standard says, or without, as some servers do.
            self._inflate = zlib.decompressobj(15 if data[0] & 0x0F == 8 else -15)
        elif self._inflate.eof:
            if not (self._gzip and data.startswith(_MEMBER)):
                self._held = data if data == _MEMBER[:1] else b""
                return None
            self._inflate = zlib.decompressobj(31)
        return self._inflate


def _through(layers: Sequence[_Layer], data: bytes) -> Iterator[bytes]:
    if not layers:
        yield data
        return
    for piece in layers[0].decode(data):
        yield from _through(layers[1:], piece)
