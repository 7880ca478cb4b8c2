"""The checks of `ocd doctor`: each returns one finding and changes nothing."""

from collections.abc import Iterator
from pathlib import Path

from ocd.api.errors import OcdError
from ocd.cli import control, install_chromium
from ocd.cli.stalls import explain_silence
from ocd.config.loader import Config, load
from ocd.runtime.host_checks import (
    HostFinding,
    check_binary,
    check_cluster_extra,
    check_fonts,
    check_home,
    check_links,
    check_python,
    check_sandbox,
    check_variables,
    check_video_extra,
)


def check_all(home: Path) -> Iterator[HostFinding]:
    """Yield the findings, cheap ones first."""
    yield check_python()
    yield check_home(home)
    yield from check_links(home)
    config, finding = check_config(home)
    yield finding
    yield from check_variables()
    yield check_daemon(home)
    yield from check_leftovers(home)
    yield check_sandbox()
    yield check_fonts()
    yield check_cluster_extra(config)
    yield check_video_extra()
    yield from check_browser(config)


def check_config(home: Path) -> tuple[Config, HostFinding]:
    """Decode the settings; use the defaults for those that cannot be decoded."""
    try:
        config = load({})
    except OcdError as error:
        return Config(home=home), HostFinding("config", "error", error.message, error.hint)
    source = str(config.file) if config.file.exists() else "defaults (no config.toml)"
    return config, HostFinding("config", "ok", source)


def check_daemon(home: Path) -> HostFinding:
    """Look whether a daemon runs and answers."""
    holder = control.find_holder(home)
    try:
        body = control.status(home)
    except OcdError as error:
        silent = explain_silence(home, error)
        return HostFinding("daemon", "error", silent.message, silent.hint)
    if body:
        return HostFinding(
            "daemon", "ok", f"running, pid {body.get('pid')}, version {body.get('version')}"
        )
    if holder:
        return HostFinding(
            "daemon",
            "warning",
            f"pid {holder.pid} holds the lock but does not listen",
            "See what it does: ocd logs",
        )
    return HostFinding("daemon", "ok", "not running")


def check_leftovers(home: Path) -> Iterator[HostFinding]:
    """Look for what a killed daemon left behind."""
    if control.find_holder(home):
        return
    socket = Path(control.address(home))
    if socket.is_socket() and not _has_daemon(home):
        yield HostFinding(
            "socket", "warning", f"{socket} is stale", "The next ocd start replaces it",
            lambda _: _remove(socket),
        )  # fmt: skip
    orphan = control.find_orphan(home)
    if orphan:
        yield HostFinding(
            "orphan", "warning", f"Chromium (pid {orphan.pid}) is running without its daemon",
            "The next ocd start ends it", lambda _: _reap(home),
        )  # fmt: skip
    parts = [part for pattern in (".*.part", "*/.*.part") for part in home.glob(pattern)]
    for part in parts:
        yield HostFinding(
            "leftover", "warning", f"{part} is incomplete", "It is not needed: delete it",
            lambda _, part=part: _remove(part),  # type: ignore[misc] # bound per file on purpose
        )  # fmt: skip


def check_browser(config: Config) -> Iterator[HostFinding]:
    """Look for the browser, its version, and whether it starts and answers."""
    found = check_binary(config, lambda yes: install_chromium.install(yes=yes))
    yield found
    if not config.browser_url and found.level == "ok":
        yield _check_start(config)


def _check_start(config: Config) -> HostFinding:
    from ocd.cli.browser_probe import try_browser

    try:
        return HostFinding("browser start", "ok", try_browser(config))
    except OcdError as error:
        return HostFinding("browser start", "error", error.message, error.hint)


def _has_daemon(home: Path) -> bool:
    try:
        return control.status(home) is not None
    except OcdError:
        return True


def _reap(home: Path) -> str:
    from ocd.browser.process import orphans

    return f"ended Chromium (pid {orphans.reap(home / 'run')})"


def _remove(path: Path) -> str:
    path.unlink(missing_ok=True)
    return f"removed {path}"
