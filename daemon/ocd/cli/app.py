"""The commands of `ocd`."""

import re
from typing import Annotated

import typer
from typer.exceptions import TyperException

from ocd.api import shell_completion
from ocd.api.help_format import fit_help
from ocd.cli import config, doctor, logs, practice, run, service, start, status, stop, version
from ocd.cli.exits import INTERRUPTED, exit_status_of
from ocd.cli.options import Json
from ocd.cli.output import say, show_json

# How typer suggests names for a misspelt option or command.
_NEAR = re.compile(r"(Did you mean|\(Possible options:|\(Did you mean) ?(?P<names>[^)]*)")


def _main(
    context: typer.Context,
    *,
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit; --json: of all parts")
    ] = False,
    json: Json = False,
) -> None:
    """Run the OpenChrome daemon: a browser service for AI agents

    Settings come from flags, OPENCHROME_* variables and $OPENCHROME_HOME/config.toml, in this
    order of precedence. The client is `oc`.
    """
    if json and not show_version:
        raise typer.BadParameter(
            "give it after the command, or with --version", param_hint="--json"
        )
    if show_version:
        if json:
            show_json(version.describe())
        else:
            print(version.show_version())
    elif context.invoked_subcommand is None:
        print(context.get_help())


def build() -> typer.Typer:
    """Return the application."""
    app = typer.Typer(name="ocd", rich_markup_mode=None, invoke_without_command=True)
    app.callback()(_main)
    for command in (
        start.start,
        stop.stop,
        stop.restart,
        status.status,
        run.run,
        logs.logs,
        doctor.doctor,
        practice.practice,
    ):
        app.command()(command)
    app.add_typer(service.build(), name="service")
    app.add_typer(config.build(), name="config")
    return app


def execute(arguments: list[str]) -> int:
    """Run `ocd` with these arguments and return its exit status."""
    return exit_status_of(lambda: _run(arguments), as_json="--json" in arguments)


def _run(arguments: list[str]) -> object:
    if arguments[:1] and arguments[0] in shell_completion.OPTIONS:
        shell = arguments[1] if len(arguments) > 1 else None
        print(shell_completion.carry_out("ocd", arguments[0], shell))
        return 0
    shell_completion.prepare("ocd")
    # Not by calling the application: that would install typer's traceback printer.
    command = fit_help(typer.main.get_command(build()))
    try:
        return command.main(arguments, prog_name="ocd", standalone_mode=False)
    except TyperException as error:
        return _usage(error)
    except typer.Abort:
        return INTERRUPTED


def _usage(error: TyperException) -> int:
    message = error.format_message()
    near = _NEAR.search(message)
    say(f"Error: {message[: near.start()] if near else message}".rstrip())
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "ocd"
    say(f"Hint: {_suggestion(near['names'])}" if near else f"Hint: {path} --help")
    return error.exit_code


_QUOTES = "'\""


def _suggestion(names: str) -> str:
    """Return typer's suggestion, "--headed" or "'start', 'status'?", worded as ours are."""
    quoted = (f"'{name.strip(_QUOTES)}'" for name in names.rstrip("?").split(", "))
    return f"Did you mean {', '.join(quoted)}?"
