"""Where Chromium may be installed on this machine."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from ocd.api.errors import OcdError

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "microsoft-edge",
)
HEADLESS_NAMES = ("chromium-headless-shell", "chrome-headless-shell")

_LINUX = (
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/lib/chromium/chromium",
    "/snap/bin/chromium",
    "/opt/google/chrome/chrome",
    "/opt/microsoft/msedge/msedge",
    "/var/lib/flatpak/exports/bin/org.chromium.Chromium",
)
_LINUX_HEADLESS = (
    "/usr/bin/chromium-headless-shell",
    "/usr/lib/chromium/headless_shell",
    "/usr/lib/chromium/chromium-headless-shell",
)
_MAC_BUNDLES = (
    "Chromium.app/Contents/MacOS/Chromium",
    "Google Chrome.app/Contents/MacOS/Google Chrome",
    "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
_WINDOWS = (
    r"Chromium\Application\chrome.exe",
    r"Google\Chrome\Application\chrome.exe",
    r"Microsoft\Edge\Application\msedge.exe",
)
_INSTALL = {
    "linux": "Install it: `sudo apt install chromium` (Debian, Ubuntu), "
    "`sudo dnf install chromium` (Fedora), `sudo pacman -S chromium` (Arch).",
    "darwin": "Install it: `brew install --cask chromium`.",
    "win32": "Install it: `winget install Google.Chrome`.",
}


def find_browser(configured: str | None, *, headed: bool, environ_path: str | None = None) -> str:
    """Return the absolute path of the browser's executable.

    configured: what the user named (a path or a program's name), which is then the only choice.
    Otherwise names on PATH are tried, then the system's usual places; headless shells come last,
    and only without a window. Raises browser_not_found with `tried` and how to install one.
    """
    tried: list[str] = []
    names = [configured] if configured else candidates(headed=headed)
    for name in names:
        tried.append(name)
        path = shutil.which(os.path.expanduser(name), path=environ_path)  # noqa: PTH111 - also names
        if path:
            return os.path.abspath(path)  # noqa: PTH100 - must not follow a wrapper's link
    message = f"{configured} cannot be run." if configured else "No Chromium was found."
    hint = _INSTALL.get(sys.platform, _INSTALL["linux"]) + " Or name one with --browser."
    raise OcdError("browser_not_found", message, hint=hint, tried=tried)


def candidates(
    *, headed: bool, platform: str = sys.platform, environ: Mapping[str, str] = os.environ
) -> list[str]:
    """Return names and paths in the order in which they are tried."""
    full, headless = _usual_paths(platform, environ)
    if headed:
        return [*NAMES, *full]
    return [*NAMES, *full, *HEADLESS_NAMES, *headless]


def _usual_paths(platform: str, environ: Mapping[str, str]) -> tuple[list[str], list[str]]:
    if platform == "darwin":
        return list(_mac(environ)), ["/opt/homebrew/bin/chrome-headless-shell"]
    if platform == "win32":
        return list(_windows(environ)), []
    return list(_LINUX), list(_LINUX_HEADLESS)


def _mac(environ: Mapping[str, str]) -> Iterator[str]:
    home = Path(environ.get("HOME", "/")) / "Applications"
    for bundle in _MAC_BUNDLES:
        yield f"/Applications/{bundle}"
        yield str(home / bundle)


def _windows(environ: Mapping[str, str]) -> Iterator[str]:
    roots = [environ.get(name) for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")]
    for place in _WINDOWS:
        yield from (f"{root}\\{place}" for root in roots if root)
