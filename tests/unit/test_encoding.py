"""Compressed bodies, by their Content-Encoding headers."""

import gzip
import zlib
from functools import partial

import pytest

from ocd.crawl.fetch.content_encoding import Decoder
from ocd.crawl.fetch.fetch_errors import FetchError

TEXT = b"<title>As it was</title>" * 400
# Without the time of day in it: parallel workers must collect the same cases.
pack = partial(gzip.compress, mtime=0)
RAW = zlib.compress(TEXT)[2:-4]


def decoded(body: bytes, *headers: str, step: int = 100) -> tuple[bytes, bool]:
    decoder = Decoder(headers)
    pieces = [body[at : at + step] for at in range(0, len(body), step)]
    said = b"".join(part for piece in pieces for part in decoder.decode(piece))
    return said, decoder.incomplete


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (TEXT, ()),
        (TEXT, ("identity",)),
        (TEXT, ("utf-8",)),
        (pack(TEXT), ("gzip",)),
        (pack(TEXT), ("X-GZip",)),
        (zlib.compress(TEXT), ("deflate",)),
        (RAW, ("deflate",)),
        (pack(pack(TEXT)), ("gzip, gzip",)),
        (pack(pack(TEXT)), ("gzip", "gzip")),
        (zlib.compress(pack(TEXT)), ("gzip, deflate",)),
        (pack(TEXT[:99]) + pack(TEXT[99:]), ("gzip",)),
        (pack(TEXT) + b"\0\0 after it", ("gzip",)),
    ],
)
@pytest.mark.parametrize("step", [1, 100, 1 << 20])
def test_a_body_is_restored_exactly(body: bytes, headers: tuple[str, ...], step: int) -> None:
    assert decoded(body, *headers, step=step) == (TEXT, False)


@pytest.mark.parametrize("headers", ["gzip", "gzip, gzip"])
def test_a_truncated_body_is_noticed(headers: str) -> None:
    body = pack(TEXT) if headers == "gzip" else pack(pack(TEXT)[:-9])
    said, incomplete = decoded(body[:-9], headers)
    assert incomplete
    assert TEXT.startswith(said)


@pytest.mark.parametrize(
    ("body", "header"),
    [
        (TEXT, "gzip"),
        (b"\x1f\x8b\x08" + TEXT, "gzip"),
        (TEXT, "br"),
        (TEXT, "zstd"),
        (TEXT, "compress"),
        (TEXT, ", ".join(["gzip"] * 4)),
    ],
)
def test_an_invalid_body_is_an_error(body: bytes, header: str) -> None:
    with pytest.raises(FetchError) as caught:
        decoded(body, header)
    assert caught.value.code == "fetch_failed"
    assert header[:4] in caught.value.message


def test_a_decompression_bomb_is_decoded_only_as_far_as_read() -> None:
    """1 GiB in 1 MiB, compressed twice: the first parts come one by one."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    head = packer.compress(bytes(1)) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(bytes(1 << 24)) + packer.flush(zlib.Z_FULL_FLUSH)
    bomb = head + again * 64  # after a full flush a block may come again; its end is never read
    decoder = Decoder(("gzip, gzip",))
    parts = decoder.decode(pack(bomb))
    assert len(next(parts)) <= 256 * 1024
    assert len(next(parts)) <= 256 * 1024
