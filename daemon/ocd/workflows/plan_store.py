"""Stored plans: one file each, `plans/<name>.json`, with a safe name from the plan's id.

Write order: the file is replaced whole (plan.saved); there is nothing beside it.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.api.timestamps import rfc3339
from ocd.safety import secrets
from ocd.safety.path_policy import safe_name
from ocd.storage import crash_points
from ocd.storage.files import decode_versioned, make_dir, read_whole, storage, write_whole

MAX_PLANS = 1000
_VERSION = 1


class StoredPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A plan as its caller wrote it, under its id."""

    plan_id: str
    saved_at: str
    plan: dict[str, Any]
    format: str = "plan"
    version: int = _VERSION


class PlanStore:
    """The plans below one folder; for threads, as it blocks."""

    def __init__(self, folder: Path, clock: Callable[[], datetime] = lambda: datetime.now(UTC)):
        self.folder = folder
        self._clock = clock

    def save(self, plan_id: str, plan: dict[str, Any]) -> Path:
        """Store a plan, in place of the one with this id; return its file.

        Raises limit_reached, storage_*, unreadable_file (what cannot be read is not replaced).
        """
        path = self._file(plan_id)
        if self._read(path) is None and len(self.files()) >= MAX_PLANS:
            raise OcdError(
                "limit_reached", f"There are {MAX_PLANS} plans already, which is the maximum.",
                hint=f"Remove files from {self.folder}.", limit=MAX_PLANS,
            )  # fmt: skip
        make_dir(self.folder)
        stored = StoredPlan(plan_id=plan_id, saved_at=rfc3339(self._clock()), plan=plan)
        write_whole(path, secrets.current().mask(msgspec.json.encode(stored)))
        crash_points.point("plan.saved")
        return path

    def load(self, plan_id: str) -> dict[str, Any]:
        """Return a plan: plan_not_found (naming those there are), unreadable_file."""
        found = self._read(self._file(plan_id))
        if found is None or found.plan_id != plan_id:
            known = self.ids()
            raise OcdError(
                "plan_not_found", f"There is no plan {plan_id[:200]!r}",
                hint="Pass it inline as plan, or store it with save_as.",
                available_plans=[plan_id[:200] for plan_id in known[:100]], plan_count=len(known),
            )  # fmt: skip
        return found.plan

    def files(self) -> list[Path]:
        """Return the files of all plans."""
        with storage("listing", self.folder):
            return sorted(path for path in self.folder.glob("*.json") if path.name[0] != ".")

    def ids(self) -> list[str]:
        """Return the ids of the plans that can be read."""
        found = []
        for path in self.files():
            try:
                stored = self._read(path)
            except OcdError:
                continue  # reported when it is loaded
            if stored is not None:
                found.append(stored.plan_id)
        return found

    def _file(self, plan_id: str) -> Path:
        return self.folder / f"{safe_name(plan_id)}.json"

    def _read(self, path: Path) -> StoredPlan | None:
        data = read_whole(path)
        return None if data is None else decode_versioned(path, data, StoredPlan, _VERSION)

    def __repr__(self) -> str:
        return f"PlanStore({str(self.folder)!r})"
