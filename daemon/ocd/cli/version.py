"""`ocd --version`: the installed version; with --json, also what would run and what is running."""

import platform
from importlib.metadata import version
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.process.discovery import find_browser
from ocd.cli import control
from ocd.config.loader import home_dir, load

_OF_DAEMON = ("version", "pid", "browser")


def show_version() -> str:
    """Return the line of `ocd --version`."""
    return f"ocd {version('openchrome')}"


def describe() -> dict[str, Any]:
    """Return the versions and locations of all parts; null: not installed, or not running."""
    return {
        "version": version("openchrome"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "home": str(home_dir()),
        "browser": _browser(),
        "daemon": _daemon(),
    }


def _browser() -> str | None:
    try:
        config = load({})
        return find_browser(config.browser_path, headed=config.headed)
    except OcdError:  # `ocd doctor` says why
        return None


def _daemon() -> dict[str, Any] | None:
    try:
        status = control.status(home_dir())
    except OcdError:  # `ocd status` says why it does not answer
        return None
    return {key: status.get(key) for key in _OF_DAEMON} if status else None
