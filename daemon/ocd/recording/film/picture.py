"""Pictures sent to the encoder process, each with a length prefix."""

from collections.abc import Iterator
from typing import BinaryIO

import msgspec

LENGTH_BYTES = 4
# The status of that process when the film has all the bytes that it may have.
FULL = 3
_encode = msgspec.msgpack.Encoder().encode

Box = tuple[float, float, float, float]


class Picture(msgspec.Struct, array_like=True):
    """What a video shows from a moment on.

    at_ms: that moment, later than the last picture's. jpeg: the tab; empty: as in the last picture.
    width, top: of what the JPEG shows, in CSS pixels, and how many of them are above the page.
    All else is in CSS pixels of the page's window: covered: what nobody may see; box: what is acted
    on; mouse: where the pointer is.
    """

    at_ms: int
    jpeg: bytes = b""
    width: float = 0.0
    top: float = 0.0
    covered: list[Box] = []
    box: Box | None = None
    mouse: tuple[float, float] | None = None
    caption: str = ""


_decode = msgspec.msgpack.Decoder(Picture).decode


def message(picture: Picture) -> bytes:
    """Return a picture as sent to the encoder."""
    data = _encode(picture)
    return len(data).to_bytes(LENGTH_BYTES, "big") + data


def read_pictures(source: BinaryIO) -> Iterator[Picture]:
    """Return the pictures that come until `source` ends; half a one at its end is dropped."""
    while len(header := source.read(LENGTH_BYTES)) == LENGTH_BYTES:
        size = int.from_bytes(header, "big")
        data = source.read(size)
        if len(data) == size:
            yield _decode(data)
