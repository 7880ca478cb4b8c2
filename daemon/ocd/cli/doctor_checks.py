"""What `ocd doctor` looks at: each check returns one finding and changes nothing."""

from collections.abc import Iterator
from pathlib import Path

from ocd.api.errors import OcdError
from ocd.cli import control, install_chromium
from ocd.cli.stalls import explain_silence
from ocd.config.loader import Config, load
from ocd.runtime.host_checks import (
    Finding,
    check_binary,
    check_fonts,
    check_home,
    check_links,
    check_python,
    check_sandbox,
    check_variables,
)


def check_all(home: Path) -> Iterator[Finding]:
    """Yield the findings, cheap ones first."""
    yield check_python()
    yield check_home(home)
    yield from check_links(home)
    config, finding = check_config(home)
    yield finding
    yield from check_variables()
    yield check_daemon(home)
    yield from check_remains(home)
    yield check_sandbox()
    yield check_fonts()
    yield from check_browser(config)


def check_config(home: Path) -> tuple[Config, Finding]:
    """Decode the settings; the defaults stand in for ones that do not decode."""
    try:
        config = load({})
    except OcdError as error:
        return Config(home=home), Finding("config", "error", error.message, error.hint)
    source = str(config.file) if config.file.exists() else "defaults (there is no config.toml)"
    return config, Finding("config", "ok", source)


def check_daemon(home: Path) -> Finding:
    """Look whether a daemon runs and answers."""
    holder = control.find_holder(home)
    try:
        body = control.status(home)
    except OcdError as error:
        silent = explain_silence(home, error)
        return Finding("daemon", "error", silent.message, silent.hint)
    if body:
        return Finding(
            "daemon", "ok", f"runs, pid {body.get('pid')}, version {body.get('version')}"
        )
    if holder:
        return Finding(
            "daemon", "warning", f"pid {holder.pid} holds the lock but does not listen", "ocd logs"
        )
    return Finding("daemon", "ok", "not running")


def check_remains(home: Path) -> Iterator[Finding]:
    """Look for what a killed daemon left behind."""
    if control.find_holder(home):
        return
    socket = Path(control.address(home))
    if socket.is_socket() and not _answers(home):
        yield Finding(
            "socket", "warning", f"{socket} is stale", "The next ocd start replaces it",
            lambda _: _remove(socket),
        )  # fmt: skip
    orphan = control.find_orphan(home)
    if orphan:
        yield Finding(
            "orphan", "warning", f"Chromium (pid {orphan.pid}) runs without its daemon",
            "The next ocd start ends it", lambda _: _reap(home),
        )  # fmt: skip
    parts = [part for pattern in (".*.part", "*/.*.part") for part in home.glob(pattern)]
    for part in parts:
        yield Finding(
            "leftover", "warning", f"{part} is half written", "Nobody needs it: delete it",
            lambda _, part=part: _remove(part),  # type: ignore[misc] # bound per file on purpose
        )  # fmt: skip


def check_browser(config: Config) -> Iterator[Finding]:
    """Look for the browser, its version, and whether it starts and answers."""
    found = check_binary(config, lambda yes: install_chromium.install(yes=yes))
    yield found
    if not config.browser_url and found.level == "ok":
        yield _trial(config)


def _trial(config: Config) -> Finding:
    from ocd.cli.browser_probe import try_browser

    try:
        return Finding("browser start", "ok", try_browser(config))
    except OcdError as error:
        return Finding("browser start", "error", error.message, error.hint)


def _answers(home: Path) -> bool:
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
