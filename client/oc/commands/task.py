"""`oc task start|resume|watch|events`."""

import json
import sys
from collections.abc import Callable
from typing import Any

from oc import terminal, verb_call
from oc.command_line import command_index, command_names
from oc.command_line.argv import Command
from oc.command_line.command_index import Index
from oc.connection import daemon_client
from oc.connection.daemon_client import DaemonClient
from oc.output import task_rendering
from ocd.api.errors import OcdError

_STAYS = frozenset(("wait", "watch"))
_OWN = _STAYS | {"kind", "args"}
_WAIT_MS = 60_000


def start(daemon: DaemonClient, command: Command, index: Index) -> int:
    """Start a task; with --wait or --watch, stay until it has ended."""
    arguments = command.params
    args = arguments.get("args", {}) | {k: v for k, v in arguments.items() if k not in _OWN}
    kind = command_index.kind(index, arguments["kind"])
    params = {"kind": kind["name"] if kind else command_names.key(arguments["kind"]), "args": args}
    return _begin(daemon, command, "oc_task_start", params, index)


def resume(daemon: DaemonClient, command: Command, index: Index) -> int:
    """Continue a crawl as a new task; with --wait or --watch, stay until it has ended."""
    params = {name: value for name, value in command.params.items() if name not in _STAYS}
    return _begin(daemon, command, "oc_task_resume", params, index)


def _begin(
    daemon: DaemonClient, command: Command, verb: str, params: dict[str, Any], index: Index
) -> int:
    arguments = command.params
    if not (arguments.get("wait") or arguments.get("watch")):
        return verb_call.run(daemon, command, verb, params, index)
    task_id = daemon.result(verb, **params)["task_id"]
    if not (command.quiet or command.as_json):
        terminal.say(f"Started task {task_id}")
    try:
        if arguments.get("watch") or _wants_bar(command):
            _follow(daemon, command, task_id)
        else:
            _wait(daemon, command, task_id)
    except KeyboardInterrupt:
        terminal.say(f"\nTask {task_id} is still running.")
        terminal.say(f"Hint: oc task cancel {task_id}")
        raise
    return _finish(daemon, command, task_id, show_json=True)


def watch(daemon: DaemonClient, command: Command, _index: Index) -> int:
    """Show a task's progress until it has ended; the exit status is that of the task."""
    task_id = command.params["task_id"]
    _follow(daemon, command, task_id)
    return _finish(daemon, command, task_id, show_json=False)


def events(daemon: DaemonClient, command: Command, _index: Index) -> int:
    """Print a task's events, unchanged or as lines for people."""
    follow = bool(command.params.get("follow"))
    _print_events(daemon, command, command.params["task_id"], follow=follow)
    return 0


def _wants_bar(command: Command) -> bool:
    return sys.stderr.isatty() and not (command.as_json or command.quiet)


def _follow(daemon: DaemonClient, command: Command, task_id: str) -> None:
    if not _wants_bar(command):
        _print_events(daemon, command, task_id, follow=True)
        return
    from oc.output import progress_bars as bars

    reply = daemon.get(_events_path(task_id, follow=True), timeout_s=None)
    with bars.bar(f"task {task_id}") as move:
        for text in reply.lines():
            progress = task_rendering.progress_in(json.loads(text))
            if progress is not None:
                move(progress)


def _print_events(daemon: DaemonClient, command: Command, task_id: str, *, follow: bool) -> None:
    reply = daemon.get(_events_path(task_id, follow=follow), timeout_s=None)
    show: Callable[[bytes], None] = _show_raw if command.as_json else _show_event
    for text in reply.lines():
        show(terminal.json_in_commands(text))


def _show_raw(text: bytes) -> None:
    terminal.write_bytes(text + b"\n")


def _show_event(text: bytes) -> None:
    terminal.write_line(task_rendering.event_line(json.loads(text)))


def _events_path(task_id: str, *, follow: bool) -> str:
    if not task_id.isalnum():
        raise OcdError("task_not_found", f"There is no task '{task_id}'", hint="oc task list")
    return f"/v1/tasks/{task_id}/events" + ("?follow=1" if follow else "")


def _wait(daemon: DaemonClient, command: Command, task_id: str) -> None:
    limit = command.options.get("timeout_ms")
    while True:
        try:
            daemon.result("oc_task_wait", task_id=task_id, timeout_ms=limit or _WAIT_MS)
        except OcdError as error:
            if error.code != "timeout" or limit:
                raise
        else:
            return


def _finish(daemon: DaemonClient, command: Command, task_id: str, *, show_json: bool) -> int:
    """Print how the task ended; return 0 if it completed, else 1."""
    reply = daemon_client.require_success(daemon.call("oc_task_get", {"task_id": task_id}))
    body = terminal.json_in_commands(reply.read())
    meta = json.loads(body)["result"]["meta"]
    if command.as_json:
        if show_json:
            terminal.write_bytes(body.rstrip(b"\n") + b"\n")
    else:
        terminal.write_line(
            f"{meta['status']}  {meta['kind']}  {task_rendering.done_text(meta)}  {task_id}"
        )
    return task_rendering.say_end(meta, quiet=command.as_json)
