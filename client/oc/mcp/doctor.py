"""`oc mcp doctor`: launches the bridge as a host would, and reports what works."""

import json
import tempfile
from collections.abc import Callable
from typing import IO, Any, NamedTuple

from oc import terminal
from oc.command_line.argv import Command
from oc.command_line.command_names import Entry
from oc.connection.daemon_client import DaemonClient
from oc.mcp import agent_hosts, config_files, stdio_client
from oc.mcp.agent_hosts import HOSTS
from oc.mcp.config import bridge_arguments
from ocd.api import errors
from ocd.api.errors import OcdError

# The first call may have to start the daemon, load its MCP server, and start Chromium.
_TIMEOUT_MS = 60_000


class DoctorCheck(NamedTuple):
    """One check: its name, whether it passed, its milliseconds, and the finding."""

    name: str
    ok: bool
    ms: float | None
    found: str
    hint: str = ""


class Launch(NamedTuple):
    """The command that a host would run, and the file that contains it."""

    command: list[str]
    env: dict[str, str]
    source: str


def doctor(_daemon: DaemonClient, command: Command, _index: dict[str, Entry]) -> int:
    """Run `oc mcp doctor [HOST]`; the exit status is that of the first failure."""
    timeout_s = command.options.get("timeout_ms", _TIMEOUT_MS) / 1000
    checks, status = list[DoctorCheck](), 0
    try:
        launch = _launch(command)
        checks.append(DoctorCheck("configuration", ok=True, ms=None, found=launch.source))
        with tempfile.TemporaryFile() as stderr:
            _examine(launch, stderr, timeout_s, checks.append)
    except OcdError as error:
        checks.append(
            DoctorCheck(_next(checks), ok=False, ms=None, found=error.message, hint=error.hint)
        )
        status = errors.exit_status(error.code)
    _report(command, checks)
    return status


_NAMES = ("configuration", "bridge", "tools", "daemon", "browser")


def _next(checks: list[DoctorCheck]) -> str:
    return _NAMES[len(checks)]


def _launch(command: Command) -> Launch:
    name = command.params.get("host")
    if name is None:
        program = [*agent_hosts.program(), *bridge_arguments(command)]
        return Launch(program, agent_hosts.environ(), f"{' '.join(program)} (not a host's file)")
    host = HOSTS[name]
    # Hosts prefer a project's configuration.
    for scope in sorted(host.files, key=lambda scope: scope != "project"):
        path = agent_hosts.file_of(host, scope)
        entry = config_files.read_entry(host, path)
        if entry is not None:
            return _of_entry(path, entry)
    message = f"{host.title} is not configured for {agent_hosts.NAME}"
    raise OcdError("not_found", message, hint=f"oc mcp config {name} --write")


def _of_entry(path: str, entry: dict[str, Any]) -> Launch:
    if "command" not in entry:
        message = f"{path} connects to {agent_hosts.NAME} by URL; only commands can be tested here"
        raise OcdError("invalid_argument", message, hint="oc mcp doctor")
    program = [str(entry["command"]), *map(str, entry.get("args", ()))]
    env = {str(k): str(v) for k, v in (entry.get("env") or {}).items()}
    return Launch(program, env, path)


def _examine(
    launch: Launch, stderr: IO[bytes], timeout_s: float, note: Callable[[DoctorCheck], None]
) -> None:
    try:
        server = stdio_client.Server(
            launch.command, stdio_client.host_environ(launch.env), stderr=stderr
        )
    except OSError as error:
        message = f"Cannot run {launch.command[0]}: {error.strerror or error}"
        raise OcdError("file_not_found", message, hint="oc mcp config HOST --write") from None
    with server:
        try:
            note(_handshake(server, timeout_s))
        except OcdError as error:
            raise _explain(error, server, stderr) from None
        listed, check = _list(server, timeout_s)
        note(check)
        note(_without_browser(server, listed, timeout_s))
        note(_with_browser(server, listed, timeout_s))


def _handshake(server: stdio_client.Server, timeout_s: float) -> DoctorCheck:
    reply = server.initialize("oc-mcp-doctor", timeout_s)
    info = stdio_client.result(reply)
    about = info.get("serverInfo", {})
    found = f"{about.get('name')} {about.get('version')}, MCP {info.get('protocolVersion')}"
    return DoctorCheck("bridge", ok=True, ms=(reply.arrived - server.spawned) * 1000, found=found)


