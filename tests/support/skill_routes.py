"""A page of the fixture site that looks otherwise on another day: the cookie `look` says how."""

from __future__ import annotations

from pathlib import Path

from aiohttp import web

PAGES = Path(__file__).resolve().parents[2] / "fixtures" / "site" / "skills"


async def shelf(request: web.Request) -> web.StreamResponse:
    """Answer with the page of the day: shelf, moved (other ids, other order) or gone (less)."""
    look = request.cookies.get("look", "shelf")
    headers = {"Cache-Control": "no-store"}
    return web.FileResponse(PAGES / f"{Path(look).name}.html", headers=headers)


async def turn(request: web.Request) -> web.StreamResponse:
    """Choose how it looks from now on."""
    response = web.Response(text="turned")
    response.set_cookie("look", request.match_info["look"])
    return response


ROUTES = [web.get("/skills/shelf", shelf), web.get("/skills/turn/{look}", turn)]
