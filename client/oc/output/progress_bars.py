"""Progress bars on stderr. Imported only with a terminal to draw on."""

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import Progress, ProgressColumn, Task
from rich.text import Text

from oc import terminal
from oc.connection import daemon_client
from oc.connection.daemon_client import PROGRESS, DaemonClient
from oc.output import human_text
from oc.terminal import without_controls
from ocd.api import progress_text, terminal_text
from ocd.api.errors import OcdError

Move = Callable[[dict[str, Any]], None]

# On a terminal without cursor movement, progress is printed again after this many seconds.
_SAY_EVERY_S = 1.0
_NARROW = 60


@contextmanager
def bar(label: str) -> Iterator[Move]:
    """Show progress while the block runs; it is updated with the `progress` of tasks.

    The bar takes one line of the terminal; if lines cannot be redrawn, one is printed from time to
    time.
    """
    if terminal_text.is_dumb():
        yield _lines(label)
        return
    console = Console(stderr=True, width=terminal_text.columns(sys.stderr))
    line = _ProgressLine(label, console.width, plain=terminal_text.is_ascii(sys.stderr))
    with Progress(line, console=console, transient=True) as drawn:
        task = drawn.add_task(label, total=None, message="", figures=None)

        def move(progress: dict[str, Any]) -> None:
            message = without_controls(str(progress.get("message", "")))
            drawn.update(
                task, completed=progress["done"], total=progress.get("total"), message=message,
                figures=progress.get("figures"),
            )  # fmt: skip

        yield move


class _ProgressLine(ProgressColumn):
    """The only column: complete lines, built here because rich cuts numbers if it is narrow.

    There is a second line if pages have failed, or come from several hosts.
    """

    def __init__(self, label: str, width: int, *, plain: bool) -> None:
        super().__init__()
        self._label = label
        self._width = width
        self._plain = plain
        self._share = 0.0

    def render(self, task: Task) -> Text:
        """Return the line; the bar never moves back, even if a total grows."""
        if task.total:
            self._share = max(self._share, min(task.completed / task.total, 1.0))
        text = progress_line(
            self._label, int(task.completed), task.total, self._share if task.total else None,
            task.elapsed or 0.0, task.fields["message"], self._width, plain=self._plain,
            figures=task.fields["figures"],
        )  # fmt: skip
        more = _details(task.fields["figures"], self._width, plain=self._plain)
        return Text("\n".join(filter(None, (text, more))), no_wrap=True, overflow="crop")


def progress_line(  # noqa: PLR0913 - the parts of a line
    label: str, done: int, total: float | None, share: float | None, elapsed_s: float,
    message: str, width: int, *, plain: bool, figures: Mapping[str, Any] | None = None,
) -> str:  # fmt: skip
    """Return a line narrower than `width`: bar, numbers, time, and whatever else fits."""
    counts = f"{done}/{total:.0f}" if total is not None else str(done)
    minutes, seconds = divmod(int(elapsed_s), 60)
    tail = f"{counts} {minutes}:{seconds:02d}"
    line = f"{_bar(share, min(40, width // 4), plain=plain)} {tail}"
    if width >= _NARROW:
        line = f"{label} {line}"
    for part in progress_text.speed(figures) if figures else ():
        if len(line) + 1 + len(part) < width:
            line += f" {part}"
    room = width - 1 - len(line) - 1
    if room >= _NARROW // 4 and message:
        line += " " + human_text.cut(message, room, plain=plain)
    return line[: width - 1]


def _details(figures: Mapping[str, Any] | None, width: int, *, plain: bool) -> str:
    if not figures:
        return ""
    parts = (progress_text.failures(figures), progress_text.hosts(figures))
    return human_text.cut(without_controls(", ".join(filter(None, parts))), width - 1, plain=plain)


def _bar(share: float | None, length: int, *, plain: bool) -> str:
    full, empty = ("#", "-") if plain else ("━", "─")
    filled = int((share or 0.0) * length)
    return full * filled + empty * (length - filled)


def _lines(label: str) -> Move:
    last = 0.0

    def move(progress: dict[str, Any]) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _SAY_EVERY_S:
            return
        last = now
        total = progress.get("total")
        counts = f"{progress['done']}/{total}" if total is not None else str(progress["done"])
        figures = progress.get("figures")
        details = progress_text.line(figures) if figures else ""
        words = (label, counts, details, progress.get("message", ""))
        terminal.say(" ".join(filter(None, words)))

    return move


def call(daemon: DaemonClient, verb: str, params: dict[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
    """Return a long verb's result, showing a bar meanwhile; raises its error."""
    reply = daemon_client.require_success(daemon.call(verb, params, accept=PROGRESS))
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
