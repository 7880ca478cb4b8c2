"""The dashboard's routes: the page and its files, calls, and a WebSocket for events."""

import asyncio
import mimetypes
from collections.abc import Awaitable, Callable
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from aiohttp import web

from ocd.api.errors import OcdError, http_status
from ocd.api.wire import ApprovalScope, CallRequest, Client
from ocd.calls.dispatch import run_call
from ocd.calls.services import CallServices
from ocd.evidence.service import EvidenceService
from ocd.evidence.store import EvidenceStore
from ocd.oversight.approvals import ApprovalDecision
from ocd.pages.read.screencast import picture_of
from ocd.safety import secrets
from ocd.safety.redact import redact
from ocd.server.dashboard import evidence, recordings
from ocd.server.dashboard.access import ENTER, HEADERS, Access
from ocd.server.dashboard.downloads import send_export, send_output
from ocd.server.dashboard.event_stream import serve_events
from ocd.server.dashboard.keys import Keys, Viewer
from ocd.server.dashboard.live_tabs import find_tab, list_tabs, tab_log
from ocd.server.dashboard.task_history import task_history
from ocd.server.dashboard.task_pages import task_pages

SESSION = "dashboard"
CLIENT = "dashboard"
MAX_BODY_BYTES = 256 * 1024

# What a person may call from the page: to look, and with a key that allows it, to act.
VIEW_VERBS = frozenset(
    {
        *("oc_journal", "oc_output_fetch", "oc_output_search", "oc_task_get", "oc_task_list"),
        *("oc_diff", "oc_recording_list"),
    }
)
CONTROL_VERBS = frozenset({"oc_task_cancel", "oc_task_resume", "oc_task_start"})

# The page is one; what it shows is said by its address.
_VIEWS = (
    *("/", "/tasks", "/task/{id}", "/outputs", "/output/{handle}", "/journal"),
    *("/live", "/tab/{session}/{id}", "/approvals", "/recordings", "/recording/{id}"),
    *("/evidence", "/evidence/{id}", "/evidence/{id}/{other}"),
)
_FOLDER = Path(__file__).parent / "page"

Handler = Callable[[web.Request, Viewer], Awaitable[web.StreamResponse]]


