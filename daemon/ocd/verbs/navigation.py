"""Verbs that load pages, and wait for conditions on them."""

import time
from collections.abc import Awaitable, Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.browser.network.http_auth import challenge_of
from ocd.browser.network.interception import interception_of
from ocd.browser.tabs.tab import Navigation, Tab
from ocd.pages.act.browser_prompts import load_past_prompts
from ocd.pages.locate.target import ActionDeadline
from ocd.pages.locate.wait import wait_for_text
from ocd.pages.read.page_health import glance, is_redirected_to_login
from ocd.safety.domain_policy import parse_url_argument, resolve_in_page
from ocd.safety.host_canonical import hostname_of
from ocd.verb_api.action_results import DownloadReport
from ocd.verb_api.declaration import MAX_TIMEOUT_MS, SENDS_TO, UNLISTED, Output, Params, tab_verb

Wait = Annotated[
    Literal["load", "dom", "idle", "commit"],
    Meta(description="When loading counts as done; commit: first byte", extra_json_schema=UNLISTED),
]

_UNAUTHORIZED = 401


class Navigate(Params):
    """Go to a URL, back or forward

    Opens a tab if the session has none. Returns the final URL, the HTTP status and the title,
    not the text (read_page). A 404 page is a result, an unreachable host an error.
    """

    url: Annotated[
        str,
        Meta(
            min_length=1,
            description="URL (https:// assumed; ./x, /x: relative to the page), back, or forward",
            extra=SENDS_TO,
        ),
    ]
    wait: Wait = "load"


class PageAddress(TypedDict):
    """Where the tab is now."""

    action: str
    tab_id: str
    url: Annotated[str, Meta(description="The address after redirects")]
    title: str
    status: Annotated[int | None, Meta(description="HTTP status; null without a response")]
    redirected: NotRequired[bool]
    broken_off: NotRequired[
        Annotated[str, Meta(description="Why the page is incomplete: its load ended early")]
    ]
    beforeunload: NotRequired[
        Annotated[str, Meta(description="accepted: the previous page asked to stay")]
    ]
    ended: NotRequired[
        Annotated[str, Meta(description="What was ended because the previous page hung")]
    ]
    auth_required: NotRequired[
        Annotated[
            dict[str, Any],
            Meta(
                description="HTTP authentication that the site asks for: scheme, realm; request: "
                "for a part of the page, which is loaded without it"
            ),
        ]
    ]
    next_step: NotRequired[Annotated[dict[str, Any], Meta(description="The call to continue with")]]


class BlockingPage(TypedDict):
    """An obstacle in front of the page."""

    type: str
    detail: str


class NavigateResult(PageAddress):
    """The page that the tab shows now, without its text."""

    created: NotRequired[Annotated[bool, Meta(description="The tab was empty before")]]
    reused: NotRequired[Annotated[bool, Meta(description="The tab showed another page before")]]
    element_count: NotRequired[int]
    blocking_page: NotRequired[
        Annotated[BlockingPage, Meta(description="A captcha or another obstacle")]
    ]
    auth_redirect: NotRequired[Annotated[bool, Meta(description="The site asks for a login")]]
    redirected_from: NotRequired[str]
    auth_redirect_host: NotRequired[str]
    message: NotRequired[str]
    left_out: NotRequired[
        Annotated[list[str], Meta(description="Keys left out because the page was busy")]
    ]
    note: NotRequired[str]


@tab_verb(
    "navigate",
    Navigate,
    capability="core",
    tier=1,
    returns=NavigateResult,
    opens_tab=True,
    leaves_dialog=True,
    page_keys=("title", "detail"),
    removed_params={
        "worker_id": "Pass the tab_id of one of its tabs: `tabs_create` with worker_id opens one.",
        "stealth": "Leave it out: pages load in an ordinary Chromium; `user_agent` overrides the "
        "user agent.",
        "stealth_settle_ms": "Leave it out, and use `wait_for` to wait for the page's content.",
    },
    example={"url": "https://example.com"},
)
async def navigate(tab: Tab, params: Navigate) -> Output:
    tab_was = {"created" if tab.url in ("", "about:blank") else "reused": True}
    url = ""
    with _page_before(tab) as left:
        if params.url in ("back", "forward"):
            action = params.url
            go = tab.back if action == "back" else tab.forward
            at, asked = await load_past_prompts(tab, lambda: go(params.wait), None)
        else:
            action, url = "navigate", _parse_address(params.url, tab)

            def load() -> Awaitable[Navigation]:
                return tab.navigate(url, params.wait)

            at, asked = await load_past_prompts(tab, load, load)
    if "created" in tab_was:
        left.pop("ended", None)  # a blank page: the machine was too busy to answer for it
    result = _navigation_result(tab, action, at, left, asked)
    more = {} if params.wait == "commit" else _page_summary(await glance(tab), url, at)
    return replace(result, data={**result.data, **tab_was, **more})


