"""Downloads from the dashboard: stored outputs, and crawls in another format."""

import asyncio
import mimetypes
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from aiohttp import web

from ocd.crawl.export.formats import ExportFormat
from ocd.ledger.runner import Runner
from ocd.outputs.store import OutputStore
from ocd.server.dashboard.access import HEADERS

# The names that files of each format have; the pages of a folder are put into one archive.
FORMATS: dict[str, tuple[ExportFormat, str]] = {
    "jsonl": ("jsonl", "jsonl"), "csv": ("csv", "csv"), "sqlite": ("sqlite", "sqlite"),
    "markdown": ("markdown", "zip"), "llms-txt": ("llms-txt", "txt"),
}  # fmt: skip
_PIECE = 1 << 18


async def send_output(
    request: web.Request, outputs: OutputStore, handle: str
) -> web.StreamResponse:
    """Send a stored output; output_not_found."""
    path = await outputs.path(handle)
    return await _send(request, path, f"{handle}{path.suffix}")


async def send_export(request: web.Request, runner: Runner, task_id: str) -> web.StreamResponse:
    """Send a crawl's pages in the format that the address names; what export_task raises."""
    from ocd.crawl.export.task_export import export_task

    name = request.match_info["format"]
    if name not in FORMATS:
        raise web.HTTPNotFound
    form, suffix = FORMATS[name]
    with TemporaryDirectory(prefix="openchrome-export-") as folder:
        path = Path(folder) / ("pages" if suffix == "zip" else f"pages.{suffix}")
        await export_task(runner, task_id, form, path)
        if suffix == "zip":
            path = Path(await asyncio.to_thread(shutil.make_archive, str(path), "zip", path))
        return await _send(request, path, f"{task_id}.{suffix}")


async def _send(request: web.Request, path: Path, name: str) -> web.StreamResponse:
    response = web.StreamResponse(headers=HEADERS)
    response.content_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    with await asyncio.to_thread(path.open, "rb") as file:
        await response.prepare(request)
        while piece := await asyncio.to_thread(file.read, _PIECE):
            await response.write(piece)
    await response.write_eof()
    return response
