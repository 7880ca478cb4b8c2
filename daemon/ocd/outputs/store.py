"""The store of large outputs: written once, fetched in pages, searched, swept after expiry."""

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import Any, TypeVar

from ocd.api.errors import OcdError
from ocd.api.spelling import truncate
from ocd.api.timestamps import rfc3339
from ocd.api.wire import Descriptor
from ocd.outputs import file_layout
from ocd.outputs.file_layout import HandleFiles
from ocd.outputs.handle_writer import WriteResult, write_handle
from ocd.outputs.inline_policy import preview_of
from ocd.outputs.item_index import not_an_index, read_index
from ocd.outputs.meta import HandleMeta, read_meta
from ocd.outputs.paging import Format, read_page
from ocd.outputs.quota import StoredHandle, StoreUsage
from ocd.outputs.reader import PayloadReader
from ocd.outputs.roots import Roots
from ocd.outputs.search import Search, SearchQuery
from ocd.outputs.sweeper import SweepResult, sweep_roots
from ocd.storage.files import MISSING, reading, storage, unreadable_error
from ocd.storage.payload import Payload

logger = logging.getLogger(__name__)

_MB = 1024 * 1024
# Searches may take seconds; they never take all the threads that fetches need.
_SEARCHES_AT_ONCE = 2
# Files this young, without a meta, may belong to another daemon that writes into the same folder.
ORPHAN_GRACE_S = 600.0
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StoreStats:
    """How many handles are stored, and the bytes of all their files."""

    count: int
    bytes: int


@dataclass(frozen=True, slots=True)
class _Source:
    """Where an output comes from: the tool, and the origins of the page text in it."""

    tool: str
    origins: tuple[str, ...]


