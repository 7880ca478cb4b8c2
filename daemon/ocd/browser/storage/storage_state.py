"""A site's state as an envelope (cookies, web storage, databases): export and import."""

import hashlib
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.api.spelling import snake_case_keys
from ocd.api.timestamps import now
from ocd.browser.cdp.connection import CdpSession, Event
from ocd.browser.storage import cookies as jar
from ocd.browser.storage import indexed_db as storage_indexed_db
from ocd.browser.storage.cookies import CookieQuery
from ocd.browser.storage.web_storage import Kind, StorageArea, frame_of
from ocd.browser.tabs.frames import Frame
from ocd.browser.tabs.tab import Tab
from ocd.safety.host_canonical import hostname_of
from ocd.safety.origins import origin_of

FORMAT = "openchrome-context"
VERSION = 1
_KINDS: tuple[Kind, ...] = ("local", "session")
_CDP = {"http_only": "httpOnly", "same_site": "sameSite", "partition_key": "partitionKey"}
_SCREEN = "({width: innerWidth, height: innerHeight, device_scale_factor: devicePixelRatio})"
_BLANK = "PCFkb2N0eXBlIGh0bWw+"  # "<!doctype html>" in base64


class _OriginStorage(msgspec.Struct):
    """The storage of one origin in an envelope.

    indexed_db None: the exporter did not support databases, which are then left unchanged.
    """

    origin: str
    local_storage: dict[str, str] = {}
    session_storage: dict[str, str] = {}
    indexed_db: list[dict[str, Any]] | None = None


class StorageState(_OriginStorage, kw_only=True):
    """The required keys of an envelope; further keys are ignored."""

    version: int
    cookies: list[dict[str, Any]] = []
    frames: list[_OriginStorage] = []


