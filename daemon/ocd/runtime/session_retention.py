"""Files of ended sessions: kept as long as tasks are, then deleted.

A connection without a session name gets a session that nobody can name again, and that session's
folder is deleted as a whole. Folders of named sessions, and anything beside them, may belong to the
user and stay.
"""

import asyncio
import logging
import re
import shutil
import time
from collections.abc import Callable, Collection
from pathlib import Path

from ocd.config.loader import Config
from ocd.safety.path_policy import safe_name

logger = logging.getLogger(__name__)

_HOUR_S = 3600.0
_DAY_S = 86_400
# Sessions of bridges and of HTTP connections: oc_mcp.server.caller and .streamable_http.
_UNNAMED = re.compile(r"mcp-[0-9a-z_-]+(~[0-9a-f]+)?")


async def run(
    prune_tasks: Callable[[float], object],
    sessions: Callable[[], Collection[str]],
    current: Callable[[], Config],
) -> None:
    """Remove old tasks and files every hour, until cancelled; a failure costs that hour's round."""
    while True:
        config = current()
        files, days = config.home / "files", config.task_retention_days
        try:
            await asyncio.to_thread(prune_tasks, days)
            await asyncio.to_thread(remove_old, files, days, sessions())
        except Exception:  # the disk, or no thread available
            logger.exception("Removing old tasks and files failed; the next hour tries again")
        await asyncio.sleep(_HOUR_S)


def remove_old(files: Path, days: float, in_use: Collection[str]) -> int:
    """Remove folders of ended sessions in which nothing is younger; return how many. Blocks.

    days: 0 keeps all. in_use: sessions that there are. What cannot be removed is logged.
    """
    if not days or not files.is_dir():
        return 0
    oldest = time.time() - days * _DAY_S
    try:
        folders = [entry for entry in files.iterdir() if _UNNAMED.fullmatch(entry.name)]
    except OSError as error:
        logger.warning("files of ended sessions stay: %s", error)
        return 0
    stay = {safe_name(session) for session in in_use}
    old = [
        candidate
        for candidate in folders
        if candidate.name not in stay and _newest(candidate) < oldest
    ]
    return sum(_remove(folder) for folder in old)


def _newest(folder: Path) -> float:
    """Return when its newest file was changed; now, if it is not a folder or cannot be read."""
    try:
        if folder.is_symlink() or not folder.is_dir():
            return time.time()
        return max(path.lstat().st_mtime for path in (folder, *folder.rglob("*")))
    except OSError:
        return time.time()  # somebody is at work there


def _remove(folder: Path) -> bool:
    try:
        shutil.rmtree(folder)
    except OSError as error:
        logger.warning("files of an ended session stay: %s", error)
        return False
    return True
