"""Verbs that change where a tab is, or wait until it is there."""

import time
from typing import Annotated, Any, Literal

from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.browser.challenges import challenge_of
from ocd.browser.tab import Navigation, Tab
from ocd.safety.domains import parse_url_argument
from ocd.verb import MAX_TIMEOUT_MS, SENDS_TO, Output, Params, tab_verb

Wait = Annotated[
    Literal["load", "dom", "idle", "commit"],
    Meta(description="How far loading must be; commit: the first byte"),
]

_UNAUTHORIZED = 401


class Navigate(Params):
    """Go to a URL

    Opens a tab if the session has none. Answers the final URL, the HTTP status and the title; a
    page that answers 404 is a page, a host that does not answer is an error.
    """

    url: Annotated[
        str,
        Meta(
            min_length=1,
            description="URL (https:// is assumed), or back, or forward",
            extra=SENDS_TO,
        ),
    ]
    wait: Wait = "load"


@tab_verb(
    "navigate",
    Navigate,
    capability="core",
    tier=1,
    opens_tab=True,
    leaves_dialog=True,
    page_keys=("title",),
)
async def navigate(tab: Tab, params: Navigate) -> Output:
    if params.url == "back":
        return _arrived(tab, "back", await tab.back(params.wait))
    if params.url == "forward":
        return _arrived(tab, "forward", await tab.forward(params.wait))
    url = parse_url_argument(params.url)
    return _arrived(tab, "navigate", await tab.navigate(url, params.wait))


class PageReload(Params):
    """Load the tab's page again"""

    ignore_cache: Annotated[bool, Meta(description="Fetch everything anew")] = False
    wait: Wait = "load"


@tab_verb(
    "page_reload", PageReload, capability="core", tier=2, leaves_dialog=True, page_keys=("title",)
)
async def page_reload(tab: Tab, params: PageReload) -> Output:
    arrived = await tab.reload(ignore_cache=params.ignore_cache, wait=params.wait)
    return _arrived(tab, "reload", arrived)


def _arrived(tab: Tab, action: str, at: Navigation) -> Output:
    data: dict[str, Any] = {
        "action": action,
        "tab_id": tab.id,
        "url": at.url,
        "title": at.title,
        "status": at.status,
    }
    if at.redirected:
        data["redirected"] = True
    if at.status == _UNAUTHORIZED:
        data |= _asked_for(tab)
    return Output(data=data)


def _asked_for(tab: Tab) -> dict[str, Any]:
    asked = challenge_of(tab.traffic.requests())
    if asked is None:
        return {}
    arguments = {"tab_id": tab.id, "action": "set", "username": "", "password": ""}
    return {"auth_required": asked, "next_step": {"verb": "http_auth", "arguments": arguments}}


class WaitFor(Params):
    """Wait until the page is as described

    Ends at the moment it is, by events of the page; survives navigations in between.
    """

    type: Annotated[
        Literal[
            "selector", "selector_hidden", "function", "navigation", "url_match", "load", "dom",
            "idle", "download", "timeout",
        ],
        Meta(
            description="selector: CSS. function: a JavaScript expression that becomes truthy. "
            "url_match: part of the address, a glob, or /regular expression/. idle: a quiet page. "
            "download: a file has come. timeout: `value` ms"
        ),
    ]  # fmt: skip
    value: Annotated[str | int, Meta(description="What to wait for")] = ""
    visible: Annotated[bool, Meta(description="selector: it must be visible, too")] = False
    timeout_ms: Annotated[int, Meta(ge=1, le=MAX_TIMEOUT_MS, description="Longest wait in ms")] = (
        30_000
    )


@tab_verb("wait_for", WaitFor, capability="core", tier=1, reads=True)
async def wait_for(tab: Tab, params: WaitFor) -> Output:
    _need_value(params)
    started = time.monotonic()
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
        "elapsed_ms": round((time.monotonic() - started) * 1000),
    }
    if params.type == "function":
        data["result"] = value
    if params.type == "download":
        data["downloads"] = value
    return Output(data=data)


def _need_value(params: WaitFor) -> None:
    needs = params.type not in ("navigation", "load", "dom", "idle", "download")
    if needs and params.value == "":
        raise OcdError(
            "invalid_argument",
            f"wait_for: type '{params.type}' needs the parameter 'value'",
            parameter="value",
        )
    if params.type == "timeout" and not str(params.value).isdigit():
        raise OcdError(
            "invalid_argument",
            f"wait_for: type 'timeout' needs milliseconds as 'value', not '{params.value}'",
            parameter="value",
        )
