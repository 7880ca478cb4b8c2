"""Installing Chromium with this machine's package manager."""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import typer

from ocd.api.errors import OcdError
from ocd.cli.output import say
from ocd.runtime.host_checks import is_root

Command = list[str]
Which = Callable[[str], str | None]

# Package manager → its commands, in the order in which they are looked for.
_MANAGERS: dict[str, list[Command]] = {
    "apt-get": [
        ["apt-get", "update"],
        [
            "apt-get",
            "install",
            "-y",
            "--no-install-recommends",
            "chromium",
            "chromium-sandbox",
            "fonts-liberation",
        ],
    ],
    "dnf": [["dnf", "install", "-y", "chromium", "liberation-fonts"]],
    "pacman": [["pacman", "-S", "--noconfirm", "--needed", "chromium", "ttf-liberation"]],
    "zypper": [["zypper", "--non-interactive", "install", "chromium", "liberation-fonts"]],
    "apk": [["apk", "add", "chromium", "font-liberation"]],
    "brew": [["brew", "install", "--cask", "google-chrome"]],
}
_BY_HAND = "Install Chromium or Google Chrome, or pass its path: --browser PATH"


def commands(
    which: Which = shutil.which, *, root: bool | None = None, release: str | None = None
) -> list[Command]:
    """Return the commands that install Chromium here; raise `disabled` with what to do instead.

    which, root and release (the text of /etc/os-release) default to this computer's.
    """
    manager = next((name for name in _MANAGERS if which(name)), None)
    if manager is None:
        raise OcdError("disabled", "No supported package manager was found", hint=_BY_HAND)
    if manager == "apt-get" and "ID=ubuntu" in (_release() if release is None else release):
        # There the package is a snap, which may not open a profile in a hidden folder.
        raise OcdError(
            "disabled",
            "Ubuntu's Chromium is a snap, which cannot be automated",
            hint="Install the .deb from https://www.google.com/chrome/",
        )
    return [[*_privilege_prefix(manager, which, root=root), *each] for each in _MANAGERS[manager]]


def install(*, yes: bool) -> str:
    """Install Chromium; print the commands first and, without `yes`, ask on a terminal.

    Raises disabled if nobody agrees or root is needed, browser_not_found if a command fails.
    """
    todo = commands()
    command_line = " && ".join(map(shlex.join, todo))
    say(f"To install Chromium: {command_line}")
    if not yes and not (sys.stdin.isatty() and typer.confirm("Run it?", err=True)):
        raise OcdError(
            "disabled",
            "Chromium was not installed",
            hint="Run the command, or: ocd doctor --fix --yes",
        )
    for command in todo:
        done = subprocess.run(command, check=False, stdout=sys.stderr, stdin=subprocess.DEVNULL)
        if done.returncode:
            failed = f"{shlex.join(command)} failed with status {done.returncode}"
            raise OcdError("browser_not_found", failed, hint=_BY_HAND)
    return "installed Chromium"


def _privilege_prefix(manager: str, which: Which, *, root: bool | None) -> Command:
    if manager == "brew" or (is_root() if root is None else root):
        return []
    if which("sudo"):
        return ["sudo"]
    raise OcdError(
        "disabled",
        f"{manager} needs root, and sudo was not found",
        hint=f"As root: {' && '.join(map(shlex.join, _MANAGERS[manager]))}",
    )


def _release() -> str:
    try:
        return Path("/etc/os-release").read_text()
    except OSError:
        return ""
