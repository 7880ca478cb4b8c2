"""`oc run`: runs your own program, attached to the session."""

from __future__ import annotations

import os
import subprocess
import sys

from oc import terminal
from oc.commands.attach import request_body
from oc.connection.daemon_client import require_success, result_in
from ocd.api.errors import OcdError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from oc.command_line.argv import Command
    from oc.command_line.command_index import Index
    from oc.connection.daemon_client import DaemonClient

# The variable with the address for the program; attached_program.py reads it.
VARIABLE = "OPENCHROME_ATTACH_URL"
_RUNNER = os.path.join(os.path.dirname(__file__), "attached_program.py")
_KILLED = 128


def run(daemon: DaemonClient, command: Command, _index: Index) -> int:
    """Run the program with our standard streams, and return its exit status."""
    file = os.path.abspath(command.params["file"])
    if not os.path.isfile(file):
        raise OcdError("file_not_found", f"No such file: {file}", path=file)
    python = command.params.get("python") or sys.executable
    address = result_in(require_success(daemon.post("/v1/attach", request_body(command))).read())
    words = [python, _RUNNER, file, *command.params.get("args", ())]
    status = _wait_for(words, {**os.environ, VARIABLE: address["url"]})
    if status != 0 and not command.quiet and _lacks_playwright(python, file):
        terminal.say("Playwright is not installed next to OpenChrome. Name a Python that has it:")
        terminal.say(f"  oc run --python PATH {command.params['file']}")
    return status


def _wait_for(words: list[str], environ: dict[str, str]) -> int:
    try:
        program = subprocess.Popen(words, env=environ)
    except OSError as error:
        message = f"{words[0]}: {error.strerror or error}"
        raise OcdError("file_not_found", message, path=words[0]) from error
    while True:
        try:
            status = program.wait()
        except KeyboardInterrupt:
            continue  # the program has received it, too, and decides
        return status if status >= 0 else _KILLED - status


def _lacks_playwright(python: str, file: str) -> bool:
    from importlib.util import find_spec

    if python != sys.executable or find_spec("playwright") is not None:
        return False
    with open(file, "rb") as source:
        return b"playwright" in source.read()
