"""Requests in results: a summary or all details; credentials masked."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Required, TypedDict

from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.api.spelling import truncate
from ocd.api.timestamps import rfc3339
from ocd.browser.observe.har import phase_durations
from ocd.browser.observe.requests import NetworkRequest
from ocd.browser.observe.response_bodies import ResponseBody
from ocd.browser.observe.text_patterns import text_test
from ocd.safety.redact import redact, redact_url

_URL_SHOWN = 2000
Test = Callable[[NetworkRequest], bool]


class RequestReport(TypedDict, total=False):
    """A request of the page; with details, also its headers and bodies."""

    id: Required[str]
    method: Required[str]
    url: Required[str]
    status: Required[int | None]
    resource_type: Required[str]
    mime_type: Required[str | None]
    size_bytes: Required[int | None]
    duration_ms: Required[float | None]
    started_at: Required[str | None]
    state: Annotated[str, Meta(description="pending: no response yet")]
    from_cache: Any
    redirect_url: str
    error: str
    blocked_reason: str
    canceled: bool
    request: Annotated[dict[str, Any], Meta(description="headers, post_data")]
    response: Annotated[dict[str, Any], Meta(description="status, headers, protocol, address")]
    timing: Annotated[dict[str, float], Meta(description="Phases, in ms")]
    initiator: Annotated[dict[str, Any], Meta(description="What initiated it")]
    page_url: str
    body: str | None
    body_encoding: Annotated[str, Meta(description="text or base64")]
    body_bytes: int
    body_truncated: bool
    body_error: Annotated[str, Meta(description="Why there is no body")]


def request_summary(request: NetworkRequest) -> dict[str, Any]:
    """Return a request as an entry of a list; empty keys are left out."""
    result: dict[str, Any] = {
        "id": request.id,
        "method": request.method,
        "url": display_url(request.url),
        "status": request.status,
        "resource_type": request.type.lower(),
        "mime_type": request.mime_type,
        "size_bytes": request.size,
        "duration_ms": request.duration_ms,
        "started_at": rfc3339(request.started) if request.started else None,
    }
    result |= {"state": request.state} if request.state == "pending" else {}
    result |= {"from_cache": request.cache} if request.cache else {}
    result |= {"redirect_url": display_url(request.redirect_url)} if request.redirect_url else {}
    result |= {"error": request.error} if request.error else {}
    result |= {"blocked_reason": request.blocked} if request.blocked else {}
    return result | ({"canceled": True} if request.canceled else {})


def request_details(entry: NetworkRequest) -> dict[str, Any]:
    """Return everything about a request except its response's body."""
    request: dict[str, Any] = {"headers": redact(entry.request_headers)}
    if entry.post_data is not None:
        request["post_data"] = redact(entry.post_data)
    elif entry.has_post_data:
        request["has_post_data"] = True
    response = {
        "status": entry.status,
        "status_text": entry.status_text,
        "headers": redact(entry.response_headers),
        "protocol": entry.protocol,
        "remote_address": entry.remote,
    }
    timing = {f"{name}_ms": ms for name, ms in phase_durations(entry).items() if ms >= 0}
    timing |= {} if entry.duration_ms is None else {"total_ms": entry.duration_ms}
    result = request_summary(entry) | {"request": request, "response": response, "timing": timing}
    return result | {
        "initiator": _initiator(entry.initiator),
        "page_url": display_url(entry.document_url),
    }


def with_body(details: dict[str, Any], body: ResponseBody) -> dict[str, Any]:
    """Return a request's details with its response body, secrets in the text masked."""
    keys = body.to_dict()
    if keys.get("body_encoding") == "text":
        keys["body"] = redact(body.text)
    return details | keys


def display_url(url: str) -> str:
    """Return a URL without credentials, truncated if long."""
    clean = redact_url(url) if not url.startswith("data:") else url
    return truncate(clean, _URL_SHOWN)


def _initiator(initiator: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {"type": initiator.get("type", "other")}
    frames = initiator.get("stack", {}).get("callFrames", [])
    if frames:
        result |= {"url": frames[0]["url"], "line": frames[0]["lineNumber"] + 1}
    elif initiator.get("url"):
        result |= {"url": display_url(initiator["url"])}
        result |= {"line": int(initiator["lineNumber"]) + 1} if "lineNumber" in initiator else {}
    return result


# --- which of them -----------------------------------------------------------------------------


def status_test(status: str | int) -> Test:
    """Return the test of a status: 404, 4xx, 400-499 or >=400; invalid_argument for others."""
    text = str(status).strip().lower()
    low, dash, high = text.partition("-")
    if text.startswith(">=") and text[2:].strip().isdecimal():
        low, high = text[2:].strip(), "999"
    elif len(text) == 3 and text[0].isdecimal() and text[1:] == "xx":
        low, high = f"{text[0]}00", f"{text[0]}99"
    elif not dash:
        high = low
    if not (low.isdecimal() and high.isdecimal() and len(text) < 20):
        raise OcdError(
            "invalid_argument",
            f"Not an HTTP status: {status}",
            hint="For example 404, 4xx or 400-499.",
            parameter="status",
        )
    return lambda request: request.status is not None and int(low) <= request.status <= int(high)


def type_test(types: Iterable[str]) -> Test:
    """Return the test of a resource type, ignoring case; without any given, all pass."""
    accepted = {_ALIASES.get(name.lower(), name.lower()) for name in types}
    return lambda request: not accepted or request.type.lower() in accepted


_ALIASES = {
    "css": "stylesheet",
    "js": "script",
    "img": "image",
    "ws": "websocket",
    "html": "document",
}


def url_test(allowed: Iterable[str], blocked: Iterable[str]) -> Test:
    """Return the test of a URL: it matches one of `allowed`, if any, and none of `blocked`."""
    allowed_tests = [text_test(pattern, "url_allowlist") for pattern in allowed]
    blocked_tests = [text_test(pattern, "url_blocklist") for pattern in blocked]

    def fits(request: NetworkRequest) -> bool:
        if any(test(request.url) for test in blocked_tests):
            return False
        return not allowed_tests or any(test(request.url) for test in allowed_tests)

    return fits


def every(tests: Iterable[Test]) -> Test:
    """Return the test that passes if all of them pass."""
    all_tests = list(tests)
    return lambda request: all(test(request) for test in all_tests)
