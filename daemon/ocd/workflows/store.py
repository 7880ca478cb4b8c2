"""Workflows on disk: one folder each, one file per worker.

    workflows/<workflow_id>/workflow.json        how it was started (WorkflowMeta)
                            workers/<name>.json  one worker (WorkerState), under a safe name
                            lock                 held while one of them changes
    workflows/lock                               held while one is made or removed

A workflow's own status is not stored: it follows from its workers, so there are no two files that
could disagree. Write order:

1. The folder `.<id>.new` is made, with every worker's file and workflow.json in it, synced.
   workflow.written.
2. It is renamed to `<id>`, and the folder above it synced: the commit. workflow.named.
3. A report replaces the file of its worker, whole. workflow.worker.
4. Cleaning up ends each worker in this way, then says so in workflow.json. workflow.cleaned.
5. Beyond MAX_WORKFLOWS the oldest go that were cleaned up, or whose time is over: renamed to
   `.<id>.gone` (workflow.gone), then removed (workflow.removed).

A crash before 2 or inside 5 leaves a folder with a leading dot, which the next workflow removes.
A crash inside 4 leaves some workers ended; cleaning up again ends the rest. Expired time limits are
noticed when the workflow is read, and count from when they expired: no timer can be lost.
"""

import logging
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex

import msgspec
import portalocker
from msgspec.structs import replace

from ocd.api.errors import OcdError
from ocd.api.timestamps import rfc3339
from ocd.api.tool_calls import tool_call
from ocd.safety import secrets
from ocd.safety.path_policy import safe_name
from ocd.storage import crash_points
from ocd.storage.files import (
    MISSING,
    decode_versioned,
    make_dir,
    open_private,
    read_whole,
    storage,
    unreadable_error,
    write_whole,
)
from ocd.storage.folders import hide_folder, new_folder, sweep_folders
from ocd.workflows.states import (
    VERSION,
    WorkerState,
    WorkflowMeta,
    apply_deadlines,
    ends_at,
    stop_worker,
)

MAX_WORKFLOWS = 100
MAX_WORKER_BYTES = 8 << 20
_ID = re.compile(r"wf-\d{8}-\d{9}-[0-9a-f]{6}")
logger = logging.getLogger(__name__)


