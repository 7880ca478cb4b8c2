"""Import budgets: the modules that a fresh process loads."""

import ast
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from support.daemon import Daemon
from support.syntax_trees import IN_ONE_WORKER, tree_of

pytestmark = IN_ONE_WORKER

HEAVY = {
    "aiohttp", "pyppeteer", "mcp", "pydantic", "rich", "watchfiles", "selectolax", "typer",
    "html_to_markdown", "re2", "protego", "click", "portalocker", "psutil", "yarl",
}  # fmt: skip

ROOT = Path(__file__).resolve().parents[2]
DAEMON = ROOT / "daemon" / "ocd"
BRIDGE = ROOT / "mcp_bridge"
RELAY = ["oc_mcp", *(f"oc_mcp.{path.stem}" for path in BRIDGE.glob("oc_mcp/relay*.py"))]


def _loaded_by(statement: str) -> set[str]:
    return {name.partition(".")[0] for name in _modules_loaded_by(statement)}


def _modules_loaded_by(statement: str) -> set[str]:
    script = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=300
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("statement", "more"),
    [
        ("import oc.__main__", {"msgspec", "asyncio", "http", "json"} - {"json"}),
        ("import ocd.api.errors, ocd.api.paths", {"msgspec", "asyncio", "http", "pathlib"}),
    ],
)
def test_client_loads_nothing_heavy(statement: str, more: set[str]) -> None:
    """`oc` starts without the daemon's libraries."""
    assert sorted(_loaded_by(statement) & (HEAVY | more)) == []


@pytest.mark.parametrize("module", RELAY)
def test_bridge_loads_the_standard_library_only(module: str) -> None:
    """`oc-mcp` loads nothing that is not in Python itself, besides our own packages."""
    loaded = _loaded_by(f"import {module}")
    before = _loaded_by("pass")
    foreign = loaded - before - set(sys.stdlib_module_names) - {"oc_mcp", "ocd"}
    assert sorted(foreign) == []


def test_conversion_process_loads_no_asyncio_and_no_network_library() -> None:
    """A process that converts pages has neither asyncio, 4 MB, nor a network library."""
    loaded = _loaded_by("import ocd.conversion.process, ocd.crawl.page_extractor")
    assert sorted(loaded & {"asyncio", "ssl", "aiohttp", "http", "sqlite3"}) == []


def test_idle_daemon_loads_no_browser_and_no_mcp() -> None:
    """A daemon that nobody asked for anything has not loaded what pages, crawls or MCP need.

    Nor what a few calls alone need: each of the last row is 0.2 to 3 MB.
    """
    lazy = {
        "pyppeteer",
        "mcp",
        "pydantic",
        "rich",
        "selectolax",
        "html_to_markdown",
        "re2",
        "protego",
        "PIL",
        *(
            "snowballstemmer",
            "sqlite3",
            "ctypes",
            "difflib",
            "statistics",
            "ada_url",
            "typer",
            "pyexpat",
            "fractions",
            "ocd.crawl.crawl_run",
            "ocd.crawl.scheduler",
            "ocd.crawl.page_extractor",
            "ocd.crawl.export.exporter",
        ),
    }
    daemon = "import ocd.__main__, ocd.cli.serving, ocd.lifecycle"
    loaded = _modules_loaded_by(daemon)
    assert "ocd.crawl.crawler" in loaded
    assert sorted(loaded & lazy) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux names what a process has mapped")
@pytest.mark.usefixtures("own_programs")
def test_started_daemon_has_not_loaded_libraries_for_pages() -> None:
    """What it does as it starts needs no URL parser, XML parser or HTML parser: 15 MB."""
    with Daemon() as daemon:
        maps = psutil.Process(daemon.identity.pid).memory_maps()
    mapped = {Path(one.path).name.partition(".")[0] for one in maps}
    assert "_multidict" in mapped
    assert sorted(mapped & {"_ada_wrapper", "pyexpat", "lexbor", "_html_to_markdown", "_re2"}) == []


def test_the_dashboard_is_loaded_only_when_used() -> None:
    """It is off until somebody asks for it, and costs nothing until then."""
    script = "import ocd.lifecycle, sys; print('ocd.server.dashboard' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "False"


def test_importing_the_daemon_has_no_side_effects() -> None:
    """Importing has no side effects: no threads, no event loop."""
    script = "import ocd.lifecycle, threading; print(threading.active_count())"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "1"


def test_pyppeteer_has_one_importer() -> None:
    """All that is used of it goes through one adapter, which ARCHITECTURE.md describes."""
    importers = {
        path.relative_to(DAEMON).as_posix()
        for path in DAEMON.rglob("*.py")
        if "pyppeteer" in path.read_text(encoding="utf-8") and "pyppeteer" in _imported_by(path)
    }
    assert importers == {"browser/cdp/pyppeteer_adapter.py"}


def _imported_by(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found
