"""Downloads: saved in the folder of the session whose tab started them, under safe names.

Chromium writes into a folder of the daemon under random names; complete files are moved from
there, so that a session's folder never contains half a file.
"""

import asyncio
import os
import shutil
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ocd.api.spelling import truncate
from ocd.api.waiting import Spawn
from ocd.browser.cdp.connection import Connection, Event
from ocd.storage.files import FILE_MODE, make_dir, storage

State = Literal["in_progress", "completed", "canceled", "failed", "too_large", "refused"]

FOLDER = "downloads"
# How many downloads may run at once; a page that starts more has them refused.
MAX_RUNNING = 20
_STEM_BYTES = 120
_SUFFIX = 16
_KEPT_SIGNS = frozenset("._-()+,=@~ ")
# Names that Windows reserves for devices, with any extension.
_RESERVED = frozenset(
    ("con", "prn", "aux", "nul", *(f"{p}{n}" for p in ("com", "lpt") for n in range(10)))
)


@dataclass(eq=False, slots=True)
class Download:
    """A download: `path` is its location once `state` is completed; sizes in bytes.

    Attributes:
        reported: a caller has been informed of its end.
        consumed: no call waits for it any more, because one has, or because it was reported before
            the tab's latest action.
    """

    guid: str
    url: str
    name: str
    path: Path | None
    state: State = "in_progress"
    received: int = 0
    total: int = 0
    reported: bool = False
    consumed: bool = False
    _done: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def done(self) -> bool:
        """Whether it has ended, successfully or not."""
        return self._done.is_set()

    def end(self, state: State) -> None:
        """Set how it has ended; only the first call counts."""
        if not self.done:
            self.state = state
            self._done.set()

    async def wait_done(self) -> None:
        """Wait until it has ended."""
        await self._done.wait()

    def to_dict(self) -> dict[str, Any]:
        """Return it for a caller; its size is what has arrived so far."""
        self.reported = self.done
        has_path = self.state in ("in_progress", "completed") and self.path is not None
        return {
            "url": truncate(self.url, 500),
            "file": self.path.name if self.path else self.name,
            **({"path": str(self.path)} if has_path else {}),
            "size": self.received,
            **({"total": self.total} if self.total and self.state == "in_progress" else {}),
            "state": self.state,
        }


class Downloads:
    """All downloads of the daemon's Chromium (not of its crawls, where they are denied).

    incoming: Chromium's folder, emptied at every start; None: nothing is downloaded. In a browser
    that was not started by us, downloads are reported, but go where its owner wants them.
    """

    def __init__(self, incoming: Path | None, spawn: Spawn) -> None:
        self.max_bytes = 1 << 30
        self._incoming = incoming
        self._spawn = spawn
        self._running: dict[str, Download] = {}
        self._keeps = False
        self._settings: dict[str, Any] = {"behavior": "default"}
        self._connection: Connection | None = None

    async def start(self, connection: Connection, *, own: bool) -> None:
        """Configure downloads in a freshly started browser, and listen."""
        self._connection = connection
        self._keeps = own and self._incoming is not None
        settings: dict[str, Any] = {"behavior": "deny" if own else "default"}
        if self._keeps and self._incoming is not None:
            await asyncio.to_thread(_empty, self._incoming)
            settings = {"behavior": "allowAndName", "downloadPath": str(self._incoming)}
        connection.on("Browser.downloadProgress", self._on_progress)
        connection.once("disconnected", self._on_connection_lost)
        self._settings = {**settings, "eventsEnabled": True}
        await connection.send("Browser.setDownloadBehavior", self._settings)

    async def enable_in(self, connection: Connection, context_id: str) -> None:
        """Handle downloads of another browser context like those of the profile's own."""
        context = {"browserContextId": context_id}
        await connection.send("Browser.setDownloadBehavior", {**self._settings, **context})

    async def deny_in(self, connection: Connection, context_id: str) -> None:
        """Refuse the downloads of another browser context."""
        # Events are switched for all contexts at once: leaving this out would turn them off.
        settings = {"behavior": "deny", "browserContextId": context_id, "eventsEnabled": True}
        await connection.send("Browser.setDownloadBehavior", settings)

    def begin(self, event: Event, folder: Path) -> Download:
        """Return the download that Page.downloadWillBegin announces; it is saved into `folder`."""
        suggested = str(event.get("suggestedFilename", ""))
        path = self._free(folder / FOLDER, file_name(suggested)) if self._keeps else None
        download = Download(event["guid"], event["url"], suggested, path)
        if len(self._running) >= MAX_RUNNING:
            self._cancel(download, "refused")
        elif not self._keeps and self._connection is None:
            download.end("canceled")
        else:
            self._running[download.guid] = download
        return download

    def _free(self, folder: Path, name: str) -> Path:
        # On some file systems, names that differ only in case are the same.
        used_names = {d.path.name.casefold() for d in self._running.values() if d.path}
        if folder.is_dir():
            used_names |= {entry.name.casefold() for entry in folder.iterdir()}
        stem, suffix = Path(name).stem, Path(name).suffix
        number = 1
        while name.casefold() in used_names:
            number += 1
            name = f"{stem}-{number}{suffix}"
        return folder / name

    def _on_progress(self, event: Event) -> None:
        download = self._running.get(event["guid"])
        if download is None:
            return
        download.received = int(event["receivedBytes"])
        download.total = int(event["totalBytes"])
        if event["state"] == "completed":
            self._spawn(self._keep(download))
        elif event["state"] == "canceled":
            self._running.pop(download.guid)
            download.end("canceled")
        elif max(download.received, download.total) > self.max_bytes and self._keeps:
            self._cancel(download, "too_large")

    def _cancel(self, download: Download, state: State) -> None:
        self._running.pop(download.guid, None)
        download.end(state)
        if self._connection is not None:
            self._connection.send_nowait("Browser.cancelDownload", {"guid": download.guid})

    async def _keep(self, download: Download) -> None:
        try:
            if download.path is not None and self._incoming is not None:
                await asyncio.to_thread(_move, self._incoming / download.guid, download.path)
            download.end("completed")
        except OSError:
            download.end("failed")
        finally:
            self._running.pop(download.guid, None)

    def _on_connection_lost(self) -> None:
        self._connection = None
        for download in self._running.values():
            download.end("failed")
        self._running.clear()

    def __repr__(self) -> str:
        return f"Downloads({len(self._running)} running)"


def _empty(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    make_dir(folder)


def _move(source: Path, target: Path) -> None:
    with storage("making", target.parent):
        make_dir(target.parent)
    source.chmod(FILE_MODE)
    os.replace(source, target)  # noqa: PTH105 - os.replace is the term every reader knows


def file_name(suggested: str) -> str:
    """Return a safe name for a file that a server has named, valid on any file system.

    Letters and digits of every script are kept, other characters become `_`; folders and leading
    dots are removed, device names prefixed. The result has at most 137 bytes.
    """
    base = unicodedata.normalize("NFC", suggested).replace("\\", "/").rpartition("/")[2]
    clean = "".join(c if c.isalnum() or c in _KEPT_SIGNS else "_" for c in base).strip(". ")
    stem, suffix = Path(clean).stem, Path(clean).suffix
    if len(suffix.encode()) > _SUFFIX:
        stem, suffix = clean, ""
    stem = stem.encode()[:_STEM_BYTES].decode(errors="ignore").strip(". ")
    if stem.split(".")[0].strip().casefold() in _RESERVED:
        stem = f"_{stem}"
    return (stem or "download") + suffix
