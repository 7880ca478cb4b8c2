"""The pages of a task, for a table that fills while the task runs."""

import asyncio
import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.ledger.runner import Runner
from ocd.ledger.task_handle import UNITS

LIMIT = 100
# Who begins to watch a task that runs begins with its last pages.
_LATEST_BYTES = 1 << 20


class PageRow(msgspec.Struct, omit_defaults=True):
    """A page's row in the table; fields that a kind's units lack are left out."""

    url: Any = None
    title: Any = None
    status: Any = None
    error: Any = None
    depth: Any = None
    size: Any = None
    duration_ms: Any = None


async def task_pages(runner: Runner, task_id: str, after: int | None) -> dict[str, Any]:
    """Return up to `limit` pages, oldest first, and `after`, from which the next ones can be read.

    after: where the last answer ended; None: at the start, or among the last pages of a task that
    still runs. ended: the task has, and `after` counts pages; until then it is a byte offset in
    its log.
    """
    meta = await runner.get(task_id)
    if meta.terminal:
        result = await asyncio.to_thread(runner.result, meta)
        rows = () if result is None or result.rows is None else result.rows
        first = after or 0
        found = await asyncio.to_thread(_read_result, rows, first)
        return {"pages": found, "after": first + len(found), "ended": True, "limit": LIMIT}
    path = runner.log(meta, UNITS).path
    found, at = await asyncio.to_thread(_read_log, path, after)
    return {"pages": found, "after": at, "ended": False, "limit": LIMIT}


def _read_result(rows: Iterable[bytes], first: int) -> list[PageRow]:
    return [_decode(line) for line in islice(rows, first, first + LIMIT)]


def _read_log(path: Path, after: int | None) -> tuple[list[PageRow], int]:
    found: list[PageRow] = []
    try:
        with path.open("rb") as file:
            if after is None:
                file.seek(max(0, file.seek(0, os.SEEK_END) - _LATEST_BYTES))
                at = file.tell() and file.tell() + len(file.readline())
            else:
                at = after
            file.seek(at)
            for line in islice(file, LIMIT):
                if not line.endswith(b"\n"):  # it is being written
                    break
                found.append(_decode(line))
                at += len(line)
            return found, at
    except FileNotFoundError:  # there is none yet, or the task has just ended
        return [], after or 0


def _decode(line: bytes) -> PageRow:
    try:
        return msgspec.json.decode(line, type=PageRow)
    except msgspec.DecodeError as error:
        raise OcdError("unreadable_file", f"A page of the task cannot be read: {error}") from error
