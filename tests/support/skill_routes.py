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


_ORDERS = {
    "shelf": ("Order 17 from Kim, 2026-03-01, paid", "Order 18 from Kim, 2026-03-02, paid"),
    "number": ("Order 18 from Kim, 2026-03-01, paid",),
    "date": ("Order 17 from Kim, 2026-03-02, paid",),
    "name": ("Order 17 from Lee, 2026-03-01, paid",),
    "message": (
        "Order 18 from Kim, 2026-03-02, paid",
        "Order 17 from Kim, 2026-03-01, paid: a parcel is on its way",
    ),
}
_ORDER = """<div class=card><span>{}</span> <button onclick="gone(this)">Delete</button></div>"""
_GONE = """<script>
  const gone = (button) => fetch(`/records/log?what=${button.parentElement.innerText.slice(0, 8)}`);
</script>"""


async def orders(request: web.Request) -> web.StreamResponse:
    """Answer with the orders that there are on that day, each with a button of the same name."""
    rows = _ORDERS[request.cookies.get("look", "shelf")]
    page = f"<!doctype html><title>Orders</title>{_GONE}{''.join(map(_ORDER.format, rows))}"
    headers = {"Cache-Control": "no-store"}
    return web.Response(text=page, content_type="text/html", headers=headers)


ROUTES = [
    web.get("/skills/orders", orders),
    web.get("/skills/shelf", shelf),
    web.get("/skills/turn/{look}", turn),
]
