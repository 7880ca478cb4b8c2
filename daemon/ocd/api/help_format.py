"""Help of typer commands that fits the terminal."""

import sys
from collections.abc import Sequence
from typing import Any

import typer

from ocd.api import terminal_text

_Formatter: Any = typer.Context.formatter_class


class FittingFormatter(_Formatter):  # type: ignore[misc] # typer does not export its own
    """A formatter of the terminal's width, whose lists go below their names where it is narrow."""

    def __init__(self, *_size: object, **_limits: object) -> None:
        _Formatter.__init__(self, width=terminal_text.columns_of_help(sys.stdout))

    def write_dl(self, rows: Sequence[tuple[str, str]], *_limits: int, **_more: int) -> None:
        """Write names and their texts."""
        lines = terminal_text.two_columns(rows, self.width, self.current_indent)
        self.write("".join(f"{line}\n" for line in lines))


class FittingContext(typer.Context):
    """A context whose help is written by a FittingFormatter."""

    formatter_class: Any = FittingFormatter


def fit_help(command: Any) -> Any:  # noqa: ANN401 - a command of typer's own click
    """Make the help of a command, and of all below it, fit the terminal; returns it."""
    command.context_class = FittingContext
    # Else a list of commands cuts the first line of their help.
    command.short_help = command.short_help or (command.help or "").partition("\n")[0]
    for inner in getattr(command, "commands", {}).values():
        fit_help(inner)
    return command
