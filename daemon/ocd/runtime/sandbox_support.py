"""What this host offers for Chromium's sandbox."""

import os
import sys
from pathlib import Path

_PROC = Path("/proc/sys")


def has_user_namespaces(proc: Path = _PROC) -> bool:
    """Return whether an ordinary user may create user namespaces (Linux; elsewhere False).

    Without them Chromium needs its setuid helper, and that is dead under NoNewPrivileges.
    """
    if not sys.platform.startswith("linux"):
        return False
    return (
        _number(proc / "user" / "max_user_namespaces", 1) > 0
        and _number(proc / "kernel" / "unprivileged_userns_clone", 1) != 0
        and _number(proc / "kernel" / "apparmor_restrict_unprivileged_userns", 0) == 0
    )


def is_root() -> bool:
    """Return whether we are root: then Chromium runs without its sandbox."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _number(path: Path, absent: int) -> int:
    try:
        return int(path.read_text().strip())
    except (OSError, ValueError):
        return absent
