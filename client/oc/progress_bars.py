"""Progress bars on stderr. Imported only when there is a terminal to draw on."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from oc import daemon_client
from oc.daemon_client import PROGRESS, DaemonClient
from oc.terminal import harmless
from ocd.api.errors import OcdError

Move = Callable[[dict[str, Any]], None]


@contextmanager
def bar(label: str) -> Iterator[Move]:
    """Draw a bar while the block runs; it is moved by progress objects {"done", "total"?, …}."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[message]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task(label, total=None, message="")

        def move(progress: dict[str, Any]) -> None:
            message = harmless(str(progress.get("message", "")))
            drawn.update(
                task, completed=progress["done"], total=progress.get("total"), message=message
            )

        yield move


def call(daemon: DaemonClient, verb: str, params: dict[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
    """Return a long verb's result and draw a bar meanwhile; its error is raised."""
    reply = daemon_client.good(daemon.call(verb, params, accept=PROGRESS))
    with bar(verb.replace("_", " ")) as move:
        for text in reply.lines():
            news = json.loads(text)
            if "progress" not in news:
                break
            move(news["progress"])
        else:
            raise OcdError("no_daemon", "The daemon's answer ended early", hint="ocd logs")
    if "error" in news:
        raise daemon_client.error_in(text)
    return news["result"]
