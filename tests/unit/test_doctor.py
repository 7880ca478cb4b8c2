"""`ocd doctor`: its findings, its fixes, and how it would install Chromium."""

import json
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from ocd.api.errors import OcdError
from ocd.browser.process import orphans
from ocd.cli import doctor_checks, install_chromium
from ocd.cli.app import execute
from ocd.runtime.home_lock import _is_private
from ocd.runtime.host_checks import HostFinding

Output = pytest.CaptureFixture[str]
DEBIAN = "ID=debian\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home, in a computer whose browser is well (another test looks at the real one)."""
    place = tmp_path / "home"
    place.mkdir(mode=0o700)
    monkeypatch.setenv("OPENCHROME_HOME", str(place))
    monkeypatch.setattr(
        doctor_checks, "check_browser", lambda _config: iter([HostFinding("browser", "ok", "x")])
    )
    return place


def run_doctor(capsys: Output, *flags: str) -> tuple[int, dict[str, dict[str, str]]]:
    status = execute(["doctor", "--json", *flags])
    body = json.loads(capsys.readouterr().out)
    assert body["ok"] is (status == 0)
    return status, {check["name"]: check for check in body["checks"]}


def test_a_healthy_home_has_no_findings(home: Path, capsys: Output) -> None:
    status, found = run_doctor(capsys)
    assert status == 0
    assert {found[name]["level"] for name in ("python", "home", "config", "daemon")} == {"ok"}
    assert {"sandbox", "fonts", "cluster", "video", "browser"} <= found.keys()


def test_text_names_level_check_and_hint(home: Path, capsys: Output) -> None:
    home.chmod(0o755)
    assert execute(["doctor"]) == 0
    assert (
        f"warning home: {home} is open to other users (mode 755)\n        Hint: chmod 700 {home}"
        in (capsys.readouterr().out)
    )


def test_links_to_folders_open_to_others_are_found(
    home: Path, tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "ocd.runtime.home_lock._is_private", lambda folder: not folder.stat().st_mode & 0o077
    )
    for name, mode in (("shared", 0o777), ("own", 0o700)):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(mode)
        (home / f"link-to-{name}").symlink_to(tmp_path / name)
    status, found = run_doctor(capsys)
    assert status == 0
    assert found["home links"]["seen"] == (
        f"{home}/link-to-shared is a link to {tmp_path}/shared, which other users can enter"
    )
    assert found["home links"]["hint"] == f"chmod 700 {tmp_path}/shared"


def test_a_private_folder_above_keeps_others_out(tmp_path: Path) -> None:
    (tmp_path / "closed" / "open").mkdir(parents=True)
    (tmp_path / "closed" / "open").chmod(0o777)
    for mode, private in ((0o700, True), (0o755, False)):
        (tmp_path / "closed").chmod(mode)
        tmp_path.chmod(0o755)
        above = [each for each in (tmp_path / "closed").parents if not each.stat().st_mode & 0o077]
        assert _is_private(tmp_path / "closed" / "open") is (private or bool(above))


def test_an_invalid_config_is_an_error(home: Path, capsys: Output) -> None:
    (home / "config.toml").write_text("max_concurrent_task = 1")
    status, found = run_doctor(capsys)
    assert (status, found["config"]["level"]) == (1, "error")
    assert found["config"]["hint"] == "Did you mean 'max_concurrent_tasks'?"


