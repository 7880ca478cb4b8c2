"""Health checks and clean-up: oc_doctor_report, oc_reap_orphans."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta

from ocd.browser.process import orphans as process_orphans
from ocd.browser.process.chromium import Chromium
from ocd.config.loader import Config
from ocd.runtime.host_checks import check_host
from ocd.verb_api.declaration import Output, Params, daemon_verb


@dataclass(frozen=True, slots=True)
class DoctorServices:
    """What the health checks look at. status: returns the body of GET /v1/status."""

    chromium: Chromium
    config: Callable[[], Config]
    status: Callable[[], dict[str, Any]]


class DoctorReport(Params):
    """Run health checks on the daemon and its environment

    The checks of `ocd doctor`: Python, home, environment variables, sandbox, fonts, browser,
    orphaned browsers; and the daemon's status. Changes nothing.
    """


class CheckReport(TypedDict):
    """One check."""

    name: str
    level: str
    seen: str
    hint: NotRequired[str]


class DoctorReportResult(TypedDict):
    """What was found; `ok` if nothing is broken."""

    ok: bool
    checks: list[CheckReport]
    daemon: Annotated[dict[str, Any], Meta(description="As `ocd status` has it")]


@daemon_verb(
    "oc_doctor_report", DoctorReport, needs=DoctorServices,
    returns=DoctorReportResult,
    capability="core", tier=3, reads=True,
)  # fmt: skip
async def oc_doctor_report(services: DoctorServices, _params: DoctorReport) -> Output:
    config = services.config()
    findings = await asyncio.to_thread(check_host, config)
    orphans = await asyncio.to_thread(
        process_orphans.find_orphans, config.home, config.home / "run"
    )
    checks = [finding.body() for finding in findings]
    for orphan in orphans:
        observation = f"Chromium (pid {orphan.pid}) is running without its daemon"
        hint = "End it: `oc_reap_orphans`"
        checks.append({"name": "orphan", "level": "warning", "seen": observation, "hint": hint})
    broken = any(check["level"] == "error" for check in checks)
    return Output(data={"ok": not broken, "checks": checks, "daemon": services.status()})


class ReapOrphans(Params):
    """End browsers that a crashed daemon left running

    Only browsers that a daemon of this home recorded, or whose profile is inside this home and that
    use our pipe; each is identified by pid and start time. Others are never touched.
    """

    dry_run: Annotated[bool, Meta(description="Only list them")] = False


class OrphanProcess(TypedDict):
    """A browser without a daemon."""

    pid: int


class ReapOrphansResult(TypedDict):
    """The orphans found and ended."""

    action: str
    found: list[OrphanProcess]
    killed: list[dict[str, Any]]
    message: str


@daemon_verb(
    "oc_reap_orphans", ReapOrphans, needs=DoctorServices,
    returns=ReapOrphansResult,
    capability="core", tier=3,
    removed_params={"ports": "Leave it out: browsers are found by their processes, not by ports."},
)  # fmt: skip
async def oc_reap_orphans(services: DoctorServices, params: ReapOrphans) -> Output:
    home = services.config().home
    found = await asyncio.to_thread(process_orphans.find_orphans, home, home / "run")
    listed = [{"pid": process.pid} for process in found]
    to_end = [] if params.dry_run else found
    killed = [await asyncio.to_thread(process_orphans.end_orphan, process) for process in to_end]
    action = "none" if not found else "listed" if params.dry_run else "reaped"
    message = f"{len(found)} found, {len(killed)} ended" if found else "No orphaned browsers found"
    return Output(data={"action": action, "found": listed, "killed": killed, "message": message})
