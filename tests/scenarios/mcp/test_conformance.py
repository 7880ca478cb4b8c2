"""The protocol's official conformance suite, over HTTP, for both eras.

First as we are: the suite's fixture tools are none of ours, so what needs them is expected to fail;
the lists say which. Then with these fixtures, and hardly anything is left to fail. What is listed
and passes fails the run, too: the list must then become shorter.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import npm
from support.daemon import Daemon
from support.mcp import Http

LISTS = Path(__file__).parent / "conformance"
# The first test may have to wait for npm.
pytestmark = pytest.mark.timeout(600)


# The extension's scenarios have no weight in a revision's run; these need tasks that ask for input,
# or refuse callers that know no tasks.
NOT_OURS = {"tasks-mrtr-input", "tasks-mrtr-composition", "tasks-required-task-error"}


def run_suite(daemon: Daemon, revision: str, expected: str, out: Path) -> int:
    """Run all scenarios of a revision; return how many checks passed."""
    done = npm.run(
        npm.CONFORMANCE, "server", "--url", Http(daemon).url, "--requirements", revision,
        "--expected-failures", str(LISTS / f"{expected}.yml"), "-o", str(out),
        environ=daemon.home.environ, timeout=300,
    )  # fmt: skip
    why = [line for one in out.glob("server-*") for line in failures(one)]
    assert done.returncode == 0, "\n".join([*why, done.stdout[-1000:], done.stderr[-1000:]])
    passed = re.search(r"Total: (\d+) passed", done.stdout)
    assert passed is not None
    assert daemon.answers()
    return int(passed[1])


def failures(scenario: Path) -> list[str]:
    """Return what failed in the checks of a scenario, by its folder of results."""
    checks = json.loads((scenario / "checks.json").read_text(encoding="utf-8"))
    failed = [check["errorMessage"] for check in checks if check["status"] == "FAILURE"]
    return [f"{scenario.name}: {message}" for message in failed]


def failures_of(out: Path, scenario: str) -> list[str]:
    """Return what failed in a scenario, also that it was not run at all."""
    (found,) = list(out.glob(f"server-{scenario}-2*")) or [None]
    return [f"{scenario} was not run"] if found is None else failures(found)


@pytest.mark.parametrize(("revision", "checks"), [("2025-11-25", 45), ("2026-07-28", 110)])
def test_the_official_suite(serving: Daemon, tmp_path: Path, revision: str, checks: int) -> None:
    """Every scenario that does not need the suite's own fixtures."""
    assert run_suite(serving, revision, revision, tmp_path) >= checks


class WithFixtures(Daemon):
    """A daemon that has the suite's fixtures besides its own tools."""

    def start(self) -> Daemon:
        self.program = (sys.executable, "-m", "support.conformance_fixtures")
        return self.run_in_foreground(PYTHONPATH=str(Path(npm.__file__).parents[1]))


@pytest.fixture(scope="module")
def with_fixtures() -> Iterator[Daemon]:
    with WithFixtures("--http", "0") as daemon:
        yield daemon


def test_all_scenarios_of_the_handshake_revisions(with_fixtures: Daemon, tmp_path: Path) -> None:
    """All but log messages, which we do not offer."""
    assert run_suite(with_fixtures, "2025-11-25", "fixtures-2025-11-25", tmp_path) >= 79


def test_all_scenarios_of_the_newest_revision_and_tasks(
    with_fixtures: Daemon, tmp_path: Path
) -> None:
    """The tasks extension as well: its tasks are those of the ledger."""
    assert run_suite(with_fixtures, "2026-07-28", "fixtures-2026-07-28", tmp_path) >= 185
    ours = {
        "tasks-lifecycle", "tasks-capability-negotiation", "tasks-wire-fields",
        "tasks-request-state-removal", "tasks-request-headers", "tasks-dispatch-and-envelope",
    }  # fmt: skip
    assert [line for scenario in sorted(ours) for line in failures_of(tmp_path, scenario)] == []
    assert all(failures_of(tmp_path, scenario) for scenario in NOT_OURS), "NOT_OURS can be shorter"
