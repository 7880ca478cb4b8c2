"""The workflow files satisfy the schema of the service that runs them, and use existing targets."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_workflows_match_githubs_schema() -> None:
    checker = Path(sys.executable).with_name("check-jsonschema")
    done = subprocess.run(
        [str(checker), "--builtin-schema", "vendor.github-workflows", *map(str, WORKFLOWS)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert WORKFLOWS
    assert done.returncode == 0, done.stdout + done.stderr


def test_make_targets_exist() -> None:
    """Each step that runs something runs one target of the Makefile."""
    makefile = (ROOT / "Makefile").read_text()
    steps = [
        line for file in WORKFLOWS for line in file.read_text().splitlines() if "run: " in line
    ]
    targets = [line.partition("run: make ")[2] for line in steps]
    assert "test" in targets
    assert all(target and f"\n{target}:" in makefile for target in targets)


def test_containers_use_the_scripts_of_the_workflows() -> None:
    """Each RUN is a script that a target runs with the same kind of argument; nobody else is asked.

    The public base image is named as such, without a host.
    """
    lines = (ROOT / "Containerfile").read_text().splitlines()
    words = [line.split() for line in lines if line and not line.startswith("#")]
    scripts = [Path(one[1]).name for one in words if one[0] == "RUN"]
    makefile = (ROOT / "Makefile").read_text()
    target = makefile.partition("\ninstalled:")[2].partition("\n\n")[0]
    assert [Path(line.split()[0]).name for line in target.splitlines()[1:]] == scripts
    assert all((ROOT / "scripts" / script).stat().st_mode & 0o100 for script in scripts)
    assert any("make installed" in file.read_text() for file in WORKFLOWS)
    assert [one[1:] for one in words if one[0] == "FROM"] == [["python:3.11-slim-bookworm"]]
    assert not any("://" in line for line in lines)
