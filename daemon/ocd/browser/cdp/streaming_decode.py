"""Decoding of long CDP replies while they arrive.

Decoding a hundred megabytes in one piece would block every other call and need twice the memory.
So the long strings of a reply are taken out of its JSON piece by piece; the rest is decoded like
any other message, and the strings are put back in their places.
"""

import re
from collections.abc import Generator
from secrets import token_hex
from typing import Any

import msgspec

from ocd.browser.cdp.messages import Incoming, decode, replace_lone_surrogates
from ocd.storage.machine_limits import require_memory

# An unfinished string is taken out if this much of it is in the piece.
_LONG = 16 * 1024
# Longer than anything that a piece can cut in two: the escapes of a surrogate pair.
_TOKEN = 12
# JSON outside of strings, and strings that end in the same piece.
_STRUCTURE = re.compile(rb'(?:[^"]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL)
# The inside of a string, up to its end or to an escape that the piece cuts; pairs stay together.
_INSIDE = re.compile(
    rb'(?:[^"\\]++|\\[^u]|(?:\\u(?![dD][89abAB])[0-9a-fA-F]{4})++'
    rb"|\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?=[^\\]|\\[^u]|\\u(?![dD][c-fC-F])[0-9a-fA-F]{4})))*+",
    re.DOTALL,
)
# How many pieces are joined before they are appended to the string.
_AT_ONCE = 64
# The placeholder, with a number, of a string that was taken out; no page can know it.
_MARK = f"openchrome {token_hex(8)} "
_text = msgspec.json.Decoder(str).decode


class LongMessage:
    """One reply, fed piece by piece."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._open = b""
        self._strings: list[str] = []
        self._string: Generator[None, bytes, tuple[str, bytes]] | None = None

    def feed(self, data: bytes) -> None:
        """Process the next bytes; msgspec.DecodeError for what cannot be JSON."""
        data, self._open = self._open + data, b""
        while data:
            if self._string is None:
                data = self._structure(data)
            else:
                data = self._inside(self._string, data)

    def _structure(self, data: bytes) -> bytes:
        """Process JSON up to an unfinished string; return what follows its opening quote."""
        stop = _STRUCTURE.match(data).end()  # type: ignore[union-attr] # emptiness matches, too
        self._rest += data[:stop]
        if len(data) - stop < _LONG:
            self._open = data[stop:]
            return b""
        self._string = _read_string()
        next(self._string)
        return data[stop + 1 :]

    def _inside(self, string: Generator[None, bytes, tuple[str, bytes]], data: bytes) -> bytes:
        try:
            string.send(data)
        except StopIteration as end:
            text, data = end.value
            self._rest += b'"%b%d"' % (_MARK.encode(), len(self._strings))
            self._strings.append(text)
            self._string = None
            return data
        return b""

    def end(self) -> Incoming:
        """Return the complete message; msgspec.DecodeError if it is incomplete."""
        message = decode(bytes(self._rest + self._open))
        if self._strings:
            message.result = self._put_back(message.result)
        return message

    def _put_back(self, value: Any) -> Any:  # noqa: ANN401 - any JSON value
        if isinstance(value, dict):
            for key, item in value.items():
                value[key] = self._put_back(item)
        elif isinstance(value, list):
            value[:] = map(self._put_back, value)
        elif isinstance(value, str) and value.startswith(_MARK):
            return self._strings[int(value[len(_MARK) :])]
        return value


def _read_string() -> Generator[None, bytes, tuple[str, bytes]]:
    """Collect a string's pieces; return it, and what follows it."""
    text, pieces = "", list[str]()
    data = yield
    while True:
        end = _inside_of(data)
        ended = data[end : end + 1] == b'"'
        if not ended and len(data) - end > _TOKEN:
            raise msgspec.DecodeError("JSON is malformed: an invalid escape in a long string")
        complete = end if ended else _boundary(data, end)
        pieces.append(_decode_string(b'"%b"' % data[:complete]))
        if ended or len(pieces) == _AT_ONCE:
            # A local name: the interpreter lets the string grow where it stands, so that it is
            # never there twice.
            text += "".join(pieces)
            pieces.clear()
        if ended:
            return text, data[end + 1 :]
        data = data[complete:] + (yield)


def _inside_of(data: bytes) -> int:
    """Return how much of the data is inside the string that it begins with."""
    if b"\\" in data:
        return _INSIDE.match(data).end()  # type: ignore[union-attr] # emptiness matches, too
    end = data.find(b'"')  # a tenth of the pattern's time
    return len(data) if end < 0 else end


def _decode_string(string: bytes) -> str:
    require_memory(len(string))
    try:
        return _text(string)
    except msgspec.DecodeError:
        return _text(replace_lone_surrogates(string))


def _boundary(data: bytes, end: int) -> int:
    """Return `end`, or the beginning of the UTF-8 character that it would cut."""
    for offset in range(1, min(3, end) + 1):
        byte = data[end - offset]
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return end - offset if offset < length else end
        if byte < 0x80:
            break
    return end
