"""Local files as pages of a crawl: file: URLs."""

import asyncio
import mimetypes
import stat
from pathlib import Path
from urllib.parse import quote

from ocd.crawl.fetch.fetch_errors import fetch_error, too_large
from ocd.crawl.fetch.http_fetch import MAX_PAGE_BYTES, HttpAnswer, is_html, is_text
from ocd.safety.domain_policy import file_path


async def read_file(url: str, max_bytes: int = MAX_PAGE_BYTES) -> HttpAnswer:
    """Return the file at a file: URL; a folder is answered by a page that links to its entries.

    The caller has checked the URL against the file roots.

    Raises:
        FetchError: fetch_failed, too_large.
    """
    path = file_path(url)
    try:
        return await asyncio.to_thread(_read_path, url, path, max_bytes)
    except OSError as error:
        raise fetch_error("fetch_failed", f"{path}: {error.strerror}", errno=error.errno) from error


def _read_path(url: str, path: Path, max_bytes: int) -> HttpAnswer:
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        return HttpAnswer(url.rstrip("/") + "/", None, "text/html", _listing(path), None, "utf-8")
    if not stat.S_ISREG(status.st_mode):
        raise fetch_error("fetch_failed", f"{path} is not a regular file")
    content_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if not is_html(content_type) and not is_text(content_type):
        return HttpAnswer(url, None, content_type, None, status.st_size)
    if status.st_size > max_bytes:
        raise too_large(max_bytes, status.st_size)
    return HttpAnswer(url, None, content_type, path.read_bytes(), status.st_size)


def _listing(path: Path) -> bytes:
    entries = sorted(path.iterdir())
    visible = [entry for entry in entries if not entry.name.startswith(".")]
    names = [(quote(entry.name), "/" if entry.is_dir() else "") for entry in visible]
    links = "".join(f'<li><a href="{name}{slash}">{name}</a></li>' for name, slash in names)
    return f"<title>{quote(path.name)}</title><ul>{links}</ul>".encode()
