"""The workflow files are what the service that runs them takes, and call targets that exist."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_schema() -> None:
    checker = Path(sys.executable).with_name("check-jsonschema")
    done = subprocess.run(
        [str(checker), "--builtin-schema", "vendor.github-workflows", *map(str, WORKFLOWS)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert WORKFLOWS
    assert done.returncode == 0, done.stdout + done.stderr


def test_targets_exist() -> None:
    """Each step that runs something runs one target of the Makefile."""
    makefile = (ROOT / "Makefile").read_text()
    steps = [
        line for file in WORKFLOWS for line in file.read_text().splitlines() if "run: " in line
    ]
    targets = [line.partition("run: make ")[2] for line in steps]
    assert "test" in targets
    assert all(target and f"\n{target}:" in makefile for target in targets)
