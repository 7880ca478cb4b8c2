"""The service definitions: a systemd user unit and a launchd agent. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

UNIT_NAME = "openchrome.service"
LABEL = "org.openchrome.ocd"

_UNIT = """\
[Unit]
Description=OpenChrome, a browser daemon for AI agents
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
Type=notify
NotifyAccess=main
ExecStart={command}
{environment}WatchdogSec=60
TimeoutStartSec=60
TimeoutStopSec=30
Restart=on-failure
RestartSec=2
# Exit status 2: a flag or config.toml is wrong, and stays wrong.
RestartPreventExitStatus=2
# The daemon closes Chromium itself; what is left after TimeoutStopSec is killed.
KillMode=mixed
# A page that eats all memory costs its renderer, not the daemon.
OOMPolicy=continue

# Hardening that Chromium survives. Left out on purpose: MemoryDenyWriteExecute (V8 writes code),
# RestrictNamespaces (the sandbox is made of them), PrivateTmp (clients hand over files there),
# ProtectSystem and ProtectHome (a user cannot write the former, and chooses where files go).
UMask=0077
LimitCORE=0
{hardening}
[Install]
WantedBy=default.target
"""

# All of these imply NoNewPrivileges in a user unit, hence user namespaces for the sandbox.
_HARDENING = """\
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=~@clock @cpu-emulation @module @obsolete @raw-io @reboot @swap
SystemCallErrorNumber=EPERM
"""
_SETUID = """\
# This system refuses user namespaces: Chromium's sandbox is a setuid helper, which
# NoNewPrivileges and all that implies it (seccomp filters) would disable.
"""


@dataclass(frozen=True, slots=True)
class ServiceSpec:
    """What the service runs: the command, its environment, and the home folder."""

    command: Sequence[str]
    environment: Mapping[str, str]
    home: Path


def systemd_unit(service: ServiceSpec, *, user_namespaces: bool) -> str:
    """Return the text of the user unit."""
    lines = [f"Environment={_quote(f'{k}={v}')}\n" for k, v in service.environment.items()]
    return _UNIT.format(
        # In a command, but not in Environment=, a dollar starts a variable.
        command=" ".join(_quote(word).replace("$", "$$") for word in service.command),
        environment="".join(lines),
        hardening=_HARDENING if user_namespaces else _SETUID,
    )


def launchd_agent(service: ServiceSpec) -> bytes:
    """Return the bytes of the launchd agent's property list."""
    import plistlib  # with an XML parser, which would stay in the daemon's memory

    agent = {
        "Label": LABEL,
        "ProgramArguments": list(service.command),
        "EnvironmentVariables": dict(service.environment),
        "WorkingDirectory": str(service.home),
        "RunAtLoad": True,
        # Like Restart=on-failure: `ocd stop` ends it with status 0, and it stays ended.
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 5,
        "ExitTimeOut": 30,
        "Umask": 0o077,
        "ProcessType": "Interactive",
        "StandardOutPath": "/dev/null",
        "StandardErrorPath": str(service.home / "log" / "ocd.log"),
    }
    return plistlib.dumps(agent)


def _quote(word: str) -> str:
    # systemd.syntax(7): C escapes inside double quotes, and %% for a percent sign.
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'.replace("%", "%%")
