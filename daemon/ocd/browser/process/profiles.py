"""Browser profiles on this machine and the one in use. Read-only."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from ocd.browser.process.chromium import Chromium

Kind = Literal["real", "persistent", "temp", "explicit"]

# Folders of user data below the home directory, by browser and system.
_LINUX = {
    "chrome": (".config/google-chrome", ".var/app/com.google.Chrome/config/google-chrome"),
    "chromium": (
        ".config/chromium", "snap/chromium/common/chromium",
        ".var/app/org.chromium.Chromium/config/chromium",
    ),
    "edge": (".config/microsoft-edge",),
    "brave": (".config/BraveSoftware/Brave-Browser",),
    "vivaldi": (".config/vivaldi",),
}  # fmt: skip
_MAC = {
    "chrome": ("Library/Application Support/Google/Chrome",),
    "chromium": ("Library/Application Support/Chromium",),
    "edge": ("Library/Application Support/Microsoft Edge",),
    "brave": ("Library/Application Support/BraveSoftware/Brave-Browser",),
    "vivaldi": ("Library/Application Support/Vivaldi",),
}
_WINDOWS = {
    "chrome": ("AppData/Local/Google/Chrome/User Data",),
    "chromium": ("AppData/Local/Chromium/User Data",),
    "edge": ("AppData/Local/Microsoft/Edge/User Data",),
    "brave": ("AppData/Local/BraveSoftware/Brave-Browser/User Data",),
    "vivaldi": ("AppData/Local/Vivaldi/User Data",),
}
_MAX_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class ProfileDir:
    """A user data directory and its owner."""

    browser: str
    folder: Path


def profile_dirs(home: Path | None = None) -> list[ProfileDir]:
    """Return the folders of user data that this user's browsers have."""
    table = {"darwin": _MAC, "win32": _WINDOWS}.get(sys.platform, _LINUX)
    base = home or Path.home()
    candidates = [
        ProfileDir(browser, base / tail) for browser, tails in table.items() for tail in tails
    ]
    return [place for place in candidates if place.folder.is_dir()]


def list_profiles(place: ProfileDir) -> list[dict[str, Any]]:
    """Return the profiles of a folder, as its Local State names them; [] without one."""
    try:
        with (place.folder / "Local State").open("rb") as file:
            state = msgspec.json.decode(file.read(_MAX_BYTES))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return []
    profile = state.get("profile") if isinstance(state, dict) else None
    cache = profile.get("info_cache") if isinstance(profile, dict) else None
    if not isinstance(profile, dict) or not isinstance(cache, dict):
        return []
    last = profile.get("last_used") or "Default"
    return [
        {
            "browser": place.browser,
            "directory": directory,
            "name": str(info.get("name") or directory),
            **({"user_name": str(info["user_name"])} if info.get("user_name") else {}),
            "is_active": directory == last,
            "user_data_dir": str(place.folder),
        }
        for directory, info in sorted(cache.items())
        if isinstance(info, dict)
    ]


def kind_of(chromium: Chromium) -> Kind:
    """Return the kind of our profile: a person's real one, ours, temporary, or a named one."""
    options = chromium.options
    if options.isolated:
        return "temp"
    own = Path(os.path.realpath(options.profile))
    if options.browser_url or any(
        own.is_relative_to(os.path.realpath(place.folder)) for place in profile_dirs()
    ):
        return "real"
    return "persistent" if own == Path(os.path.realpath(options.run_dir)).parent / "profile" else (
        "explicit"
    )  # fmt: skip


def profile_capabilities(kind: Kind, *, foreign: bool) -> dict[str, bool]:
    """Return what the profile can do; a foreign browser's own settings are not known."""
    keeps = kind != "temp"
    return {
        "extensions": foreign,
        "saved_passwords": keeps,
        "local_storage": True,
        "local_storage_synced": foreign,
        "bookmarks": keeps,
        "form_autofill": keeps,
        "session_cookies": True,
        "persistent_storage": keeps,
    }
