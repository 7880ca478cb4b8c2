"""answers.jsonl: the raw responses of a crawl's pages, as their servers sent them (keep=raw).

For redirects and failures, including those without a page, it has everything before the body. A
line is written before its page's record. A page that was in flight when the crawl died may have
two. Cookies, logins and the values of the caller's own headers are never stored; bodies are decoded
from their transfer and content encodings, and have at most `MAX_PAGE_BYTES`.
"""

import asyncio
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from ocd.browser.pool.loaded_page import RawDocument
from ocd.crawl.archive.file_names import ANSWERS
from ocd.crawl.fetch.http_fetch import AnswerHead, HttpAnswer
from ocd.safety import secrets
from ocd.storage import crash_points
from ocd.storage.files import JsonLinesLog

Truncated = Literal["", "length", "disconnect", "unspecified"]
Fields = list[tuple[str, str]]
_LEFT_OUT = ("set-cookie", "set-cookie2", "authentication-info", "proxy-authenticate")
# The headers of our own in every request; all others may be the caller's.
_OWN = (
    "host", "user-agent", "accept", "accept-language", "accept-encoding",
)  # fmt: skip
_encode = msgspec.json.Encoder().encode


class RawAnswer(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One line: a request and its response.

    Attributes:
        body: compressed with zlib.
        truncated: why the body is not complete, in WARC's terms; "unspecified" if it was not read.
    """

    url: str
    fetched_at: str
    status: int
    reason: str = ""
    protocol: str = "HTTP/1.1"
    headers: Fields = []
    request_headers: Fields = []
    body: bytes = b""
    truncated: Truncated = ""


async def raw_answers(answer: HttpAnswer, fetched_at: str) -> list[RawAnswer]:
    """Return the stored form of a response and of the redirects that led to it."""
    found = answers_without_bodies(answer.heads, fetched_at)
    if found and answer.body is not None:
        found[-1].body = await asyncio.to_thread(_compress, answer.body)
        found[-1].truncated = _truncation(answer)
    return found


async def rendered_answers(documents: Sequence[RawDocument], fetched_at: str) -> list[RawAnswer]:
    """Return the stored form of the documents that a browser received for one page."""
    found = answers_without_bodies(heads_of(documents), fetched_at)
    for one, answer in zip(documents, found, strict=True):
        if one.body is not None:
            answer.body = await asyncio.to_thread(_compress, one.body)
            answer.truncated = ""
    return found


def heads_of(documents: Sequence[RawDocument]) -> list[AnswerHead]:
    """Return the responses, without bodies, to a browser's requests for documents."""
    return [
        AnswerHead(
            document.url,
            document.status,
            document.reason,
            "HTTP/1.1",
            tuple((name.encode(), value.encode()) for name, value in document.headers),
            tuple(document.request_headers),
        )
        for document in documents
    ]


def answers_without_bodies(heads: Sequence[AnswerHead], fetched_at: str) -> list[RawAnswer]:
    """Return the stored form of responses whose bodies have not been read."""
    return [_without_body(head, fetched_at) for head in heads]


def _compress(body: bytes) -> bytes:
    # Masked here, because secrets cannot be found in a compressed line.
    return zlib.compress(secrets.current().mask(body), 1)


def mask_body(answer: RawAnswer) -> None:
    """Mask the body of an answer that another machine has stored, where secrets are not known."""
    if answer.body and secrets.current().names:
        answer.body = _compress(zlib.decompress(answer.body))


def _truncation(answer: HttpAnswer) -> Truncated:
    if answer.cut:
        return "length"
    return "disconnect" if answer.incomplete else ""


def _without_body(head: AnswerHead, fetched_at: str) -> RawAnswer:
    return RawAnswer(
        url=head.url,
        fetched_at=fetched_at,
        status=head.status,
        reason=head.reason,
        protocol=head.protocol,
        headers=[field for field in _fields(head.headers) if field[0].lower() not in _LEFT_OUT],
        request_headers=[header for header in head.request_headers if header[0].lower() in _OWN],
        truncated="unspecified",
    )


def _fields(raw: tuple[tuple[bytes, bytes], ...]) -> Iterator[tuple[str, str]]:
    for name, value in raw:
        yield name.decode("latin-1"), value.decode("latin-1")


class RawAnswerLog:
    """The raw answers of one crawl; the file is created with the first one. Close it at the end."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / ANSWERS
        self._log: JsonLinesLog | None = None

    def append(self, answer: RawAnswer) -> None:
        """Store an answer; raises storage_full or storage_failed."""
        if self._log is None:
            self._log = JsonLinesLog(self._path)
        self._log.append(secrets.current().mask(_encode(answer)))
        crash_points.point("answer.line")

    def close(self) -> None:
        """Close the file."""
        if self._log is not None:
            self._log.close()

    def __repr__(self) -> str:
        return f"RawAnswerLog({str(self._path)!r})"
