"""`oc batch`: runs commands from standard input, one after the other over one connection.

It stops where the next command would act on an unexpected state: at an error, a dialog, a popup or
a closed tab. A dialog is expected if the next command answers it, a popup or a closed tab if the
next command is about tabs.
"""

from __future__ import annotations

import json
import sys

from oc import terminal, verb_call
from oc.command_line import argv
from ocd.api import errors
from ocd.api.errors import OcdError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from oc.command_line.argv import Command
    from oc.command_line.command_index import Index
    from oc.connection.daemon_client import DaemonClient

_TAB_VERBS = frozenset(("tabs_context", "tabs_create", "tabs_close", "navigate"))
_DIALOG_ACTIONS = frozenset(("accept_dialog", "dismiss_dialog"))


class _Step:
    """One command of a batch: its line number, its words, and the command parsed from them."""

    __slots__ = ("command", "number", "text")

    def __init__(self, number: int, text: str, command: Command) -> None:
        self.number = number
        self.text = text
        self.command = command


def run(daemon: DaemonClient, command: Command, index: Index) -> int:
    """Carry out `oc batch`; the exit status is that of the first command that failed."""
    steps = [_step(number, text, command, index) for number, text in _lines()]
    daemon.keep_connection()
    status = 0
    for at, step in enumerate(steps):
        following = steps[at + 1] if at + 1 < len(steps) else None
        failed, reason = _carry_out(daemon, step, index, following)
        status = status or failed
        if reason is None:
            continue
        terminal.say(f"Line {step.number}, {step.text}: {reason}.")
        if not command.params.get("continue"):
            left = len(steps) - at - 1
            if left:
                terminal.say(f"Stopped: {at + 1} of {len(steps)} commands were run.")
            return status or 1
    return status


def _lines() -> Iterator[tuple[int, str]]:
    # As bytes, so that commands do not depend on the locale.
    for number, line in enumerate(sys.stdin.buffer.read().split(b"\n"), 1):
        text = line.decode("utf-8", "surrogateescape").strip()
        if text and not text.startswith("#"):
            yield number, text


def _step(number: int, text: str, batch: Command, index: Index) -> _Step:
    """Return a line as a command; all lines are checked before the first one runs."""
    try:
        words = _words(text)
        command = argv.parse(words[words[:1] == ["oc"] :], index)
    except argv.HelpRequested:
        raise OcdError("invalid_argument", f"Line {number}: not a command: {text}") from None
    except OcdError as error:
        raise OcdError(error.code, f"Line {number}: {error.message}", hint=error.hint) from None
    if command.entry["name"] == "batch":
        raise OcdError("invalid_argument", f"Line {number}: a batch cannot run a batch")
    command.options = {**batch.options, **command.options}
    return _Step(number, text, command)


def _words(text: str) -> list[str]:
    if text.startswith("["):
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if not isinstance(found, list):
            raise OcdError("invalid_argument", f"not a JSON array: {text}")
        return [word if isinstance(word, str) else json.dumps(word) for word in found]
    import shlex

    try:
        return shlex.split(text)
    except ValueError as error:
        raise OcdError("invalid_argument", f"{error}: {text}") from None


def _carry_out(
    daemon: DaemonClient, step: _Step, index: Index, following: _Step | None
) -> tuple[int, str | None]:
    """Run a command and show its result; return its exit status, and why to stop, if so."""
    entry = step.command.entry
    daemon.command = step.command
    try:
        if "run" in entry:
            status = verb_call.run_own(daemon, step.command, index)
            return status, f"exit status {status}" if status else None
        status, result = verb_call.carry_out(
            daemon, step.command, entry["name"], step.command.params, index
        )
    except OcdError as error:
        terminal.failure(error, as_json=step.command.as_json)
        return errors.exit_status(error.code), error.code
    if status:
        return status, "failed"
    return 0, _unexpected_change(result, following)


def _unexpected_change(result: Any, following: _Step | None) -> str | None:  # noqa: ANN401 - any JSON value
    changed = result.get("changed") if isinstance(result, dict) else None
    if not isinstance(changed, dict):
        return None
    verb = following.command.entry["name"] if following else ""
    action = following.command.params.get("action") if following else None
    if "dialog" in changed and action not in _DIALOG_ACTIONS:
        return f"a dialog is open: {changed['dialog'].get('message', '')}"
    if verb in _TAB_VERBS:
        return None
    if changed.get("popups"):
        return f"a tab has opened: {', '.join(tab['tab_id'] for tab in changed['popups'])}"
    return "its tab was closed" if changed.get("closed") else None
