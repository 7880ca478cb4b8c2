"""The service definitions for systemd and launchd."""

import os
import plistlib
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ocd.cli.app import execute
from ocd.cli.service_units import ServiceSpec, launchd_agent, systemd_unit
from ocd.runtime.host_checks import has_user_namespaces

AWKWARD = ('with "quotes"', "100%", "$HOME", "back\\slash", "ünïcode", "a b")


def service(*arguments: str) -> ServiceSpec:
    return ServiceSpec(
        (sys.executable, "-P", "-m", "ocd", "run", *arguments),
        {"OPENCHROME_HOME": "/home/a b/%h"},
        Path("/home/a b/%h"),
    )


def directive(unit: str, name: str) -> str:
    [value] = [
        line.removeprefix(f"{name}=") for line in unit.splitlines() if line.startswith(f"{name}=")
    ]
    return value


def test_the_unit_says_how_it_is_supervised() -> None:
    unit = systemd_unit(service(), user_namespaces=True)
    assert directive(unit, "Type") == "notify"
    assert directive(unit, "NotifyAccess") == "main"
    assert directive(unit, "Restart") == "on-failure"
    assert directive(unit, "WatchdogSec") == "60"


def test_unusual_arguments_survive_the_units_quoting() -> None:
    """Undo what systemd.syntax(7) says: specifiers, dollars, then C-like quoting."""
    unit = systemd_unit(service(*AWKWARD), user_namespaces=True)
    command = directive(unit, "ExecStart").replace("%%", "%").replace("$$", "$")
    assert shlex.split(command)[5:] == list(AWKWARD)
    environment = directive(unit, "Environment").replace("%%", "%")
    assert shlex.split(environment) == ["OPENCHROME_HOME=/home/a b/%h"]


@pytest.mark.parametrize("user_namespaces", [True, False])
def test_the_sandbox_survives_the_hardening(*, user_namespaces: bool) -> None:
    """V8 writes code and the sandbox creates namespaces; its setuid form needs new privileges."""
    unit = systemd_unit(service(), user_namespaces=user_namespaces)
    directives = {line.split("=")[0] for line in unit.splitlines() if not line.startswith("#")}
    assert not directives & {"MemoryDenyWriteExecute", "RestrictNamespaces", "PrivateTmp"}
    need_no_new_privileges = {
        "NoNewPrivileges", "SystemCallFilter", "SystemCallArchitectures", "RestrictSUIDSGID",
        "RestrictAddressFamilies", "RestrictRealtime", "LockPersonality",
    }  # fmt: skip
    found = directives & need_no_new_privileges
    assert found == (need_no_new_privileges if user_namespaces else set())


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
@pytest.mark.parametrize("user_namespaces", [True, False])
def test_systemd_accepts_the_unit(tmp_path: Path, *, user_namespaces: bool) -> None:
    path = tmp_path / "openchrome.service"
    path.write_text(systemd_unit(service(*AWKWARD), user_namespaces=user_namespaces))
    runtime = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", str(path)],
        capture_output=True, text=True, env=runtime, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")


def test_the_launchd_agent_is_equivalent() -> None:
    agent = plistlib.loads(launchd_agent(service(*AWKWARD)))
    assert agent["ProgramArguments"][5:] == list(AWKWARD)
    assert agent["KeepAlive"] == {"SuccessfulExit": False}
    assert agent["EnvironmentVariables"] == {"OPENCHROME_HOME": "/home/a b/%h"}
    assert agent["Umask"] == 0o077


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with nothing, and no service manager to talk to."""
    for name in ("HOME", "XDG_CONFIG_HOME", "OPENCHROME_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_print_shows_flags_and_variables(
    user: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENCHROME_MAX_CONCURRENT_TASKS", "7")
    assert execute(["service", "print", "--systemd", "--headed", "--profile", "p"]) == 0
    unit = capsys.readouterr().out
    assert shlex.split(directive(unit, "ExecStart"))[5:] == [
        "--headed",
        f"--profile={Path.cwd()}/p",
    ]
    assert 'Environment="OPENCHROME_MAX_CONCURRENT_TASKS=7"' in unit
    assert not (user / "xdg_config_home").exists()


def test_invalid_daemon_flags_are_refused_at_installation(
    user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["service", "install", "--tools-only", "nothing"]) == 2
    assert not (user / "xdg_config_home").exists()
    assert "unknown capability group" in capsys.readouterr().err


def test_the_unit_is_installed_and_removed(user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = user / "xdg_config_home" / "systemd" / "user" / "openchrome.service"
    assert execute(["service", "install", "--systemd"]) == 0
    said = capsys.readouterr()
    assert said.out == f"{path}\n"
    assert "systemctl --user enable openchrome.service" in said.err
    assert "[Service]" in path.read_text()
    assert execute(["service", "uninstall", "--systemd"]) == 0
    assert not path.exists()
    assert execute(["service", "uninstall", "--systemd"]) == 0


def test_both_managers_at_once_are_refused(user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["service", "print", "--systemd", "--launchd"]) == 2
    assert "Error: --systemd and --launchd cannot be combined" in capsys.readouterr().err


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux's knobs")
@pytest.mark.parametrize(
    ("knobs", "allowed"),
    [
        ({}, True),
        ({"user/max_user_namespaces": "0"}, False),
        ({"kernel/unprivileged_userns_clone": "0"}, False),
        ({"kernel/unprivileged_userns_clone": "1"}, True),
        ({"kernel/apparmor_restrict_unprivileged_userns": "1"}, False),
    ],
)
def test_user_namespaces_are_read_from_the_kernel(
    tmp_path: Path, knobs: dict[str, str], *, allowed: bool
) -> None:
    for name, value in knobs.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"{value}\n")
    assert has_user_namespaces(tmp_path) is allowed
