"""Loading settings: flags over OPENCHROME_* variables over config.toml over defaults.

Decoded strictly: an unknown key, a wrong type or a value out of range is `config_invalid` and
names its source. No other module of the daemon reads the environment.
"""

import logging
import math
import os
import re
import shlex
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ocd.api import paths
from ocd.api.errors import OcdError, did_you_mean
from ocd.api.wire import CAPABILITY_GROUPS
from ocd.config.settings import (
    EXCLUSIVE,
    FILE_NAME,
    LIVE,
    PREFIX,
    SETTINGS,
    Config,
    SettingSpec,
)

__all__ = ["Config", "environment", "home_dir", "load", "reload", "sources", "unknown_variables"]

Flags = Mapping[str, object]
Environ = Mapping[str, str]
_log = logging.getLogger(__name__)
# tomllib's time grows with the square of the parts of a dotted key.
_LONG_KEY = re.compile(rb"""(?:(?<![\w-])["']?[\w-]++["']?[ \t]*+\.[ \t]*+){200}""")


class _Source(NamedTuple):
    """A source of settings: how it names keys, and the base of relative paths."""

    name: Callable[[str], str]
    base: Path
    strict: bool = True


def environment() -> Environ:
    """Return the process's environment, for parts that get it as a parameter."""
    return os.environ


def home_dir(environ: Environ | None = None) -> Path:
    """Return $OPENCHROME_HOME or ~/.openchrome, absolute."""
    return Path(paths.home(environment() if environ is None else environ))


def load(flags: Flags, environ: Environ | None = None) -> Config:
    """Return the settings; raise `config_invalid` naming the source and the key that is wrong.

    flags: key → value of those that were given. Reads the environment (unless `environ` is given)
    and config.toml.
    """
    environ = environment() if environ is None else environ
    home = home_dir(environ)
    cwd = Path.cwd()
    from_flags = _decode(flags, _Source(lambda key: SETTINGS[key].flag or key, cwd))
    variables = _variables(environ)
    from_environ = _decode(variables, _Source(lambda k: SETTINGS[k].variable, cwd, strict=False))
    overrides = _merge(from_environ, from_flags)
    return _build(home, overrides, _read_file(home / FILE_NAME))


def reload(config: Config, path: Path) -> Config:
    """Return `config` with the live settings of the file at `path`; unchanged if it is invalid.

    What is wrong, and what needs a restart, is logged.
    """
    try:
        new = _build(config.home, config.overrides, _read_file(path))
    except OcdError as error:
        _log.warning("keeping the last valid configuration: %s", error.message)
        return config
    changed = {key for key in SETTINGS if getattr(new, key) != getattr(config, key)}
    for key in sorted(changed - LIVE):
        _log.warning("%s: changing %s needs a restart: ocd restart", path, key)
    live = {key: getattr(new, key) for key in sorted(changed & LIVE)}
    if live:
        _log.info("configuration changed: %s", ", ".join(live))
    return msgspec.structs.replace(config, **live)


def sources(environ: Environ) -> dict[str, str]:
    """Return where each setting that is not at its default comes from: a variable, or the file."""
    file = home_dir(environ) / FILE_NAME
    variables = _variables(environ)
    values = _merge(_read_file(file), variables)
    return {key: SETTINGS[key].variable if key in variables else str(file) for key in values}


# Our variables that are not settings of the daemon.
_OTHER_VARIABLES = frozenset(("OPENCHROME_HOME", "OPENCHROME_SESSION"))
_OTHER_PREFIXES = ("OPENCHROME_TOTP_",)


def unknown_variables(environ: Environ) -> list[tuple[str, str]]:
    """Return the OPENCHROME_* variables that are ignored, each with a hint."""
    names = [setting.variable for setting in SETTINGS.values() if not setting.is_table]
    tables = {setting.variable: key for key, setting in SETTINGS.items() if setting.is_table}
    ignored = [
        name
        for name in sorted(environ)
        if name.startswith(PREFIX)
        and name not in (*names, *_OTHER_VARIABLES)
        and not name.startswith(_OTHER_PREFIXES)
    ]
    return [(name, _variable_hint(name, names, tables)) for name in ignored]


def _variable_hint(name: str, names: list[str], tables: Mapping[str, str]) -> str:
    if name in tables:
        return f"It is a table: set [{tables[name]}] in {FILE_NAME}."
    return did_you_mean(name, names, "All settings: ocd config show", cutoff=0.85)


def _build(home: Path, overrides: dict[str, Any], from_file: dict[str, Any]) -> Config:
    values = _merge(from_file, overrides)
    values.setdefault("profile", home / "profile")
    values.setdefault("token_file", home / "run" / "token")
    return Config(home=home, overrides=overrides, **values)


def _merge(low: dict[str, Any], high: dict[str, Any]) -> dict[str, Any]:
    excluded = {a for pair in EXCLUSIVE for a, b in (pair, pair[::-1]) if high.get(b)}
    return {key: value for key, value in low.items() if key not in excluded} | high