class DashboardCall(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /api/call."""

    verb: str
    params: dict[str, Any] = {}


class ApprovalAnswer(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /api/approval/ID."""

    allow: bool
    scope: ApprovalScope = "once"


class HeldLease(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /api/give-back."""

    key: str


_Body = TypeVar("_Body", DashboardCall, ApprovalAnswer, HeldLease)


class DashboardRoutes:
    """The routes of the dashboard's port."""

    def __init__(
        self,
        services: CallServices,
        keys: Keys,
        access: Access,
        status: Callable[[], dict[str, Any]],
    ) -> None:
        self._services = services
        self._keys = keys
        self._access = access
        self._status = status

    def application(self) -> web.Application:
        """Return the aiohttp application."""
        app = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[_errors_as_answers])
        app.router.add_get(ENTER, self.get_enter, allow_head=False)
        for path in _VIEWS:
            self._add(app, "GET", path, self.get_page)
        self._add(app, "GET", "/page/{name}", self.get_file)
        self._add(app, "GET", "/api/status", self.get_status)
        self._add(app, "GET", "/api/outputs", self.get_outputs)
        self._add(app, "GET", "/api/tabs", self.get_tabs)
        self._add(app, "GET", "/api/tab/{session}/{id}/log", self.get_tab_log)
        self._add(app, "GET", "/api/tab/{session}/{id}/picture", self.get_tab_picture)
        self._add(app, "GET", "/api/approvals", self.get_approvals)
        self._add(app, "POST", "/api/approval/{id}", self.post_approval)
        self._add(app, "POST", "/api/give-back", self.post_give_back)
        self._add(app, "GET", "/api/task/{id}/history", self.get_history)
        self._add(app, "GET", "/api/task/{id}/pages", self.get_pages)
        self._add(app, "GET", "/api/task/{id}/export/{format}", self.get_export)
        self._add(app, "GET", "/api/output/{handle}/file", self.get_output)
        self._add(app, "GET", "/api/recording/{id}", self.get_recording)
        self._add(app, "GET", "/api/recording/{id}/picture/{name}", self.get_picture)
        self._add(app, "GET", "/api/recording/{id}/film", self.get_film)
        self._add(app, "GET", "/api/evidence", self.get_evidence)
        self._add(app, "GET", "/api/evidence/{id}", self.get_bundle)
        self._add(app, "GET", "/api/evidence/{id}/{part}", self.get_bundle_part)
        self._add(app, "GET", "/api/events", self.get_events)
        self._add(app, "POST", "/api/call", self.post_call)
        return app

    def _add(self, app: web.Application, method: str, path: str, handler: Handler) -> None:
        async def check_first(request: web.Request) -> web.StreamResponse:
            viewer = self._access.check(request)
            assert viewer is not None
            return await handler(request, viewer)

        app.router.add_route(method, path, check_first)

    async def get_enter(self, request: web.Request) -> web.Response:
        """Redeem a key and answer with the cookie for it; login_required if it is not valid."""
        self._access.check(request)
        entry = self._keys.redeem(request.query.get("key", ""))
        if entry is None:
            raise OcdError(
                "login_required", "This link was already used, or has expired",
                hint="Each link works once, for ten minutes. For a new one: oc dashboard",
            )  # fmt: skip
        # A redirect would not carry the cookie if the link stood on another site's page.
        response = _file("enter.html")
        response.text = (response.text or "").replace("{path}", escape(entry.path))
        response.set_cookie(
            self._access.cookie_name, entry.cookie, httponly=True, samesite="Strict"
        )
        return response

    async def get_page(self, _request: web.Request, _viewer: Viewer) -> web.Response:
        """Answer with the page; its scripts show what the address names."""
        return _file("index.html")

    async def get_file(self, request: web.Request, _viewer: Viewer) -> web.Response:
        """Answer with one of the page's files."""
        return _file(request.match_info["name"])

    async def get_status(self, _request: web.Request, viewer: Viewer) -> web.Response:
        """Answer with the daemon's status and this viewer's rights."""
        return _json({**self._status(), "viewer": {"name": viewer.name, "control": viewer.control}})

    async def get_outputs(self, request: web.Request, _viewer: Viewer) -> web.Response:
        """Answer with the stored outputs, newest first."""
        limit, offset = _number(request, "limit", 50), _number(request, "offset", 0)
        found = await self._services.outputs.listing(offset, min(limit, 200))
        total = self._services.outputs.stats().count
        masked = secrets.current().mask(msgspec.to_builtins(found))
        return _json({"outputs": masked, "offset": offset, "total": total})

    async def get_tabs(self, _request: web.Request, _viewer: Viewer) -> web.Response:
        """Answer with the open tabs."""
        found = await list_tabs(self._services.sessions)
        return _json({"tabs": secrets.current().mask(found)})

    async def get_tab_log(self, request: web.Request, _viewer: Viewer) -> web.Response:
        """Answer with a tab's console messages and requests."""
        named = request.match_info
        tab = find_tab(self._services.sessions, named["session"], named["id"])
        return _json(secrets.current().mask(redact(tab_log(tab))))

    async def get_tab_picture(self, request: web.Request, _viewer: Viewer) -> web.Response:
        """Answer with a thumbnail of a tab as it looks now."""
        named = request.match_info
        tab = find_tab(self._services.sessions, named["session"], named["id"])
        body = await picture_of(tab)
        return web.Response(body=body, content_type="image/jpeg", headers=HEADERS)

    async def get_approvals(self, _request: web.Request, _viewer: Viewer) -> web.Response:
        """Answer with the pending approvals."""
        waiting = await self._services.approvals.list()
        return _json({"approvals": secrets.current().mask(waiting)})

    async def post_approval(self, request: web.Request, viewer: Viewer) -> web.Response:
        """Allow or deny a pending approval."""
        viewer.check_control()
        body = _decode(await request.read(), ApprovalAnswer)
        answer = ApprovalDecision(body.allow, body.scope, "dashboard")
        await self._services.approvals.answer(request.match_info["id"], answer)
        return _json({"result": {}})

    async def post_give_back(self, request: web.Request, viewer: Viewer) -> web.Response:
        """Give a tab back when the page closes: its WebSocket may be too late for that."""
        viewer.check_control()
        body = _decode(await request.read(), HeldLease)
        self._services.leases.release(body.key)
        return _json({"result": {}})

    async def get_history(self, request: web.Request, _viewer: Viewer) -> web.Response:
        """Answer with the history of a task."""
        found = await task_history(self._services.runner, request.match_info["id"])
        return _json(secrets.current().mask(found))

    async def get_pages(self, request: web.Request, _viewer: Viewer) -> web.Response:
        """Answer with the pages of a task for the table."""
        after = _number(request, "after", -1)
        id_ = request.match_info["id"]
        found = await task_pages(self._services.runner, id_, None if after < 0 else after)
        return _json(secrets.current().mask(msgspec.to_builtins(found)))

    async def get_export(self, request: web.Request, _viewer: Viewer) -> web.StreamResponse:
        """Send a crawl's pages as a file."""
        return await send_export(request, self._services.runner, request.match_info["id"])

    async def get_output(self, request: web.Request, _viewer: Viewer) -> web.StreamResponse:
        """Send a stored output as a file."""
        return await send_output(request, self._services.outputs, request.match_info["handle"])

    async def get_recording(self, request: web.Request, _viewer: Viewer) -> web.Response:
        """Answer with a recording and its actions."""
        found = await recordings.recording(self._services.recorder, request.match_info["id"])
        return _json(secrets.current().mask(found))

    async def get_picture(self, request: web.Request, _viewer: Viewer) -> web.Response:
        """Answer with a picture of a recording."""
        named = request.match_info
        body = await recordings.picture(self._services.recorder, named["id"], named["name"])
        return web.Response(body=body, content_type="image/webp", headers=HEADERS)

    async def get_film(self, request: web.Request, _viewer: Viewer) -> web.FileResponse:
        """Answer with a recording's video, or the requested part of it."""
        return await recordings.film(self._services.recorder, request.match_info["id"])

    async def get_evidence(self, _request: web.Request, _viewer: Viewer) -> web.Response:
        """Answer with the list of evidence bundles."""
        found = await evidence.list_bundles(self._evidence())
        return _json({"bundles": secrets.current().mask(found)})

    async def get_bundle(self, request: web.Request, _viewer: Viewer) -> web.Response:
        """Answer with a bundle of evidence: its subject and its parts."""
        found = await evidence.find_bundle(self._evidence(), request.match_info["id"])
        return _json(secrets.current().mask(found))

    async def get_bundle_part(self, request: web.Request, _viewer: Viewer) -> web.Response:
        """Answer with a part of a bundle."""
        named = request.match_info
        return await evidence.bundle_part(self._evidence(), named["id"], named["part"])

    def _evidence(self) -> EvidenceStore:
        service = self._services.parts[EvidenceService]
        assert isinstance(service, EvidenceService)
        return service.store

    async def get_events(self, request: web.Request, viewer: Viewer) -> web.StreamResponse:
        """Send events as long as the page is open."""
        return await serve_events(request, self._services, viewer)

    async def post_call(self, request: web.Request, viewer: Viewer) -> web.Response:
        """Run one of the verbs that the page uses; forbidden for any other."""
        call = _decode(await request.read(), DashboardCall)
        allowed = VIEW_VERBS | CONTROL_VERBS if viewer.control else VIEW_VERBS
        if call.verb not in allowed:
            hint = (
                "For a link that can also act: oc dashboard" if call.verb in CONTROL_VERBS else ""
            )
            raise OcdError("forbidden", f"This page may not call {call.verb}", hint=hint)
        client = Client(CLIENT, guard=False)
        reply = await run_call(self._services, CallRequest(call.verb, call.params, SESSION, client))
        encoded = await asyncio.to_thread(reply.encode)
        return _answer(b'{"result":' + encoded + b"}")


def _decode(body: bytes, kind: type[_Body]) -> _Body:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise OcdError("bad_request", f"Invalid request body: {error}") from None


def _number(request: web.Request, name: str, default: int) -> int:
    text = request.query.get(name, "")
    return int(text) if text.isdecimal() and len(text) <= 15 else default


def _json(data: object) -> web.Response:
    return _answer(msgspec.json.encode(data))


def _answer(body: bytes, status: int = 200) -> web.Response:
    return web.Response(body=body, status=status, content_type="application/json", headers=HEADERS)


@cache
def _read_files() -> dict[str, bytes]:
    """Return the page's files by name; no others are served."""
    return {path.name: path.read_bytes() for path in _FOLDER.iterdir() if path.suffix != ".py"}


def _file(name: str, status: int = 200) -> web.Response:
    body = _read_files().get(name)
    if body is None:
        raise web.HTTPNotFound
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    charset = None if kind.startswith("image/") else "utf-8"
    return web.Response(
        body=body, status=status, content_type=kind, charset=charset, headers=HEADERS
    )


@web.middleware
async def _errors_as_answers(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Answer errors as JSON; a person without access gets a page that says what to do."""
    try:
        return await handler(request)
    except OcdError as error:
        status = http_status(error.code)
        if error.code == "login_required" and "text/html" in request.headers.get("Accept", ""):
            return _file("locked.html", status)
        return _answer(msgspec.json.encode({"error": error.body()}, enc_hook=str), status)
    except web.HTTPException as error:
        shape = {"code": "not_found", "message": error.reason}
        return _answer(msgspec.json.encode({"error": shape}), error.status)
