"""Verbs about cookies, and local and session storage."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.browser.storage import cookies as jar
from ocd.browser.storage import web_storage
from ocd.browser.storage.cookies import CookieMatches, CookieQuery
from ocd.browser.tabs.tab import Tab
from ocd.safety.origins import origin_of_argument
from ocd.safety.redact import MASK, is_secret_name
from ocd.safety.session_taint import Egress
from ocd.verb_api.declaration import PAYLOAD, SECRET, UNLISTED, Output, Params, Sending, tab_verb

_AUTH_LIKE = re.compile(r"__Host-|__Secure-|connect\.sid|s?sid\b|session|token|auth|login", re.I)


class Cookies(Params):
    """Read, set, delete or clear cookies

    Of the page's host, or of `domain` and its subdomains. get without a name masks the values
    of login cookies unless raw. A whole login: oc_context_export.
    """

    action: Annotated[Literal["get", "set", "delete", "clear"], Meta(description="What to do")] = (
        "get"
    )
    name: Annotated[str | None, Meta(description="Cookie name; set and delete need it")] = None
    value: Annotated[str | None, Meta(description="set: its value", extra=SECRET)] = None
    domain: Annotated[str | None, Meta(description="example.com, or * for all")] = None
    path: Annotated[str | None, Meta(description="Path; set: default /")] = None
    secure: Annotated[
        bool | None, Meta(description="set: HTTPS only", extra_json_schema=UNLISTED)
    ] = None
    http_only: Annotated[
        bool | None, Meta(description="set: hidden from scripts", extra_json_schema=UNLISTED)
    ] = None
    same_site: Annotated[
        Literal["Strict", "Lax", "None"] | None, Meta(description="set", extra_json_schema=UNLISTED)
    ] = None
    expires: Annotated[
        float | None,
        Meta(
            description="set: Unix time in seconds; default: session cookie",
            extra_json_schema=UNLISTED,
        ),
    ] = None
    raw: Annotated[bool, Meta(description="get: do not mask values")] = False


def _cookie_egress(params: Cookies, tab_url: str) -> Iterator[Egress]:
    if params.action == "set":
        yield "state", jar.owner(params.domain, tab_url)


class Cookie(TypedDict):
    """A cookie; expires is null for one of the browser's session."""

    name: str
    value: str
    domain: str
    path: str
    expires: float | None
    http_only: bool
    secure: bool
    same_site: str | None
    size: int
    partition_key: NotRequired[Any]


class CookiesResult(TypedDict):
    """The cookies, or the result of changing them."""

    action: str
    tab_id: str
    cookies: NotRequired[list[Cookie]]
    cookie: NotRequired[Annotated[Cookie | None, Meta(description="With name: that one")]]
    count: NotRequired[int]
    masked: NotRequired[Annotated[int, Meta(description="Cookies whose values are hidden")]]
    blocked: NotRequired[Annotated[int, Meta(description="Cookies of hosts that are forbidden")]]
    name: NotRequired[str]
    deleted_count: NotRequired[int]
    cleared_count: NotRequired[int]
    message: NotRequired[str]


@tab_verb(
    "cookies", Cookies,
    returns=CookiesResult,
    capability="storage", tier=2, leaves_dialog=True,
    page_keys=("name", "value"),
    sends=Sending(("name", "value", "domain", "path"), _cookie_egress),
    example={"action": "get", "name": "session"},
)  # fmt: skip
async def cookies(tab: Tab, params: Cookies) -> Output:
    if params.action in ("set", "delete") and not params.name:
        raise _needs("cookies", params.action, "name")
    if params.action == "set":
        return await _set_cookie(tab, params)
    query = CookieQuery(name=params.name, domain=params.domain, path=params.path)
    found = await jar.find_cookies(tab, query)
    if params.action == "get":
        return Output(data={"action": "get", "tab_id": tab.id, **_list_cookies(found, params)})
    await jar.delete_cookies(tab, found.cookies)
    counted = "cleared_count" if params.action == "clear" else "deleted_count"
    named = {"name": params.name} if params.name else {}
    return Output(data={
        "action": params.action, "tab_id": tab.id, **named, counted: len(found.cookies),
        **_withheld(found),
    })  # fmt: skip


def _list_cookies(found: CookieMatches, params: Cookies) -> dict[str, Any]:
    entries = [jar.to_dict(cookie) for cookie in found.cookies]
    if params.name is not None:
        one: dict[str, Any] = {"cookie": entries[0] if entries else None}
        if not entries:
            one["message"] = f"There is no cookie {params.name!r} here."
        more = {"cookies": entries} if len(entries) > 1 else {}
        return {**one, **more, "count": len(entries), **_withheld(found)}
    masked = 0
    for cookie in entries if not params.raw else ():
        if cookie["http_only"] or _is_secret(cookie["name"]):
            cookie["value"] = MASK
            masked += 1
    note = {"masked": masked, "message": "Pass raw=true or a name to see values"} if masked else {}
    return {"cookies": entries, "count": len(entries), **note, **_withheld(found)}


