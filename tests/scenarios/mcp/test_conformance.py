"""The protocol's official conformance suite, over HTTP, for both eras.

The suite's fixture tools are none of ours, so what needs them is expected to fail; the lists say
which. What is listed and passes fails the run, too: the list must then become shorter.
"""

import re
from pathlib import Path

import pytest

from support import npm
from support.daemon import Daemon
from support.mcp import Http

LISTS = Path(__file__).parent / "conformance"
# The first test may have to wait for npm.
pytestmark = pytest.mark.timeout(360)


@pytest.mark.parametrize(("revision", "checks"), [("2025-11-25", 45), ("2026-07-28", 110)])
def test_the_official_suite(
    http: Http, serving: Daemon, tmp_path: Path, revision: str, checks: int
) -> None:
    """Every scenario that does not need the suite's own fixtures."""
    done = npm.run(
        npm.CONFORMANCE, "server", "--url", http.url, "--requirements", revision,
        "--expected-failures", str(LISTS / f"{revision}.yml"), "-o", str(tmp_path),
        environ=serving.home.environ,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    passed = re.search(r"Total: (\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) >= checks
    assert serving.answers()
