"""Paths below $OPENCHROME_HOME, for the daemon and its clients.

Standard library only, and no pathlib: `oc` and `oc-mcp` import this on every start.
"""

import os
import sys
from collections.abc import Mapping

# sun_path holds 108 bytes on Linux and 104 on macOS and the BSDs, the closing NUL included.
SOCKET_PATH_MAX = 107 if sys.platform.startswith("linux") else 103


def home(environ: Mapping[str, str] = os.environ) -> str:
    """Return the absolute path of the home folder: $OPENCHROME_HOME or ~/.openchrome."""
    return os.path.abspath(
        os.path.expanduser(environ.get("OPENCHROME_HOME") or os.path.join("~", ".openchrome"))
    )


def may_start(home_path: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether clients may start the daemon: OPENCHROME_AUTO_START, config.toml, else yes."""
    setting = environ.get("OPENCHROME_AUTO_START")
    if setting:
        return setting.strip().lower() not in ("0", "false", "no", "off")
    import tomllib  # needed only when the daemon does not run

    try:
        with open(os.path.join(home_path, "config.toml"), "rb") as file:
            return tomllib.load(file).get("auto_start", True) is not False
    except (OSError, ValueError):
        return True  # `ocd start` names what is wrong with a config far better


def daemon_socket(home_path: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the address of the daemon's socket: a path, or a pipe's name on Windows."""
    return _address(home_path, "ocd", environ)


def mcp_socket(home_path: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the address of the bridge's socket: a path, or a pipe's name on Windows."""
    return _address(home_path, "mcp", environ)


def _address(home_path: str, name: str, environ: Mapping[str, str], os_name: str = os.name) -> str:
    if os_name == "nt":
        return rf"\\.\pipe\openchrome-{_digest(home_path)}-{name}"
    path = os.path.join(home_path, "run", f"{name}.sock")
    if len(os.fsencode(path)) <= SOCKET_PATH_MAX:
        return path
    return os.path.join(runtime_dir(home_path, environ), f"{name}.sock")


def runtime_dir(home_path: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the short folder that holds the sockets of a home whose own path is too long."""
    base = environ.get("XDG_RUNTIME_DIR")
    if base and len(os.fsencode(base)) <= SOCKET_PATH_MAX - 50:
        return os.path.join(base, f"openchrome-{_digest(home_path)}")
    import tempfile  # 5 ms, needed by hardly anybody

    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    return os.path.join(tempfile.gettempdir(), f"openchrome-{user}-{_digest(home_path)}")


def _digest(home_path: str) -> str:
    from hashlib import blake2b

    return blake2b(os.fsencode(home_path), digest_size=6).hexdigest()
