"""Settings as command-line flags, and flags as arguments of a child process."""

import inspect
from collections.abc import Callable, Iterable, Mapping
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


def given_flags(flags: Mapping[str, Any]) -> dict[str, object]:
    """Return the flags that were given, lists split at commas."""
    values = {key: value for key, value in flags.items() if value not in (None, [])}
    return {key: _items(SETTINGS[key], value) for key, value in values.items()}


def to_arguments(values: Mapping[str, Any], keys: Iterable[str]) -> list[str]:
    """Return decoded values as the arguments that give them again."""
    return [argument for key in keys for argument in _arguments(SETTINGS[key], values[key])]


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


def _items(setting: SettingSpec, value: object) -> object:
    if isinstance(value, list) and setting.note("split") == "comma":
        return [part.strip() for text in value for part in text.split(",")]
    return value


def _arguments(setting: SettingSpec, value: object) -> list[str]:
    flag = setting.flag or ""
    if isinstance(value, bool):
        return [flag if value else f"--no-{flag[2:]}"]
    values = value if isinstance(value, tuple) else (value,)
    # With "=" a value that starts with a dash stays a value.
    return [f"{flag}={each}" for each in values]
