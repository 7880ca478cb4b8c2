"""`ocd doctor`."""

from typing import Annotated

import typer

from ocd.api.errors import OcdError
from ocd.cli.doctor_checks import check_all
from ocd.cli.options import Json
from ocd.cli.output import say, show_json
from ocd.config.loader import home_dir
from ocd.runtime.host_checks import HostFinding


def doctor(
    *,
    fix: Annotated[bool, typer.Option("--fix", help="Fix what can be fixed automatically")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Install without asking")] = False,
    json: Json = False,
) -> None:
    """Run health checks on the daemon and its environment

    Checks Python, the home folder, the configuration, a running daemon, leftover files and
    processes, fonts, and starts the browser once. --fix can install Chromium with the system's
    package manager. Exits 1 if a check fails.
    """
    home = home_dir()
    findings = list(check_all(home))
    if fix and _fix_findings(findings, yes=yes):
        findings = list(check_all(home))
    broken = any(finding.level == "error" for finding in findings)
    if json:
        show_json({"ok": not broken, "checks": [finding.body() for finding in findings]})
    else:
        for finding in findings:
            _show(finding)
    if broken:
        raise typer.Exit(1)


def _fix_findings(findings: list[HostFinding], *, yes: bool) -> bool:
    fixed = False
    for finding in findings:
        if finding.level != "ok" and finding.fix:
            try:
                say(f"Fixed: {finding.name}: {finding.fix(yes)}")
                fixed = True
            except (OcdError, OSError) as error:
                say(f"Not fixed: {finding.name}: {error}")
                say(f"Hint: {error.hint}" if isinstance(error, OcdError) and error.hint else "")
    return fixed


def _show(finding: HostFinding) -> None:
    print(f"{finding.level:8}{finding.name}: {finding.seen}")
    if finding.hint and finding.level != "ok":
        print(f"{'':8}Hint: {finding.hint}")
