"""A crawl's raw answers as WARC 1.1 (ISO 28500): answers, requests, repeats as revisits."""

import io
import zlib
from base64 import b32encode
from collections.abc import Iterator
from hashlib import sha1
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from ocd.crawl.archive.raw_answers import Fields, RawAnswer
from ocd.storage.files import open_private, storage

# They are of the body as it was sent; the one that is kept has been decoded.
_OF_TRANSFER = ("content-length", "content-encoding", "transfer-encoding", "trailer")


def write(path: Path, answers: Iterator[RawAnswer], *, compressed: bool) -> int:
    """Write the answers to a new file, one in memory at a time; return how many records.

    Blocks. Raises storage_*.
    """
    from warcio.warcwriter import WARCWriter  # 44 ms, for those who want an archive

    with storage("writing", path), open_private(path) as file:
        archive = _Archive(WARCWriter(file, gzip=compressed, warc_version="1.1"))
        archive.begin()
        for answer in answers:
            archive.add(answer)
    return archive.records


class _Archive:
    """One file. Of each body that it has met, it knows the first answer: address and date."""

    def __init__(self, writer: Any) -> None:  # noqa: ANN401 - warcio has no types
        self._writer = writer
        self._first: dict[bytes, tuple[str, str]] = {}
        self.records = 0

    def begin(self) -> None:
        """Write what the archive is."""
        info = {"software": f"OpenChrome/{version('openchrome')}", "format": "WARC File Format 1.1"}
        self._write(self._writer.create_warcinfo_record("", info))

    def add(self, answer: RawAnswer) -> None:
        """Write an answer, or that it repeats another one, and its request."""
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
        elif body:
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
    """Return the headers; those that the body does not fit any more by another name."""
    fields = [
        (f"X-Archive-Orig-{name}" if name.lower() in _OF_TRANSFER else name, value)
        for name, value in answer.headers
    ]
    return [*fields, ("Content-Length", str(len(body)))]


def _path(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(("", "", parts.path or "/", parts.query, ""))
