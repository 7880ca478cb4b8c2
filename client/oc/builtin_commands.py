"""The commands that are the client's own, in the shape of catalog entries.

`run` names the function that carries a command out: it takes a `Command`, returns an exit status.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from oc.command_names import Entry


_TASK_ID = {"type": "string", "description": "Task id, 16 hexadecimal digits"}

_DOMAIN = {"type": "string", "description": "Domain, for example example.org"}

# A flag whose opposite is what happens anyway: help does not show `--no-…`.
_SWITCH = {"type": "boolean", "default": False}

_HOST = {
    "type": "string",
    "enum": ("claude", "cursor", "vscode", "codex", "gemini", "windsurf"),
    "description": "The agent host",
}


def _entry(
    name: str, run: str, summary: str, doc: str = "", required: tuple[str, ...] = (),
    **properties: object,
) -> Entry:  # fmt: skip
    params = {"type": "object", "properties": properties, "required": required}
    return {
        "name": name, "run": run, "summary": summary, "doc": doc, "params": params,
        "capability": "client",
    }  # fmt: skip


BUILTINS: tuple[Entry, ...] = (
    _entry("status", "oc.daemon_commands:status", "Show what the daemon is doing"),
    _entry("catalog", "oc.daemon_commands:catalog", "List the verbs that the daemon has"),
    _entry(
        "call", "oc.daemon_commands:call", "Call a verb by its own name",
        "Parameters are given one by one, all at once as JSON, or both.",
        required=("verb",),
        verb={"type": "string", "description": "Name of the verb, for example tabs_context"},
        param={
            "type": "array", "items": {"type": "string"},
            "description": "Parameter as name=value (can be repeated)",
        },
        json_params={"type": "object", "description": "Parameters as a JSON object"},
    ),
    _entry(
        "session_list", "oc.daemon_commands:session_list",
        "List the sessions that the daemon knows",
    ),
    _entry(
        "task_start", "oc.task_commands:start", "Start a long verb in the background",
        "What the kind itself takes is given after it: oc task start crawl --url URL "
        "--max-pages 5.\n\nWith --wait or --watch the exit status is 0 if the task completed, "
        "else 1. Ctrl-C leaves the task running.",
        required=("kind",),
        kind={"type": "string", "description": "Kind of task: crawl, recording, …"},
        args={"type": "object", "description": "The kind's parameters as a JSON object"},
        wait={**_SWITCH, "description": "Return when the task has ended"},
        watch={**_SWITCH, "description": "Show its progress until it has ended"},
    ),
    _entry(
        "task_watch", "oc.task_commands:watch", "Show the progress of a task until it has ended",
        "The exit status is 0 if the task completed, else 1. With --json it prints the task's "
        "events as they happen, one a line.",
        required=("task_id",), task_id=_TASK_ID,
    ),
    _entry(
        "task_events", "oc.task_commands:events", "Print the events of a task",
        required=("task_id",), task_id=_TASK_ID,
        follow={**_SWITCH, "description": "Go on until the task has ended"},
    ),
    _entry(
        "totp_add", "oc.totp:add", "Hand over the seed of a domain's one-time passwords",
        "It is asked for, or read from standard input: base32, or an otpauth:// address. The "
        "daemon keeps it in the system's keyring, or in a file of its home where there is none.",
        required=("domain",), domain=_DOMAIN,
    ),
    _entry("totp_list", "oc.totp:names", "List the domains that have a seed"),
    _entry(
        "totp_remove", "oc.totp:remove", "Forget the seed of a domain",
        required=("domain",), domain=_DOMAIN,
    ),
    _entry(
        "mcp_config", "oc.mcp.config:config", "Print or write an agent host's configuration",
        "--write merges it into the host's file: other servers, comments and order stay, the old "
        "file is kept beside it, and what cannot be read is left alone. --session and --no-start "
        "are handed to oc-mcp, too.",
        required=("host",),
        host=_HOST,
        write={**_SWITCH, "description": "Change the host's file instead of printing"},
        scope={
            "type": "string", "enum": ("user", "project", "desktop"), "default": "user",
            "description": "Which file: yours, the project's (here), or Claude Desktop's",
        },
        tier={
            "type": "integer", "enum": (1, 2, 3),
            "description": "List the tools up to this tier at start",
        },
        tools_only={"type": "string", "description": "Capabilities to have, separated by commas"},
        disable_tools={"type": "string", "description": "Capabilities to leave out"},
        command={"type": "string", "description": "Program to run; default: oc-mcp's path"},
    ),
    _entry(
        "mcp_doctor", "oc.mcp.doctor:doctor", "Launch oc-mcp as a host would; say what works",
        "With a host it launches what that host's file says. The exit status is that of the first "
        "failure: 3 no daemon, 4 timed out, 5 browser trouble.",
        host=_HOST,
    ),
    _entry(
        "mcp_upstreams", "oc.mcp.upstreams:states", "List the MCP servers behind the gateway",
        "They stand in config.toml as [upstream.NAME]; oc-mcp offers their tools as NAME__tool. "
        "What is withheld was changed, or added, after its server's tools were agreed to.",
    ),
    _entry(
        "mcp_approve", "oc.mcp.upstreams:approve", "Agree to the tools of an MCP server",
        "A server's tools are agreed to when it is first met. Those that change or are added later "
        "are withheld until then. What has changed is shown, then you are asked.",
        required=("upstream",),
        upstream={"type": "string", "description": "NAME of [upstream.NAME]"},
        yes={**_SWITCH, "description": "Agree without being asked"},
    ),
    _entry(
        "output_save", "oc.output_save:save", "Write a stored output to a file",
        required=("output_handle", "file"),
        output_handle={"type": "string", "description": "Handle, oh_ and 12 characters"},
        file={"type": "string", "description": "File to write; - is standard output"},
    ),
)  # fmt: skip

# Options that every command takes, before and after its words.
GLOBAL_OPTIONS: dict[str, dict[str, Any]] = {
    "json": {**_SWITCH, "description": "Print the response body and nothing else"},
    "session": {
        "type": "string",
        "description": "Session to work in; default: $OPENCHROME_SESSION, or 'default'",
    },
    "quiet": {**_SWITCH, "description": "Print results and errors only"},
    "start": {"type": "boolean", "description": "Start the daemon if none runs"},
    "timeout_ms": {"type": "integer", "description": "Deadline of the call in milliseconds"},
    "out": {"type": "string", "description": "File for the picture, text or result"},
}
