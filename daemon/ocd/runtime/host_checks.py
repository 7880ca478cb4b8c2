"""Read-only checks of the host, for `ocd doctor` and oc_doctor_report."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from ocd.api.errors import OcdError
from ocd.browser.process.discovery import find_browser
from ocd.config.loader import Config, environment, unknown_variables
from ocd.runtime.home_lock import open_links

MIN_FREE_MB = 200
_VERSION_TIMEOUT_S = 20
_MB = 1024 * 1024
_PROC = Path("/proc/sys")

Level = Literal["ok", "warning", "error"]
Fix = Callable[[bool], str]


@dataclass(frozen=True, slots=True)
class HostFinding:
    """Result of one check: its name, severity, what was seen, and what helps.

    fix: fixes it and returns what was done; its argument is whether to go ahead without asking.
    """

    name: str
    level: Level
    seen: str
    hint: str = ""
    fix: Fix | None = None

    def body(self) -> dict[str, str]:
        """Return the finding as `--json` prints it."""
        hint = {"hint": self.hint} if self.hint else {}
        return {"name": self.name, "level": self.level, "seen": self.seen, **hint}


def check_host(config: Config) -> list[HostFinding]:
    """Return the findings about Python, home, environment, sandbox, fonts and the browser."""
    return [
        check_python(), check_home(config.home), *check_links(config.home), *check_variables(),
        check_sandbox(),
        check_fonts(), check_cluster_extra(config), check_binary(config),
    ]  # fmt: skip


def check_python() -> HostFinding:
    """Look at the interpreter."""
    found = f"{sys.version.split()[0]} at {sys.executable}"
    return HostFinding("python", "ok" if sys.version_info >= (3, 11) else "error", found)


def check_home(home: Path) -> HostFinding:
    """Look at the home folder: is it ours, private, writable, with room?"""
    if not home.exists():
        return _check_new_home(home)
    if not home.is_dir():
        return HostFinding(
            "home", "error", f"not a directory: {home}", "Set OPENCHROME_HOME to a directory"
        )
    try:
        (home / ".doctor").touch()
        (home / ".doctor").unlink()
        free_mb = shutil.disk_usage(home).free // _MB
        mode = home.stat().st_mode & 0o777
    except OSError as error:
        return HostFinding("home", "error", f"{home} is not writable: {error.strerror}")
    if free_mb < MIN_FREE_MB:
        return HostFinding("home", "error", f"{home} has {free_mb} MB free", "Free disk space")
    if mode & 0o077 and sys.platform != "win32":
        return HostFinding(
            "home", "warning", f"{home} is open to other users (mode {mode:o})",
            f"chmod 700 {home}",
            lambda _: _make_private(home),
        )  # fmt: skip
    return HostFinding("home", "ok", f"{home}, {free_mb} MB free")


def _check_new_home(home: Path) -> HostFinding:
    """Look whether the home folder, which a start makes, can be made."""
    above = next(folder for folder in home.parents if folder.exists())
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        return HostFinding(
            "home", "error", f"{home} cannot be created in {above}",
            "Set OPENCHROME_HOME to a folder that belongs to you",
        )  # fmt: skip
    return HostFinding("home", "ok", f"{home}, created at the first start")


def check_links(home: Path) -> Iterator[HostFinding]:
    """Look for folders of the home that link to places other users can enter."""
    if not home.is_dir():
        return
    for folder, target in open_links(home):
        yield HostFinding(
            "home links", "warning", f"{folder} is a link to {target}, which other users can enter",
            f"chmod 700 {target}",
        )  # fmt: skip


def check_variables() -> Iterator[HostFinding]:
    """Look for misspelt OPENCHROME_* variables, which would be ignored."""
    for name, hint in unknown_variables(environment()):
        yield HostFinding("environment", "warning", f"{name} is not a setting", hint)


def check_sandbox() -> HostFinding:
    """Look at what Chromium's sandbox needs."""
    if is_root():
        return HostFinding(
            "sandbox", "warning", "off, because you are root", "Run ocd as an ordinary user"
        )
    if sys.platform.startswith("linux") and not has_user_namespaces():
        return HostFinding(
            "sandbox", "warning", "no user namespaces: Chromium needs its setuid helper",
            "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or install "
            "chromium-sandbox",
        )  # fmt: skip
    return HostFinding("sandbox", "ok", "on")


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


def check_fonts() -> HostFinding:
    """Look for a font: without one, pages are laid out and shown wrong."""
    if not sys.platform.startswith("linux"):
        return HostFinding("fonts", "ok", "system fonts")
    folders = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), Path.home() / ".fonts")
    kinds = ("*.ttf", "*.otf", "*.ttc")
    if any(next(folder.rglob(kind), None) for folder in folders for kind in kinds):
        return HostFinding("fonts", "ok", "found")
    return HostFinding("fonts", "warning", "none found", "Install one: fonts-liberation")


def check_cluster_extra(config: Config) -> HostFinding:
    """Look for the extra that cluster crawls need; it matters only if a cluster is configured."""
    try:
        return HostFinding("cluster", "ok", f"Dask {version('distributed')}")
    except PackageNotFoundError:
        if not config.cluster:
            return HostFinding(
                "cluster", "ok", "no clusters configured, and the extra is not installed"
            )
        named = ", ".join(sorted(config.cluster))
        return HostFinding(
            "cluster", "error", f"the extra is not installed, and crawls on {named} need it",
            'pip install "openchrome[cluster]"',
        )  # fmt: skip


def check_video_extra() -> HostFinding:
    """Look for the extra that videos need."""
    try:
        return HostFinding("video", "ok", f"PyAV {version('av')}")
    except PackageNotFoundError:
        how = 'pip install "openchrome[video]"'
        return HostFinding("video", "ok", f"no video recording, the extra is not installed: {how}")


def check_binary(config: Config, fix: Fix | None = None) -> HostFinding:
    """Look for the browser and its version; `fix` installs one."""
    if config.browser_url:
        return HostFinding("browser", "ok", f"attaches to {config.browser_url}")
    try:
        binary = find_browser(
            config.browser_path, headed=config.headed, environ_path=environment().get("PATH")
        )
    except OcdError as error:
        return HostFinding(
            "browser", "error", error.message, error.hint or "ocd doctor --fix",
            None if config.browser_path else fix,
        )  # fmt: skip
    return HostFinding("browser", "ok", f"{binary}, {_version(binary)}")


def _version(binary: str) -> str:
    try:
        done = subprocess.run(
            [binary, "--version"],
            capture_output=True, text=True, timeout=_VERSION_TIMEOUT_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"version unknown ({error})"
    return done.stdout.strip() or "version unknown"


def _make_private(home: Path) -> str:
    home.chmod(0o700)
    return f"made {home} private"
