"""Run the seeds' verification lines as they are written: bash, curl, jq."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support.daemon import Daemon, Home

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

# The seeds' own helpers; the port is asked for, because every start may bring another one.
_PRELUDE = r"""
set -u
HTTP_PORT=$(ocd status --json | jq .mcp.http_port)
mcpA() {
  curl -s -H 'content-type: application/json' \
    -d "$1" "http://localhost:$HTTP_PORT/mcp"
}
mcp() { curl -s -H "content-type: application/json" \
-d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}" \
http://localhost:$HTTP_PORT/mcp ; }
"""


def bash(daemon: Daemon, script: str, **variables: str) -> str:
    """Run a script against the daemon's HTTP port; fail, showing all, unless it exits with 0."""
    done = subprocess.run(
        ["bash", "-c", _PRELUDE + script], env={**daemon.home.environ, **variables},
        cwd=daemon.home.base, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.returncode, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


def run_script(home: Home, name: str, *arguments: str) -> str:
    """Run one of our scripts, whose daemons live below the home's temporary folder, to its end."""
    done = subprocess.run(
        [str(SCRIPTS / name), *arguments], env=home.environ, cwd=home.base, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.returncode, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout
