"""The recipes of docs/pages/cookbook.md do what they say, on the practice site."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.cookbook import SITE, snippets
from support.daemon import LIFE_S, Daemon, Home
from support.site import Site

COOKBOOK = Path(__file__).parents[2] / "docs" / "pages" / "cookbook.md"


SECTIONS = dict(
    section.partition("\n")[::2]
    for section in re.split(r"(?m)^## ", COOKBOOK.read_text(encoding="utf-8"))[1:]
)
COMMANDS = {title: text for title, body in SECTIONS.items() if (text := snippets(body, "sh"))}
PROGRAMS = {title: text for title, body in SECTIONS.items() if (text := snippets(body, "python"))}


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    secrets = tmp_path_factory.mktemp("secrets") / "secrets"
    secrets.write_text("SITE_PASSWORD=lovelace\n", encoding="utf-8")
    secrets.chmod(0o600)
    with Daemon("--attach", "--secrets", str(secrets)) as running:
        yield running


def run(daemon: Daemon, words: list[str], text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*words, text], env=daemon.home.environ, cwd=daemon.home.base, text=True,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=LIFE_S, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("title", COMMANDS)
def test_recipe(kitchen: Daemon, site: Site, title: str) -> None:
    """Every command of the recipe succeeds."""
    commands = COMMANDS[title].replace(SITE, site.origin)
    done = run(kitchen, ["bash", "-euo", "pipefail", "-c"], commands)
    assert done.returncode == 0, done


@pytest.mark.parametrize("title", PROGRAMS)
def test_each_program_of_the_cookbook_runs(kitchen: Daemon, site: Site, title: str) -> None:
    done = run(kitchen, [sys.executable, "-c"], PROGRAMS[title].replace(SITE, site.origin))
    assert done.returncode == 0, done


def test_settings_of_the_cookbook_are_valid(home: Home) -> None:
    """All that the cookbook puts into config.toml is what the daemon takes."""
    secrets = Path(home.environ["HOME"]) / ".config" / "openchrome-secrets"
    secrets.parent.mkdir()
    secrets.write_text("SITE_PASSWORD=lovelace\n", encoding="utf-8")
    secrets.chmod(0o600)
    tables = (snippets(body, "toml") for body in SECTIONS.values())
    # Keys of no table stand first in a file.
    home.write_config("\n".join(sorted(tables, key=lambda text: text.startswith("["))))
    home.run("ocd", "config", "check").ok()


def test_cookbook_covers_common_tasks() -> None:
    assert len(SECTIONS) >= 20
    assert len(COMMANDS) >= 15
