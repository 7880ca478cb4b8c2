"""Requests as results tell them: one line's worth, or everything; credentials masked."""

from collections.abc import Callable, Iterable
from typing import Any

from ocd.api.errors import OcdError
from ocd.api.timestamps import rfc3339
from ocd.browser.observe.har import phase_durations
from ocd.browser.observe.requests import NetworkRequest
from ocd.browser.observe.response_bodies import ResponseBody
from ocd.browser.observe.text_patterns import text_test
from ocd.safety.redact import redact, redact_url

_URL_SHOWN = 2000
Test = Callable[[NetworkRequest], bool]


def request_summary(one: NetworkRequest) -> dict[str, Any]:
    """Return what a list has of a request; keys that would say nothing are left out."""
    told: dict[str, Any] = {
        "id": one.id,
        "method": one.method,
        "url": display_url(one.url),
        "status": one.status,
        "resource_type": one.type.lower(),
        "mime_type": one.mime_type,
        "size_bytes": one.size,
        "duration_ms": one.duration_ms,
        "started_at": rfc3339(one.started) if one.started else None,
    }
    told |= {"state": one.state} if one.state == "pending" else {}
    told |= {"from_cache": one.cache} if one.cache else {}
    told |= {"redirect_url": display_url(one.redirect_url)} if one.redirect_url else {}
    told |= {"error": one.error} if one.error else {}
    told |= {"blocked_reason": one.blocked} if one.blocked else {}
    return told | ({"canceled": True} if one.canceled else {})


def request_details(one: NetworkRequest) -> dict[str, Any]:
    """Return everything about a request but its body."""
    request: dict[str, Any] = {"headers": redact(one.request_headers)}
    if one.post_data is not None:
        request["post_data"] = redact(one.post_data)
    elif one.has_post_data:
        request["has_post_data"] = True
    response = {
        "status": one.status,
        "status_text": one.status_text,
        "headers": redact(one.response_headers),
        "protocol": one.protocol,
        "remote_address": one.remote,
    }
    timing = {f"{name}_ms": ms for name, ms in phase_durations(one).items() if ms >= 0}
    timing |= {} if one.duration_ms is None else {"total_ms": one.duration_ms}
    told = request_summary(one) | {"request": request, "response": response, "timing": timing}
    return told | {
        "initiator": _initiator(one.initiator),
        "page_url": display_url(one.document_url),
    }


def with_body(told: dict[str, Any], body: ResponseBody) -> dict[str, Any]:
    """Return what is told of a request with the answer's body, the secrets in its text masked."""
    keys = body.to_dict()
    if keys.get("body_encoding") == "text":
        keys["body"] = redact(body.text)
    return told | keys


def display_url(url: str) -> str:
    """Return an address without credentials, and not without end."""
    clean = redact_url(url) if not url.startswith("data:") else url
    return clean if len(clean) <= _URL_SHOWN else clean[:_URL_SHOWN] + "…"


def _initiator(initiator: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {"type": initiator.get("type", "other")}
    frames = initiator.get("stack", {}).get("callFrames", [])
    if frames:
        told |= {"url": frames[0]["url"], "line": frames[0]["lineNumber"] + 1}
    elif initiator.get("url"):
        told |= {"url": display_url(initiator["url"])}
        told |= {"line": int(initiator["lineNumber"]) + 1} if "lineNumber" in initiator else {}
    return told


# --- which of them -----------------------------------------------------------------------------


def status_test(wanted: str | int) -> Test:
    """Return the test of a status: 404, 4xx, 400-499 or >=400; invalid_argument for others."""
    text = str(wanted).strip().lower()
    low, dash, high = text.partition("-")
    if text.startswith(">=") and text[2:].strip().isdigit():
        low, high = text[2:].strip(), "999"
    elif len(text) == 3 and text[0].isdigit() and text[1:] == "xx":
        low, high = f"{text[0]}00", f"{text[0]}99"
    elif not dash:
        high = low
    if not (low.isdigit() and high.isdigit()):
        raise OcdError(
            "invalid_argument", f"Not a status: {wanted}", hint="For example 404, 4xx or 400-499.",
            parameter="status",
        )  # fmt: skip
    return lambda one: one.status is not None and int(low) <= one.status <= int(high)


def type_test(types: Iterable[str]) -> Test:
    """Return the test of a resource type, in any letter case; none given: all."""
    wanted = {_ALIASES.get(name.lower(), name.lower()) for name in types}
    return lambda one: not wanted or one.type.lower() in wanted


_ALIASES = {
    "css": "stylesheet",
    "js": "script",
    "img": "image",
    "ws": "websocket",
    "html": "document",
}


def url_test(allowed: Iterable[str], blocked: Iterable[str]) -> Test:
    """Return the test of an address: it fits one of `allowed`, if any, and none of `blocked`."""
    yes = [text_test(pattern, "url_allowlist") for pattern in allowed]
    no = [text_test(pattern, "url_blocklist") for pattern in blocked]

    def fits(one: NetworkRequest) -> bool:
        if any(test(one.url) for test in no):
            return False
        return not yes or any(test(one.url) for test in yes)

    return fits


def every(tests: Iterable[Test]) -> Test:
    """Return the test that all of them pass."""
    listed = list(tests)
    return lambda one: all(test(one) for test in listed)
