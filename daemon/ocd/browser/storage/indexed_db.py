"""IndexedDB of a frame's origin, through the isolated world, as JSON and back."""

from dataclasses import dataclass
from typing import Any

from ocd.browser.injected import script
from ocd.browser.tabs.frames import Frame
from ocd.browser.tabs.tab import Tab

# The most of all databases of an origin, as JSON.
MAX_BYTES = 6 << 20


@dataclass(frozen=True, slots=True)
class DatabaseDump:
    """The contents of an origin's databases.

    databases: [{name, version, stores: [{name, key_path, auto_increment, indexes, records}]}], a
    record being [value], or [value, key] if the value does not contain its key. left_out: what is
    missing, as {indexed_db: "database/store", records, reason} or {cache_storage, reason}.
    """

    databases: list[dict[str, Any]]
    left_out: list[dict[str, Any]]

    @property
    def count(self) -> int:
        """The number of records."""
        stores = (store for database in self.databases for store in database["stores"])
        return sum(len(store["records"]) for store in stores)


async def dump(tab: Tab, frame: Frame) -> DatabaseDump:
    """Return the contents of the databases of the frame's origin, at most MAX_BYTES."""
    return DatabaseDump(**await _run(tab, frame, "take", MAX_BYTES))


async def restore(
    tab: Tab, frame: Frame, databases: list[dict[str, Any]]
) -> tuple[int, list[dict[str, str]]]:
    """Replace the origin's databases; return the number of records, and what failed.

    The latter is {indexed_db: database, reason}.
    """
    result = await _run(tab, frame, "put", databases)
    return int(result["records"]), list(result["skipped"])


async def _run(tab: Tab, frame: Frame, *args: object) -> dict[str, Any]:
    tab.guard.policy.check(frame.url)
    result: dict[str, Any] = await tab.evaluate(
        script("tabs/indexed_db"), args=args, isolated=True, frame=frame
    )
    return result
