"""The agent hosts: where and in which format each configures MCP servers."""

import os
import shutil
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from ocd.api import paths
from ocd.api.errors import OcdError

NAME = "openchrome"

# Folders that differ between Linux, macOS and Windows.
_CONFIG = {
    "linux": "{XDG_CONFIG_HOME:~/.config}",
    "darwin": "~/Library/Application Support",
    "win32": "{APPDATA:~/AppData/Roaming}",
}


class AgentHost(NamedTuple):
    """One host: its title, the key that holds its servers, its files by scope, the next step.

    In a file's pattern, `{NAME:default}` is an environment variable, `{config}` the system's folder
    for settings; a relative path is inside the project.

    Attributes:
        names_transport: an entry names its transport.
        max_tools: the most tools that it accepts of all servers together, if it states that.
    """

    title: str
    key: str
    files: dict[str, str]
    next_step: str
    names_transport: bool = False
    max_tools: int | None = None

    @property
    def is_toml(self) -> bool:
        """Whether its files are TOML; else they are JSON, perhaps with comments."""
        return self.files["user"].endswith(".toml")


HOSTS: dict[str, AgentHost] = {
    "claude": AgentHost(
        "Claude Code",
        "mcpServers",
        {
            "user": "{CLAUDE_CONFIG_DIR:~}/.claude.json",
            "project": ".mcp.json",
            "desktop": "{config}/Claude/claude_desktop_config.json",
        },
        "Restart Claude; /mcp shows the server.",
        names_transport=True,
    ),
    "cursor": AgentHost(
        "Cursor",
        "mcpServers",
        {"user": "~/.cursor/mcp.json", "project": ".cursor/mcp.json"},
        "Enable it in Cursor under Settings, MCP.",
        names_transport=True,
        max_tools=40,
    ),
    "vscode": AgentHost(
        "VS Code",
        "servers",
        {"user": "{config}/Code/User/mcp.json", "project": ".vscode/mcp.json"},
        "In VS Code, run 'MCP: List Servers' and start it.",
        names_transport=True,
        max_tools=128,
    ),
    "codex": AgentHost(
        "Codex",
        "mcp_servers",
        {"user": "{CODEX_HOME:~/.codex}/config.toml", "project": ".codex/config.toml"},
        "Restart Codex; /mcp shows the server.",
    ),
    "gemini": AgentHost(
        "Gemini CLI",
        "mcpServers",
        {"user": "~/.gemini/settings.json", "project": ".gemini/settings.json"},
        "Restart Gemini; /mcp shows the server.",
    ),
    "windsurf": AgentHost(
        "Windsurf",
        "mcpServers",
        {"user": "~/.codeium/windsurf/mcp_config.json"},
        "In Windsurf, press Refresh in Cascade's list of MCP servers.",
        max_tools=100,
    ),
}


def file_of(host: AgentHost, scope: str, *, platform: str = sys.platform) -> str:
    """Return the absolute path of the host's file for a scope; OcdError if it has none."""
    if scope not in host.files:
        has = " and ".join(host.files)
        message = f"{host.title} has no scope {scope!r}; it has {has}"
        raise OcdError("invalid_argument", message, hint=f"--scope {next(iter(host.files))}")
    config = _CONFIG.get(platform, _CONFIG["linux"])
    pattern = host.files[scope].replace("{config}", config)
    if pattern.startswith("{"):
        variable, _, default = pattern[1:].partition("}")[0].partition(":")
        pattern = (os.environ.get(variable) or default) + pattern.partition("}")[2]
    return os.path.abspath(os.path.expanduser(pattern))


def entry(host: AgentHost, program: list[str], arguments: list[str]) -> dict[str, Any]:
    """Return the host's entry: command, args, and the variables that the bridge needs."""
    found: dict[str, Any] = {"type": "stdio"} if host.names_transport else {}
    found |= {"command": program[0], "args": [*program[1:], *arguments]}
    env = environ()
    return found | ({"env": env} if env else {})


def environ(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables without which a bridge would look for another daemon than `oc`.

    Hosts pass only a few variables on. A home whose sockets lie outside it is found through
    XDG_RUNTIME_DIR, too.
    """
    home = paths.home(environ)
    env = {"OPENCHROME_HOME": home} if environ.get("OPENCHROME_HOME") else {}
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    if runtime and paths.mcp_socket(home, environ).startswith(runtime):
        env["XDG_RUNTIME_DIR"] = runtime
    return env


def program() -> list[str]:
    """Return the command of the bridge: oc-mcp by its absolute path, else this interpreter.

    A name on PATH that leads to our own oc-mcp is preferred, because it survives upgrades by pipx
    or uv.
    """
    beside = shutil.which("oc-mcp", path=os.path.dirname(sys.executable))
    on_path = shutil.which("oc-mcp")
    if on_path and (beside is None or os.path.realpath(on_path) == os.path.realpath(beside)):
        return [os.path.abspath(on_path)]
    return [os.path.abspath(beside)] if beside else [sys.executable, "-m", "oc_mcp"]
