"""Settings as options of typer's commands."""

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from ocd.config.settings import SETTINGS, SettingSpec

Json = Annotated[bool, typer.Option("--json", help="Print only JSON")]


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command a flag for every setting that has one; it gets them all in `flags`."""
    own = [
        parameter
        for parameter in inspect.signature(command).parameters.values()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    flags = [_parameter(setting) for setting in SETTINGS.values() if setting.flag]
    command.__signature__ = inspect.Signature([*own, *flags])  # type: ignore[attr-defined] # typer reads it
    return command


def _parameter(setting: SettingSpec) -> inspect.Parameter:
    flag = setting.flag or ""
    if setting.kind is bool:
        option = typer.Option(f"{flag}/--no-{flag[2:]}", help=_help(setting))
    else:
        option = typer.Option(flag, help=_help(setting), metavar=setting.note("metavar"))
    kinds: dict[Any, Any] = {bool: bool | None, int: int | None, float: float | None}
    annotation = list[str] | None if setting.is_list else kinds.get(setting.scalar, str | None)
    return inspect.Parameter(
        setting.key,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[annotation, option],
    )


def _help(setting: SettingSpec) -> str:
    text = setting.meta.description or ""
    if setting.kind in (int, float):
        return f"{text} [default: {setting.default}]"
    return text
