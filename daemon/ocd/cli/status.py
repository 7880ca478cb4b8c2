"""`ocd status`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ocd.api.errors import OcdError
from ocd.cli import control
from ocd.cli.options import Json
from ocd.cli.output import show_json
from ocd.cli.stalls import ended_by_watchdog, explain_silence
from ocd.config.loader import home_dir


def status(*, json: Json = False) -> None:
    """Show the daemon's status

    Exits with status 3 if it is not running. Never starts it.
    """
    home = home_dir()
    try:
        body = control.status(home)
    except OcdError as error:
        raise explain_silence(home, error) from error
    if body is None:
        raise no_daemon(home)
    if json:
        show_json(body)
        return
    for line in _lines(body):
        print(line)


def no_daemon(home: Path) -> OcdError:
    """Return the error that says why no daemon responds for this home."""
    holder = control.find_holder(home)
    if holder:
        return OcdError(
            "busy",
            f"ocd (pid {holder.pid}) does not listen: it is starting or stopping",
            hint="See what it does: ocd logs",
        )
    socket = control.address(home)
    stale = Path(socket).exists()
    left = f" (a crashed daemon left {socket} behind; the next start replaces it)"
    reason = ended_by_watchdog(home) or (left if stale else "")
    return OcdError("no_daemon", f"ocd is not running{reason}", hint="Start it: ocd start")


def _lines(body: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    for key, value in body.items():
        label = f"{indent}{key.replace('_', ' ')}:"
        if isinstance(value, dict):
            yield label
            yield from _lines(value, indent + "  ")
        elif isinstance(value, list):
            yield f"{label} {', '.join(map(str, value)) or '-'}"
        else:
            yield f"{label} {'-' if value in (None, '') else value}"