def _is_secret(name: str) -> bool:
    return is_secret_name(name) or bool(_AUTH_LIKE.match(name))


def _withheld(found: CookieMatches) -> dict[str, int]:
    return {"blocked": found.blocked} if found.blocked else {}


async def _set_cookie(tab: Tab, params: Cookies) -> Output:
    if params.value is None:
        raise _needs("cookies", "set", "value")
    optional = {
        "domain": params.domain, "secure": params.secure, "httpOnly": params.http_only,
        "sameSite": params.same_site, "expires": params.expires,
    }  # fmt: skip
    attributes = {key: value for key, value in optional.items() if value is not None}
    cookie = {"name": params.name, "value": params.value, "path": params.path or "/", **attributes}
    await jar.set_cookie(tab, cookie)
    query = CookieQuery(name=params.name, domain=params.domain, path=params.path or "/")
    found = await jar.find_cookies(tab, query)
    entry = {"cookie": jar.to_dict(found.cookies[0])} if found.cookies else {}
    message = f"Set {params.name}" if entry else f"The browser did not keep {params.name}"
    return Output(data={"action": "set", "tab_id": tab.id, **entry, "message": message})


class Storage(Params):
    """Read or change a page's local or session storage"""

    action: Annotated[
        Literal["get", "set", "remove", "clear", "keys"],
        Meta(description="get without a key: all items"),
    ] = "get"
    storage_type: Annotated[
        Literal["local", "session"], Meta(description="localStorage or sessionStorage")
    ] = "local"
    key: Annotated[str | None, Meta(description="Item key; set and remove need it")] = None
    value: Annotated[str | None, Meta(description="set: its text", extra={**PAYLOAD, **SECRET})] = (
        None
    )
    origin: Annotated[
        str | None, Meta(description="Origin of a frame in the page; default: the page's own")
    ] = None


def _storage_egress(params: Storage, tab_url: str) -> Iterator[Egress]:
    if params.action == "set":
        whose = params.origin or tab_url
        yield "state", origin_of_argument(whose) or whose


class StorageResult(TypedDict):
    """The items, or the result of changing them."""

    action: str
    tab_id: str
    storage_type: str
    origin: str
    key: NotRequired[str]
    value: NotRequired[str | None]
    exists: NotRequired[bool]
    items: NotRequired[dict[str, str]]
    keys: NotRequired[list[str]]
    count: NotRequired[int]
    size: NotRequired[int]
    existed: NotRequired[bool]
    cleared_count: NotRequired[int]
    message: NotRequired[str]


@tab_verb(
    "storage", Storage,
    returns=StorageResult,
    capability="storage", tier=3, page_keys=("key", "keys", "value", "items"),
    sends=Sending(("key", "value", "origin"), _storage_egress),
    example={"action": "get", "key": "cart"},
)  # fmt: skip
async def storage(tab: Tab, params: Storage) -> Output:
    if params.action in ("set", "remove") and params.key is None:
        raise _needs("storage", params.action, "key")
    if params.action == "set" and params.value is None:
        raise _needs("storage", "set", "value")
    frame = web_storage.frame_of(tab, params.origin)
    store = web_storage.StorageArea(tab, frame, params.storage_type)
    about = {"action": params.action, "tab_id": tab.id, "storage_type": params.storage_type}
    return Output(data={**about, "origin": frame.origin, **await _storage_result(store, params)})


async def _storage_result(store: web_storage.StorageArea, params: Storage) -> dict[str, Any]:
    key, text = params.key or "", params.value or ""
    match params.action:
        case "get" if params.key is not None:
            value = await store.get(key)
            return {"key": key, "value": value, "exists": value is not None}
        case "get":
            items = await store.items()
            return {"items": items, "count": len(items)}
        case "keys":
            keys = list(await store.items())
            return {"keys": keys, "count": len(keys)}
        case "set":
            await store.put({key: text})
            return {"key": key, "size": len(text), "message": f"Set {key}"}
        case "remove":
            return {"key": key, "existed": await store.remove(key)}
        case "clear":
            return {"cleared_count": await store.clear()}


def _needs(verb: str, action: str, parameter: str) -> OcdError:
    message = f"{verb}: {action} needs the parameter '{parameter}'"
    return OcdError("invalid_argument", message, parameter=parameter)
