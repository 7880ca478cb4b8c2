"""Shell completion: the scripts that `oc` and `ocd` print or install, and typer's replies."""

import importlib
import os
from pathlib import Path
from typing import Any

from ocd.api.errors import OcdError

# typer does not say which names of this module are for others.
_completion: Any = importlib.import_module("typer.completion")

OPTIONS = ("--install-completion", "--show-completion")
_SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")


def variable(program: str) -> str:
    """Return the environment variable by which a shell asks a program for completions."""
    return f"_{program.upper()}_COMPLETE"


def prepare(program: str) -> None:
    """Let typer answer, if it is a shell that asks for completions."""
    if variable(program) in os.environ:
        _completion.completion_init()


def carry_out(program: str, option: str, shell: str | None) -> str:
    """Show or install (`option`) the script for a shell, default $SHELL; return the text to print.

    Raises invalid_argument.
    """
    shell = shell or Path(os.environ.get("SHELL", "")).name
    if shell not in _SHELLS:
        raise OcdError(
            "invalid_argument", f"No completion for the shell '{shell}'",
            hint=f"{program} {option} bash, or one of {', '.join(_SHELLS[1:])}",
        )  # fmt: skip
    if option == "--show-completion":
        script: str = _completion.get_completion_script(
            prog_name=program, complete_var=variable(program), shell=shell
        )
        return script
    _, path = _completion.install(shell, program, variable(program))
    return (
        f"{shell} completion installed in {path}\n"
        "Completion will take effect once you restart the terminal"
    )
