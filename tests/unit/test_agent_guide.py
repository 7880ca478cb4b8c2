"""The guide for agents: one source, with commands in the shell and tool calls over MCP."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oc.command_line import argv, builtin_commands, command_index
from oc.command_line.argv import Command
from oc.commands import guide
from ocd.api import agent_guide
from ocd.api.errors import OcdError
from ocd.api.tool_calls import respell

CATALOG = command_index.load_catalog()
VERBS = {entry["name"]: entry for entry in CATALOG["verbs"]}
INDEX = command_index.index(builtin_commands.BUILTINS, CATALOG["verbs"])
Guide = Callable[..., str]


def test_the_guide_is_short() -> None:
    assert len(guide.text().encode()) < 4096
    assert len(agent_guide.guide("tools").encode()) < 4096
    assert len(agent_guide.instructions().encode()) < 2048


def test_calls_in_the_guide_exist() -> None:
    """The catalog knows each call; the guide for MCP has no command of the shell."""
    seen: set[str] = set()

    def check(name: str, arguments: Any) -> None:  # noqa: ANN401 - any JSON object
        assert set(arguments) <= set(VERBS[name]["params"]["properties"]), name
        seen.add(name)

    respell(agent_guide.guide("tools"), check)
    assert {"navigate", "read_page", "interact", "file_upload", "oc_task_start"} <= seen
    for line in re.findall(r"`oc ([^`]*)`", guide.text()):
        problem = ""
        try:
            argv.parse(shlex.split(line), INDEX)
        except OcdError as error:
            problem = error.message
        # An argument may be left to the reader.
        assert problem.startswith("Missing argument") or not problem, line
    assert not [name for name in VERBS if f"`{name}" in guide.text()]


def test_the_guide_covers_what_agents_need() -> None:
    for text in (guide.text(), agent_guide.guide("tools"), agent_guide.instructions()):
        for word in ("code_path", "untrusted", "output_handle", "output_inline_limit_bytes"):
            assert word in text


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Guide:
    """Call `oc guide` with options, in an empty project of an empty home."""
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)

    def call(**params: str) -> str:
        said: list[str] = []
        monkeypatch.setattr("oc.terminal.say", said.append)
        assert guide.guide(None, Command(INDEX["guide"], params, {}), INDEX) == 0
        return said[0]

    return call


@pytest.mark.parametrize(
    ("host", "where", "first"),
    [
        ("claude", ".claude/skills/openchrome/SKILL.md", "---\nname: openchrome\n"),
        ("codex", ".codex/AGENTS.md", "<!-- openchrome: begin -->\n"),
        ("cursor", "project/.cursor/rules/openchrome.mdc", "---\ndescription:"),
        ("agents", "project/AGENTS.md", "<!-- openchrome: begin -->\n"),
    ],
)
def test_the_guide_is_installed_where_the_host_reads_it(
    run: Guide, tmp_path: Path, host: str, where: str, first: str
) -> None:
    """Installing it twice changes nothing, and it can be removed again."""
    path = tmp_path / where
    assert run(install=host) == f"Created {path}."
    content = path.read_text(encoding="utf-8")
    assert content.startswith(first)
    assert guide.text().strip() in content
    assert run(install=host) == f"{path} is already up to date."
    assert run(remove=host) == f"Removed the guide from {path}."
    assert not path.exists()
    assert run(remove=host) == f"{path} has no guide of OpenChrome."


@pytest.mark.parametrize("mine", ["# Mine\n", "# Mine", "\n\n"])
def test_installing_keeps_other_contents_of_the_file(run: Guide, tmp_path: Path, mine: str) -> None:
    path = tmp_path / "project" / "AGENTS.md"
    path.write_bytes(mine.encode())
    path.chmod(0o600)
    assert run(install="agents") == f"Updated {path}."
    old = path.read_text(encoding="utf-8").replace("## Trust", "## Belief") + "Below.\n"
    path.write_bytes(old.encode())
    run(install="agents")
    new = path.read_text(encoding="utf-8")
    assert (new.startswith(mine), new.endswith("end -->\nBelow.\n")) == (True, True)
    assert "## Trust" in new
    assert path.stat().st_mode & 0o777 == 0o600
    run(remove="agents")
    assert path.read_text(encoding="utf-8") == f"{mine}Below.\n"


def test_a_symbolic_link_stays_a_link(run: Guide, tmp_path: Path) -> None:
    real = tmp_path / "real.md"
    real.write_text("Mine\n", encoding="utf-8")
    path = tmp_path / "project" / "AGENTS.md"
    path.symlink_to(real)
    run(install="agents")
    assert path.is_symlink()
    assert "openchrome: begin" in real.read_text(encoding="utf-8")
