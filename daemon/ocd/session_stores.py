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
from ocd.memory.session_resume import Bookkeeper
from ocd.recording.recent_actions import Trails
from ocd.recording.recorder import Recorder
from ocd.skills.service import Skillbook
from ocd.skills.store import Skills
from ocd.verb_api.nested_calls import Calls


@dataclass(frozen=True, slots=True)
class Shelves:
    """The stores of a home that agents write to, with what is needed to use them."""

    notes: Notes
    bookkeeper: Bookkeeper
    skillbook: Skillbook

    @property
    def trails(self) -> Trails:
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
    home: Path, recorder: Recorder, calls: Calls, check: Callable[[str, Mapping[str, Any]], None]
) -> Shelves:
    """Return the shelves of a home; check: see Skillbook."""
    sessions: Sessions = recorder.sessions
    return Shelves(
        Notes(home / "memory"),
        Bookkeeper(sessions, checkpoints(home), snapshots(home), calls),
        Skillbook(Skills(home / "skills"), Trails(), recorder, sessions, calls, check),
    )