def _read_file(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            text = file.read()
        if _LONG_KEY.search(text):
            raise _invalid(str(path), "a key with more than 200 parts")
        raw = tomllib.loads(text.decode())
    except (FileNotFoundError, NotADirectoryError):  # a home that is a file is reported elsewhere
        return {}
    except OSError as error:
        raise _invalid(str(path), error.strerror or str(error)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _invalid(str(path), f"not valid TOML: {error}") from error
    for key in raw:
        if key not in SETTINGS:
            hint = did_you_mean(key, SETTINGS, f"Known keys: {', '.join(SETTINGS)}")
            raise _invalid(f"{path}: {key}", "unknown key", hint=hint, key=key)
    return _decode(raw, _Source(lambda key: f"{path}: {key}", path.parent))


def _variables(environ: Environ) -> dict[str, object]:
    # An empty variable is one that was not set.
    scalars = {key: setting for key, setting in SETTINGS.items() if not setting.is_table}
    values = {key: environ.get(setting.variable) for key, setting in scalars.items()}
    return {key: _split(SETTINGS[key], text) for key, text in values.items() if text}


def _split(setting: SettingSpec, text: str) -> object:
    if not setting.is_list:
        return text.strip()
    if setting.note("split") == "words":
        try:
            return shlex.split(text)
        except ValueError as error:
            raise _invalid(setting.variable, str(error), key=setting.key) from error
    separator = os.pathsep if setting.note("split") == "path" else ","
    return [part.strip() for part in text.split(separator) if part.strip()]


def _decode(raw: Mapping[str, object], source: _Source) -> dict[str, Any]:
    values = {key: _value(SETTINGS[key], value, source) for key, value in raw.items()}
    for one, other in EXCLUSIVE:
        if values.get(one) and values.get(other):
            raise _invalid(
                source.name(one), f"cannot be combined with {source.name(other)}", key=one
            )
    return values


def _value(setting: SettingSpec, raw: object, source: _Source) -> Any:  # noqa: ANN401 - any setting's type
    name = source.name(setting.key)

    def as_path(_: type, text: object) -> Path:
        if not isinstance(text, str) or not text or "\0" in text:
            raise ValueError("expected a path")
        return Path(os.path.abspath(source.base / Path(text).expanduser()))  # noqa: PTH100 - links stay

    try:
        value = msgspec.convert(raw, setting.type, strict=source.strict, dec_hook=as_path)
    except (msgspec.ValidationError, RuntimeError) as error:
        hint = f"Known keys: {', '.join(setting.table_keys)}" if setting.table_keys else ""
        where = name + _entry_at_fault(setting, raw, as_path)
        raise _invalid(where, str(error), hint=hint, key=setting.key) from error
    if setting.key in ("tools_only", "disable_tools"):
        _check_groups(name, setting.key, value)
    if setting.key in ("allow_domain", "block_domain") and value:
        _check_globs(name, setting.key, value)
    if setting.key == "browser_args":
        _check_browser_args(name, setting.key, value)
    if isinstance(value, float) and not math.isfinite(value):
        raise _invalid(name, "expected a finite number", key=setting.key)
    return value


def _entry_at_fault(setting: SettingSpec, raw: object, as_path: Callable[..., Path]) -> str:
    """Return ".NAME" of the first table that is wrong, where a setting is tables by name."""
    if isinstance(raw, dict) and isinstance(setting.default, dict):
        for entry, table in raw.items():
            try:
                msgspec.convert({entry: table}, setting.type, dec_hook=as_path)
            except (msgspec.ValidationError, RuntimeError):
                return f".{entry}"
    return ""


def _check_groups(name: str, key: str, groups: Iterable[str]) -> None:
    for group in groups:
        if group not in CAPABILITY_GROUPS:
            known = f"The groups are: {', '.join(CAPABILITY_GROUPS)}"
            raise _invalid(name, f"unknown capability group {group!r}", hint=known, key=key)


def _check_globs(name: str, key: str, texts: Iterable[str]) -> None:
    from ocd.safety.host_globs import parse  # imported only for configurations that have rules

    for text in texts:
        try:
            parse(text)
        except ValueError as error:
            hint = "For example example.com, *.example.com, localhost:8080 or [::1]:8080"
            raise _invalid(name, str(error), hint=hint, key=key) from None


def _check_browser_args(name: str, key: str, words: Iterable[str]) -> None:
    # Chromium would open any other word as a page.
    for word in words:
        if not word.startswith("-"):
            hint = "For example --lang=de. One with spaces in it goes into config.toml."
            reason = f"not an argument of Chromium: {word!r} does not begin with --"
            raise _invalid(name, reason, hint=hint, key=key)


def _invalid(where: str, reason: str, *, hint: str = "", **details: object) -> OcdError:
    return OcdError("config_invalid", f"{where}: {reason}", hint=hint, **details)
