"""The verb that checks whether a page is healthy: validate_page."""

from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta

from ocd.browser.tabs.tab import Tab
from ocd.pages.read.page_health import HealthCheck, HealthReport, check_health
from ocd.safety.domain_policy import parse_url_argument
from ocd.safety.origins import text_source
from ocd.safety.redact import redact_text, redact_url
from ocd.verb_api.declaration import MAX_TIMEOUT_MS, SENDS_TO, UNLISTED, Output, Params, tab_verb

MAX_ITEMS = 20
_LINE = 500


class ValidatePage(Params):
    """Open a page and check its health

    Reports status, title, console errors, failed requests, whether it is blank, and what blocks it
    (login, captcha, bot check). A failing page is a result, not an error.
    """

    url: Annotated[str, Meta(min_length=1, description="URL; https:// is assumed", extra=SENDS_TO)]
    wait_for_selector: Annotated[str, Meta(description="CSS selector that must appear")] = ""
    capture_console_ms: Annotated[
        int,
        Meta(
            extra_json_schema=UNLISTED,
            ge=0,
            le=10_000,
            description="Max wait for a quiet network after loading, in ms",
        ),
    ] = 1500
    body_text_sample_chars: Annotated[
        int,
        Meta(
            extra_json_schema=UNLISTED,
            ge=0,
            le=2000,
            description="Characters of the page's text to return",
        ),
    ] = 500
    timeout_ms: Annotated[
        int, Meta(ge=1, le=MAX_TIMEOUT_MS, description="Time limit for loading, in ms")
    ] = 30_000


class ConsoleProblems(TypedDict):
    """The console's messages, and counts by type."""

    errors: list[str]
    total_errors: int
    warnings: list[str]
    total_warnings: int


class FailedRequest(TypedDict):
    """A request without a response, or with an error."""

    url: str
    method: str
    type: str
    status: NotRequired[int]
    error: NotRequired[str]


class ValidatePageResult(TypedDict):
    """Whether the page works."""

    tab_id: str
    created: bool
    url: str
    title: str
    status: str
    http_status: int | None
    duration_ms: int
    problems: list[str]
    console: ConsoleProblems
    failed_requests: list[FailedRequest]
    total_failed_requests: int
    summary: dict[str, Any]
    left_out: NotRequired[list[str]]
    auth_redirect: NotRequired[dict[str, str]]
    error: NotRequired[dict[str, Any]]
    content: NotRequired[Annotated[str, Meta(description="The beginning of its text")]]


@tab_verb(
    "validate_page", ValidatePage,
    returns=ValidatePageResult,
    capability="core", tier=3, opens_tab=True, leaves_dialog=True,
    reads_page=True, page_keys=("title", "text", "errors", "warnings"),
    example={"url": "https://example.com"},
)  # fmt: skip
async def validate_page(tab: Tab, params: ValidatePage) -> Output:
    created = tab.url in ("", "about:blank")
    check = HealthCheck(
        parse_url_argument(params.url), params.wait_for_selector, params.timeout_ms / 1000,
        params.capture_console_ms / 1000, params.body_text_sample_chars,
    )  # fmt: skip
    health = await check_health(tab, check)
    page = dict(health.look)
    text = page.pop("text", "")
    data: dict[str, Any] = {
        "tab_id": tab.id,
        "created": created,
        "url": tab.url,
        "title": health.arrived.title if health.arrived else "",
        "status": health.status,
        "http_status": health.arrived.status if health.arrived else None,
        "duration_ms": round(health.seconds * 1000),
        "problems": _problems(health),
        "console": _console(health),
        "failed_requests": _failed_requests(health),
        "total_failed_requests": len(health.failed),
        "summary": page,
    }
    if health.arrived is not None and not page:
        data["left_out"] = ["summary", "content", "auth_redirect"]
    if health.login_at:
        data["auth_redirect"] = {"from": check.url, "to": health.login_at}
    if health.error is not None:
        data["error"] = health.error.body()
    origin = text_source(tab.url)
    return Output(data=data, content=text or None, origin=origin)


def _problems(health: HealthReport) -> list[str]:
    """Return the problems as text; empty for a healthy page."""
    console = _console(health)
    found = [health.status] if health.status != "ok" else []
    found += ["too busy to be examined"] if health.arrived and not health.look else []
    found += ["blank page"] if health.look.get("blank") else []
    found += [f"{gate} on the page" for gate in health.look.get("gates", ())]
    counts = {
        "console error": console["total_errors"],
        "failed request": len(health.failed),
    }
    return found + [f"{n} {word}{'s' * (n > 1)}" for word, n in counts.items() if n]


def _console(health: HealthReport) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for kind in ("error", "warning"):
        lines = [redact_text(m.text[:_LINE]) for m in health.messages if m.type == kind]
        result |= {f"{kind}s": lines[:MAX_ITEMS], f"total_{kind}s": len(lines)}
    return result


def _failed_requests(health: HealthReport) -> list[dict[str, Any]]:
    return [
        {
            "url": redact_url(request.url[:_LINE]),
            "method": request.method,
            "type": request.type,
            **({"status": request.status} if request.status else {}),
            **({"error": request.error} if request.error else {}),
        }
        for request in health.failed[:MAX_ITEMS]
    ]
