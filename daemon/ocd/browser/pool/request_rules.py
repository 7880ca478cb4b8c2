"""What a pool's tab does to the requests of its pages, by CDP's Fetch domain of that tab."""

import asyncio
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from ocd.browser.cdp.connection import CdpSession, Event
from ocd.browser.pool.pool_options import PoolOptions
from ocd.safety.origins import origin_of

_NOT_TEXT = ("Image", "Media", "Font")
_MAX_PATTERNS = 20
_MAX_REMEMBERED = 1000


class RequestRules:
    """Adds headers, leaves out what is no text, and logs in to a proxy.

    Only requests that a rule is about are paused: each costs two messages. login: "user:password"
    of the proxy, as it stands in a URL.
    """

    def __init__(self, cdp: CdpSession, options: PoolOptions, login: str) -> None:
        self._cdp = cdp
        self._options = options
        self._user, _, self._password = login.partition(":")
        self._has_login = bool(login)
        self._asked: dict[str, None] = {}

    def start(self) -> list[asyncio.Future[dict[str, Any]]]:
        """Begin to apply the rules, if there are any."""
        patterns = list(self._patterns())
        if not patterns:
            return []
        self._cdp.on("Fetch.requestPaused", self._on_request)
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
            # Asked again, the proxy has refused them.
            answer = {"response": "CancelAuth"}
            if request_id not in self._asked:
                self._asked[request_id] = None
                user, password = unquote(self._user), unquote(self._password)
                answer = {
                    "response": "ProvideCredentials", "username": user, "password": password,
                }  # fmt: skip
            if len(self._asked) > _MAX_REMEMBERED:
                del self._asked[next(iter(self._asked))]
        params = {"requestId": request_id, "authChallengeResponse": answer}
        self._cdp.send_nowait("Fetch.continueWithAuth", params)
