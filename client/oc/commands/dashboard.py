"""`oc dashboard`: prints a link to the dashboard, and opens it if there is a display."""

from __future__ import annotations

import os
import sys

from oc import terminal
from oc.connection.daemon_client import require_success, result_in
from oc.output import reply_rendering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from oc.command_line.argv import Command
    from oc.command_line.command_index import Index
    from oc.connection.daemon_client import DaemonClient


def dashboard(daemon: DaemonClient, command: Command, _index: Index) -> int:
    """Print a link that works once, and open it."""
    body = {"control": not command.params.get("view_only", False)}
    reply = require_success(daemon.post("/v1/dashboard", body))
    if command.as_json:
        reply_rendering.show_json(reply, command)
        return 0
    link = result_in(reply.read())
    terminal.write_line(link["url"])
    remote = os.environ.get("SSH_CONNECTION", "").split()
    if not command.quiet:
        terminal.say("The link gives one browser access, once, within ten minutes.")
        if len(remote) == 4:
            port = link["port"]
            terminal.say("On your own machine, before you open it there:")
            terminal.say(f"  ssh -N -L {port}:127.0.0.1:{port} {_login(remote[2])}")
    if command.params.get("open", True) and not remote and _has_screen():
        _open(link["url"])
    return 0


def _login(address: str) -> str:
    import getpass

    return f"{getpass.getuser()}@{address}"


def _has_screen() -> bool:
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _open(url: str) -> None:
    import webbrowser

    if not webbrowser.open(url):
        terminal.say("No browser could be opened: open the link yourself.")
