"""The verb that lists a tab's requests and throttles its network: network."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Required, TypedDict

from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.browser.network.throttling import PRESETS, Speed
from ocd.browser.observe import request_views
from ocd.browser.observe.har import write_har
from ocd.browser.observe.request_views import RequestReport, Test
from ocd.browser.observe.requests import NetworkRequest
from ocd.browser.observe.text_patterns import text_test
from ocd.browser.tabs.tab import Tab
from ocd.safety.redact import redact
from ocd.verb_api.declaration import UNLISTED, WRITES_PATH, Output, Params, tab_verb

_PAGE_KEYS = ("url", "redirect_url", "status_text", "headers", "post_data", "body")
Preset = Literal[
    "offline", "slow-2g", "2g", "slow-3g", "3g", "fast-3g", "slow-4g", "4g", "fast-4g",
    "fast-wifi", "custom", "clear",
]  # fmt: skip
Kbps = Annotated[float, Meta(gt=0, le=10_000_000)]


class Network(Params):
    """List a tab's requests, show one with its body, or throttle the network

    Recorded from the tab's creation on, workers included. Credentials are masked. To block or
    change requests: request_intercept.
    """

    action: Annotated[
        Literal["list", "get", "throttle", "clear"] | None,
        Meta(
            description="Default: list; with preset throttle, with id get. clear: discard the log"
        ),
    ] = None
    id: Annotated[str | None, Meta(description="get: request id (r12), from list")] = None
    url: Annotated[
        str | None, Meta(description="Substring of the URL, glob or /regular expression/")
    ] = None
    status: Annotated[str | int | None, Meta(description="404, 4xx, 400-499 or >=400")] = None
    resource_type: Annotated[
        list[str] | None,
        Meta(
            description="document, script, stylesheet, image, font, xhr, fetch, …",
            extra_json_schema=UNLISTED,
        ),
    ] = None
    method: Annotated[str | None, Meta(description="HTTP method", extra_json_schema=UNLISTED)] = (
        None
    )
    failed: Annotated[bool, Meta(description="Only errors and status ≥ 400")] = False
    limit: Annotated[
        int, Meta(ge=0, description="Newest N; 0: all", extra_json_schema=UNLISTED)
    ] = 100
    max_body_bytes: Annotated[
        int,
        Meta(
            extra_json_schema=UNLISTED,
            ge=0,
            le=5_242_880,
            description="get: max bytes of the body",
        ),
    ] = 65536
    har_path: Annotated[
        str | None,
        Meta(
            description="list: write the requests to this HAR file",
            extra=WRITES_PATH,
            extra_json_schema=UNLISTED,
        ),
    ] = None
    har_bodies: Annotated[
        bool, Meta(extra_json_schema=UNLISTED, description="Include bodies in the HAR")
    ] = False
    preset: Annotated[
        Preset | None, Meta(description="throttle: a speed, custom, or clear to stop")
    ] = None
    download_kbps: Annotated[
        Kbps | None, Meta(description="custom", extra_json_schema=UNLISTED)
    ] = None
    upload_kbps: Annotated[Kbps | None, Meta(description="custom", extra_json_schema=UNLISTED)] = (
        None
    )
    latency_ms: Annotated[
        Annotated[float, Meta(ge=0, le=60_000)] | None,
        Meta(description="custom", extra_json_schema=UNLISTED),
    ] = None


class NetworkResult(TypedDict, total=False):
    """The requests; with get, all keys of one of them."""

    action: Required[str]
    tab_id: Required[str]
    requests: list[RequestReport]
    returned: int
    total: int
    known: int
    dropped: int
    throttled: bool
    har_path: str
    har_entries: int
    har_bytes: int
    id: str
    method: str
    url: str
    status: int | None
    resource_type: str
    mime_type: str | None
    size_bytes: int | None
    duration_ms: float | None
    started_at: str | None
    state: str
    from_cache: Any
    redirect_url: str
    error: str
    blocked_reason: str
    canceled: bool
    request: dict[str, Any]
    response: dict[str, Any]
    timing: dict[str, float]
    initiator: dict[str, Any]
    page_url: str
    body: str | None
    body_encoding: str
    body_bytes: int
    body_truncated: bool
    body_error: str
    preset: str
    download_mbps: float
    upload_mbps: float
    latency_ms: float
    cleared_count: int
    message: str


@tab_verb(
    "network", Network,
    returns=NetworkResult,
    capability="core", tier=2, large=True, leaves_dialog=True,
    only_watches=True, page_keys=_PAGE_KEYS,
    example={"failed": True},
)  # fmt: skip
async def network(tab: Tab, params: Network) -> Output:
    match _action(params):
        case "get":
            return await _get(tab, params)
        case "throttle":
            return await _throttle(tab, params)
        case "clear":
            return _action_result(tab, "clear", {"cleared_count": tab.request_log.clear()})
        case _:
            return await _list(tab, params)


def _action(params: Network) -> str:
    if params.action:
        return params.action
    if params.preset or params.download_kbps or params.upload_kbps:
        return "throttle"
    return "get" if params.id else "list"


async def _list(tab: Tab, params: Network) -> Output:
    fits = request_views.every(_tests(params))
    known = tab.request_log.requests()
    found = [request for request in known if fits(request)]
    latest = found[-params.limit :] if params.limit else found
    data: dict[str, Any] = {
        "action": "list", "tab_id": tab.id,
        "requests": [request_views.request_summary(request) for request in latest],
        "returned": len(latest), "total": len(found), "known": len(known),
        "dropped": tab.request_log.dropped,
    }  # fmt: skip
    if tab.request_log.conditions:
        data["throttled"] = True
    if params.har_path:
        size = await write_har(
            params.har_path, tab.request_log, found, with_bodies=params.har_bodies
        )
        data |= {"har_path": params.har_path, "har_entries": len(found), "har_bytes": size}
        data["requests"] = []
        data["returned"] = 0
    return Output(data=data, origin=tab.url, items=("requests",))


def _tests(params: Network) -> Iterator[Test]:
    if params.url:
        fits = text_test(params.url, "url")
        yield lambda one: fits(one.url)
    if params.status is not None:
        yield request_views.status_test(params.status)
    if params.resource_type:
        yield request_views.type_test(params.resource_type)
    if params.method:
        method = params.method.upper()
        yield lambda one: one.method == method
    if params.failed:
        yield lambda one: one.failed


async def _get(tab: Tab, params: Network) -> Output:
    one = _select_requests(tab, params)
    details = request_views.request_details(one)
    if one.post_data is None and one.has_post_data:
        details["request"]["post_data"] = redact(
            await tab.request_log.request_body(one, params.max_body_bytes)
        )
    body = await tab.request_log.body(one, params.max_body_bytes)
    details = request_views.with_body(details, body)
    return Output(data={"action": "get", "tab_id": tab.id, **details}, origin=tab.url)


def _select_requests(tab: Tab, params: Network) -> NetworkRequest:
    if params.id:
        return tab.request_log.find(params.id)
    fits = request_views.every(_tests(params))
    found = [request for request in tab.request_log.requests() if fits(request)]
    if not params.url or not found:
        raise OcdError(
            "not_found" if params.url else "invalid_argument",
            f"No request matches {params.url}" if params.url else "network: get needs id or url",
            hint=f"List them: {tool_call('network', action='list')}", parameter="id",
        )  # fmt: skip
    return found[-1]


async def _throttle(tab: Tab, params: Network) -> Output:
    if params.preset == "clear":
        await tab.request_log.throttle(None)
        return _action_result(
            tab, "network_clear", {"preset": "clear", "message": "Throttling is off"}
        )
    speed = PRESETS.get(params.preset or "", None) or _custom(params)
    await tab.request_log.throttle(speed.conditions())
    action = "network_throttle" if params.preset in PRESETS else "network_custom"
    details = {
        "preset": params.preset or "custom", "download_mbps": speed.down / 1000,
        "upload_mbps": speed.up / 1000, "latency_ms": speed.latency,
        "message": 'Active until preset "clear" or the tab is closed',
    }  # fmt: skip
    return _action_result(tab, action, details)


def _custom(params: Network) -> Speed:
    down, up, latency = params.download_kbps, params.upload_kbps, params.latency_ms
    if down is None or up is None or latency is None:
        values = {"download_kbps": down, "upload_kbps": up, "latency_ms": latency}
        missing = [name for name, value in values.items() if value is None]
        raise OcdError(
            "invalid_argument", f"network: throttling needs {', '.join(missing)}, or a preset",
            hint=f"Presets: {', '.join(PRESETS)}.", parameter=missing[0],
        )  # fmt: skip
    return Speed(down, up, latency)


def _action_result(tab: Tab, action: str, details: dict[str, Any]) -> Output:
    return Output(data={"action": action, "tab_id": tab.id, **details})
