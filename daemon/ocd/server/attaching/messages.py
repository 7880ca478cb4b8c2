"""The messages of an attached program: calls, replies and events."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from ocd.api.errors import OcdError
from ocd.browser.cdp.messages import Failure, Incoming, decode_params

# CDP's codes: of a call that is refused or failed, and of a session that is not there.
_REFUSED = -32000
NO_SESSION = -32001
_NO_PARAMS = Raw(b"{}")


class ProgramCall(msgspec.Struct):
    """A call as the program sends it."""

    id: int
    method: str
    params: Raw = _NO_PARAMS
    session: str = msgspec.field(name="sessionId", default="")


class Outgoing(msgspec.Struct, omit_defaults=True):
    """An answer (id, result or error) or an event (method, params)."""

    id: int | UnsetType = UNSET
    method: str | UnsetType = UNSET
    params: Raw | dict[str, Any] | UnsetType = UNSET
    result: dict[str, Any] | UnsetType = UNSET
    error: dict[str, Any] | UnsetType = UNSET
    session: str = msgspec.field(name="sessionId", default="")


decode = msgspec.json.Decoder(ProgramCall).decode
encode = msgspec.json.Encoder().encode


def decode_object(params: Raw) -> dict[str, Any]:
    """Return a call's parameters; raises bad_request if they are none."""
    try:
        return decode_params(params)
    except (msgspec.DecodeError, RecursionError):
        raise OcdError("bad_request", "The parameters are not an object") from None


def answer_of(number: int, message: Incoming) -> Outgoing:
    """Return Chromium's answer as the answer to the program's call of this number."""
    if message.error is not None:
        return Outgoing(id=number, error=_failure_body(message.error))
    return Outgoing(id=number, result=message.result or {})


def refusal_of(number: int, error: OcdError, code: int = _REFUSED) -> Outgoing:
    """Return a daemon's error in CDP's form; `data` has its code and hint."""
    data = f"{error.code}: {error.hint}" if error.hint else error.code
    return Outgoing(id=number, error={"code": code, "message": error.message, "data": data})


def _failure_body(failure: Failure) -> dict[str, Any]:
    data = {"data": failure.data} if failure.data else {}
    return {"code": failure.code, "message": failure.message, **data}
