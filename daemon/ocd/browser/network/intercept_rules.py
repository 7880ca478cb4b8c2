"""Interception rules: which requests they match, and what they do to them."""

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ocd.browser.observe.text_patterns import Test, is_regex

Action = Literal["log", "block", "modify", "mock"]
Headers = Mapping[str, str | None]

# Headers that describe the body, which do not apply to its replacement.
_OF_BODY = ("content-length", "content-encoding", "transfer-encoding")
# Chromium's interception uses one name for both.
_SAME = {"fetch": "xhr", "js": "script", "css": "stylesheet", "img": "image"}


@dataclass(frozen=True, slots=True)
class RequestChange:
    """Changes to a request; a header that is None is removed."""

    url: str | None = None
    method: str | None = None
    headers: Headers = field(default_factory=dict)
    body: bytes | None = None

    def params(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return CDP's continueRequest parameters that change the page's request."""
        params: dict[str, Any] = {}
        if self.url is not None:
            params["url"] = self.url
        if self.method is not None:
            params["method"] = self.method
        if self.headers:
            params["headers"] = _merge_headers(request["headers"].items(), self.headers)
        if self.body is not None:
            params["postData"] = base64.b64encode(self.body).decode()
        return params


@dataclass(frozen=True, slots=True)
class ResponseChange:
    """Changes to a response; None: as the server sent it (for a mock: 200, empty)."""

    status: int | None = None
    headers: Headers = field(default_factory=dict)
    body: bytes | None = None

    def mock(self) -> dict[str, Any]:
        """Return CDP's fulfillRequest parameters for an answer without a server."""
        return self._fulfilment(200, (), self.body or b"")

    def patch(self, event: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return CDP's method and parameters for changing the server's answer."""
        status = int(event["responseStatusCode"])
        headers = [(header["name"], header["value"]) for header in event.get("responseHeaders", ())]
        if self.body is not None:
            remaining = [(name, value) for name, value in headers if name.lower() not in _OF_BODY]
            return "Fetch.fulfillRequest", self._fulfilment(status, remaining, self.body)
        params: dict[str, Any] = {"responseCode": self.status or status}
        # Chromium accepts headers and status only together.
        params["responseHeaders"] = _merge_headers(headers, self.headers)
        return "Fetch.continueResponse", params

    def _fulfilment(
        self, status: int, headers: Iterable[tuple[str, str]], body: bytes
    ) -> dict[str, Any]:
        return {
            "responseCode": self.status or status,
            "responseHeaders": _merge_headers(headers, self.headers),
            "body": base64.b64encode(body).decode(),
        }


def _merge_headers(original: Iterable[tuple[str, str]], changes: Headers) -> list[dict[str, str]]:
    changed = {name.lower() for name in changes}
    merged = [{"name": n, "value": str(v)} for n, v in original if n.lower() not in changed]
    return merged + [{"name": n, "value": v} for n, v in changes.items() if v is not None]


@dataclass(frozen=True, slots=True)
class InterceptRule:
    """One rule, for requests that match `pattern` and have these types and methods (none: all)."""

    id: str
    pattern: str
    fits: Test
    action: Action
    types: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()
    request: RequestChange | None = None
    response: ResponseChange | None = None

    def matches(self, url: str, method: str, kind: str) -> bool:
        """Whether the rule matches a request."""
        if self.types and not {kind, _SAME.get(kind, kind)} & self.types:
            return False
        return (not self.methods or method in self.methods) and self.fits(url)

    @property
    def url_pattern(self) -> str:
        """CDP's URL pattern of the requests that may match; no other request is paused."""
        if is_regex(self.pattern):
            return "*"
        escaped = self.pattern.replace("\\", "\\\\").replace("?", "\\?")
        return f"*{escaped}*"

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as it appears in results."""
        result: dict[str, Any] = {"id": self.id, "pattern": self.pattern, "action": self.action}
        result |= {"resource_types": sorted(self.types)} if self.types else {}
        result |= {"methods": sorted(self.methods)} if self.methods else {}
        if self.request is not None:
            result["request"] = _change_to_dict(self.request)
        if self.response is not None:
            result["response"] = _change_to_dict(self.response)
        return result


def kinds(names: Iterable[str]) -> frozenset[str]:
    """Return resource types as rules compare them, aliases resolved."""
    return frozenset(_SAME.get(name.lower(), name.lower()) for name in names)


def _change_to_dict(change: RequestChange | ResponseChange) -> dict[str, Any]:
    names = ("url", "method", "status", "headers")
    result = {name: value for name in names if (value := getattr(change, name, None))}
    return result | ({} if change.body is None else {"body_bytes": len(change.body)})