def _parse_address(text: str, tab: Tab) -> str:
    """Return the URL of an address as people and outlines write it; invalid_url."""
    if "…" in (text.strip()[:1], text.strip()[-1:]):
        raise OcdError(
            "invalid_url", f"Incomplete address: {text!r}", url=text,
            hint="Outlines shorten addresses with …. Click the link by its ref, or read its full "
            f"address: {tool_call('read_page', ref='e1')}; write a literal … as %E2%80%A6.",
        )  # fmt: skip
    return parse_url_argument(resolve_in_page(text, tab.url))


def _page_summary(page: dict[str, Any], requested_url: str, at: Navigation) -> dict[str, Any]:
    """Return what the page is, and any obstacle in front of it."""
    if not page:
        note = "The page was too busy to be examined; the keys in left_out are unknown."
        return {"left_out": ["element_count", "blocking_page", "auth_redirect"], "note": note}
    result: dict[str, Any] = {"element_count": page["count"]}
    if page["gate"]:
        result["blocking_page"] = {"type": page["gate"], "detail": page["title"]}
    if (
        requested_url
        and at.redirected
        and is_redirected_to_login(requested_url, at.url, has_password_field=page["login"])
    ):
        result |= {
            "auth_redirect": True, "redirected_from": requested_url,
            "auth_redirect_host": hostname_of(at.url),
            "message": "The site requires a login. Ask the owner of the account.",
        }  # fmt: skip
    return result


class PageReload(Params):
    """Reload the tab's page"""

    ignore_cache: Annotated[bool, Meta(description="Bypass the cache")] = False
    wait: Wait = "load"


class PageReloadResult(PageAddress):
    """The reloaded page."""

    ignore_cache: bool
    message: str


@tab_verb(
    "page_reload",
    PageReload,
    capability="core",
    tier=3,
    returns=PageReloadResult,
    leaves_dialog=True,
    page_keys=("title",),
    example={"ignore_cache": True},
)
async def page_reload(tab: Tab, params: PageReload) -> Output:
    with _page_before(tab) as left:

        def load() -> Awaitable[Navigation]:
            return tab.reload(ignore_cache=params.ignore_cache, wait=params.wait)

        reloaded, asked = await load_past_prompts(tab, load, load)
    result = _navigation_result(tab, "reload", reloaded, left, asked)
    more = {"ignore_cache": params.ignore_cache, "message": f"Reloaded {reloaded.url}"}
    return replace(result, data={**result.data, **more})


@contextmanager
def _page_before(tab: Tab) -> Generator[dict[str, str], None, None]:
    """Yield the report about the page that is left: it asked to stay (beforeunload), or hung."""
    left: dict[str, str] = {}

    def on_left() -> None:
        left["beforeunload"] = "accepted"

    def on_ended() -> None:
        left["ended"] = "The previous page had stopped responding: its script was ended."

    tab.events.on("left_unsaved", on_left)
    tab.events.on("hung_page_ended", on_ended)
    try:
        yield left
    finally:
        tab.events.off("left_unsaved", on_left)
        tab.events.off("hung_page_ended", on_ended)


def _navigation_result(
    tab: Tab, action: str, at: Navigation, left: dict[str, str], asked: str
) -> Output:
    data: dict[str, Any] = {
        "action": action,
        "tab_id": tab.id,
        "url": at.url,
        "title": at.title,
        "status": at.status,
    }
    data |= left
    if at.redirected:
        data["redirected"] = True
    if at.broken_off:
        data["broken_off"] = at.broken_off
    challenge = challenge_of(tab.request_log.requests()) if at.status == _UNAUTHORIZED else None
    if asked:
        challenge = {**interception_of(tab).challenges.latest(), "request": asked}
    if challenge is not None:
        arguments = {"tab_id": tab.id, "action": "set", "username": "", "password": ""}
        data |= {
            "auth_required": challenge, "next_step": {"verb": "http_auth", "arguments": arguments},
        }  # fmt: skip
    return Output(data=data)


