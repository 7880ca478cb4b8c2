"""Completion of the daemon's tasks, handles and tabs. Never starts a daemon."""

import json
import os
from collections.abc import Iterable
from typing import Any

from oc.connection import transport
from ocd.api import paths
from ocd.api.errors import OcdError

# Short, because a shell is waiting.
_TIMEOUT_S = 2.0
_EVENTS = 500


def names_for(parameter: str) -> list[str]:
    """Return the names that a parameter may take, newest first; none if no daemon answers."""
    ask = _KNOWN.get(parameter.removesuffix("s"))
    return list(dict.fromkeys(ask())) if ask else []


def is_known(parameter: str) -> bool:
    """Return whether the daemon can list names for a parameter."""
    return parameter.removesuffix("s") in _KNOWN


def _tasks() -> Iterable[str]:
    found = _result("oc_task_list", all=True) or {"tasks": ()}
    return (task["task_id"] for task in found["tasks"])


def _handles() -> Iterable[str]:
    events = _result("oc_journal", action="recent", count=_EVENTS) or ()
    return (event["handle"] for event in reversed(events) if "handle" in event)


def _tabs() -> Iterable[str]:
    found = _result("tabs_context") or {"tabs": ()}
    return (tab["tab_id"] for tab in found["tabs"])


_KNOWN = {"task_id": _tasks, "output_handle": _handles, "tab_id": _tabs}


def _result(verb: str, **params: object) -> Any:  # noqa: ANN401 - any JSON value
    session = os.environ.get("OPENCHROME_SESSION") or "default"
    body = json.dumps({"verb": verb, "params": params, "session": session}).encode()
    address = paths.daemon_socket(paths.home())
    try:
        reply = transport.request(address, "POST", "/v1/call", body, timeout_s=_TIMEOUT_S)
        return json.loads(reply.read()).get("result")
    except (transport.Unreachable, OcdError, ValueError):
        return None
