"""Writing a handle, in numbered steps.

1. The day's folder is made, and the folder above it synced.
2. The payload is written to `.<handle>.<ext>.<pid>.part`, and in the same pass the places of its
   items and the checksums of its blocks to `.<handle>.idx.<pid>.part`. A failure here or later
   removes all the handle's files.
3. The payload is synced and renamed to `<handle>.<ext>`. Fault point handle.payload.written.
   A payload that stands in a task's result.json already is a hard link to that instead of 2 and
   3, where the file system allows it (handle.payload.linked); it is synced, and its index is
   copied to the part of 4. Either name may go first; the bytes go with the last.
4. The index is synced and renamed to `<handle>.idx`. handle.index.written.
5. The folder is synced: from here on both names survive the machine's death.
6. `<handle>.meta.json` is written the same way (part, sync, rename, sync the folder). This is the
   commit point: before it the handle does not exist, after it the handle is whole.
   handle.meta.written.

A crash after step 1 leaves an empty folder, after 2 parts, after 3, 4 and 5 a payload (and an
index) without meta. No caller has heard of the handle then. The sweep at the next start deletes all
of these. In folders that may be shared with other daemons (the guard's output_dir) it waits until
the newest of the handle's files is older than a grace period, because another daemon may be writing
them; what its own process writes it knows. A crash after 6 leaves a handle that nobody knows of;
it expires like any other.

The sweep deletes in reverse: first the meta (from here on the handle does not exist), then the
index and the payload. A crash between the two (handle.sweep.meta_deleted) leaves a payload without
meta, as above.
"""

import os
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from ocd.api.errors import OcdError
from ocd.outputs.file_layout import Extension, HandleFiles, open_payload, part_of
from ocd.outputs.inline_policy import PREVIEW_BYTES
from ocd.outputs.item_index import IndexWriter, read_index
from ocd.outputs.meta import HandleMeta
from ocd.outputs.reader import PayloadReader
from ocd.storage import crash_points
from ocd.storage.files import make_dir, open_private, read_whole, storage, sync_dir, write_whole
from ocd.storage.payload import Payload

# How many bytes are written between two calls of the gate.
_STRIDE = 256 * 1024
# One whole code point more than the preview's limit.
_HEAD = PREVIEW_BYTES + 4

# Called with the handle's size so far before more is written; raises to stop the write.
Gate = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class WriteResult:
    """Facts from writing: bytes, items (None: has none), the first bytes."""

    size: int
    item_count: int | None
    head: bytes


def write_handle(
    place: HandleFiles,
    extension: Extension,
    payload: Payload,
    describe: Callable[[WriteResult], HandleMeta],
    gate: Gate,
) -> tuple[HandleMeta, int]:
    """Store a payload in one pass; return its meta and the bytes of all its files. Blocks.

    describe: makes the meta of what was written. Nothing stays behind when it fails.
    """
    target = place.payload(extension)
    with storage("writing", target):
        try:
            _prepare_folder(place.folder)
            written, size = _write_files(place, target, payload, gate)
            meta = describe(written)
            size += write_whole(place.meta, msgspec.json.encode(meta))
            crash_points.point("handle.meta.written")
        except BaseException:  # no failure leaves files without a handle
            _remove(place, target)
            raise
    return meta, size


def _prepare_folder(folder: Path) -> None:
    if not folder.exists():
        make_dir(folder)
        sync_dir(folder.parent)
    status = folder.lstat()
    # In a shared place (/tmp) somebody else may have made the folder first, or a link.
    foreign = hasattr(os, "getuid") and status.st_uid != os.getuid()
    if folder.is_symlink() or foreign:
        raise OcdError("storage_failed", f"{folder} is not a folder of this user", path=str(folder))


def _write_files(
    place: HandleFiles, target: Path, payload: Payload, gate: Gate
) -> tuple[WriteResult, int]:
    if payload.file is not None and (linked := _link(place, target, payload, payload.file, gate)):
        return linked
    with ExitStack() as stack:
        body = stack.enter_context(open_private(part_of(target)))
        index = stack.enter_context(IndexWriter.create(part_of(place.index)))
        written = _fill(body, index, payload, gate)
        _commit_part(body, target)
        crash_points.point("handle.payload.written")
        _commit_part(index.finish(), place.index)
        crash_points.point("handle.index.written")
    sync_dir(place.folder)
    size = written.size + index.size
    gate(size)
    return written, size


def _link(
    place: HandleFiles, target: Path, payload: Payload, source: Path, gate: Gate
) -> tuple[WriteResult, int] | None:
    """Make the payload a second name of `source`, with its own index.

    None if that is not possible: on another file system, or on one without hard links.
    """
    raw = read_whole(source.with_suffix(".idx"))
    if raw is None:
        return None
    index = read_index(source.with_suffix(".idx"))
    size = index.payload_size or 0
    try:
        target.hardlink_to(source)
    except OSError:
        return None
    crash_points.point("handle.payload.linked")
    with open_payload(target) as file:
        head = PayloadReader(file, target, size, index).read(0, _HEAD)
    gate(len(raw))
    with open_private(part_of(place.index)) as copy:
        copy.write(raw)
        copy.flush()
        _commit_part(copy, place.index)
    crash_points.point("handle.index.written")
    sync_dir(place.folder)
    return WriteResult(size, None if payload.items_at is None else index.count, head), len(raw)


def _fill(body: BinaryIO, index: IndexWriter, payload: Payload, gate: Gate) -> WriteResult:
    at = granted = 0
    head = b""
    for data, is_item in payload:
        end = at + len(data)
        if end > granted:
            gate(end)
            granted = end + _STRIDE
        if len(head) < _HEAD:
            head += data[: _HEAD - len(head)]
        body.write(data)
        index.add_to_checksums(data)
        if is_item:
            index.add(at, end)
        at = end
    body.flush()
    return WriteResult(at, None if payload.items_at is None else index.count, head)


def _commit_part(file: BinaryIO, target: Path) -> None:
    os.fsync(file.fileno())
    file.close()  # Windows renames no open file
    part_of(target).replace(target)


def _remove(place: HandleFiles, target: Path) -> None:
    for path in (place.meta, place.index, target):
        for name in (path, part_of(path)):
            # What cannot be deleted now is left to the sweep.
            with suppress(OSError):
                name.unlink(missing_ok=True)