class WorkflowStore:
    """The workflows below one folder; for threads, as it blocks. Many callers may use it at once,
    from several processes, too.
    """

    def __init__(self, folder: Path, clock: Callable[[], datetime] = lambda: datetime.now(UTC)):
        self.folder = folder
        self._clock = clock

    def now(self) -> str:
        """Return the current time in the files' format."""
        return rfc3339(self._clock())

    def new_id(self) -> str:
        """Return an id for a workflow; ids sort by time."""
        stamp = f"{self._clock():%Y%m%d-%H%M%S%f}"[:-3]
        return f"wf-{stamp}-{token_hex(3)}"

    # --- making and removing -----------------------------------------------------------------

    def check_room(self) -> None:
        """Raise limit_reached if there is no room for a further workflow."""
        ids = self.ids()
        if len(ids) >= MAX_WORKFLOWS and not self._removable(ids):
            raise OcdError(
                "limit_reached", f"There are {len(ids)} running workflows",
                hint=f"End some: {tool_call('workflow_cleanup', workflow_id='ID')}",
                limit=MAX_WORKFLOWS,
            )  # fmt: skip

    def create(self, meta: WorkflowMeta, workers: Sequence[WorkerState]) -> list[str]:
        """Write a workflow (1, 2); return the ids of those removed for it (5)."""
        make_dir(self.folder)
        with self._lock(self.folder):
            sweep_folders(self.folder)
            pruned = self._prune()
            self._write_new(meta, workers)
        return pruned

    def _write_new(self, meta: WorkflowMeta, workers: Sequence[WorkerState]) -> None:
        with new_folder(self.folder / meta.workflow_id) as new:
            make_dir(new / "workers")
            for worker in workers:
                self._write(self._file(new, worker.name), worker)
            self._write(new / "workflow.json", meta)
            crash_points.point("workflow.written")
        crash_points.point("workflow.named")

    def _prune(self) -> list[str]:
        ids = self.ids()
        over = len(ids) + 1 - MAX_WORKFLOWS
        going = self._removable(ids)[:over] if over > 0 else []
        for workflow_id in going:
            gone = hide_folder(self.folder / workflow_id)
            crash_points.point("workflow.gone")
            shutil.rmtree(gone, ignore_errors=True)
            crash_points.point("workflow.removed")
        return going

    def _removable(self, ids: Sequence[str]) -> list[str]:
        """Return the ids of those that were cleaned up, then of those whose time is over."""
        metas = [meta for workflow_id in ids if (meta := self._readable_meta(workflow_id))]
        cleaned = [meta.workflow_id for meta in metas if meta.cleaned_at]
        now = self.now()
        late = [m.workflow_id for m in metas if not m.cleaned_at and ends_at(m) <= now]
        return cleaned + late

    def _readable_meta(self, workflow_id: str) -> WorkflowMeta | None:
        try:
            return self.meta(workflow_id)
        except OcdError as error:
            logger.warning("%s", error)
            return None

    # --- reading -----------------------------------------------------------------------------

    def ids(self) -> list[str]:
        """Return the ids there are, oldest first."""
        with storage("listing", self.folder):
            try:
                return sorted(p.name for p in self.folder.iterdir() if _ID.fullmatch(p.name))
            except FileNotFoundError:
                return []

    def newest(self, session: str, *, own: bool = False) -> str | None:
        """Return the id of the session's newest workflow, else (unless `own`) of the newest."""
        ids = self.ids()[::-1]
        for workflow_id in ids:
            if (meta := self._readable_meta(workflow_id)) and meta.session == session:
                return workflow_id
        return None if own or not ids else ids[0]

    def meta(self, workflow_id: str) -> WorkflowMeta:
        """Return a workflow's record; raises workflow_not_found, unreadable_file."""
        path = self.folder / workflow_id / "workflow.json"
        data = read_whole(path) if _ID.fullmatch(workflow_id) else None
        if data is None:
            raise OcdError(
                "workflow_not_found", f"There is no workflow {workflow_id[:200]!r}",
                hint="Start one: `workflow_init`", workflows=self.ids()[::-1][:20],
            )  # fmt: skip
        return decode_versioned(path, data, WorkflowMeta, VERSION)

    def workers(self, meta: WorkflowMeta) -> list[WorkerState]:
        """Return the workers; those whose time has run out are ended, in their files, too."""
        return [self.change(meta, name, lambda worker: worker) for name in meta.workers]

    # --- changing ----------------------------------------------------------------------------

    def change(
        self, meta: WorkflowMeta, name: str, change: Callable[[WorkerState], WorkerState]
    ) -> WorkerState:
        """Change a worker (3), after `apply_deadlines`, and return it.

        Raises worker_not_found, limit_reached (above MAX_WORKER_BYTES), unreadable_file, storage_*.
        """
        if name not in meta.workers:
            raise _no_worker(meta, name)
        folder = self.folder / meta.workflow_id
        path = self._file(folder, name)
        with self._lock(folder):
            data = read_whole(path)
            if data is None:
                raise unreadable_error(path, MISSING)
            before = decode_versioned(path, data, WorkerState, VERSION)
            after = change(apply_deadlines(meta, before, self.now()))
            if after != before:
                self._write(path, after)
                crash_points.point("workflow.worker")
        return after

    def clean_up(self, meta: WorkflowMeta) -> WorkflowMeta:
        """Stop running workers (4); their data stays and can still be collected."""

        def stop(worker: WorkerState) -> WorkerState:
            return stop_worker(
                worker, "cleanup", "[cleanup] stopped before it was done", self.now()
            )

        for name in meta.workers:
            self.change(meta, name, stop)
        folder = self.folder / meta.workflow_id
        with self._lock(folder):
            cleaned = replace(meta, cleaned_at=meta.cleaned_at or self.now())
            self._write(folder / "workflow.json", cleaned)
            crash_points.point("workflow.cleaned")
        return cleaned

    @contextmanager
    def _lock(self, folder: Path) -> Iterator[None]:
        path = folder / "lock"
        with storage("locking", path):
            file = open_private(path, append=True)
        with file:
            portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE)
            yield

    def _file(self, folder: Path, name: str) -> Path:
        return folder / "workers" / f"{safe_name(name)}.json"

    def _write(self, path: Path, state: WorkflowMeta | WorkerState) -> None:
        data = secrets.current().mask(msgspec.json.encode(state))
        if len(data) > MAX_WORKER_BYTES:
            raise OcdError(
                "limit_reached",
                f"A worker's data may take {MAX_WORKER_BYTES >> 20} MiB, not {len(data)} bytes",
                hint="Report less data, or the path of a file.", limit=MAX_WORKER_BYTES,
            )  # fmt: skip
        write_whole(path, data)

    def __repr__(self) -> str:
        return f"WorkflowStore({str(self.folder)!r})"


def _no_worker(meta: WorkflowMeta, name: str) -> OcdError:
    known = ", ".join(repr(worker[:80]) for worker in meta.workers[:20])
    return OcdError(
        "worker_not_found", f"{meta.workflow_id} has no worker {name[:200]!r}",
        hint=f"Its workers: {known}.", workers=list(meta.workers[:20]),
    )  # fmt: skip
