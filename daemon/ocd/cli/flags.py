"""The settings' flags on a command line: as values, and values as flags for a child process.

Without typer: `ocd run` with nothing but flags is a daemon, and a daemon has no use for a parser of
command lines for the rest of its life (2 MB).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ocd.config.settings import SETTINGS, SettingSpec


def parse_flags(arguments: Sequence[str]) -> dict[str, object] | None:
    """Return the flags that were given, by key; None if there is anything else, or a mistake.

    typer, which knows what to say about that, gets the same values from what is accepted here.
    """
    settings = {setting.flag: setting for setting in SETTINGS.values() if setting.flag}
    switches = {
        spelling: (setting.key, spelling == flag)
        for flag, setting in settings.items()
        if setting.kind is bool
        for spelling in (flag, f"--no-{flag[2:]}")
    }
    flags: dict[str, Any] = {}
    waiting = iter(arguments)
    for argument in waiting:
        if switch := switches.get(argument):
            flags[switch[0]] = switch[1]
            continue
        name, equals, text = argument.partition("=")
        setting = settings.get(name)
        if setting is None or name in switches:
            return None
        if not equals and (text := next(waiting, "-")).startswith("-"):
            return None
        value = _read_number(setting, text)
        if value is None:
            return None
        if setting.is_list:
            flags.setdefault(setting.key, []).append(value)
        else:
            flags[setting.key] = value
    return given_flags(flags)


def given_flags(flags: Mapping[str, Any]) -> dict[str, object]:
    """Return the flags that were given, lists split at commas."""
    values = {key: value for key, value in flags.items() if value not in (None, [])}
    return {key: _items(SETTINGS[key], value) for key, value in values.items()}


def to_arguments(values: Mapping[str, Any], keys: Iterable[str]) -> list[str]:
    """Return decoded values as the arguments that give them again."""
    return [argument for key in keys for argument in _arguments(SETTINGS[key], values[key])]


def _read_number(setting: SettingSpec, text: str) -> object:
    """Return the text, or the number if the setting is one; None if it is not a number."""
    if setting.scalar not in (int, float) or setting.is_list:
        return text
    try:
        return setting.scalar(text)
    except ValueError:
        return None


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
