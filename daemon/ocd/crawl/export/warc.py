"""A crawl's raw responses as WARC 1.1 (ISO 28500): responses, requests, revisits."""

import io
import zlib
from base64 import b32encode
from collections.abc import Callable, Iterator
from hashlib import sha1
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from ocd.crawl.archive.raw_answers import Fields, RawAnswer
from ocd.crawl.frontier.url_set import UrlSet
from ocd.storage.files import open_private, storage

# These headers describe the body as it was sent; the stored one has been decoded.
_OF_TRANSFER = ("content-length", "content-encoding", "transfer-encoding", "trailer")


def write(path: Path, read: Callable[[], Iterator[RawAnswer]], *, compressed: bool) -> int:
    """Write the answers to a new file, with one in memory at a time; return how many records.

    Blocks. Raises storage_*.

    Args:
        path: the new file.
        read: yields the answers; it is called twice.
        compressed: compress each record with gzip.
    """
    from warcio.warcwriter import WARCWriter  # 44 ms, only for exports to WARC

    with storage("writing", path), open_private(path) as file:
        writer = WARCWriter(file, gzip=compressed, warc_version="1.1")
        archive = _Archive(writer, _find_repeated(read()))
        archive.begin()
        for answer in read():
            archive.add(answer)
    return archive.records


def _find_repeated(answers: Iterator[RawAnswer]) -> set[str]:
    """Return the digests of bodies that occur more than once."""
    seen, repeated = UrlSet(), set[str]()
    for answer in answers:
        mark = _body_digest(answer)
        if mark in seen:
            repeated.add(mark)
        seen.add(mark)
    return repeated


def _body_digest(answer: RawAnswer) -> str:
    return sha1(answer.body, usedforsecurity=False).hexdigest()


class _Archive:
    """One file. For each body that is repeated it knows the first answer: address and date."""

    def __init__(self, writer: Any, repeated: set[str]) -> None:  # noqa: ANN401 - warcio has no types
        self._writer = writer
        self._repeated = repeated
        self._first: dict[bytes, tuple[str, str]] = {}
        self.records = 0

    def begin(self) -> None:
        """Write the record that describes the archive."""
        info = {"software": f"OpenChrome/{version('openchrome')}", "format": "WARC File Format 1.1"}
        self._write(self._writer.create_warcinfo_record("", info))

    def add(self, answer: RawAnswer) -> None:
        """Write an answer (a revisit record if its body repeats an earlier one) and its request."""
        body = zlib.decompress(answer.body) if answer.body else b""
        record = self._answer(answer, body)
        self._write(record)
        if answer.request_headers:
            fields = {
                "WARC-Date": answer.fetched_at,
                "WARC-Concurrent-To": record.rec_headers.get_header("WARC-Record-ID"),
            }
            head = _head(f"GET {_path(answer.url)} {answer.protocol}", answer.request_headers)
            self._write(self._record("request", answer.url, head, fields))

    def _answer(self, answer: RawAnswer, body: bytes) -> Any:  # noqa: ANN401
        head = _head(f"{answer.status} {answer.reason}", _fields(answer, body), answer.protocol)
        fields = {"WARC-Date": answer.fetched_at}
        if answer.truncated:
            fields["WARC-Truncated"] = answer.truncated
        elif body and _body_digest(answer) in self._repeated:
            digest = sha1(body, usedforsecurity=False).digest()
            first = self._first.setdefault(digest, (answer.url, answer.fetched_at))
            if first != (answer.url, answer.fetched_at):
                named = f"sha1:{b32encode(digest).decode()}"
                return self._writer.create_revisit_record(
                    answer.url, named, *first, head, warc_headers_dict=fields
                )
        return self._record("response", answer.url, head, fields, body)

    def _record(
        self,
        kind: str,
        url: str,
        head: Any,  # noqa: ANN401
        fields: dict[str, str],
        body: bytes = b"",
    ) -> Any:  # noqa: ANN401
        return self._writer.create_warc_record(
            url, kind, io.BytesIO(body), len(body), warc_headers_dict=fields, http_headers=head
        )

    def _write(self, record: Any) -> None:  # noqa: ANN401
        self._writer.write_record(record)
        self.records += 1


def _head(first_line: str, fields: Fields, protocol: str = "") -> Any:  # noqa: ANN401
    from warcio.statusandheaders import StatusAndHeaders

    return StatusAndHeaders(first_line, fields, protocol=protocol, is_http_request=not protocol)


def _fields(answer: RawAnswer, body: bytes) -> Fields:
    """Return the headers; those that no longer describe the stored body get another name."""
    fields = [
        (f"X-Archive-Orig-{name}" if name.lower() in _OF_TRANSFER else name, value)
        for name, value in answer.headers
    ]
    return [*fields, ("Content-Length", str(len(body)))]


def _path(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(("", "", parts.path or "/", parts.query, ""))
