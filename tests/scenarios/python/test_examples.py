"""The client's examples run unchanged, and type checkers accept them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.daemon import Daemon
from support.site import Site

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "client" / "examples"
TYPES = Path(__file__).with_name("client_types.py")


def run(daemon: Daemon, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words], env=daemon.home.environ, capture_output=True, text=True,
        cwd=EXAMPLES, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_crawl_to_folder_writes_a_file_for_each_page(
    daemon: Daemon, site: Site, tmp_path: Path
) -> None:
    said = run(daemon, "crawl_to_folder.py", site.url("article.html"), str(tmp_path / "out"))
    files = sorted((tmp_path / "out").iterdir())
    assert said.splitlines()[-1] == f"{len(files)} pages in {tmp_path / 'out'}"
    assert len(files) > 3
    assert all(file.read_text().startswith("# ") for file in files)


def test_several_tabs_prints_each_title(daemon: Daemon, site: Site) -> None:
    shop = site.url("records/shop.html")
    assert run(daemon, "several_tabs.py", shop, shop) == f"{shop} Shop\n" * 2


def test_the_fixture_example_passes_in_pytest(daemon: Daemon) -> None:
    said = run(daemon, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null",
               "test_with_browser.py")  # fmt: skip
    assert "1 passed" in said


def test_the_notebook_runs(daemon: Daemon, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cells, one after the other, as a kernel runs them."""
    for name, value in daemon.home.environ.items():
        monkeypatch.setenv(name, value)
    notebook = json.loads((EXAMPLES / "first_steps.ipynb").read_text())
    cells = ["".join(one["source"]) for one in notebook["cells"] if one["cell_type"] == "code"]
    names: dict[str, object] = {}
    for cell in cells:
        exec(compile(cell, "notebook", "exec"), names)
    assert len(cells) == 4


@pytest.mark.parametrize("checker", [["mypy", "--strict"], ["basedpyright", "--level", "error"]])
def test_the_examples_type_check(checker: list[str]) -> None:
    """Nor in `client_types`, which says what they must know."""
    scripts = Path(sys.executable).parent
    done = subprocess.run(
        [str(scripts / checker[0]), *checker[1:], *map(str, [TYPES, *EXAMPLES.glob("*.py")])],
        cwd=ROOT / "client", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
