"""Comparing a crawl with an earlier one of the same site: new, changed, unchanged, gone."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from ocd.api.errors import OcdError
from ocd.crawl.crawl_result import PageRecord
from ocd.crawl.duplicates import fingerprint
from ocd.crawl.earlier_runs.frontier_log import FrontierLog
from ocd.crawl.fetch.validators import Validators
from ocd.crawl.spec import CrawlSpec
from ocd.ledger.results import read_result
from ocd.ledger.resumption import ARGUMENTS, read_arguments
from ocd.ledger.store import TaskStore
from ocd.outputs.reader import StoredItems

Change = Literal["", "new", "changed", "unchanged", "gone"]
_GONE = (404, 410)


class EarlierPage(NamedTuple):
    """A page of the earlier crawl. number: the position of its record there."""

    number: int
    url: str
    final_url: str
    title: str
    content_hash: str
    etag: str
    last_modified: str
    size: int | None
    is_carried: bool


class CarriedPage(NamedTuple):
    """The record of a page whose server says it is unchanged, and what the record lacks."""

    record: PageRecord
    unfollowed: frozenset[str]
    is_file: bool
    signature: bytes


class EarlierCrawl:
    """The pages of an ended crawl, found by URL; their content stays on disk."""

    def __init__(self, rows: StoredItems, log: FrontierLog, key: Callable[[str], str]) -> None:
        self._rows = rows
        self._key = key
        self._notes = log.read()
        self._pages: dict[str, EarlierPage] = {}
        self._seen: set[int] = set()
        decode = msgspec.json.Decoder(PageRecord).decode
        for number, line in enumerate(rows):
            record = decode(line)
            if record.error is None:
                self._add(number, record)

    @classmethod
    def read(cls, tasks: Path, spec: CrawlSpec, key: Callable[[str], str]) -> "EarlierCrawl":
        """Read the crawl that `spec.compare_to` names, below the folder of tasks. Blocks.

        Raises:
            OcdError: task_not_found; invalid_argument for a task that is not a crawl, has not
                ended, or whose content was made with other options.
        """
        store = TaskStore(tasks)
        meta = store.read(spec.compare_to)
        found = read_result(store.result_file(meta.task_id), store.units(meta.task_id), meta)
        rows = found.rows if found is not None else None
        if meta.kind not in ("crawl", "crawl_sitemap") or not isinstance(rows, StoredItems):
            is_old = not (store.directory(meta.task_id) / ARGUMENTS).exists()
            why = "was made by a version whose crawls cannot be compared"
            why = why if is_old else "has no pages to compare with"
            raise _incomparable(f"task {meta.task_id} ({meta.kind}) {why}")
        args = read_arguments(store, meta.task_id).args
        if _content_options(args) != _content_options(
            {
                "format": list(spec.formats),
                "only_main_content": spec.only_main_content,
                "extract": spec.extract,
            }
        ):
            message = "its format, only_main_content or extract differs, so all pages would differ"
            raise _incomparable(message)
        return cls(rows, FrontierLog(store.directory(meta.task_id)), key)

    def _add(self, number: int, record: PageRecord) -> None:
        # The validators of a rendered page say nothing: they are those of the document alone.
        is_carried = record.engine == "static" and not (record.engine_reason or record.incomplete)
        page = EarlierPage(
            number, record.url, record.final_url, record.title, record.content_hash, record.etag,
            record.last_modified, record.size, is_carried,
        )  # fmt: skip
        self._pages.setdefault(self._key(record.url), page)
        self._pages.setdefault(self._key(record.final_url), page)

    def validators(self, url: str) -> Validators | None:
        """Return the validators that make the page's request conditional; None without any."""
        page = self._pages.get(self._key(url))
        if page is None or not page.is_carried or not (page.etag or page.last_modified):
            return None
        return Validators(page.final_url, page.etag, page.last_modified)

    def carry_over(self, url: str) -> CarriedPage:
        """Return the record of an unchanged page. Blocks. Raises unreadable_file."""
        page = self._pages[self._key(url)]
        record = msgspec.json.decode(self._rows.at(page.number), type=PageRecord)
        note = self._notes.get(page.url)
        unfollowed = frozenset(note.unfollowed if note else ())
        signature = fingerprint(record.content)[1] if record.content else b""
        return CarriedPage(record, unfollowed, note is not None and note.is_file, signature)

    def change_of(self, record: PageRecord) -> Change:
        """Return how a page has changed since, or "" if that is not known; it then counts as
        seen."""
        page = self._pages.get(self._key(record.url)) or self._pages.get(
            self._key(record.final_url)
        )
        if page is not None:
            self._seen.add(page.number)
        if record.error is not None:
            return "gone" if page is not None and record.status in _GONE else ""
        if page is None:
            return "new"
        return "unchanged" if _is_same(page, record) else "changed"

    def unseen(self) -> list[str]:
        """Return the pages that were not found again."""
        pages = {page.number: page.url for page in self._pages.values()}
        return [url for number, url in pages.items() if number not in self._seen]


def _is_same(page: EarlierPage, record: PageRecord) -> bool:
    if (page.content_hash, page.title) != (record.content_hash, record.title):
        return False
    if record.content_hash:
        return True
    # Whether an unread file has changed is the server's word: its strongest validator decides.
    if page.etag or record.etag:
        return page.etag == record.etag
    return (page.last_modified, page.size) == (record.last_modified, record.size)


def _content_options(args: Mapping[str, Any]) -> tuple[object, ...]:
    """Return the parameters of a crawl that decide what its records contain."""
    formats, schema = args["format"], args.get("extract")
    if isinstance(schema, str) and schema:
        schema = msgspec.json.decode(schema)
    formats = [formats] if isinstance(formats, str) else formats
    return formats, args["only_main_content"], schema or None


def _incomparable(why: str) -> OcdError:
    return OcdError(
        "invalid_argument", f"compare_to: {why}", parameter="compare_to",
        hint="Name an ended crawl of the same format: `oc_task_list`",
    )  # fmt: skip
