"""Uploads to an Open Chat Studio collection with the browser's login.

The site is a Django application: the collection's page gives the CSRF token, the form is posted as
multipart, and the result is shown as messages on the page that follows.
"""

import asyncio
import base64
import binascii
import contextlib
import mimetypes
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from http.cookies import SimpleCookie
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from yarl import URL

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.content.depth_limit import flat_tree
from ocd.verb_api.declaration import FileSource

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

_TOKEN_FIELD = "csrfmiddlewaretoken"  # noqa: S105 - a field's name
# Defaults of the site's own form, for pages that do not say.
_CHUNKING = {"chunk_size": 800, "chunk_overlap": 400}
_MESSAGES = "[role=alert], .alert, .messages li, .message, .toast"
_BAD = re.compile(r"invalid|unsupported|not allowed|reject|error|fail", re.IGNORECASE)
_MAX_REDIRECTS = 5
Check = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Collection:
    """The destination of uploads: the collection's page below the site's URL."""

    base_url: str
    team: str
    id: int

    @property
    def page(self) -> URL:
        """The address of its page."""
        base = self.base_url.rstrip("/")
        return URL(f"{base}/a/{self.team}/documents/collections/{self.id}")

    @property
    def form(self) -> URL:
        """The address that the form is posted to."""
        return URL(f"{self.page}/add_files")


@dataclass(frozen=True, slots=True)
class UploadFile:
    """One file: its name, media type and size in bytes, and how its bytes are read."""

    name: str
    mime_type: str
    size: int
    open: Callable[[], IO[bytes]]


def upload_files(files: Iterable[FileSource]) -> list[UploadFile]:
    """Return the files as they will be sent; invalid_argument for content that is not base64.

    Blocks for a moment. Raises file_not_found for a path that is not a file.
    """
    return [_upload_file(number, file) for number, file in enumerate(files, 1)]


def _upload_file(number: int, file: FileSource) -> UploadFile:
    path = Path(file.file_path) if file.file_path is not None else None
    name = file.name or (path.name if path else "")
    if not name or name != Path(name).name:
        raise OcdError(
            "invalid_argument", f"File {number} needs a plain name, not {name!r}",
            parameter="files", hint="Pass it as name, for example guide.pdf",
        )  # fmt: skip
    kind = file.mime_type or mimetypes.guess_type(name)[0] or "application/octet-stream"
    if path is not None:
        if not path.is_file():
            raise OcdError("file_not_found", f"Not a file: {path}", path=str(path), file=name)
        return UploadFile(name, kind, path.stat().st_size, lambda: path.open("rb"))
    try:
        data = base64.b64decode(file.content or "", validate=True)
    except (binascii.Error, ValueError) as error:
        message = f"{name}: content is not base64: {error}"
        raise OcdError("invalid_argument", message, parameter="files", file=name) from None
    return UploadFile(name, kind, len(data), lambda: BytesIO(data))


