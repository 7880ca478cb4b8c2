"""A recording's video as a file for players and documents."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from ocd.api.errors import OcdError
from ocd.recording.film.camera import check_video_extra
from ocd.storage.files import make_dir, unreadable_error, write_whole

FilmFormat = Literal["webm", "gif"]
# The module that its process runs.
_CONVERTER = "ocd.recording.film.converter"
_PIECE = 1 << 18


async def export_film(film: Path, form: FilmFormat, target: Path) -> int:
    """Write the film to the file whole or not at all; return its size.

    Raises disabled without the extra, unreadable_file for a file that cannot be read as a film.
    """
    await asyncio.to_thread(check_video_extra)
    with TemporaryDirectory(prefix="openchrome-film-") as folder:
        made = Path(folder) / f"film.{form}"
        command = (sys.executable, "-P", "-m", _CONVERTER, form, str(film), str(made))
        process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
        try:
            _, errors = await process.communicate()
        except asyncio.CancelledError:
            process.kill()
            raise
        if process.returncode:
            raise _failed(film, errors)
        await asyncio.to_thread(make_dir, target.parent)
        return await asyncio.to_thread(write_whole, target, _pieces(made))


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece


def _failed(film: Path, errors: bytes) -> OcdError:
    last = errors.decode(errors="replace").strip().rpartition("\n")[2][:300]
    return unreadable_error(film, f"it is not a video: {last}")
