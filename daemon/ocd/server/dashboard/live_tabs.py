"""The open tabs of all sessions, with the console and requests of one."""

from typing import Any

from ocd.api.errors import OcdError
from ocd.api.timestamps import rfc3339
from ocd.browser.sessions.session import Sessions
from ocd.browser.tabs.tab import Tab
from ocd.oversight.leases import Leases
from ocd.safety.redact import redact_url

_MESSAGES = 100
_REQUESTS = 200


async def list_tabs(sessions: Sessions) -> list[dict[str, Any]]:
    """Describe every open tab, except those that close meanwhile."""
    found: list[dict[str, Any]] = []
    for tab in sessions.tabs():
        try:
            title = await tab.title()
        except OcdError:
            continue
        dialog = tab.opened_dialog
        found.append(
            {
                "session": tab.session_name,
                "tab_id": tab.id,
                "url": redact_url(tab.url),
                "title": title,
                "crashed": tab.crashed,
                "used_at": tab.request_log.last_call_at,
                "dialog": None if dialog is None else dialog.message,
            }
        )
    return found


def find_tab(sessions: Sessions, session: str, tab_id: str) -> Tab:
    """Return an open tab; tab_not_found. Creates no session."""
    for tab in sessions.tabs():
        if tab.session_name == session and tab.id == tab_id:
            return tab
    raise OcdError("tab_not_found", f"The session {session} has no open tab {tab_id}")


def list_leases(leases: Leases) -> list[dict[str, Any]]:
    """Describe which tabs people hold."""
    keys = ("session", "tab_id", "holder", "since")
    found = [lease.to_dict() for lease in leases.list()]
    return [{name: lease[name] for name in keys} for lease in found]


def tab_log(tab: Tab) -> dict[str, Any]:
    """Return the tab's latest console messages and requests, oldest first."""
    messages, _ = tab.console.all_messages()
    requests = tab.request_log.requests()[-_REQUESTS:]
    return {
        "console": [
            {"type": message.type, "text": message.text[:2000], "ts": rfc3339(message.at / 1000)}
            for message in messages[-_MESSAGES:]
        ],
        "requests": [
            {
                "id": request.id,
                "method": request.method,
                "url": redact_url(request.url),
                "type": request.type,
                "status": request.status,
                "error": request.error,
                "duration_ms": request.duration_ms,
                "size": request.size,
            }
            for request in requests
        ],
    }
