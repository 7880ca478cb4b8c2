"""Calls and responses as JSON, and the rules that both clients share."""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterable, Mapping
from typing import Any, NamedTuple, NoReturn, TypeVar

from openchrome.errors import OpenChromeError, exception_for
from openchrome.hints import in_python
from openchrome.results import Result
from openchrome.verbs import CATALOG_HASH

T = TypeVar("T")
JSON = "application/json"
LINES = "application/x-ndjson"
# Seconds without data before the daemon is asked for its status, and to wait for that.
QUIET_S = 15.0
PROBE_S = 20.0
# Seconds to wait for a daemon that is ending after a cut-off call, and between checks.
SETTLE_S = 5.0
SETTLE_PAUSE_S = 0.02
# Added to a call's own deadline, which the daemon enforces.
GRACE_S = 15.0


class Call(NamedTuple):
    """A verb and its parameters, which a Flow asks its client to call."""

    verb: str
    params: Mapping[str, Any]


# Several consecutive calls that belong together: yields calls, and is sent their results. Written
# once for both clients: `Client` runs it, `AsyncClient` awaits it.
Flow = Generator[Call, dict[str, Any], T]


def call_body(call: Call, session: str) -> bytes:
    """Return the body of POST /v1/call; parameters that are None are left out."""
    params = {
        name: _file_path(value) if name.endswith("_path") else value
        for name, value in call.params.items()
        if value is not None
    }
    client = {"kind": "python", "cwd": _cwd(), "pid": os.getpid(), "guard": False}
    body = {"verb": call.verb, "params": params, "session": session, "client": client}
    return json.dumps(body, default=_as_json).encode()


def deadline_s(call: Call) -> float | None:
    """Return the caller's own deadline; None: as long as the daemon is alive."""
    timeout_ms = call.params.get("timeout_ms")
    return None if timeout_ms is None else timeout_ms / 1000


def silence_limit_s(deadline_s: float | None) -> float:
    """Return how long to wait for a silent daemon before asking for its status, or giving up."""
    return QUIET_S if deadline_s is None else deadline_s + GRACE_S


def decode_result(status: int, body: bytes, catalog: str = CATALOG_HASH) -> Result:
    """Return the result of a response, or raise its error; `catalog` is the daemon's hash."""
    try:
        answer = json.loads(body)
        if status < 400 and "error" not in answer:
            result = answer["result"]
            if isinstance(result, dict):
                in_python(result)
                in_python(result.get("data"))
            return Result(result if isinstance(result, dict) else {"value": result})
        error = answer["error"]
        code, message = error.pop("code"), error.pop("message")
        in_python(error)
    except (ValueError, TypeError, KeyError, AttributeError):
        not_understood(body)
    failure = exception_for(code, message, error)
    if code in ("unknown_verb", "invalid_argument") and catalog != CATALOG_HASH:
        failure.add_note("The daemon is of another version than this client.")
    raise failure


def not_understood(body: bytes) -> NoReturn:
    """Raise the error for a response that is not from the daemon."""
    text = body[:200].decode("utf-8", "replace").strip()
    raise exception_for("internal", f"Cannot understand the daemon's answer: {text}", {})


def connection_lost() -> OpenChromeError:
    """Return the error for a connection that ended during a call."""
    message = "Lost the connection to the daemon during the call; it may have been carried out"
    return exception_for("no_daemon", message, {"hint": "ocd status, ocd logs"})


def hung_daemon_error() -> OpenChromeError:
    """Return the error for a daemon that does not even report its status."""
    message = f"The daemon hangs: it did not answer a status request within {PROBE_S:g} s"
    return exception_for("timeout", message, {"hint": "ocd status, ocd logs"})


def deadline_error(seconds: float) -> OpenChromeError:
    """Return the error for a call without a response by its own deadline, or soon after."""
    message = f"The daemon did not answer within {seconds:g} s, nor {GRACE_S:g} s later"
    return exception_for("timeout", message, {"hint": "ocd status"})


def _as_json(value: object) -> Any:
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"a parameter holds {type(value).__name__}, which is not JSON")


def _file_path(value: object) -> object:
    return os.path.abspath(value) if isinstance(value, (str, os.PathLike)) else value


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""  # It was removed.