def _explain(error: OcdError, server: stdio_client.Server, stderr: IO[bytes]) -> OcdError:
    """Return the error with the bridge's output on stderr; exit status 3 means no_daemon."""
    server.close()
    if error.hint:
        return error  # the bridge's own
    stderr.seek(0)
    lines = [line for line in stderr.read().decode("utf-8", "replace").splitlines() if line.strip()]
    hint = next((line[6:] for line in reversed(lines) if line.startswith("Hint: ")), "ocd doctor")
    words = [line for line in lines if not line.startswith("Hint: ")][-3:]
    code = "no_daemon" if server.process.returncode == 3 else error.code
    message = "; ".join([error.message, *(line.removeprefix("Error: ") for line in words)])
    return OcdError(code, message, hint=hint)


def _list(server: stdio_client.Server, timeout_s: float) -> tuple[set[str], DoctorCheck]:
    pending = server.start("tools/list", {})
    reply = pending.wait(timeout_s)
    tools = stdio_client.result(reply)["tools"]
    size = len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode())
    found = f"{len(tools)} tools in {size / 1000:.1f} KB"
    ms = (reply.arrived - pending.started) * 1000
    return {tool["name"] for tool in tools}, DoctorCheck("tools", ok=True, ms=ms, found=found)


def _without_browser(
    server: stdio_client.Server, tool_names: set[str], timeout_s: float
) -> DoctorCheck:
    if "tabs_context" not in tool_names:
        return DoctorCheck(
            "daemon", ok=True, ms=None, found="not tested: tabs_context is filtered out"
        )
    _, ms = _call(server, "tabs_context", {}, timeout_s)
    return DoctorCheck("daemon", ok=True, ms=ms, found="tabs_context answered")


def _with_browser(
    server: stdio_client.Server, tool_names: set[str], timeout_s: float
) -> DoctorCheck:
    if not {"tabs_create", "javascript_tool", "tabs_close"} <= tool_names:
        return DoctorCheck(
            "browser", ok=True, ms=None, found="not tested: its tools are filtered out"
        )
    tab, opened = _call(server, "tabs_create", {}, timeout_s)
    arguments = {"tab_id": tab["tab_id"]} if "tab_id" in tab else {}
    _, ms = _call(server, "javascript_tool", {"code": "6*7", **arguments}, timeout_s)
    _call(server, "tabs_close", arguments, timeout_s)
    found = f"a tab opened in {opened:.0f} ms and evaluated a script"
    return DoctorCheck("browser", ok=True, ms=ms, found=found)


def _call(
    server: stdio_client.Server, name: str, arguments: dict[str, Any], timeout_s: float
) -> tuple[dict[str, Any], float]:
    """Call a tool; return its JSON result and the milliseconds it took; raises its error."""
    pending = server.start("tools/call", {"name": name, "arguments": arguments})
    reply = pending.wait(timeout_s)
    called = stdio_client.result(reply)
    body = _json((stdio_client.texts(called) or ["{}"])[0])
    if called.get("isError"):
        error = body.get("error", {})
        raise errors.error_from_body({"message": f"{name} failed", **error})
    return body, (reply.arrived - pending.started) * 1000


def _json(text: str) -> dict[str, Any]:
    try:
        body = json.loads(text)
    except ValueError:
        body = {}
    return body if isinstance(body, dict) else {}


def _report(command: Command, checks: list[DoctorCheck]) -> None:
    works = all(check.ok for check in checks) and len(checks) == len(_NAMES)
    if command.as_json:
        found = {"ok": works, "checks": [check._asdict() for check in checks]}
        terminal.write_line(config_files.as_json(found))
        return
    for check in checks:
        ms = "" if check.ms is None else f"{check.ms:.0f} ms"
        mark = "ok" if check.ok else "FAILED"
        terminal.write_line(f"{check.name:<14} {mark:<7} {ms:>8}  {check.found}".rstrip())
    if not works and checks[-1].hint:
        terminal.say(f"Hint: {checks[-1].hint}")
    elif works and "host" not in command.params and not command.quiet:
        terminal.say(f"Next: oc mcp config {'|'.join(HOSTS)} --write")
