"""Resuming a crawl: its task's folder already has pages, which are not fetched again."""

import asyncio
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

import msgspec

from ocd.crawl.crawl_result import PageRecord
from ocd.crawl.duplicates import fingerprint
from ocd.crawl.earlier_runs.frontier_log import FrontierLog, FrontierNote
from ocd.crawl.scheduler import CrawlScheduler
from ocd.crawl.visits.outcome import VisitResult
from ocd.ledger.task_handle import TaskHandle
from ocd.storage.payload import JsonLinesFile

# How many pages are taken over between two turns of the loop.
_AT_ONCE = 16


class _Finished(NamedTuple):
    """A record of an earlier run, as a visit that has just ended. note: its frontier note."""

    visited: VisitResult
    note: FrontierNote


async def take_over(work: TaskHandle, scheduler: CrawlScheduler, log: FrontierLog) -> None:
    """Take over the pages that the task began with, as if they were being visited now.

    Afterwards the frontier, the counters and the duplicates are as they were after the last of
    them.
    """
    lines = iter(JsonLinesFile(work.units, readable_only=True))
    notes = await asyncio.to_thread(log.read)
    while not work.stopping and (some := await asyncio.to_thread(_next_batch, lines, notes)):
        for page in some:
            scheduler.take_in_finished(page.visited, page.note)
    for note in notes.values():
        scheduler.take_in_skipped(note)


def _next_batch(lines: Iterator[bytes], notes: Mapping[str, FrontierNote]) -> list[_Finished]:
    return [_finished(line, notes) for line in islice(lines, _AT_ONCE)]


def _finished(line: bytes, notes: Mapping[str, FrontierNote]) -> _Finished:
    record = msgspec.json.decode(line, type=PageRecord)
    note = notes.get(record.url) or FrontierNote(url=record.url)
    signature = b""
    if record.content and record.content_hash and not record.duplicate_of:
        signature = fingerprint(record.content)[1]
    links = [(url, "") for url in record.links]
    return _Finished(VisitResult(record, links, frozenset(note.unfollowed), signature), note)
