"""Verbs that carry a login from one browser to another: oc_context_export, oc_context_import."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

import msgspec
from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.browser.storage import storage_state
from ocd.browser.tabs.tab import Tab
from ocd.safety.origins import origin_of_argument
from ocd.safety.session_taint import Egress
from ocd.storage.files import write_whole
from ocd.verb_api.declaration import (
    PAYLOAD,
    SECRET,
    UNLISTED,
    WRITES_PATH,
    Output,
    Params,
    Sending,
    tab_verb,
)


class ContextExport(Params):
    """Save a login for later: export a site's cookies and storage

    As an envelope for oc_context_import. Whoever has it is logged in as you: keep it in a file
    (`path`, mode 0600).
    """

    origin: Annotated[
        str | None, Meta(description="Origin of a frame in the page; default: the page's own")
    ] = None
    include_storage: Annotated[bool, Meta(description="Include web storage, IndexedDB")] = True
    include_frames: Annotated[
        bool, Meta(description="Include frames of other origins", extra_json_schema=UNLISTED)
    ] = False
    capture_ua: Annotated[
        bool, Meta(description="Include user agent and viewport", extra_json_schema=UNLISTED)
    ] = False
    path: Annotated[
        str | None, Meta(description="Write it to this file instead", extra=WRITES_PATH)
    ] = None


class ContextExportResult(TypedDict):
    """The login, or the file to which it was written."""

    tab_id: str
    origin: str
    counts: dict[str, int]
    left_out: NotRequired[Any]
    envelope: NotRequired[Annotated[dict[str, Any], Meta(description="For oc_context_import")]]
    path: NotRequired[str]
    size: NotRequired[int]


@tab_verb(
    "oc_context_export", ContextExport,
    returns=ContextExportResult,
    capability="storage", tier=2, page_keys=("envelope",), verbatim=True,
    only_watches=True, removed_params={
        "include_http_auth": "Passwords are never exported: pass them to `http_auth` again."
    },
    example={"path": "/home/ada/login.json"},
)  # fmt: skip
async def oc_context_export(tab: Tab, params: ContextExport) -> Output:
    exported = await storage_state.export_state(
        tab, params.origin, storage=params.include_storage, frames=params.include_frames,
        agent=params.capture_ua,
    )  # fmt: skip
    envelope = exported.envelope
    counts = {"cookies": len(envelope["cookies"])}
    counts |= {k: len(envelope[k]) for k in ("local_storage", "session_storage") if k in envelope}
    counts |= {"indexed_db": exported.records} if envelope.get("indexed_db") else {}
    data: dict[str, Any] = {"tab_id": tab.id, "origin": envelope["origin"], "counts": counts}
    data |= {"left_out": exported.left_out} if exported.left_out else {}
    if params.path is None:
        return Output(data={**data, "envelope": envelope})
    text = msgspec.json.format(msgspec.json.encode(envelope), indent=1)
    size = await asyncio.to_thread(write_whole, Path(params.path), text)
    return Output(data={**data, "path": params.path, "size": size})


class ContextImport(Params):
    """Restore a login: import an envelope of cookies and storage

    From a file: envelope_path. Replaces the cookies and storage of its origins. In an empty tab the
    site is not contacted; on a page of the site, reload afterwards.
    """

    envelope: Annotated[
        dict[str, Any], Meta(description="From oc_context_export", extra={**PAYLOAD, **SECRET})
    ]
    strict_origin: Annotated[bool, Meta(description="Only if the tab shows that origin")] = False


def _egress(params: ContextImport, _tab_url: str) -> Iterator[Egress]:
    envelope = storage_state.decode_envelope(params.envelope)
    for area in (envelope, *envelope.frames):
        yield "state", origin_of_argument(area.origin) or area.origin


class ContextImportResult(TypedDict):
    """What was restored."""

    ok: bool
    tab_id: str
    origin: str
    applied_cookies: int
    applied_storage_keys: int
    applied_records: int
    skipped: Annotated[list[Any], Meta(description="What was left out, and why")]


@tab_verb(
    "oc_context_import", ContextImport,
    returns=ContextImportResult,
    capability="storage", tier=2, opens_tab=True,
    aliases={"path": "envelope_path"},
    sends=Sending(("envelope",), _egress),
    example={"envelope_path": "/home/ada/login.json"},
)  # fmt: skip
async def oc_context_import(tab: Tab, params: ContextImport) -> Output:
    envelope = storage_state.decode_envelope(params.envelope)
    if params.strict_origin and tab.main_frame.origin != envelope.origin:
        raise OcdError(
            "wrong_value", f"The envelope is for {envelope.origin}, but the tab shows {tab.url}.",
            hint=f"Navigate to {envelope.origin} first.", origin=envelope.origin,
        )  # fmt: skip
    imported = await storage_state.import_state(tab, envelope)
    return Output(data={
        "ok": not imported.skipped,
        "tab_id": tab.id,
        "origin": envelope.origin,
        "applied_cookies": imported.cookies,
        "applied_storage_keys": imported.storage_keys,
        "applied_records": imported.records,
        "skipped": imported.skipped,
    })  # fmt: skip
