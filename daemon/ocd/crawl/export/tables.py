"""A crawl's pages as tables: CSV (RFC 4180) and SQLite."""

import csv
import io
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from ocd.storage.files import database_error

COLUMNS = (
    "url", "final_url", "status", "title", "depth", "content", "engine", "content_type",
    "fetched_at", "duration_ms", "parent", "canonical", "description", "language", "robots",
    "open_graph", "headers", "etag", "last_modified", "content_hash", "duplicate_of", "redirects",
    "formats", "extracted", "tools", "screenshot", "pdf",
)  # fmt: skip
_SCHEMA = f"""
CREATE TABLE pages (id INTEGER PRIMARY KEY, {", ".join(COLUMNS)}, error_code, error_message);
CREATE TABLE links (
  page_id INTEGER NOT NULL REFERENCES pages, url TEXT NOT NULL, text, kind, external, nofollow
);
CREATE INDEX pages_url ON pages (url);
CREATE INDEX links_url ON links (url);
"""
_INSERT = f"INSERT INTO pages VALUES ({', '.join('?' * (len(COLUMNS) + 3))})"  # noqa: S608


def csv_rows(pages: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Yield a header and a row for each page; its links are one cell, one per line."""
    yield _row([*COLUMNS, "links", "error_code", "error_message"])
    for record in pages:
        links = "\n".join(record.get("links", ()))
        yield _row([*_values(record), links, *_error(record)])


def write_database(path: Path, pages: Iterable[dict[str, Any]]) -> None:
    """Write a database with a table of pages and one of their links."""
    import sqlite3  # 1 MB, only for exports to a database

    try:
        with closing(sqlite3.connect(path)) as database:
            database.executescript(_SCHEMA)
            with database:
                for number, record in enumerate(pages, 1):
                    database.execute(_INSERT, [number, *_values(record), *_error(record)])
                    links = ((number, *link) for link in _links(record))
                    database.executemany("INSERT INTO links VALUES (?, ?, ?, ?, ?, ?)", links)
    except sqlite3.OperationalError as error:
        raise database_error(path, error) from error


def _values(record: dict[str, Any]) -> list[Any]:
    return [_cell(record.get(column)) for column in COLUMNS]


def _cell(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    return msgspec.json.encode(value).decode() if isinstance(value, dict | list) else value


def _links(
    record: dict[str, Any],
) -> Iterator[tuple[str, str | None, str | None, bool | None, bool | None]]:
    """Yield a page's links, with their details if the crawl recorded any."""
    anchors = {anchor["url"]: anchor for anchor in record.get("anchors", ())}
    for url in record.get("links", ()):
        found = anchors.get(url)
        if found is None:
            yield url, None, None, None, None
            continue
        external, nofollow = (found.get(name, False) for name in ("external", "nofollow"))
        yield url, found.get("text", ""), found.get("kind", "anchor"), external, nofollow


def _error(record: dict[str, Any]) -> list[str]:
    error = record.get("error") or {}
    return [str(error.get("code", "")), str(error.get("message", ""))]


def _row(values: list[Any]) -> bytes:
    line = io.StringIO()
    csv.writer(line).writerow(values)
    return line.getvalue().encode()