class Upload:
    """One upload over one HTTP session that has the browser's cookies.

    check: raises if an address may not be opened.
    """

    def __init__(
        self,
        collection: Collection,
        cookies: Iterable[Mapping[str, Any]],
        check: Check,
        *,
        any_certificate: bool = False,
    ) -> None:
        self._any_certificate = any_certificate
        self._collection = collection
        self._cookies = list(cookies)
        self._check = check

    async def send(self, files: list[UploadFile], chunking: Mapping[str, int]) -> dict[str, Any]:
        """Post the files and return what became of them.

        Keys: collection_url, count, files [{name, size_bytes, mime_type}], messages. Raises
        login_required, upload_forbidden, collection_not_found, upload_rejected, upload_failed.
        """
        import aiohttp  # 150 ms, and no other verb of the daemon needs its client

        jar = aiohttp.CookieJar(unsafe=True)
        await self._check(str(self._collection.page))
        for cookie in self._cookies:
            jar.update_cookies(_morsel(cookie), URL(f"http://{cookie['domain'].lstrip('.')}/"))
        try:
            connector = aiohttp.TCPConnector(ssl=not self._any_certificate)
            async with aiohttp.ClientSession(cookie_jar=jar, connector=connector) as http:
                text = await self._get(http, self._collection.page)
                messages = await self._post(http, text, files, chunking)
        except aiohttp.ClientError as error:
            message = f"{self._collection.base_url}: {error}"
            raise OcdError("upload_failed", message, url=str(self._collection.page)) from error
        return {
            "collection_url": str(self._collection.page),
            "count": len(files),
            "files": [
                {"name": file.name, "size_bytes": file.size, "mime_type": file.mime_type}
                for file in files
            ],
            "messages": messages,
        }

    async def _get(self, http: "ClientSession", url: URL) -> str:
        for _ in range(_MAX_REDIRECTS):
            await self._check(str(url))
            async with http.get(url, allow_redirects=False) as response:
                self._expect(response)
                to = response.headers.get("Location")
                if not to:
                    return await response.text(errors="replace")
                url = url.join(URL(to))
        raise OcdError("too_many_redirects", f"{self._collection.page} redirects too many times")

    async def _post(
        self,
        http: "ClientSession",
        page: str,
        files: list[UploadFile],
        chunking: Mapping[str, int],
    ) -> list[str]:
        import aiohttp

        token = _token(page) or _cookie(http, "csrftoken", self._collection.page)
        if not token:
            raise OcdError(
                "upload_failed",
                f"{self._collection.page} has no form to upload with (no CSRF token)",
                hint="Open it: is it the collection's page?", url=str(self._collection.page),
            )  # fmt: skip
        fields = {_TOKEN_FIELD: token, **_chunking(page), **chunking}
        with contextlib.ExitStack() as opened:
            form = aiohttp.FormData({key: str(value) for key, value in fields.items()})
            for file in files:
                # A collection without an index asks for a summary of each file, by its name.
                form.add_field(file.name, "")
                body = opened.enter_context(await asyncio.to_thread(file.open))
                form.add_field("files", body, filename=file.name, content_type=file.mime_type)
            headers = {"Referer": str(self._collection.page), "X-CSRFToken": token}
            async with http.post(
                self._collection.form, data=form, headers=headers, allow_redirects=False,
                timeout=aiohttp.ClientTimeout(total=None),
            ) as response:  # fmt: skip
                self._expect(response)
                return await self._outcome(http, response)

    async def _outcome(self, http: "ClientSession", response: "ClientResponse") -> list[str]:
        to = response.headers.get("Location")
        text = (
            await self._get(http, response.url.join(URL(to)))
            if to
            else await response.text(errors="replace")
        )
        good, bad = _messages(text)
        if bad and not good:
            raise OcdError(
                "upload_rejected", f"The site rejected the files: {' '.join(bad)}",
                hint="The collection's page lists the accepted extensions.", messages=bad,
            )  # fmt: skip
        return [*good, *bad]

    def _expect(self, response: "ClientResponse") -> None:
        """Raise for an answer that is neither the page nor a redirect to it."""
        status, url = response.status, str(response.url)
        to = response.headers.get("Location", "")
        if status == 401 or (300 <= status < 400 and re.search(r"log-?in|sign-?in|/auth", to)):
            raise OcdError(
                "login_required",
                f"{self._collection.base_url} needs a login for team '{self._collection.team}'",
                hint="Log in in this session's browser: "
                + tool_call("navigate", url=str(self._collection.page)),
                url=url,
            )  # fmt: skip
        if status == 403:
            raise OcdError(
                "upload_forbidden", f"{url} refused: HTTP 403",
                hint="The user may not change this collection, or the form's token was rejected.",
                url=url, status=status,
            )  # fmt: skip
        if status == 404:
            raise OcdError(
                "collection_not_found",
                f"There is no collection {self._collection.id} of team '{self._collection.team}'",
                hint="Check base_url, team and collection_id.", url=url,
            )  # fmt: skip
        if status >= 400:
            message = f"{url} answered HTTP {status}"
            raise OcdError("upload_failed", message, url=url, status=status)


def _morsel(cookie: Mapping[str, Any]) -> SimpleCookie:
    found: SimpleCookie = SimpleCookie()
    found[cookie["name"]] = cookie["value"]
    morsel = found[cookie["name"]]
    morsel["path"] = cookie.get("path", "/")
    if cookie.get("secure") and cookie["domain"].lstrip(".") not in ("localhost", "127.0.0.1"):
        morsel["secure"] = True
    if cookie["domain"].startswith("."):
        morsel["domain"] = cookie["domain"]
    return found


def _cookie(http: "ClientSession", name: str, url: URL) -> str:
    found = http.cookie_jar.filter_cookies(url).get(name)
    return found.value if found else ""


def _token(page: str) -> str:
    field = flat_tree(page).css_first(f"input[name={_TOKEN_FIELD}]")
    return (field.attributes.get("value") or "") if field else ""


def _chunking(page: str) -> dict[str, Any]:
    tree = flat_tree(page)
    fields = {name: tree.css_first(f"input[name={name}]") for name in _CHUNKING}
    return {
        name: (field.attributes.get("value") if field else None) or _CHUNKING[name]
        for name, field in fields.items()
    }


def _messages(page: str) -> tuple[list[str], list[str]]:
    """Return the site's messages: what it accepted, and what it did not."""
    good: list[str] = []
    bad: list[str] = []
    for node in flat_tree(page).css(_MESSAGES):
        text = " ".join(node.text(separator=" ").split())[:500]
        kind = node.attributes.get("class") or ""
        if "error" in kind or "danger" in kind or ("success" not in kind and _BAD.search(text)):
            bad.append(text)
        elif text:
            good.append(text)
    return list(dict.fromkeys(good)), list(dict.fromkeys(bad))
