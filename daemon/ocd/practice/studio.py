"""Routes of the practice site that behave as Open Chat Studio's collection pages do."""

from __future__ import annotations

from html import escape
from pathlib import PurePath

from aiohttp import BodyPartReader, web

from ocd.practice.answers import UPLOADS

SESSION, CSRF, FORM_TOKEN = "studio-session", "cookie-token", "form-token"
TAKEN = {".pdf", ".md", ".txt"}
_BASE = "/a/{team}/documents/collections/{id}"


def _problem(request: web.Request) -> web.StreamResponse | None:
    """Return what stands before the page: a login, a refusal, or nothing of that number."""
    if request.cookies.get("sessionid") != SESSION:
        return web.Response(
            status=302, headers={"Location": f"/accounts/login/?next={request.path}"}
        )
    if request.match_info["team"] != "acme":
        return web.Response(status=403, text="Forbidden")
    if request.match_info["id"] not in ("7", "8"):
        return web.Response(status=404, text="Not found")
    return None


async def login(_request: web.Request) -> web.Response:
    """Log in: set the cookies that the site knows its users by."""
    response = web.Response(text="<h1>Welcome</h1>", content_type="text/html")
    response.set_cookie("sessionid", SESSION, httponly=True)
    response.set_cookie("csrftoken", CSRF)
    return response


async def page(request: web.Request) -> web.StreamResponse:
    """Show the collection with its form, and the messages that wait, once."""
    if problem := _problem(request):
        return problem
    waiting = request.cookies.get("messages", "")
    kind, _, text = waiting.partition(":")
    shown = f'<div class="alert alert-{kind}" role="alert">{escape(text)}</div>' if text else ""
    response = web.Response(
        content_type="text/html",
        text=f"<h1>Collection</h1>{shown}<form method=post enctype=multipart/form-data>"
        f"<input type=hidden name=csrfmiddlewaretoken value={FORM_TOKEN}>"
        "<input name=chunk_size value=900><input type=file name=files multiple></form>",
    )
    response.del_cookie("messages")
    return response


async def add_files(request: web.Request) -> web.StreamResponse:
    """Take the files as Django would, then redirect to the page with a message."""
    if problem := _problem(request):
        return problem
    fields: dict[str, str] = {}
    files: list[tuple[str, bytes]] = []
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            continue
        if part.name == "files":
            files.append((part.filename or "", await part.read()))
        else:
            fields[part.name or ""] = await part.text()
    if fields.get("csrfmiddlewaretoken") != FORM_TOKEN or "Referer" not in request.headers:
        return web.Response(status=403, text="CSRF verification failed")
    good = [file for file in files if PurePath(file[0]).suffix.lower() in TAKEN]
    bad = [name for name, _ in files if PurePath(name).suffix.lower() not in TAKEN]
    request.app[UPLOADS].extend([*good, ("chunk_size", fields["chunk_size"].encode())])
    message = f"success:Added {len(good)} files to collection"
    if bad and not good:
        message = "error:All selected files are invalid. Unsupported: " + " ".join(bad)
    response = web.Response(
        status=302, headers={"Location": request.path.removesuffix("/add_files")}
    )
    response.set_cookie("messages", message)
    return response


async def sign_in(_request: web.Request) -> web.Response:
    """Show the form that those see who have not logged in."""
    return web.Response(text="<form>Sign in</form>", content_type="text/html")


ROUTES = [
    web.get("/studio/login", login),
    web.get("/accounts/login/", sign_in),
    web.get(_BASE, page),
    web.post(f"{_BASE}/add_files", add_files),
]
