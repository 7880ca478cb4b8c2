"""Verbs about the health of daemon and computer: oc_doctor_report, oc_reap_orphans."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta

from ocd.browser.process import orphans as process_orphans
from ocd.browser.process.chromium import Chromium
from ocd.config.loader import Config
from ocd.runtime.host_checks import check_ground
from ocd.verb_api.declaration import Output, Params, daemon_verb


@dataclass(frozen=True, slots=True)
class DoctorServices:
    """What is looked after; the assembly hands it in. status: what GET /v1/status answers."""

    chromium: Chromium
    config: Callable[[], Config]
    status: Callable[[], dict[str, Any]]


class DoctorReport(Params):
    """Check what the daemon stands on

    What `ocd doctor` sees: Python, home, environment, sandbox, fonts, browser, leftovers; and the
    daemon's status. Changes nothing.
    """


@daemon_verb(
    "oc_doctor_report", DoctorReport, needs=DoctorServices, capability="core", tier=3, reads=True,
)  # fmt: skip
async def oc_doctor_report(ward: DoctorServices, _params: DoctorReport) -> Output:
    config = ward.config()
    findings = await asyncio.to_thread(check_ground, config)
    orphans = await asyncio.to_thread(
        process_orphans.find_orphans, config.home, config.home / "run"
    )
    checks = [finding.body() for finding in findings]
    for orphan in orphans:
        seen = f"Chromium (pid {orphan.pid}) runs without its daemon"
        hint = "oc_reap_orphans"
        checks.append({"name": "orphan", "level": "warning", "seen": seen, "hint": hint})
    broken = any(check["level"] == "error" for check in checks)
    return Output(data={"ok": not broken, "checks": checks, "daemon": ward.status()})


class ReapOrphans(Params):
    """End browsers that dead daemons of this home left running

    Only those that our own record names, or with a profile inside this home and our pipe; each is
    identified by pid and start time. Others are never touched.
    """

    dry_run: Annotated[bool, Meta(description="Only list them")] = False
    ports: Annotated[
        tuple[int, ...], Meta(description="Taken from other versions' callers; no port is used")
    ] = ()


@daemon_verb("oc_reap_orphans", ReapOrphans, needs=DoctorServices, capability="core", tier=3)
async def oc_reap_orphans(ward: DoctorServices, params: ReapOrphans) -> Output:
    home = ward.config().home
    found = await asyncio.to_thread(process_orphans.find_orphans, home, home / "run")
    listed = [{"pid": process.pid} for process in found]
    killed = [] if params.dry_run else [await _process_to_dict(process) for process in found]
    action = "none" if not found else "listed" if params.dry_run else "reaped"
    said = f"{len(found)} found, {len(killed)} ended" if found else "There is no orphan"
    return Output(
        data={
            "action": action, "found": listed, "killed": killed, "checked_ports": [],
            "marker_scan": True, "message": said,
        }
    )  # fmt: skip


async def _process_to_dict(process: Any) -> dict[str, object]:  # noqa: ANN401 - psutil.Process
    return await asyncio.to_thread(process_orphans.end_orphan, process)
