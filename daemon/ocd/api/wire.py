"""What crosses the daemon's socket: the request, the reply and the progress line."""

from typing import Any

import msgspec

API_VERSION = 1


class Client(msgspec.Struct):
    """Who is calling: `kind` is oc, mcp, http or a library's name."""

    kind: str = "http"
    cwd: str = ""
    pid: int = 0


class CallRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /v1/call."""

    verb: str
    params: dict[str, Any] = {}
    session: str = "default"
    client: Client = msgspec.field(default_factory=Client)


class Progress(msgspec.Struct, omit_defaults=True):
    """How far a long call is: units done of total (absent: unknown), and what happens now."""

    done: int
    total: int | None = None
    message: str = ""
    task_id: str = ""