class WaitFor(Params):
    """Wait until an element appears, a page loads or another condition holds

    Rarely needed after an action, which waits for its effects itself. Does not block other calls
    on the tab.
    """

    type: Annotated[
        Literal[
            "selector", "selector_hidden", "text", "function", "navigation", "url_match", "load",
            "dom", "idle", "download", "timeout",
        ],
        Meta(
            description="selector: CSS. function: JavaScript that becomes truthy. url_match: "
            "substring, glob or /regex/ of the URL. text: it appears. idle: a quiet page. "
            "download: the file an action has started. timeout: `value` ms"
        ),
    ]  # fmt: skip
    value: Annotated[str | int, Meta(description="What to wait for")] = ""
    visible: Annotated[
        bool, Meta(description="selector: must also be visible", extra_json_schema=UNLISTED)
    ] = False
    timeout_ms: Annotated[int, Meta(ge=1, le=MAX_TIMEOUT_MS, description="Time limit in ms")] = (
        30_000
    )


class WaitForResult(TypedDict):
    """The condition that now holds."""

    action: str
    type: str
    tab_id: str
    url: str
    elapsed: Annotated[int, Meta(description="Elapsed ms")]
    selector: NotRequired[str | int]
    visible: NotRequired[bool]
    text: NotRequired[str | int]
    result: NotRequired[Annotated[Any, Meta(description="What the function returned")]]
    downloads: NotRequired[list[DownloadReport]]
    delay: NotRequired[int]
    pattern: NotRequired[str | int]
    title: NotRequired[str]


@tab_verb(
    "wait_for", WaitFor, capability="core", tier=1, reads=True, shares_tab=True,
    returns=WaitForResult,
    page_keys=("title",), example={"type": "selector", "value": "#results"},
)  # fmt: skip
async def wait_for(tab: Tab, params: WaitFor) -> Output:
    _need_value(params)
    started = time.monotonic()
    if params.type == "text":
        value: Any = await _wait_for_text(tab, params)
    else:
        value = await tab.wait_for(
            params.type,
            str(params.value),
            timeout_s=params.timeout_ms / 1000,
            visible=params.visible,
        )
    data: dict[str, Any] = {
        "action": "wait_for",
        "type": params.type,
        "tab_id": tab.id,
        "url": tab.url,
        **await _condition_result(tab, params, value),
        "elapsed": round((time.monotonic() - started) * 1000),
    }
    return Output(data=data)


async def _wait_for_text(tab: Tab, params: WaitFor) -> bool:
    words, seconds = str(params.value), params.timeout_ms / 1000
    if await wait_for_text(tab, words, ActionDeadline.of(params.timeout_ms)):
        return True
    raise OcdError(
        "timeout", f"Waited {seconds:g} s for the text {words!r}.",
        hint="Read the page to see its state, or raise timeout_ms.",
    )  # fmt: skip


async def _condition_result(tab: Tab, params: WaitFor, value: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """Return the report about the condition that now holds."""
    match params.type:
        case "selector":
            return {"selector": params.value, "visible": params.visible}
        case "selector_hidden":
            return {"selector": params.value}
        case "text":
            return {"text": params.value}
        case "function":
            return {"result": value}
        case "download":
            return {"downloads": value}
        case "timeout":
            return {"delay": int(params.value)}
        case "url_match":
            return {"pattern": params.value, "title": await tab.title()}
        case _:
            return {"title": await tab.title()}


def _need_value(params: WaitFor) -> None:
    needs = params.type not in ("navigation", "load", "dom", "idle", "download")
    if needs and params.value == "":
        raise OcdError(
            "invalid_argument",
            f"wait_for: type '{params.type}' needs the parameter 'value'",
            parameter="value",
        )
    if params.type == "timeout" and not (
        str(params.value).isdecimal() and len(str(params.value)) < 20
    ):
        raise OcdError(
            "invalid_argument",
            f"wait_for: type 'timeout' needs milliseconds as 'value', not '{params.value}'",
            parameter="value",
        )
