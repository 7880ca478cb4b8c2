"""The verb that returns the URL of DevTools for a tab."""

from typing import Annotated, TypedDict

from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.browser.sessions.session import Session
from ocd.safety.host_canonical import netloc_of
from ocd.verb_api.declaration import Output, Params, session_verb


class DevtoolsUrl(Params):
    """Return the DevTools URL of a tab

    Only with --browser-url: a Chromium started by the daemon has no debugging port.
    """

    tab_id: Annotated[str | None, Meta(description="Tab id; default: latest")] = None
    target_id: Annotated[str | None, Meta(description="CDP target id, instead of tab_id")] = None
    worker_id: Annotated[
        str | None, Meta(description="CDP target id of a worker, instead of tab_id")
    ] = None


class DevtoolsUrlResult(TypedDict):
    """The address of DevTools."""

    target_id: str
    type: str
    title: str
    url: str


@session_verb(
    "oc_devtools_url",
    DevtoolsUrl,
    returns=DevtoolsUrlResult,
    capability="core",
    tier=3,
    reads=True,
    page_keys=("title",),
    example={"tab_id": "t1"},
)
async def oc_devtools_url(session: Session, params: DevtoolsUrl) -> Output:
    chromium = session.sessions.chromium
    if not chromium.options.browser_url:
        raise OcdError(
            "disabled", "This Chromium has no debugging port.",
            hint="Start one with --remote-debugging-port, and ocd with --browser-url URL.",
        )  # fmt: skip
    connection = await chromium.ensure()
    target_id = params.target_id or params.worker_id or session.tab(params.tab_id).target_id
    targets = (await connection.send("Target.getTargets"))["targetInfos"]
    target = next((info for info in targets if info["targetId"] == target_id), None)
    if target is None:
        raise OcdError(
            "not_found", f"There is no target {target_id}.", hint="List the tabs: `tabs_context`",
            targets=[info["targetId"] for info in targets if info["type"] == "page"][:20],
        )  # fmt: skip
    result = {"target_id": target_id, "type": target["type"], "title": target["title"]}
    return Output(data=result | {"url": _address(connection.url, target["type"], target_id)})


def _address(browser: str, kind: str, target: str) -> str:
    # Chromium serves its own DevTools beside the WebSocket.
    secure = browser.startswith("wss:")
    netloc = netloc_of(browser)
    page = "inspector" if kind in ("page", "iframe") else "worker_app"
    socket = f"{netloc}/devtools/page/{target}"
    scheme = "https" if secure else "http"
    return f"{scheme}://{netloc}/devtools/{page}.html?{'wss' if secure else 'ws'}={socket}"
