"""Messages between the daemon and a cluster's workers."""

from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.crawl.fetch.fetch_errors import FetchError
from ocd.crawl.fetch.http_fetch import AnswerHead, RedirectChain
from ocd.crawl.spec import CrawlSpec
from ocd.crawl.visits.outcome import VisitResult
from ocd.crawl.visits.page_reader import PageRequest
from ocd.safety.domain_policy import DomainPolicy
from ocd.safety.own_servers import OwnServers

MAX_BATCH = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSettings:
    """A crawl's settings for workers, the same for all its pages.

    Attributes:
        version: of openchrome; the worker's must be the same.
        logins: "user:password" by origin.
        allow, block, servers: the domain policy.
        any_certificate: accept any TLS certificate.
    """

    version: str
    crawl: str
    spec: CrawlSpec
    logins: dict[str, str]
    allow: tuple[str, ...]
    block: tuple[str, ...]
    servers: OwnServers
    sanitize: bool
    any_certificate: bool

    @property
    def policy(self) -> DomainPolicy:
        """The domain policy; workers never read files."""
        return DomainPolicy(self.allow, self.block, servers=self.servers)


class PageFailure(msgspec.Struct, omit_defaults=True):
    """An error of one page. is_fetch: it is a FetchError, with what that says about retries."""

    code: str
    message: str
    hint: str = ""
    details: dict[str, Any] = {}
    is_fetch: bool = False
    transient: bool = False
    malformed: bool = False
    retry_after: float | None = None
    status: int | None = None

    @classmethod
    def of(cls, error: OcdError) -> "PageFailure":
        """Return the failure that stands for an error."""
        failure = cls(error.code, error.message, error.hint, error.details)
        if isinstance(error, FetchError):
            failure.is_fetch, failure.transient = True, error.transient
            failure.malformed = error.malformed
            failure.retry_after, failure.status = error.retry_after, error.status
        return failure

    def error(self) -> OcdError:
        """Return the error as it was raised."""
        if not self.is_fetch:
            return OcdError(self.code, self.message, hint=self.hint, **self.details)
        error = FetchError(self.code, self.message, hint=self.hint, **self.details)
        error.transient, error.retry_after = self.transient, self.retry_after
        error.malformed, error.status = self.malformed, self.status
        return error


@cache
def own_version() -> str:
    """Return the version of openchrome that runs here; cached, because finding it is slow."""
    return version("openchrome")


class PageAnswer(msgspec.Struct, omit_defaults=True):
    """The result for one page: one of three kinds, or none yet.

    Attributes:
        redirect: the server redirects; whether that may be followed is decided by the daemon.
        begun: there is no result yet, but the worker continues with the page.
        heads: the responses without their bodies, if raw answers are kept.
    """

    visited: VisitResult | None = None
    failure: PageFailure | None = None
    redirect: RedirectChain | None = None
    begun: bool = False
    heads: list[AnswerHead] = []

    @property
    def is_empty(self) -> bool:
        """Whether the page has yet to be read."""
        return self.visited is None and self.failure is None and self.redirect is None


class BatchAnswer(msgspec.Struct, omit_defaults=True):
    """A worker's answer to a batch, page by page. refused: why it cannot read any of them."""

    worker: str
    pages: list[PageAnswer] = []
    refused: str = ""


encode = msgspec.msgpack.Encoder().encode
decode_settings = msgspec.msgpack.Decoder(WorkerSettings).decode
decode_pages = msgspec.msgpack.Decoder(list[PageRequest]).decode
decode_answer = msgspec.msgpack.Decoder(BatchAnswer).decode
