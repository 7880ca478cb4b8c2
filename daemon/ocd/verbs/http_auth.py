"""The verb that sets credentials for HTTP authentication: http_auth."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.browser.network.http_auth import Credentials
from ocd.browser.network.interception import interception_of
from ocd.browser.tabs.tab import Tab
from ocd.safety.origins import origin_of_argument
from ocd.safety.session_taint import ANY_SITE, Egress
from ocd.verb_api.declaration import SECRET, Output, Params, Sending, tab_verb

_REMEMBERED = "Chromium keeps sending credentials that a server has accepted until it is restarted"


class HttpAuth(Params):
    """Set a tab's credentials for HTTP authentication

    Without them, or if the server rejects them, the 401 response page is shown.
    """

    action: Annotated[
        Literal["set", "clear", "get"],
        Meta(description="get: the credentials set and the challenges seen"),
    ]
    username: Annotated[str | None, Meta(description="set: user name")] = None
    password: Annotated[str | None, Meta(description="set: password", extra=SECRET)] = None
    origins: Annotated[
        list[str] | None,
        Meta(
            description="set: only for these (https://x.org, *.x.org); default: the first origin "
            "that asks when the tab loads a page"
        ),
    ] = None


def _egress(params: HttpAuth, _tab_url: str) -> Iterator[Egress]:
    if params.action != "set":
        return
    # Without origins it is for the first that asks, which may be a page that the tab opens later.
    for origin in params.origins or (ANY_SITE,):
        host = origin.rstrip("/")
        yield "login", origin_of_argument(host) or host


class HttpAuthResult(TypedDict):
    """Whether credentials are set, and the challenges seen."""

    action: str
    tab_id: str
    status: str
    username: NotRequired[str]
    origins: NotRequired[list[str]]
    challenges: NotRequired[list[dict[str, Any]]]
    message: NotRequired[str]


@tab_verb(
    "http_auth", HttpAuth,
    returns=HttpAuthResult,
    capability="core", tier=3, leaves_dialog=True, page_keys=("realm",),
    sends=Sending(("username", "password", "origins"), _egress),
    example={"action": "set", "username": "ada", "password": "${SECRET:WEB}"},
)  # fmt: skip
async def http_auth(tab: Tab, params: HttpAuth) -> Output:
    interception = interception_of(tab)
    result: dict[str, Any] = {"action": params.action, "tab_id": tab.id}
    if params.action == "set":
        credentials = _required_credentials(params)
        await interception.authenticate(credentials)
        result |= {"status": "credentials_set", "username": credentials.username}
        result |= {"origins": credentials.origins}
    elif params.action == "clear":
        await interception.authenticate(None)
        result |= {"status": "credentials_cleared", "message": _REMEMBERED}
    else:
        current = interception.challenges.credentials
        result |= {"status": "set" if current else "none"}
        result |= {"username": current.username, "origins": current.origins} if current else {}
        result |= {"challenges": list(interception.challenges.seen)}
    return Output(data=result, origin=tab.url)


def _required_credentials(params: HttpAuth) -> Credentials:
    for name in ("username", "password"):
        if getattr(params, name) is None:
            text = f"http_auth: set needs the parameter '{name}'"
            raise OcdError("invalid_argument", text, parameter=name)
    return Credentials(params.username or "", params.password or "", params.origins or [])
