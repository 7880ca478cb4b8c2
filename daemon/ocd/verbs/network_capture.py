"""Verbs that capture a tab's requests from start to stop, without bodies and with them."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta, Struct

from ocd.browser.observe import request_views
from ocd.browser.observe.request_log import Capture
from ocd.browser.observe.request_views import RequestReport
from ocd.browser.observe.requests import NetworkRequest
from ocd.browser.observe.response_bodies import BodyCollector
from ocd.browser.tabs.tab import Tab
from ocd.verb_api.declaration import UNLISTED, Output, Params, tab_verb

_PAGE_KEYS = ("url", "redirect_url", "status_text", "headers", "post_data", "body")


class CaptureOptions(Struct, forbid_unknown_fields=True):
    """What a capture records."""

    max_entries: Annotated[
        int, Meta(extra_json_schema=UNLISTED, ge=1, le=20_000, description="Keep only the newest N")
    ] = 5000
    max_body_bytes: Annotated[
        int,
        Meta(extra_json_schema=UNLISTED, ge=0, le=5_242_880, description="Max bytes of each body"),
    ] = 262_144
    url_allowlist: Annotated[list[str], Meta(description="URL patterns to include")] = []
    url_blocklist: Annotated[list[str], Meta(description="URL patterns to exclude")] = []
    resource_types: Annotated[list[str], Meta(description="Types to include")] = []


Action = Annotated[
    Literal["start", "stop", "get", "get_logs", "clear"],
    Meta(description="get, get_logs: the requests, also while capturing"),
]
Limit = Annotated[int, Meta(ge=0, description="get: newest N; 0: all")]


class NetworkCaptureLite(Params):
    """Capture a tab's requests from start to stop, without bodies

    One capture per tab, lite or full. Credentials are masked.
    """

    action: Action
    options: Annotated[CaptureOptions | None, Meta(description="start: what to capture")] = None
    limit: Limit = 100


class NetworkCaptureFull(Params):
    """Capture a tab's requests from start to stop, with headers and bodies

    Bodies are kept across navigations, 16 MiB in total. One capture per tab, lite or full.
    """

    action: Action
    options: Annotated[CaptureOptions | None, Meta(description="start: what to capture")] = None
    keep_bodies: Annotated[bool, Meta(description="stop: false discards the bodies")] = True
    limit: Limit = 100


class CaptureReport(TypedDict):
    """The capture, or what became of it."""

    success: bool
    action: str
    mode: str
    tab_id: str
    running: NotRequired[bool]
    entries: NotRequired[list[RequestReport]]
    total_entries: NotRequired[int]
    returned: NotRequired[int]
    dropped: NotRequired[int]
    entry_count: NotRequired[int]
    duration_ms: NotRequired[float]
    cleared_count: NotRequired[int]


class NetworkCaptureLiteResult(CaptureReport):
    """Requests without their bodies."""


@tab_verb(
    "network_capture_lite", NetworkCaptureLite,
    returns=NetworkCaptureLiteResult,
    capability="core", tier=3, large=True,
    only_watches=True, leaves_dialog=True, page_keys=_PAGE_KEYS,
    removed_params={"keep_bodies": "Use `network_capture_full`: this one records no bodies."},
    example={"action": "start"},
)  # fmt: skip
async def network_capture_lite(tab: Tab, params: NetworkCaptureLite) -> Output:
    return await _capture(tab, "lite", params)


class NetworkCaptureFullResult(CaptureReport):
    """Requests with headers and bodies."""


@tab_verb(
    "network_capture_full", NetworkCaptureFull,
    returns=NetworkCaptureFullResult,
    capability="core", tier=3, large=True,
    only_watches=True, leaves_dialog=True, page_keys=_PAGE_KEYS,
    example={"action": "start"},
)  # fmt: skip
async def network_capture_full(tab: Tab, params: NetworkCaptureFull) -> Output:
    output = await _capture(tab, "full", params)
    capture = tab.request_log.current_capture("full")
    if params.action == "stop" and not params.keep_bodies and capture.body_collector:
        capture.body_collector.clear()
    return output


async def _capture(tab: Tab, mode: str, params: NetworkCaptureLite | NetworkCaptureFull) -> Output:
    result: dict[str, Any] = {"success": True, "action": params.action, "mode": mode}
    result["tab_id"] = tab.id
    if params.action == "start":
        tab.request_log.start(_new(tab, mode, params.options or CaptureOptions()))
        return Output(data=result)
    capture = (
        tab.request_log.stop(mode)
        if params.action == "stop"
        else tab.request_log.current_capture(mode)
    )
    found, dropped = tab.request_log.of_capture(capture)
    counts = {"entry_count": len(found), "duration_ms": capture.duration_ms}
    if params.action == "stop":
        return Output(data=result | counts)
    if params.action == "clear":
        capture.start = tab.request_log.log.end
        return Output(data=result | counts | {"cleared_count": len(found)})
    latest = found[-params.limit :] if params.limit else found
    entries = [await _entry(tab, capture, request) for request in latest]
    result |= {"running": capture.end is None, "entries": entries, "total_entries": len(found)}
    return Output(
        data=result | {"returned": len(latest), "dropped": dropped} | counts,
        origin=tab.url,
        items=("entries",),
    )


def _new(tab: Tab, mode: str, options: CaptureOptions) -> Capture:
    fits = request_views.every(
        (
            request_views.url_test(options.url_allowlist, options.url_blocklist),
            request_views.type_test(options.resource_types),
        )
    )
    capture = Capture(mode, tab.request_log.log.end, fits, options.max_entries)
    if mode == "full":
        capture.body_collector = BodyCollector(options.max_body_bytes, fits)
    return capture


async def _entry(tab: Tab, capture: Capture, request: NetworkRequest) -> dict[str, Any]:
    if capture.body_collector is None:
        return request_views.request_summary(request)
    body = await tab.request_log.body(request, capture.body_collector.max_body_bytes)
    return request_views.with_body(request_views.request_details(request), body)