class OutputStore:
    """Handles below one folder, and below those that `put` was ever given.

    ttl_hours, max_store_mb: may be set while running; a handle keeps the life it was made with.
    Files are read and written in threads; only `stats` is for the loop.
    """

    def __init__(
        self,
        root: Path,
        *,
        ttl_hours: float = 24,
        max_store_mb: int = 2048,
        orphan_grace_s: float = ORPHAN_GRACE_S,
        clock: Callable[[], float] = time,
    ) -> None:
        self.root = root
        self.ttl_hours = ttl_hours
        self.max_store_mb = max_store_mb
        self.orphan_grace_s = orphan_grace_s
        self._clock = clock
        self._started = clock()
        self._roots = Roots(root)
        self._usage = StoreUsage()
        self._sweeping = threading.Lock()
        self._swept = False
        self._reported: set[str] = set()
        self._searches = asyncio.Semaphore(_SEARCHES_AT_ONCE)

    def add_root(self, folder: Path) -> None:
        """Serve and sweep the handles below one more folder (the guard's output_dir), permanently.

        Blocks: the folder is recorded, see ocd.outputs.roots.
        """
        self._roots.add(folder)

    async def put(
        self,
        payload: Payload,
        source_tool: str,
        *,
        folder: Path | None = None,
        origins: tuple[str, ...] = (),
    ) -> Descriptor:
        """Store a payload and return its descriptor; see ocd.outputs.handle_writer for the order.

        folder: another root than the store's own. origins: of the page text in it. Raises
        `storage_full` (disk or max_store_mb) or `storage_failed`; nothing is left behind then, nor
        when the caller is cancelled.
        """
        root = folder or self.root
        source = _Source(source_tool, origins)
        return await _in_thread(lambda stop: self._put(root, payload, source, stop))

    def _put(
        self, root: Path, payload: Payload, source: _Source, stop: threading.Event
    ) -> Descriptor:
        if root != self.root:
            self.add_root(root)
            payload = payload.without_file()
        if not self._swept:
            self._sweep()  # the size on disk is not known yet
        created = self._clock()
        place = HandleFiles(root / rfc3339(created)[:10], file_layout.new_handle())
        extension = file_layout.extension_of(payload.mime_type)

        def describe(written: WriteResult) -> HandleMeta:
            return HandleMeta(
                output_handle=place.handle,
                mime_type=payload.mime_type,
                size_bytes=written.size,
                item_count=written.item_count,
                preview=preview_of(written.head, payload.mime_type),
                created_at=rfc3339(created),
                expires_at=rfc3339(created + self.ttl_hours * 3600),
                source_tool=source.tool,
                origins=source.origins,
                extension=extension,
                checksums=True,
            )

        with self._usage.writing(place):
            meta, size = write_handle(
                place, extension, payload, describe, lambda size: self._gate(place, size, stop)
            )
        self._usage.keep(place.handle, StoredHandle(place.folder, size, meta.expires()))
        return meta.descriptor()

    def _gate(self, place: HandleFiles, size: int, stop: threading.Event) -> None:
        if stop.is_set():
            raise OcdError("cancelled", "Storing the output was cancelled")
        cap = self.max_store_mb * _MB
        if self._usage.try_grow(place.handle, size, cap):
            return
        self._sweep()
        if not self._usage.try_grow(place.handle, size, cap):
            raise OcdError(
                "storage_full",
                f"The output store would exceed max_store_mb = {self.max_store_mb}",
                hint="Raise max_store_mb in config.toml, or lower output_handle_ttl_hours.",
                stored_bytes=self._usage.total,
                max_store_mb=self.max_store_mb,
            )

    async def fetch(
        self, handle: str, offset: int = 0, limit: int | None = None, form: Format = "auto"
    ) -> dict[str, Any]:
        """Return one page of a stored output, with the keys of oc_output_fetch.

        Raises `output_handle_not_found`, `invalid_format_for_payload` or `unreadable_file`.
        """

        def read(payload: PayloadReader, meta: HandleMeta) -> dict[str, Any]:
            return read_page(payload, meta, offset, limit, form)

        return await asyncio.to_thread(self._with_payload, handle, read)

    async def search(
        self, handle: str, pattern: str, limit: int = 20, context: int = 2
    ) -> dict[str, Any]:
        """Return the matches of a regular expression, with the keys of oc_output_search.

        Raises `invalid_argument` (the pattern) besides the errors of `fetch`.
        """

        def search(stop: threading.Event) -> dict[str, Any]:
            query = SearchQuery(pattern, limit, context, stop)
            return self._with_payload(
                handle, lambda payload, meta: Search(payload, meta, query).run()
            )

        async with self._searches:
            return await _in_thread(search)

    async def origins(self, handle: str) -> tuple[str, ...]:
        """Return the origins of the page text in a stored output; errors as `fetch`."""
        return (await asyncio.to_thread(self._meta, handle))[1].origins

    async def path(self, handle: str) -> Path:
        """Return the payload's file, for callers on the same machine; errors as `fetch`."""

        def of(payload: PayloadReader, _meta: HandleMeta) -> Path:
            return payload.path

        return await asyncio.to_thread(self._with_payload, handle, of)

    def _meta(self, handle: str) -> tuple[HandleFiles, HandleMeta]:
        place = self._find(handle)
        meta = read_meta(place) if place else None
        if place is None or meta is None or meta.expires() <= self._clock():
            raise _not_found(handle)
        return place, meta

    def _with_payload(self, handle: str, use: Callable[[PayloadReader, HandleMeta], T]) -> T:
        place, meta = self._meta(handle)
        path = place.payload(meta.extension)
        try:
            with reading(path), file_layout.open_payload(path) as file:
                indexed = meta.checksums or meta.item_count is not None
                index = read_index(place.index) if indexed else None
                if index and (index.count != (meta.item_count or 0)):
                    raise not_an_index(place.index)
                return use(PayloadReader(file, path, meta.size_bytes, index), meta)
        except FileNotFoundError:
            # Deleted by the sweep; or by somebody else, and the meta is still there.
            raise _missing_payload_error(place, path) from None

    def _find(self, handle: str) -> HandleFiles | None:
        if not file_layout.is_handle(handle):
            return None
        known = self._usage.usage_of(handle)
        if known is not None:
            return HandleFiles(known.folder, handle)
        with storage("looking for an output in", self.root):
            days = [day for root in self._roots.all() for day in file_layout.day_folders(root)]
            places = (HandleFiles(day, handle) for day in days)
            return next((place for place in places if os.path.lexists(place.meta)), None)

    async def sweep(self) -> int:
        """Delete expired handles and left-overs; return how many handles were deleted."""
        return (await asyncio.to_thread(self._sweep)).handles

    def _sweep(self) -> SweepResult:
        with self._sweeping:
            before = self._usage.names()
            now = self._clock()
            roots = [(root, self._orphans_before(root, now)) for root in self._roots.all()]
            swept = sweep_roots(roots, self._usage, now)
            self._usage.reconcile(before, swept.remaining)
            self._swept = True
        self._report(swept)
        return swept

    def _orphans_before(self, root: Path, now: float) -> float:
        """Return up to when files without a meta are left-overs.

        In the store's own root, whose daemon holds the home's lock, all from before the start are.
        """
        aged = now - self.orphan_grace_s
        return max(aged, self._started) if root == self.root else aged

    def _report(self, swept: SweepResult) -> None:
        for what, paths in (("delete", swept.failed), ("read", swept.unreadable)):
            for path in set(paths) - self._reported:
                logger.warning("The output sweep cannot %s %s; it is left alone", what, path)
        # Reported once for as long as it lasts.
        self._reported = {*swept.failed, *swept.unreadable}

    def handles(self) -> list[str]:
        """Return the existing handles, those that expire last first, from memory."""
        return self._usage.newest()

    async def listing(self, offset: int, limit: int) -> list[HandleMeta]:
        """Return the metadata of some readable handles, in the order of `handles`."""
        return await asyncio.to_thread(self._listing, self.handles()[offset : offset + limit])

    def _listing(self, handles: Iterable[str]) -> list[HandleMeta]:
        found: list[HandleMeta] = []
        for handle in handles:
            with suppress(OcdError):  # unreadable ones are reported when they are fetched
                place = self._find(handle)
                meta = read_meta(place) if place else None
                if meta is not None and meta.expires() > self._clock():
                    found.append(meta)
        return found

    def stats(self) -> StoreStats:
        """Return how much is stored, from memory."""
        return StoreStats(self._usage.count(), self._usage.total)

    def __repr__(self) -> str:
        return f"OutputStore({str(self.root)!r}, {self._usage!r})"


async def _in_thread(work: Callable[[threading.Event], T]) -> T:
    """Run blocking work in a thread; cancelling tells it through the event."""
    stop = threading.Event()
    try:
        return await asyncio.to_thread(work, stop)
    except asyncio.CancelledError:
        stop.set()
        raise


def _missing_payload_error(place: HandleFiles, path: Path) -> OcdError:
    """Return the error of a payload that is missing: swept meanwhile, or lost."""
    if not place.meta.exists():
        return _not_found(place.handle)
    return unreadable_error(path, MISSING)


def _not_found(handle: str) -> OcdError:
    short_handle = truncate(handle, 40)
    return OcdError(
        "output_handle_not_found",
        f"There is no output '{short_handle}': it is unknown or has expired",
        hint="Repeat the call that created it, with output_mode handle.",
        output_handle=short_handle,
    )
