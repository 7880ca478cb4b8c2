"""oc_doctor_report and oc_reap_orphans: the daemon's environment, and orphaned browsers."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.daemon import Daemon
from support.site import Site

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start processes that look like a browser with these arguments; they end with the test."""
    with ExitStack() as stack:

        def run(*words: str) -> "subprocess.Popen[bytes]":
            code = "import sys; print(flush=True); sys.stdin.read()"
            process = subprocess.Popen(
                [sys.executable, "-c", code, *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            assert process.stdout is not None
            process.stdout.readline()
            return process

        yield run


def test_the_report_has_the_findings_of_doctor(daemon: Daemon) -> None:
    """Python, home, sandbox, fonts and browser, each with a level; and the daemon's status."""
    report = daemon.do("oc_doctor_report")
    assert report["ok"] is True
    checks = {check["name"]: check for check in report["checks"]}
    assert {"python", "home", "sandbox", "fonts", "browser"} <= checks.keys()
    assert str(daemon.home.path) in checks["home"]["seen"]
    assert "hromium" in checks["browser"]["seen"]
    assert report["daemon"]["pid"] == daemon.status()["pid"]


def test_only_orphaned_browsers_of_this_home_are_ended(
    daemon: Daemon, site: Site, start: Start, tmp_path: Path
) -> None:
    """A browser on a profile of this home that nobody steers ends; all others live on."""
    daemon.do("navigate", url=site.url("article.html"))
    own = daemon.do("oc_connection_health")["pid"]
    pipe = "--remote-debugging-pipe"
    orphan = start(f"--user-data-dir={daemon.home.path / 'profile'}", pipe)
    strangers = [
        start(f"--user-data-dir={tmp_path / 'profile'}", pipe),
        start(f"--user-data-dir={daemon.home.path}-2/profile", pipe),
        start(f"--user-data-dir={daemon.home.path / 'profile'}"),
    ]
    assert any(one["name"] == "orphan" for one in daemon.do("oc_doctor_report")["checks"])
    listed = daemon.do("oc_reap_orphans", dry_run=True)
    assert (listed["action"], listed["killed"]) == ("listed", [])
    assert [one["pid"] for one in listed["found"]] == [orphan.pid]
    refused = daemon.call("oc_reap_orphans", ports=[9222])
    assert (refused.code, "not by ports" in refused.error["hint"]) == ("invalid_argument", True)
    reaped = daemon.do("oc_reap_orphans")
    assert reaped["action"] == "reaped"
    assert [one["pid"] for one in reaped["killed"]] == [orphan.pid]
    assert orphan.wait(60) != 0
    assert all(one.poll() is None for one in strangers)
    assert daemon.do("oc_connection_health")["pid"] == own
    assert daemon.do("oc_reap_orphans")["action"] == "none"
    for one in strangers:
        one.kill()
        one.wait(60)
