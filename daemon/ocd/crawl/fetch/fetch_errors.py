"""Fetch errors: why a load failed, in plain words, and whether to try again."""

import errno
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ocd.api.errors import OcdError
from ocd.safety import certificate_errors
from ocd.safety.host_canonical import netloc_of

CONNECT_S = 15.0
# Worth a retry: the server, or a gateway in front of it, was busy.
TRANSIENT_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 522, 524})
# Of the browser's: a renderer may have been ended by the system, or by another page of the site.
_TRANSIENT = ("navigation_failed", "browser_gone", "fetch_failed", "tab_crashed")
_UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN)
# Not the page's fault: the crawl ends, and reads the page when it is resumed.
ENDS_CRAWL = ("cluster_lost", "storage_full", "storage_failed")


class FetchError(OcdError):
    """A failed load: whether a retry may help, and how long the server asked to wait.

    malformed: the response breaks HTTP's rules; browsers read some of those.
    """

    transient = False
    malformed = False
    retry_after: float | None = None
    status: int | None = None


def fetch_error(
    code: str,
    message: str,
    *,
    transient: bool = False,
    **details: Any,  # noqa: ANN401 - keys of the error object
) -> FetchError:
    """Return the failure of one load."""
    error = FetchError(code, message, **details)
    error.transient = transient
    return error


def as_fetch_error(error: OcdError) -> OcdError:
    """Return the browser's error as a FetchError, which says whether a retry may help."""
    if error.code not in _TRANSIENT:
        return error
    return fetch_error(error.code, error.message, transient=True, **error.details)


def too_large(limit: int, size: int | None) -> FetchError:
    """Return the error for a page that is longer than `limit` bytes."""
    found = f"{size} bytes" if size else "more bytes than that"
    return fetch_error("too_large", f"at most {limit} bytes are read, it has {found}", limit=limit)


def raise_for_status(status: int | None) -> None:
    """Raise http_error for a status of 400 and above."""
    if status is not None and status >= 400:
        transient = status in TRANSIENT_STATUSES
        raise fetch_error("http_error", f"HTTP {status}", transient=transient, status=status)


@contextmanager
def translate_errors(url: str) -> Iterator[None]:
    """Translate errors of aiohttp and sockets to FetchError; a deadline's TimeoutError passes."""
    import aiohttp

    try:
        yield
    except aiohttp.ClientConnectorCertificateError as error:
        # Checked first, because it is also a ValueError.
        message = failure_text(error, netloc_of(url))
        raise fetch_error("certificate_invalid", message, hint=certificate_errors.HINT) from error
    except (aiohttp.InvalidURL, ValueError) as error:
        raise OcdError("invalid_url", f"not a URL that can be fetched: {url[:200]}") from error
    except (aiohttp.ClientError, OSError) as error:
        if isinstance(error, TimeoutError) and not isinstance(error, aiohttp.ClientError):
            raise
        message = failure_text(error, netloc_of(url))
        failure = fetch_error("fetch_failed", message, transient=True)
        failure.malformed = isinstance(error, aiohttp.ClientResponseError)
        raise failure from error


def failure_text(error: BaseException, host: str) -> str:
    """Return in plain words what went wrong between us and `host` ("name:port")."""
    import aiohttp

    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return f"The certificate of {host} is not valid: {_reason(error.certificate_error)}"
    if isinstance(error, aiohttp.ClientConnectorError):
        return _connection_error(error.os_error, host)
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return f"{host} closed the connection without a response"
    if isinstance(error, aiohttp.ClientPayloadError):
        return f"the response from {host} was cut off"
    if isinstance(error, aiohttp.ClientResponseError):
        # The parser quotes what it was sent, from a new line or as bytes: that is page content.
        reason = error.message.partition("\n")[0].partition(": b'")[0]
        return f"{host} sent an invalid HTTP response: {reason.rstrip(': ')}"
    if isinstance(error, TimeoutError):
        return f"no connection to {host} within {CONNECT_S:g} s"
    return _connection_error(error, host)


def _connection_error(error: BaseException, host: str) -> str:
    if isinstance(error, socket.gaierror):
        return f"the name of {host} was not found (DNS: {error.strerror})"
    if isinstance(error, ssl.SSLError):
        return f"no TLS connection to {host}: {_reason(error)}"
    if isinstance(error, ConnectionRefusedError):
        return f"{host} refused the connection"
    if isinstance(error, ConnectionResetError | BrokenPipeError | ConnectionAbortedError):
        return f"{host} reset the connection"
    number = getattr(error, "errno", None)
    if number in _UNREACHABLE:
        return f"{host} cannot be reached from here"
    return f"no connection to {host}: {getattr(error, 'strerror', None) or type(error).__name__}"


def _reason(error: BaseException) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    reason = getattr(error, "reason", None)
    return str(reason).replace("_", " ").lower() if reason else type(error).__name__
