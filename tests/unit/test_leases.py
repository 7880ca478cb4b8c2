"""Leases with a test clock: returned, renewed, and expired after 45 s without a sign of life."""

import asyncio
import contextlib
from typing import Any

import pytest

from ocd.api.errors import OcdError
from ocd.browser.cdp.emitter import Emitter
from ocd.oversight.leases import LIFE_S, Leases, TabHeldError, check_free, lease_of


class _Tab:
    id = "t1"
    session_name = "default"
    url = "https://example.org/"

    def __init__(self) -> None:
        self.events = Emitter()
        self._states: dict[type, Any] = {}

    def state(self, kind: type[Any]) -> Any:  # noqa: ANN401 - as a tab keeps it
        return self._states.get(kind)

    def set_state(self, value: Any) -> Any:  # noqa: ANN401 - as a tab keeps it
        self._states[type(value)] = value
        return value

    def drop_state(self, kind: type) -> None:
        self._states.pop(kind, None)


class _Room:
    """Leases, their journal, and a clock that stands still."""

    def __init__(self, group: asyncio.TaskGroup) -> None:
        self.time = 1000.0
        self.journal: list[dict[str, Any]] = []
        self.changes = 0
        self.leases = Leases(
            self.journal.append, contextlib.nullcontext, group.create_task, clock=lambda: self.time
        )
        self.leases.watch(self._count)

    def _count(self) -> None:
        self.changes += 1


async def test_a_lease_is_over_when_its_holder_gives_no_sign_of_life() -> None:
    """Renewed in time it continues; when it ends, waiting calls wake and the key is invalid."""
    async with asyncio.TaskGroup() as group:
        room, tab = _Room(group), _Tab()
        lease = room.leases.acquire(tab, "Ada")
        with pytest.raises(TabHeldError):
            room.leases.acquire(tab, "Bob")
        room.time += LIFE_S - 1
        room.leases.renew(lease.key)
        room.time += LIFE_S - 1
        room.leases.expire()
        assert lease_of(tab) is lease
        room.time += 2
        room.leases.expire()
        assert lease_of(tab) is None
        check_free(tab)
        assert (lease.ended.is_set(), lease.end) == (True, "expired")
        with pytest.raises(OcdError, match="has ended"):
            room.leases.renew(lease.key)
        assert room.leases.acquire(tab, "Bob").holder == "Bob"
        assert room.changes == 3
        room.leases.close()
    assert [one.get("reason") for one in room.journal] == [None, "expired", None, "daemon_stopped"]


async def test_a_lease_ends_with_its_tab() -> None:
    async with asyncio.TaskGroup() as group:
        room, tab = _Room(group), _Tab()
        lease = room.leases.acquire(tab, "Ada")
        tab.events.emit("closed")
        assert (lease.end, room.leases.list()) == ("tab_closed", [])
