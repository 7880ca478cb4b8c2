"""The daemon's log: log/ocd.log, rotated by size, UTC, private to the user."""

import contextlib
import logging
import logging.handlers
import os
import sys
import time
from pathlib import Path

from ocd.api.errors import OcdError
from ocd.safety.redact import redact_text
from ocd.storage.files import DIR_MODE, make_dir, open_private, storage

MAX_BYTES = 5_000_000
MAX_OLD_LOGS = 3
# These report every request or every changed file at INFO.
_NOISY = ("aiohttp.access", "pyppeteer", "watchfiles", "websockets", "asyncio")


def log_path(home: Path) -> Path:
    """Return the path of the current log file."""
    return home / "log" / "ocd.log"


def create_log(home: Path) -> Path:
    """Create home, log folder and log file with private modes; return the file's path.

    Raises storage_failed, storage_full.
    """
    if home.exists() and not home.is_dir():
        raise OcdError(
            "storage_failed",
            f"Not a directory: {home}",
            hint="Move it away, or set OPENCHROME_HOME to a directory.",
            path=str(home),
        )
    for folder in (home, home / "log"):
        make_dir(folder)
        # The folder may be older than us, and then have wider rights.
        with contextlib.suppress(OSError):
            folder.chmod(DIR_MODE)
    path = log_path(home)
    with storage("opening", path):
        open_private(path, append=True).close()
    return path


def configure(home: Path) -> None:
    """Send every log record to the log file, and to stderr unless stderr is that file."""
    path = create_log(home)
    # A full disk must not turn every log line into a traceback on stderr.
    logging.raiseExceptions = False
    handlers: list[logging.Handler] = [
        logging.handlers.RotatingFileHandler(path, maxBytes=MAX_BYTES, backupCount=MAX_OLD_LOGS)
    ]
    if not _is_stderr(path):
        handlers.append(logging.StreamHandler())
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    for handler in handlers:
        handler.setFormatter(_formatter())
        root.addHandler(handler)
    for name in _NOISY:
        logging.getLogger(name).setLevel(logging.WARNING)


class _Masking(logging.Formatter):
    """Masks secrets, also in tracebacks."""

    def format(self, record: logging.LogRecord) -> str:
        # No pairs: "~/secrets.txt: line 3" has a name and a value, too, and is what a person needs.
        return redact_text(super().format(record), pairs=False)


def _formatter() -> logging.Formatter:
    formatter = _Masking(
        "%(asctime)s.%(msecs)03dZ %(levelname)s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%S"
    )
    formatter.converter = time.gmtime
    return formatter


def _is_stderr(path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(sys.stderr.fileno()), path.stat())
    except (OSError, ValueError, AttributeError):
        return False
