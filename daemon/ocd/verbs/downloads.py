"""The verb that lists the files that a session's pages have downloaded: downloads."""

import asyncio
import contextlib
import os
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

from msgspec import Meta

from ocd.api.errors import OcdError, did_you_mean
from ocd.browser.process.downloads import FOLDER
from ocd.browser.sessions.session import Session
from ocd.verb_api.action_results import DownloadReport
from ocd.verb_api.declaration import Output, Params, session_verb


class Downloads(Params):
    """List the files that this session's pages have downloaded

    list: the folder and its files, newest first, and downloads in progress. path: where one file
    is, by default the newest.
    """

    action: Annotated[Literal["list", "path"], Meta(description="What to do")] = "list"
    name: Annotated[str, Meta(description="path: the file's name; default: the newest")] = ""


class DownloadsResult(TypedDict, total=False):
    """list: the folder with its files. path: the one file."""

    folder: str
    downloads: Annotated[list[DownloadReport], Meta(description="Newest first")]
    file: str
    path: str
    size: int
    state: str


@session_verb(
    "downloads",
    Downloads,
    capability="core",
    tier=2,
    returns=DownloadsResult,
    reads=True,
    page_keys=("file",),
    example={"action": "path", "name": "report.pdf"},
)
async def downloads(session: Session, params: Downloads) -> Output:
    folder = session.folder / FOLDER
    files = await asyncio.to_thread(_files, folder)
    if params.action == "path":
        return Output(data=_find(files, params.name, folder))
    coming = [file.to_dict() for file in session.downloads if not file.done]
    return Output(data={"folder": str(folder), "downloads": [*coming, *files]})


def _files(folder: Path) -> list[dict[str, Any]]:
    """Return the files that are there, newest first."""
    found: list[tuple[Path, os.stat_result]] = []
    with contextlib.suppress(FileNotFoundError):  # none has come yet
        for path in folder.iterdir():
            with contextlib.suppress(FileNotFoundError):  # somebody took it away just now
                if path.is_file():
                    found.append((path, path.stat()))
    found.sort(key=lambda one: (-one[1].st_mtime_ns, one[0].name))
    return [
        {"file": path.name, "path": str(path), "size": facts.st_size, "state": "completed"}
        for path, facts in found
    ]


def _find(files: list[dict[str, Any]], name: str, folder: Path) -> dict[str, Any]:
    for file in files:
        if name in ("", file["file"]):
            return file
    what = (
        f"There is no file {name!r} in {folder}"
        if name
        else f"No file has been downloaded to {folder} yet"
    )
    hint = did_you_mean(name, [file["file"] for file in files], "List them: `downloads`")
    raise OcdError("file_not_found", what, hint=hint, folder=str(folder))
