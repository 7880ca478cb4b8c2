"""What a pool tab does to its pages' requests, through CDP's Fetch domain."""

import asyncio
import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from ocd.api.bounded_dict import BoundedDict
from ocd.browser.cdp.connection import CdpSession, Event
from ocd.browser.pool.loaded_page import RawDocument
from ocd.browser.pool.pool_options import PoolOptions
from ocd.safety.origins import origin_of

_DOCUMENTS = {"urlPattern": "*", "resourceType": "Document", "requestStage": "Response"}
_REDIRECTS = (301, 302, 303, 307, 308)
_NOT_TEXT = ("Image", "Media", "Font")
_MAX_PATTERNS = 20
_MAX_REMEMBERED = 1000
MAX_RAW_BYTES = 10 << 20


@dataclass(slots=True)
class DocumentAnswer:
    """The responses to a tab's navigation: the last one's headers, and the redirects.

    Names of headers are in lower case. redirects: address and status of each. raw: all responses as
    they were sent, if requested.
    """

    headers: dict[str, str] = field(default_factory=dict[str, str])
    redirects: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    raw: list[RawDocument] = field(default_factory=list[RawDocument])


class RequestRules:
    """Adds headers, blocks what is not text, logs in to a proxy, and records the page's response.

    Only requests that a rule concerns are paused: each costs two messages. login: "user:password"
    of the proxy, in the form it has in a URL.
    """

    def __init__(self, cdp: CdpSession, options: PoolOptions, login: str) -> None:
        self._cdp = cdp
        self._options = options
        self._user, _, self._password = login.partition(":")
        self._has_login = bool(login)
        self._asked = BoundedDict[str, None](_MAX_REMEMBERED)
        self.answer = DocumentAnswer()

    def forget(self) -> None:
        """Forget what was received for the previous page."""
        self.answer = DocumentAnswer()

    def start(self) -> list[asyncio.Future[dict[str, Any]]]:
        """Begin to apply the rules."""
        patterns = [_DOCUMENTS, *self._patterns()]
        self._cdp.on("Fetch.requestPaused", self._on_paused)
        self._cdp.on("Fetch.authRequired", self._on_login)
        params = {"patterns": patterns, "handleAuthRequests": self._has_login}
        return [self._cdp.send("Fetch.enable", params)]

    def _patterns(self) -> Iterator[dict[str, str]]:
        options = self._options
        many = len(options.origins) > _MAX_PATTERNS
        if self._has_login or (options.headers and many):
            yield {"urlPattern": "*"}
            return
        for origin in sorted(options.origins) if options.headers else ():
            yield {"urlPattern": f"{origin}/*"}
        if options.text_only:
            yield from ({"urlPattern": "*", "resourceType": kind} for kind in _NOT_TEXT)

    def _on_paused(self, event: Event) -> None:
        if "responseStatusCode" in event or "responseErrorReason" in event:
            self._on_answer(event)
        else:
            self._on_request(event)

    def _on_answer(self, event: Event) -> None:
        is_pages = event["frameId"] == self._cdp.target_id
        if is_pages and "raw" in self._options.keep:
            self._keep_raw(event)
        else:
            self._go_on(event)
        if not is_pages:
            return
        headers: dict[str, str] = {}
        for header in event.get("responseHeaders", ()):
            name = header["name"].lower()
            headers[name] = (
                f"{headers[name]}, {header['value']}" if name in headers else header["value"]
            )
        status = event.get("responseStatusCode", 0)
        if status in _REDIRECTS and "location" in headers:
            self.answer.redirects.append((event["request"]["url"], status))
        else:
            self.answer.headers = headers

    def _go_on(self, event: Event) -> None:
        self._cdp.send_nowait("Fetch.continueRequest", {"requestId": event["requestId"]})

    def _keep_raw(self, event: Event) -> None:
        request, status = event["request"], event.get("responseStatusCode", 0)
        found = RawDocument(
            request["url"], status, event.get("responseStatusText", ""),
            [(header["name"], header["value"]) for header in event.get("responseHeaders", ())],
            list(request["headers"].items()),
        )  # fmt: skip
        if not status:
            self._go_on(event)
            return
        self.answer.raw.append(found)
        if status in _REDIRECTS or _size(found.headers) > MAX_RAW_BYTES:
            self._go_on(event)
            return
        # The page gets its document only after this, so that a reader of the page has both.
        reading = self._cdp.send("Fetch.getResponseBody", {"requestId": event["requestId"]})
        reading.add_done_callback(lambda reply: self._on_body(event, found, reply))

    def _on_body(
        self, event: Event, found: RawDocument, reply: "asyncio.Future[dict[str, Any]]"
    ) -> None:
        if not reply.cancelled() and reply.exception() is None:
            body, is_encoded = reply.result()["body"], reply.result()["base64Encoded"]
            data = base64.b64decode(body) if is_encoded else body.encode("utf-8", "surrogatepass")
            found.body = data if len(data) <= MAX_RAW_BYTES else None
        self._go_on(event)

    def _on_request(self, event: Event) -> None:
        options, request = self._options, event["request"]
        answer: dict[str, Any] = {"requestId": event["requestId"]}
        if options.text_only and event["resourceType"] in _NOT_TEXT:
            self._cdp.send_nowait("Fetch.failRequest", {**answer, "errorReason": "BlockedByClient"})
            return
        if options.headers:
            names = {name.lower() for name in options.headers}
            headers = {
                name: value
                for name, value in request["headers"].items()
                if name.lower() not in names
            }
            if origin_of(request["url"]) in options.origins:
                headers |= options.headers
            answer["headers"] = [{"name": name, "value": value} for name, value in headers.items()]
        self._cdp.send_nowait("Fetch.continueRequest", answer)

    def _on_login(self, event: Event) -> None:
        request_id = event["requestId"]
        answer = {"response": "Default"}
        if event["authChallenge"].get("source") == "Proxy":
            # If it asks again, the proxy has refused them.
            answer = {"response": "CancelAuth"}
            if request_id not in self._asked:
                self._asked[request_id] = None
                user, password = unquote(self._user), unquote(self._password)
                answer = {
                    "response": "ProvideCredentials", "username": user, "password": password,
                }  # fmt: skip
        params = {"requestId": request_id, "authChallengeResponse": answer}
        self._cdp.send_nowait("Fetch.continueWithAuth", params)


def _size(headers: list[tuple[str, str]]) -> int:
    """Return the body's size by Content-Length; 0 without a valid one."""
    length = next((value for name, value in headers if name.lower() == "content-length"), "")
    return int(length) if length.isascii() and length.isdecimal() else 0