@dataclass(slots=True)
class ImportResult:
    """The counts of an import; `skipped` lists what was left out, with the reason."""

    cookies: int = 0
    storage_keys: int = 0
    records: int = 0
    skipped: list[dict[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class ExportResult:
    """An envelope, the number of its database records, and what could not be exported."""

    envelope: dict[str, Any]
    records: int = 0
    left_out: list[dict[str, Any]] = field(default_factory=list)


# --- taking ------------------------------------------------------------------------------------


async def export_state(
    tab: Tab, origin: str | None, *, storage: bool, frames: bool, agent: bool
) -> ExportResult:
    """Return the envelope of an origin in the tab (its page's), with those of its frames if asked.

    Raises not_found if there is no frame of the origin, disabled if it cannot store anything.
    """
    frame = frame_of(tab, origin)
    _check_web(frame.origin)
    envelope: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "origin": origin_of(frame.origin),
        "captured_at": now(),
        "cookies": [],
    }
    if agent:
        envelope["user_agent"] = await tab.evaluate("navigator.userAgent", isolated=True)
        envelope["viewport"] = await tab.evaluate(_SCREEN, isolated=True)
    others = _others(tab, frame) if frames else []
    for each in (frame, *others):
        matches = await jar.find_cookies(tab, CookieQuery(host=hostname_of(each.origin)))
        cookies = [jar.to_dict(cookie) for cookie in matches.cookies]
        envelope["cookies"] += [cookie for cookie in cookies if cookie not in envelope["cookies"]]
    result = ExportResult(envelope)
    if storage:
        envelope |= await _area(tab, frame, result)
        envelope["frames"] = [{"origin": f.origin, **await _area(tab, f, result)} for f in others]
    envelope["integrity"] = integrity(envelope)
    return result


def _others(tab: Tab, frame: Frame) -> list[Frame]:
    frames = {frame.origin: frame for frame in tab.frames() if frame.origin.startswith("http")}
    return [each for origin, each in frames.items() if origin != frame.origin]


async def _area(tab: Tab, frame: Frame, result: ExportResult) -> dict[str, Any]:
    area = {f"{kind}_storage": await StorageArea(tab, frame, kind).items() for kind in _KINDS}
    databases = await storage_indexed_db.dump(tab, frame)
    result.records += databases.count
    result.left_out += [{**database, "origin": frame.origin} for database in databases.left_out]
    return {**area, "indexed_db": databases.databases}


def _check_web(origin: str) -> None:
    if not origin_of(origin):
        raise OcdError(
            "disabled", "This page has no origin, and so no state to export.",
            hint="Navigate to a web page first.",
        )  # fmt: skip


def integrity(envelope: Mapping[str, Any]) -> str:
    """Return the SHA-256 of an envelope without its own integrity, as canonical JSON."""
    rest = {key: value for key, value in envelope.items() if key != "integrity"}
    return hashlib.sha256(msgspec.json.encode(rest, order="deterministic")).hexdigest()


# --- putting back ------------------------------------------------------------------------------


def decode_envelope(raw: Mapping[str, Any]) -> StorageState:
    """Decode an envelope; wrong_value if it is invalid or was changed since its export."""
    stated = raw.get("integrity")
    if stated is not None and stated != integrity(raw):
        raise OcdError(
            "wrong_value",
            "The envelope was changed after it was exported (its integrity hash is wrong).",
            hint="Export it again, or remove its integrity if the change is intended.",
            integrity_error=True,
        )  # fmt: skip
    try:
        envelope = msgspec.convert(snake_case_keys(raw), StorageState)
    except msgspec.ValidationError as error:
        raise OcdError(
            "wrong_value", f"Not a valid envelope: {error}", parameter="envelope"
        ) from None
    if envelope.version != VERSION:
        raise OcdError(
            "wrong_value",
            f"The envelope has version {envelope.version}; this daemon reads version 1.",
            hint="Export it again with this version.",
        )  # fmt: skip
    for area in (envelope, *envelope.frames):
        _check_web(area.origin)
    return envelope


async def import_state(tab: Tab, envelope: StorageState) -> ImportResult:
    """Replace the state of the envelope's origins; return what was imported and left out.

    Storage needs a document of its origin: one of the tab's frames, or an empty tab, which visits
    the origin without a request to its server, and is empty again afterwards.
    """
    applied = ImportResult()
    areas: list[_OriginStorage] = [envelope, *envelope.frames]
    for area in areas:
        tab.guard.policy.check(area.origin)
    await _put_cookies(tab, envelope, {hostname_of(area.origin) for area in areas}, applied)
    for area in areas:
        frame = next((f for f in tab.frames() if f.origin == area.origin), None)
        if frame is not None:
            await _put_area(tab, frame, area, applied)
        elif tab.url in ("", "about:blank"):
            async with _blank_page_of(tab, area.origin):
                await _put_area(tab, tab.main_frame, area, applied)
        elif area.local_storage or area.session_storage or area.indexed_db:
            reason = "no frame of it is in the tab: navigate to it, or import in a new tab"
            applied.skipped.append({"storage": area.origin, "reason": reason})
    return applied


async def _put_area(tab: Tab, frame: Frame, area: _OriginStorage, applied: ImportResult) -> None:
    for kind, items in zip(_KINDS, (area.local_storage, area.session_storage), strict=True):
        store = StorageArea(tab, frame, kind)
        await store.clear()
        await store.put(items)
        applied.storage_keys += len(items)
    if area.indexed_db is not None:
        records, skipped = await storage_indexed_db.restore(tab, frame, area.indexed_db)
        applied.records += records
        applied.skipped += skipped


async def _put_cookies(
    tab: Tab, envelope: StorageState, hosts: set[str], applied: ImportResult
) -> None:
    for host in hosts:
        await jar.delete_cookies(tab, (await jar.find_cookies(tab, CookieQuery(host=host))).cookies)
    for raw in envelope.cookies:
        cookie = snake_case_keys(raw)
        name = str(cookie.get("name", ""))[:100]
        reason = _cookie_problem(cookie, hosts)
        if not reason:
            try:
                await jar.set_cookie(tab, _for_cdp(cookie))
            except OcdError as error:
                reason = error.message
        if reason:
            applied.skipped.append({"cookie": name, "reason": reason})
        else:
            applied.cookies += 1


def _cookie_problem(cookie: Mapping[str, Any], hosts: set[str]) -> str:
    domain = cookie.get("domain")
    texts = (cookie.get("name"), cookie.get("value"), domain)
    if not all(isinstance(text, str) for text in texts):
        return "name, value and domain must be strings"
    if not any(jar.domain_matches(str(domain), host) for host in hosts):
        return f"{domain} is not one of the envelope's origins"
    expires = cookie.get("expires")
    if isinstance(expires, int | float) and 0 < expires < time.time():
        return "it has expired"
    return ""


def _for_cdp(cookie: Mapping[str, Any]) -> dict[str, Any]:
    names = ("name", "value", "path", "secure", "http_only", "same_site", "partition_key")
    params = {_CDP.get(name, name): cookie[name] for name in names if cookie.get(name) is not None}
    domain, expires = str(cookie["domain"]), cookie.get("expires")
    if isinstance(expires, int | float) and expires > 0:
        params["expires"] = expires
    if domain.startswith("."):
        return {**params, "domain": domain}
    # Without a domain the cookie is for the host alone, as it was.
    scheme = "https" if cookie.get("secure") else "http"
    return {**params, "url": jar.host_url(domain).replace("https", scheme, 1)}


@asynccontextmanager
async def _blank_page_of(tab: Tab, origin: str) -> AsyncIterator[None]:
    """Show an empty document of the origin in an empty tab, without a request to its server."""
    # In a session of its own, because the tab's requests may already be intercepted.
    beside = await tab.cdp.connection.attach(tab.target_id)
    try:
        beside.on("Fetch.requestPaused", lambda event: _answer_blank(beside, event))
        await beside.send("Network.setBypassServiceWorker", {"bypass": True})
        await beside.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        await tab.navigate(f"{origin}/", "commit")
        yield
        await tab.navigate("about:blank", "commit")
    finally:
        await beside.detach()


def _answer_blank(session: CdpSession, event: Event) -> None:
    headers = [{"name": "Content-Type", "value": "text/html"}]
    answer = {"responseCode": 200, "responseHeaders": headers, "body": _BLANK}
    session.send_nowait("Fetch.fulfillRequest", {"requestId": event["requestId"], **answer})
