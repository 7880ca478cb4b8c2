"""Recordings for the page: actions as sentences, pictures, and the video."""

import asyncio
from typing import Any

from aiohttp import web

from ocd.recording.element_locators import action_line
from ocd.recording.recorder import Recorder
from ocd.recording.store import is_id
from ocd.server.dashboard.access import HEADERS

_SHOWN = ("seq", "verb", "ts", "ok", "error", "duration_ms", "tab_id", "film_s")
_PICTURES = ("screenshot_before", "screenshot_after")


async def recording(recorder: Recorder, recording_id: str) -> dict[str, Any]:
    """Return a recording with its actions; recording_not_found, unreadable_file."""
    meta = await recorder.find(recording_id, "")
    actions = await asyncio.to_thread(recorder.store.actions, meta.recording_id)
    has_film = await asyncio.to_thread(recorder.store.film(meta.recording_id).exists)
    about = {**recorder.public(meta), "has_film": has_film}
    return {"recording": about, "actions": [_shorten(action) for action in actions]}


def _shorten(action: dict[str, Any]) -> dict[str, Any]:
    fields = {name: action.get(name) for name in _SHOWN}
    pictures = {name: action[name] for name in _PICTURES if name in action}
    where = action.get("url_after") or action.get("url_before", "")
    return {**fields, **pictures, "did": action_line(action), "url": where}


async def picture(recorder: Recorder, recording_id: str, name: str) -> bytes:
    """Return a picture's bytes, WebP; 404 if there is none with this name."""
    found = None
    if is_id(recording_id):
        found = await asyncio.to_thread(recorder.store.picture, recording_id, name)
    if found is None:
        raise web.HTTPNotFound
    return found


async def film(recorder: Recorder, recording_id: str) -> web.FileResponse:
    """Return a recording's video so far; 404 if there is none."""
    if not is_id(recording_id):
        raise web.HTTPNotFound
    return web.FileResponse(recorder.store.film(recording_id), headers=HEADERS)
