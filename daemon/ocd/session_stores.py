"""What agents keep for later (parts of the daemon), put together: notes, progress, skills."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.sessions.session import Sessions
from ocd.memory.checkpoints import checkpoints, snapshots
from ocd.memory.notes import Notes
from ocd.memory.session_resume import SessionSnapshots
from ocd.recording.recent_actions import RecentActions
from ocd.recording.recorder import Recorder
from ocd.skills.service import SkillService
from ocd.skills.store import Skills
from ocd.verb_api.nested_calls import NestedCalls


@dataclass(frozen=True, slots=True)
class SessionStores:
    """The stores of a home that agents write to, with what is needed to use them."""

    notes: Notes
    bookkeeper: SessionSnapshots
    skillbook: SkillService

    @property
    def trails(self) -> RecentActions:
        """The latest actions of every session."""
        return self.skillbook.trails

    def parts(self) -> dict[type, object]:
        """Return what verbs need, by type."""
        return {type(part): part for part in (self.notes, self.bookkeeper, self.skillbook)}

    async def read(self) -> None:
        """Read what calls would wait for; what cannot be read says so to those calls."""
        for store in (self.notes.store, self.skillbook.skills.store):
            with suppress(OcdError):
                await asyncio.to_thread(store.load)


def shelves(
    home: Path,
    recorder: Recorder,
    calls: NestedCalls,
    check: Callable[[str, Mapping[str, Any]], None],
) -> SessionStores:
    """Return the shelves of a home; check: see Skillbook."""
    sessions: Sessions = recorder.sessions
    return SessionStores(
        Notes(home / "memory"),
        SessionSnapshots(sessions, checkpoints(home), snapshots(home), calls),
        SkillService(Skills(home / "skills"), RecentActions(), recorder, sessions, calls, check),
    )
