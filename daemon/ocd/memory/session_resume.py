"""Resuming work (a part of the daemon): checkpoints, snapshots, and their tabs."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.browser.sessions.session import Session, Sessions
from ocd.browser.tabs.tab import Tab
from ocd.memory.checkpoints import Checkpoint, Snapshot, TabState
from ocd.safety.redact import redact_text, redact_url
from ocd.storage.named_files import NamedFileStore
from ocd.verb_api.nested_calls import NestedCalls

STALE_AFTER_S = 24 * 3600


@dataclass(frozen=True, slots=True)
class SessionSnapshots:
    """Saves the state of work in a session, and restores it."""

    sessions: Sessions
    checkpoints: NamedFileStore[Checkpoint]
    snapshots: NamedFileStore[Snapshot]
    calls: NestedCalls

    async def tabs(self, name: str) -> tuple[list[TabState], str | None]:
        """Return a session's tabs, without secrets, and the id of its most recent one."""
        if name not in self.sessions.names():
            return [], None
        session = self.sessions.get(name)
        states = [
            TabState(
                tab_id=tab.id, url=redact_url(tab.url), target_id=tab.target_id,
                title=redact_text(await tab.title()),
            )
            for tab in list(session.tabs)
            if not tab.closed
        ]  # fmt: skip
        return states, session.latest.id if session.latest else None

    async def find(self, id_or_label: str | None, session: str) -> Snapshot:
        """Return the snapshot of an id, the newest of a label, or the session's newest.

        Raises not_found, unreadable_file.
        """
        if id_or_label is None:
            return await asyncio.to_thread(self.snapshots.latest, session)
        try:
            return await asyncio.to_thread(self.snapshots.get, id_or_label)
        except OcdError as error:
            if error.code != "not_found":
                raise
            every, _ = await asyncio.to_thread(self.snapshots.all)
            labelled = [snapshot for snapshot in every if snapshot.label == id_or_label]
            if not labelled:
                raise
            return labelled[0]

    async def resume(self, snapshot: Snapshot, name: str, *, reopen: bool) -> dict[str, Any]:
        """Restore a snapshot in a session: return it with its tabs and a guide in words."""
        session = self.sessions.get(name)
        tabs = [*map(_RestoredTab, snapshot.tabs)]
        _match_tabs(tabs, session)
        if reopen:
            for tab in tabs:
                if tab.status == "CLOSED":
                    await self._reopen(tab, name)
        self._select(snapshot, tabs, session)
        restored = [tab.to_dict() for tab in tabs]
        return {**_about(snapshot), "tabs": restored, "guide": guide(snapshot, restored)}

    async def _reopen(self, tab: "_RestoredTab", session: str) -> None:
        if not tab.state.url.startswith(("http://", "https://", "file://")):
            return
        try:
            answer = await self.calls.run("tabs_create", {"url": tab.state.url}, session=session)
        except OcdError as error:
            tab.error = {"code": error.code, "message": error.message}
        else:
            tab.now, tab.url_now, tab.status = answer.data["tab_id"], answer.data["url"], "REOPENED"

    def _select(self, snapshot: Snapshot, tabs: list["_RestoredTab"], session: Session) -> None:
        """Make the snapshot's current tab the session's current one again."""
        for tab in tabs:
            if tab.state.tab_id == snapshot.current and tab.now is not None:
                session.tab(tab.now)

    def __repr__(self) -> str:
        return f"SessionSnapshots({self.checkpoints!r}, {self.snapshots!r})"


class _RestoredTab:
    """A tab of a snapshot, and the open tab that it is now."""

    def __init__(self, state: TabState) -> None:
        self.state = state
        self.status = "CLOSED"
        self.now: str | None = None
        self.url_now: str | None = None
        self.error: dict[str, Any] | None = None

    def match(self, tab: Tab, status: str) -> None:
        self.now, self.url_now, self.status = tab.id, redact_url(tab.url), status

    def to_dict(self) -> dict[str, Any]:
        state = self.state
        fields = {"tab_id": state.tab_id, "url": state.url, "title": state.title}
        now = {"tab_id_now": self.now, "url_now": self.url_now} if self.now else {}
        return {
            **fields,
            "status": self.status,
            **now,
            **({"error": self.error} if self.error else {}),
        }


def _match_tabs(tabs: list[_RestoredTab], session: Session) -> None:
    """Match the tabs of a snapshot with open ones: by id, then by URL, each once."""
    left = [tab for tab in session.tabs if not tab.closed]
    for tab in tabs:
        same = next((page for page in left if page.target_id == tab.state.target_id), None)
        if same is not None:
            tab.match(same, "LIVE")
            left.remove(same)
    for tab in tabs:
        alike = [page for page in left if redact_url(page.url) == tab.state.url]
        if tab.now is None and alike:
            same = min(alike, key=lambda one: one.id != tab.state.tab_id)
            tab.match(same, "REMAPPED" if same.id != tab.state.tab_id else "LIVE")
            left.remove(same)


def age_s(snapshot: Snapshot) -> int:
    """Return the seconds since a snapshot was taken."""
    saved_at = datetime.fromisoformat(snapshot.saved_at)
    return max(0, round((datetime.now(UTC) - saved_at).total_seconds()))


def _about(snapshot: Snapshot) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(snapshot)
    for key in ("format", "version", "tabs"):
        del fields[key]
    fields = {"snapshot_id": fields.pop("name"), "created_at": fields.pop("saved_at"), **fields}
    age = age_s(snapshot)
    fields["age_s"] = age
    if age > STALE_AFTER_S:
        fields["warning"] = f"The snapshot is {age // 3600} hours old: check what is still valid."
    return fields


def guide(snapshot: Snapshot, tabs: list[dict[str, Any]]) -> str:
    """Return the snapshot as text; nothing in it comes from pages."""
    lines = [f"Objective: {snapshot.objective}", f"Current step: {snapshot.current_step}"]
    lines += _list("Done", snapshot.completed_steps) + _list("Next", snapshot.next_actions)
    if snapshot.notes:
        lines += ["Notes:", snapshot.notes]
    lines += _list("Tabs", [_tab_line(tab) for tab in tabs])
    if any(tab["status"] == "CLOSED" for tab in tabs):
        lines.append("To reopen closed tabs: oc_session_resume with reopen_tabs=true.")
    return "\n".join(lines)


def _tab_line(tab: dict[str, Any]) -> str:
    now = tab.get("tab_id_now")
    where = "" if now in (None, tab["tab_id"]) else f" as {now}"
    moved = f", now at {tab['url_now']}" if tab.get("url_now") not in (None, tab["url"]) else ""
    return f"{tab['tab_id']} {tab['status']}{where}: {tab['url']}{moved}"


def _list(title: str, items: list[str]) -> list[str]:
    return [f"{title}:", *(f"- {item}" for item in items)] if items else []
