"""Requests as HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), written to a file."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

from ocd.api.timestamps import rfc3339
from ocd.browser.observe.request_log import RequestLog
from ocd.browser.observe.requests import NetworkRequest
from ocd.browser.observe.response_bodies import ResponseBody
from ocd.safety.redact import redact, redact_text, redact_url
from ocd.storage.files import write_whole

# The most bytes of one body in a HAR, and of all bodies.
MAX_BODY_BYTES = 1 << 20
MAX_BODIES_BYTES = 32 << 20


async def write_har(
    path: str, log: RequestLog, requests: Sequence[NetworkRequest], *, with_bodies: bool
) -> int:
    """Write the requests as HAR 1.2 and return the file's size in bytes; storage_* errors."""
    bodies: dict[str, ResponseBody] = {}
    bytes_left = MAX_BODIES_BYTES
    for request in reversed(requests if with_bodies else ()):
        if bytes_left > 0:
            body = bodies[request.id] = await log.body(request, min(MAX_BODY_BYTES, bytes_left))
            bytes_left -= len(body.text)
    har = document(requests, bodies, version("openchrome"))
    return await asyncio.to_thread(write_whole, Path(path), msgspec.json.encode(har))


def document(
    requests: Iterable[NetworkRequest], bodies: Mapping[str, ResponseBody], version: str
) -> dict[str, Any]:
    """Return the HAR of the requests, credentials masked; `bodies` by request id (r12)."""
    entries = [_entry(request, bodies.get(request.id)) for request in requests]
    creator = {"name": "OpenChrome", "version": version}
    return {"log": {"version": "1.2", "creator": creator, "pages": [], "entries": entries}}


def _entry(request: NetworkRequest, body: ResponseBody | None) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "startedDateTime": rfc3339(request.started),
        "time": request.duration_ms or 0,
        "request": _request(request),
        "response": _response(request, body),
        "cache": {},
        "timings": phase_durations(request)
        or {"send": 0, "wait": request.duration_ms or 0, "receive": 0},
        "_resourceType": request.type.lower(),
    }
    if request.remote:
        entry["serverIPAddress"], entry["connection"] = request.remote.rsplit(":", 1)
        entry["serverIPAddress"] = entry["serverIPAddress"].strip("[]")
    if request.error:
        entry["_error"] = request.error
    return entry


def _request(one: NetworkRequest) -> dict[str, Any]:
    url = redact_url(one.url)
    request: dict[str, Any] = {
        "method": one.method,
        "url": url,
        "httpVersion": one.protocol or "unknown",
        "cookies": [],
        "headers": _headers(one.request_headers),
        "queryString": [
            {"name": name, "value": value}
            for name, value in parse_qsl(urlsplit(url).query, keep_blank_values=True)
        ],
        "headersSize": -1,
        "bodySize": len(one.post_data.encode()) if one.post_data else -1,
    }
    if one.post_data is not None:
        kind = _header_value(one.request_headers, "content-type")
        request["postData"] = {"mimeType": kind, "text": redact(one.post_data)}
    return request


def _response(request: NetworkRequest, body: ResponseBody | None) -> dict[str, Any]:
    content: dict[str, Any] = {
        "size": body.size if body else max(request.size or 0, 0),
        "mimeType": request.mime_type or "x-unknown",
    }
    if body and not body.error:
        content["text"] = body.text if body.is_base64 else redact_text(body.text)
        content |= {"encoding": "base64"} if body.is_base64 else {}
        content |= {"comment": "the beginning only"} if body.truncated else {}
    return {
        "status": request.status or 0,
        "statusText": request.status_text,
        "httpVersion": request.protocol or "unknown",
        "cookies": [],
        "headers": _headers(request.response_headers),
        "content": content,
        "redirectURL": redact_url(request.redirect_url),
        "headersSize": -1,
        "bodySize": -1 if request.size is None else request.size,
    }


def _headers(headers: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": str(value)} for name, value in redact(headers).items()]


def _header_value(headers: Mapping[str, str], header: str) -> str:
    return next((value for name, value in headers.items() if name.lower() == header), "")


def phase_durations(request: NetworkRequest) -> dict[str, float]:
    """Return how long each part took, in ms: blocked, dns, connect, ssl, send, wait, receive.

    -1: it did not happen, as in HAR.
    """
    timing = request.timing
    if not timing or "sendEnd" not in timing:
        return {}

    def span(start: str, end: str) -> float:
        first, last = timing.get(start, -1), timing.get(end, -1)
        return round(last - first, 2) if first >= 0 and last >= 0 else -1

    starts = [
        timing[key] for key in ("dnsStart", "connectStart", "sendStart") if timing.get(key, -1) >= 0
    ]
    ended = request.ended or request.answered
    headers_at = timing.get("receiveHeadersEnd", timing["sendEnd"])
    received = (ended - timing.get("requestTime", ended)) * 1000 - headers_at
    return {
        "blocked": round(min(starts), 2) if starts else -1,
        "dns": span("dnsStart", "dnsEnd"),
        "connect": span("connectStart", "connectEnd"),
        "ssl": span("sslStart", "sslEnd"),
        "send": max(span("sendStart", "sendEnd"), 0),
        "wait": max(span("sendEnd", "receiveHeadersEnd"), 0),
        "receive": max(round(received, 2), 0),
    }
