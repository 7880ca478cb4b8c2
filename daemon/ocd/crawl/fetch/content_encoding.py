"""Decoding of compressed bodies, also if they were compressed several times.

aiohttp handles only one encoding per body, and accepts a truncated body as complete.
"""

import sys
import zlib
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Protocol

from ocd.crawl.fetch.fetch_errors import FetchError, fetch_error

ACCEPTED = "gzip, deflate, br, zstd"
# Nobody needs more encodings on top of each other.
MAX_LAYERS = 3
_GZIP = ("gzip", "x-gzip")
_OTHERS = ("compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip")
_PIECE = 256 * 1024
# 8 MB, the most that RFC 9659 lets a server ask for.
_MAX_WINDOW_LOG = 23
_MEMBER = b"\x1f\x8b"


class Decoder:
    """Decodes one body, piece by piece, by its Content-Encoding headers.

    Names that are not encodings (`identity`, `utf-8`) are ignored, as browsers do.

    Raises:
        FetchError: fetch_failed for encodings that were not requested, and for invalid data.
    """

    def __init__(self, headers: Sequence[str]) -> None:
        names = [name.strip().lower() for header in headers for name in header.split(",")]
        unknown = [name for name in names if name in _OTHERS]
        known = [name for name in names if name in (*_GZIP, "deflate", "br", "zstd")]
        if unknown or len(known) > MAX_LAYERS:
            raise fetch_error(
                "fetch_failed",
                f"its Content-Encoding is {', '.join(names)[:100]!r}, which was not requested",
                encoding=", ".join(names)[:100],
            )
        # The encoding that was applied last is undone first.
        self._layers = [_layer(name) for name in reversed(known)]

    def decode(self, piece: bytes) -> Iterator[bytes]:
        """Yield the decoded piece in parts of bounded size, decoded only as they are consumed."""
        return _decode_through(self._layers, piece)

    @property
    def incomplete(self) -> bool:
        """Whether the body ended before its compressed data did."""
        return any(layer.unfinished for layer in self._layers)


class _Layer(Protocol):
    @property
    def unfinished(self) -> bool: ...

    def decode(self, data: bytes) -> Iterator[bytes]: ...


def _layer(name: str) -> _Layer:
    if name == "br":
        return _Brotli()
    return _Zstandard() if name == "zstd" else _Zlib(name)


def _wrong_encoding_error(name: str, error: Exception) -> FetchError:
    message = f"its content is not {name}, although it says so: {error}"
    return fetch_error("fetch_failed", message, encoding=name)


class _Zlib:
    def __init__(self, name: str) -> None:
        self._name = name
        self._gzip = name in _GZIP
        self._inflate = zlib.decompressobj(31) if self._gzip else None
        self._begun = False
        self._held = b""  # perhaps the first byte of another member

    @property
    def unfinished(self) -> bool:
        return self._begun and not (self._inflate is None or self._inflate.eof)

    def decode(self, data: bytes) -> Iterator[bytes]:
        data, self._held = self._held + data, b""
        try:
            while data:
                inflate = self._ready(data)
                if inflate is None:
                    return  # whatever follows the end is ignored
                piece = inflate.decompress(data, _PIECE)
                data = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
                if piece:
                    yield piece
        except zlib.error as error:
            raise _wrong_encoding_error(self._name, error) from None

    def _ready(self, data: bytes) -> "zlib._Decompress | None":
        self._begun = True
        if self._inflate is None:
            # With a zlib header, as the standard says, or without, as some servers send it.
            self._inflate = zlib.decompressobj(15 if data[0] & 0x0F == 8 else -15)
        elif self._inflate.eof:
            if not (self._gzip and data.startswith(_MEMBER)):
                self._held = data if data == _MEMBER[:1] else b""
                return None
            self._inflate = zlib.decompressobj(31)
        return self._inflate


class _Brotli:
    def __init__(self) -> None:
        import brotli

        self._brotli = brotli.Decompressor()
        self._error = brotli.error
        self._begun = False

    @property
    def unfinished(self) -> bool:
        return self._begun and not self._brotli.is_finished()

    def decode(self, data: bytes) -> Iterator[bytes]:
        self._begun = self._begun or bool(data)
        try:
            while not self._brotli.is_finished():
                piece = self._brotli.process(data, output_buffer_limit=_PIECE)
                data = b""
                if piece:
                    yield piece
                elif self._brotli.can_accept_more_data():
                    return
        except self._error as error:
            raise _wrong_encoding_error("br", error) from None


class _Zstandard:
    def __init__(self) -> None:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd

        options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _MAX_WINDOW_LOG}
        self._new = partial(zstd.ZstdDecompressor, options=options)
        self._frame = self._new()
        self._error = zstd.ZstdError
        self._begun = False

    @property
    def unfinished(self) -> bool:
        return self._begun and not self._frame.eof

    def decode(self, data: bytes) -> Iterator[bytes]:
        try:
            while data or not (self._frame.eof or self._frame.needs_input):
                if self._frame.eof:
                    self._frame = self._new()
                self._begun = True
                piece = self._frame.decompress(data, _PIECE)
                data = self._frame.unused_data if self._frame.eof else b""
                if piece:
                    yield piece
        except self._error as error:
            raise _wrong_encoding_error("zstd", error) from None


def _decode_through(layers: Sequence[_Layer], data: bytes) -> Iterator[bytes]:
    if not layers:
        yield data
        return
    for piece in layers[0].decode(data):
        yield from _decode_through(layers[1:], piece)
