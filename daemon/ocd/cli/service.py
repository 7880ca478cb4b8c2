"""`ocd service install|uninstall|print`."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ocd.api.errors import OcdError
from ocd.cli import service_units
from ocd.cli.flags import given_flags, to_arguments
from ocd.cli.logfile import create_log
from ocd.cli.options import with_settings
from ocd.cli.output import say
from ocd.config.loader import environment, load
from ocd.config.settings import SETTINGS
from ocd.runtime.host_checks import has_user_namespaces
from ocd.storage.files import make_dir, storage, write_whole

Manager = Literal["systemd", "launchd"]
Systemd = Annotated[bool, typer.Option("--systemd", help="Use systemd (default on Linux)")]
Launchd = Annotated[bool, typer.Option("--launchd", help="Use launchd (default on macOS)")]
_PASSED_ON = (
    "OPENCHROME_HOME",
    *(setting.variable for setting in SETTINGS.values() if not setting.is_table),
)


def build() -> typer.Typer:
    """Return the group of commands."""
    app = typer.Typer(help="Run the daemon as a user service", rich_markup_mode=None)
    app.command("install")(install)
    app.command("uninstall")(uninstall)
    app.command("print")(show)
    return app


@with_settings
def install(*, systemd: Systemd = False, launchd: Launchd = False, **flags: Any) -> None:  # noqa: ANN401
    """Write the service definition and enable it

    The service uses these flags and the current OPENCHROME_* variables.
    """
    manager = _manager(systemd=systemd, launchd=launchd)
    service = _service(flags)
    create_log(service.home)
    path = _path(manager)
    make_dir(path.parent)
    write_whole(path, _text(manager, service))
    print(path)
    for command in _enable_commands(manager, path):
        _run(command)
    for sentence in _after_install(manager):
        say(sentence)


def uninstall(*, systemd: Systemd = False, launchd: Launchd = False) -> None:
    """Disable the service and remove its definition"""
    manager = _manager(systemd=systemd, launchd=launchd)
    path = _path(manager)
    if not path.exists():
        say(f"Not installed: {path} does not exist")
        return
    disabling, after = _disable_commands(manager, path)
    _run(disabling)
    with storage("removing", path):
        path.unlink()
    for command in after:
        _run(command)
    say(f"Removed {path}")


@with_settings
def show(*, systemd: Systemd = False, launchd: Launchd = False, **flags: Any) -> None:  # noqa: ANN401
    """Print the service definition that install would write"""
    manager = _manager(systemd=systemd, launchd=launchd)
    print(_text(manager, _service(flags)).decode(), end="")


def _manager(*, systemd: bool, launchd: bool) -> Manager:
    if systemd and launchd:
        raise OcdError("invalid_argument", "--systemd and --launchd cannot be combined")
    if systemd or (not launchd and sys.platform.startswith("linux")):
        return "systemd"
    if launchd or sys.platform == "darwin":
        return "launchd"
    raise OcdError(
        "invalid_argument",
        "Services are only supported with systemd and launchd",
        hint='On Windows: schtasks /Create /TN OpenChrome /SC ONLOGON /TR "ocd run"',
    )


def _service(flags: dict[str, Any]) -> service_units.ServiceSpec:
    values = given_flags(flags)
    config = load(values)  # refuses now what the service would refuse later
    environ = environment()
    passed = {name: environ[name] for name in _PASSED_ON if environ.get(name)}
    if "OPENCHROME_HOME" in passed:
        passed["OPENCHROME_HOME"] = str(config.home)
    arguments = to_arguments(config.overrides, values)
    command = (sys.executable, "-P", "-m", "ocd", "run", *arguments)
    return service_units.ServiceSpec(command, passed, config.home)


def _text(manager: Manager, service: service_units.ServiceSpec) -> bytes:
    if manager == "launchd":
        return service_units.launchd_agent(service)
    return service_units.systemd_unit(service, user_namespaces=has_user_namespaces()).encode()


def _path(manager: Manager) -> Path:
    if manager == "launchd":
        return Path.home() / "Library" / "LaunchAgents" / f"{service_units.LABEL}.plist"
    configured = environment().get("XDG_CONFIG_HOME")
    base = Path(configured) if configured else Path.home() / ".config"
    return base / "systemd" / "user" / service_units.UNIT_NAME


def _enable_commands(manager: Manager, path: Path) -> list[list[str]]:
    if manager == "launchd":
        return [["launchctl", "bootstrap", _domain(), str(path)]]
    return [
        ["systemctl", "--user", "daemon-reload"],
        ["systemctl", "--user", "enable", service_units.UNIT_NAME],
    ]


def _disable_commands(manager: Manager, path: Path) -> tuple[list[str], list[list[str]]]:
    if manager == "launchd":
        return ["launchctl", "bootout", _domain(), str(path)], []
    disable = ["systemctl", "--user", "disable", "--now", service_units.UNIT_NAME]
    return disable, [["systemctl", "--user", "daemon-reload"]]


def _after_install(manager: Manager) -> list[str]:
    if manager == "launchd":
        return ["Installed; starts now and at each login."]
    return [
        "Installed; starts at the next login.",
        f"Hint: To start it now: ocd stop; systemctl --user start {service_units.UNIT_NAME}",
        "Hint: To run it without logging in: loginctl enable-linger",
    ]


def _domain() -> str:
    return f"gui/{os.getuid()}"


def _run(command: Sequence[str]) -> None:
    """Run a command of the service manager; print it if it fails, so that it can be run by hand."""
    if shutil.which(command[0]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
        say(f"Warning: {shlex.join(command)}: {done.stderr.strip() or done.returncode}")
    say(f"Hint: Run this where the service manager is available: {shlex.join(command)}")
