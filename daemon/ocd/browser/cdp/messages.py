"""CDP messages: decoded once, encoded once."""

import json
from typing import Any

import msgspec

from ocd.storage.machine_limits import require_memory_to_decode

# The code of our own failure: an answer that cannot be decoded.
UNREADABLE = 1
# The beginning of an answer.
ANSWER = b'{"id":'


class Failure(msgspec.Struct):
    """The error of a CDP call."""

    code: int = 0
    message: str = ""
    data: Any = None


class Incoming(msgspec.Struct):
    """An answer (id, result or error) or an event (method, params).

    `params` stay undecoded: most events have no listener.
    """

    id: int = 0
    method: str = ""
    params: msgspec.Raw = msgspec.Raw(b"{}")
    session: str = msgspec.field(name="sessionId", default="")
    result: dict[str, Any] | None = None
    error: Failure | None = None


class _Outgoing(msgspec.Struct, omit_defaults=True):
    id: int
    method: str
    params: dict[str, Any] | msgspec.Raw = {}
    session: str = msgspec.field(name="sessionId", default="")


_decode = msgspec.json.Decoder(Incoming).decode
decode_params = msgspec.json.Decoder(dict[str, Any]).decode
_encode = msgspec.json.Encoder().encode


def encode(
    number: int, method: str, params: dict[str, Any] | msgspec.Raw, session_id: str
) -> bytes:
    """Return the message of one call; session_id "" is the browser itself."""
    return _encode(_Outgoing(number, method, params, session_id))


def decode(message: bytes) -> Incoming:
    """Return the message, even with JavaScript strings that are not valid UTF-8."""
    require_memory_to_decode(message)
    try:
        return _decode(message)
    except msgspec.DecodeError:
        return _decode(replace_lone_surrogates(message))


def unreadable(head: bytes, why: Exception) -> Incoming:
    """Return the error that replaces an answer which cannot be read, given its beginning."""
    number = int(head.removeprefix(ANSWER).partition(b",")[0])
    return Incoming(id=number, error=Failure(UNREADABLE, str(why) or type(why).__name__))


def replace_lone_surrogates(text: bytes) -> bytes:
    """Return JSON with U+FFFD for lone surrogates, which UTF-8 cannot represent."""
    decoded = json.dumps(json.loads(text), ensure_ascii=False)
    return decoded.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