def test_a_misspelt_variable_is_found(
    home: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENCHROME_HEADDED", "1")
    _, found = run_doctor(capsys)
    assert found["environment"]["hint"] == "Did you mean 'OPENCHROME_HEADED'?"


def test_fix_repairs_the_home(home: Path, capsys: Output) -> None:
    home.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as left:
        (home / "run").mkdir()
        left.bind(str(home / "run" / "ocd.sock"))
    (home / "run" / ".x.json.1.part").touch()
    _, found = run_doctor(capsys)
    assert {found[name]["level"] for name in ("home", "socket", "leftover")} == {"warning"}
    _, found = run_doctor(capsys, "--fix")
    assert found["home"]["level"] == "ok"
    assert not {"socket", "leftover"} & found.keys()
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert list((home / "run").iterdir()) == []


def test_a_home_that_does_not_exist_yet(home: Path, capsys: Output) -> None:
    """As for a new user: nothing is wrong, and nothing is created."""
    home.rmdir()
    status, found = run_doctor(capsys)
    assert (status, found["home"]["level"]) == (0, "ok")
    assert found["home"]["seen"] == f"{home}, created at the first start"
    assert not home.exists()


def test_a_home_that_cannot_be_made(
    home: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "file").touch()
    monkeypatch.setenv("OPENCHROME_HOME", str(home / "file" / "home"))
    status, found = run_doctor(capsys)
    assert (status, found["home"]["level"]) == (1, "error")
    assert str(home / "file") in found["home"]["seen"]


def test_a_home_that_is_a_file(home: Path, capsys: Output) -> None:
    home.rmdir()
    home.write_text("mine")
    status, found = run_doctor(capsys)
    assert (status, found["home"]["seen"]) == (1, f"not a directory: {home}")


def test_a_live_socket_is_not_a_leftover(home: Path, capsys: Output) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        (home / "run").mkdir()
        listening.bind(str(home / "run" / "ocd.sock"))
        listening.listen()
        findings = list(doctor_checks.check_leftovers(home))
    assert findings == []


def test_an_orphaned_chromium_is_found_and_ended(home: Path, capsys: Output) -> None:
    """The record names pid and start time, as the daemon wrote them; a reused pid is left alone."""
    (home / "run").mkdir()
    command = [sys.executable, "-c", "import signal; signal.pause()"]
    command.append(f"--user-data-dir={home / 'profile'}")
    orphan = subprocess.Popen(command, start_new_session=True)
    try:
        orphans.remember(home / "run", orphan.pid, home / "profile")
        _, found = run_doctor(capsys)
        assert f"pid {orphan.pid}" in found["orphan"]["seen"]
        assert "orphan" not in run_doctor(capsys, "--fix")[1]
        assert not psutil.pid_exists(orphan.pid)
    finally:
        orphan.kill()
        orphan.wait()


def test_a_missing_browser_is_installed_only_on_request(
    home: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []
    missing = HostFinding(
        "browser", "error", "none", "", lambda yes: install_chromium.install(yes=yes)
    )
    monkeypatch.setattr(doctor_checks, "check_browser", lambda _config: iter([missing]))
    monkeypatch.setattr(
        install_chromium, "commands", lambda: [["pm", "update"], ["pm", "add", "chromium"]]
    )

    def run(command: list[str], **_options: object) -> object:
        ran.append(command)
        return type("Done", (), {"returncode": 0})

    monkeypatch.setattr(subprocess, "run", run)
    assert execute(["doctor", "--fix"]) == 1
    said = capsys.readouterr().err
    assert "To install Chromium: pm update && pm add chromium" in said
    assert "Not fixed: browser: Chromium was not installed" in said
    assert ran == []
    assert execute(["doctor", "--fix", "--yes"]) == 1  # the stand-in stays missing
    assert ran == [["pm", "update"], ["pm", "add", "chromium"]]


def which(*names: str) -> install_chromium.Which:
    return lambda name: f"/bin/{name}" if name in names else None


@pytest.mark.parametrize("manager", ["apt-get", "dnf", "pacman", "zypper", "apk"])
def test_a_user_installs_through_sudo(manager: str) -> None:
    as_root = install_chromium.commands(which(manager), root=True, release=DEBIAN)
    as_user = install_chromium.commands(which(manager, "sudo"), root=False, release=DEBIAN)
    assert as_root[-1][0] == manager
    assert "chromium" in as_root[-1]
    assert as_user == [["sudo", *command] for command in as_root]


def test_homebrew_needs_no_root() -> None:
    assert install_chromium.commands(which("brew"), root=False, release="")[0][0] == "brew"


@pytest.mark.parametrize(
    ("found", "release", "words"),
    [
        ((), DEBIAN, "No supported package manager"),
        (("apt-get",), DEBIAN, "needs root, and sudo was not found"),
        (("apt-get", "sudo"), "ID=ubuntu\n", "snap"),
    ],
)
def test_installation_errors_have_a_hint(found: tuple[str, ...], release: str, words: str) -> None:
    with pytest.raises(OcdError, match=words) as caught:
        install_chromium.commands(which(*found), root=False, release=release)
    assert caught.value.hint


@pytest.fixture
def no_browser(tmp_path: Path) -> Path:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    return broken


def test_a_browser_that_does_not_start_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output, no_browser: Path
) -> None:
    monkeypatch.setenv("OPENCHROME_HOME", str(tmp_path))
    monkeypatch.setenv("OPENCHROME_BROWSER_PATH", str(no_browser))
    status, found = run_doctor(capsys)
    assert (status, found["browser start"]["level"]) == (1, "error")


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_an_unwritable_home_is_an_error(
    home: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "touch", refuse)  # root may write anywhere, so chmod proves nothing
    status, found = run_doctor(capsys)
    assert (status, found["home"]["seen"]) == (1, f"{home} is not writable: Permission denied")
