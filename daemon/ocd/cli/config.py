"""`ocd config`: current settings and their sources, and a file to start from."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import typer

from ocd.api.errors import OcdError
from ocd.cli.options import Json
from ocd.cli.output import say, show_json
from ocd.config import reference
from ocd.config.loader import environment, home_dir, load, sources, unknown_variables
from ocd.config.settings import FILE_NAME, SETTINGS
from ocd.storage.files import make_dir, storage, write_whole


def build() -> typer.Typer:
    """Return the commands."""
    app = typer.Typer(help="Show, check and create the configuration", rich_markup_mode=None)
    for command in (show, path, check, init):
        app.command()(command)
    return app


def show(*, json: Json = False) -> None:
    """Show every setting, its value and where it comes from

    As `ocd start` without flags would have it; a running daemon keeps the flags that it was started
    with.
    """
    settings = dict(_settings_with_sources())
    if json:
        show_json(settings)
        return
    width = max(map(len, settings))
    for key, one in settings.items():
        value = msgspec.json.encode(one["value"], enc_hook=str).decode()
        print(f"{key.ljust(width)}  {value}  ({one['source']})")


def path() -> None:
    """Print the path of config.toml, which need not exist"""
    print(_file())


def check() -> None:
    """Check config.toml and the OPENCHROME_* variables

    Exits with status 2 if the daemon would refuse to start, and names what it would ignore.
    """
    config = load({})
    for name, hint in unknown_variables(environment()):
        say(f"Warning: {name} is not a setting. {hint}".rstrip())
    state = "is valid" if config.file.exists() else "does not exist: defaults are used"
    print(f"{config.file} {state}")


def init() -> None:
    """Write a config.toml that explains every setting; all of them are commented out"""
    file = _file()
    if file.exists():
        message = f"{file} exists already and was left alone"
        raise OcdError("invalid_argument", message, hint="ocd config show", path=str(file))
    with storage("write the configuration", file):
        make_dir(file.parent)
        write_whole(file, reference.sample().encode())
    print(file)


def _file() -> Path:
    return home_dir() / FILE_NAME


def _settings_with_sources() -> Iterator[tuple[str, dict[str, Any]]]:
    config = load({})
    found = sources(environment())
    for key in SETTINGS:
        yield key, {"value": getattr(config, key), "source": found.get(key, "default")}
