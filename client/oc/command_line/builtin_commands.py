"""The commands of oc that are not verbs of the daemon, in the shape of catalog entries.

`run` names the function that runs one, as module:function: it takes the daemon's client, a
`Command` and the index of commands, and returns an exit status.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from oc.command_line.command_names import Entry


_TASK_ID = {"type": "string", "description": "Task id, 16 hexadecimal digits"}

_APPROVAL = {"type": "string", "description": "Approval, ap_ and 6 hexadecimal digits"}
_DOMAIN = {"type": "string", "description": "Domain, for example example.org"}

# A flag that is off unless given: help does not show its `--no-…`.
_SWITCH = {"type": "boolean", "default": False}

_HOST = {
    "type": "string",
    "enum": ("claude", "cursor", "vscode", "codex", "gemini", "windsurf"),
    "description": "The agent host",
}


_GUIDE_HOST = {"type": "string", "enum": ("claude", "codex", "cursor", "agents")}


def _entry(
    name: str, run: str, summary: str, doc: str = "", required: tuple[str, ...] = (),
    **properties: object,
) -> Entry:  # fmt: skip
    named = {name.rstrip("_"): schema for name, schema in properties.items()}  # `continue`
    params = {"type": "object", "properties": named, "required": required}
    return {
        "name": name, "run": run, "summary": summary, "doc": doc, "params": params,
        "capability": "client",
    }  # fmt: skip


BUILTINS: tuple[Entry, ...] = (
    _entry(
        "help", "oc.help.pages:topic", "Show the commands of a group, or a command's options",
        "Without a topic: the commands of everyday use. all: every command.",
        topic={
            "type": "array", "items": {"type": "string"},
            "description": "A group, a command's words, or all",
        },
    ),
    _entry(
        "batch", "oc.commands.batch:run", "Run commands from standard input, one per line",
        "A line is a command as after `oc`, or a JSON array of its words; # begins a comment. All "
        "are checked before the first one runs. Stops at the first error, at a dialog that the "
        "next command does not answer, and at a popup or closed tab unless the next command is "
        "about tabs.",
        continue_={**_SWITCH, "description": "Continue after errors and surprises"},
    ),
    _entry(
        "guide", "oc.commands.guide:guide",
        "Print how an agent works with oc, or install it for a host",
        "--install puts it where the host looks: claude: a skill in ~/.claude; codex: a section of "
        "~/.codex/AGENTS.md; cursor: a rule in this project; agents: a section of ./AGENTS.md. "
        "Repeating it updates the guide, --remove deletes it; the rest of the file is kept.",
        install={**_GUIDE_HOST, "description": "Install the guide for this host"},
        remove={**_GUIDE_HOST, "description": "Remove the guide from this host"},
    ),
    _entry(
        "dashboard", "oc.commands.dashboard:dashboard",
        "Open the dashboard: a page that shows what the daemon does",
        "Prints a link that gives one browser access, once, within ten minutes, and opens it if "
        "there is a display. --view-only: that browser can watch, but change nothing.",
        open={"type": "boolean", "default": True, "description": "Open the link in a browser"},
        view_only={**_SWITCH, "description": "Print a link for viewing only"},
    ),
    _entry(
        "attach", "oc.commands.attach:attach",
        "Print an address at which your own program can connect to the session",
        "For Playwright, Puppeteer and pyppeteer: the program sees the session's tabs, with their "
        "logins, and nothing of other sessions. The address works once. Needs attach = true in "
        "config.toml.",
        ttl={
            "type": "string", "default": "10m",
            "description": "How long the program may stay connected, for example 90s or 2h",
        },
    ),
    _entry(
        "run", "oc.commands.run:run", "Run a Playwright or pyppeteer program on the session's tabs",
        "Where the program would launch a browser, it is connected to the session instead, and has "
        "its tabs and logins: a recording exported as Python runs where it was recorded. "
        "Arguments after the file go to the program. The exit status is the program's. Needs "
        "attach = true in config.toml.",
        required=("file",),
        file={"type": "string", "description": "The program, a Python file"},
        args={
            "type": "array", "items": {"type": "string"},
            "description": "Arguments for the program",
        },
        python={"type": "string", "description": "Python to run it with (default: OpenChrome's)"},
        ttl={
            "type": "string", "default": "10m",
            "description": "How long the program may stay connected, for example 90s or 2h",
        },
    ),
    _entry("status", "oc.commands.daemon:status", "Show what the daemon is doing"),
    _entry("catalog", "oc.commands.daemon:catalog", "List the daemon's verbs"),
    _entry(
        "call", "oc.commands.daemon:call", "Call any verb by its name",
        "Give parameters one by one, all at once as JSON, or both.",
        required=("verb",),
        verb={"type": "string", "description": "Name of the verb, for example tabs_context"},
        param={
            "type": "array", "items": {"type": "string"},
            "description": "Parameter as name=value (can be repeated)",
        },
        json_params={"type": "object", "description": "Parameters as a JSON object"},
    ),
    _entry(
        "session_list", "oc.commands.daemon:session_list",
        "List the daemon's sessions",
    ),
    _entry(
        "task_start", "oc.commands.task:start", "Start a long-running verb as a task",
        "Put the kind's own parameters after it: oc task start crawl --url URL --max-pages 5.\n\n"
        "With --wait or --watch the exit status is 0 if the task completed and 1 otherwise. Ctrl-C "
        "leaves the task running.",
        required=("kind",),
        kind={"type": "string", "description": "Kind of task, for example crawl"},
        args={"type": "object", "description": "The kind's parameters as a JSON object"},
        wait={**_SWITCH, "description": "Wait until the task has ended"},
        watch={**_SWITCH, "description": "Show progress until the task has ended"},
    ),
    _entry(
        "task_resume", "oc.commands.task:resume", "Continue an ended crawl, as a new task",
        required=("task_id",),
        wait={**_SWITCH, "description": "Wait until the task has ended"},
        watch={**_SWITCH, "description": "Show progress until the task has ended"},
    ),
    _entry(
        "task_watch", "oc.commands.task:watch", "Show a task's progress until it has ended",
        "The exit status is 0 if the task completed and 1 otherwise. With --json, prints the "
        "task's events as they happen, one per line.",
        required=("task_id",), task_id=_TASK_ID,
    ),
    _entry(
        "task_events", "oc.commands.task:events", "Print a task's events",
        required=("task_id",), task_id=_TASK_ID,
        follow={**_SWITCH, "description": "Follow the events until the task has ended"},
    ),
    _entry(
        "totp_add", "oc.commands.totp:add", "Store the seed of a domain's one-time passwords",
        "Prompts for the seed, or reads it from standard input: base32 or an otpauth:// URL. The "
        "daemon keeps it in the system keyring or, without one, in a file in its home folder.",
        required=("domain",), domain=_DOMAIN,
    ),
    _entry("totp_list", "oc.commands.totp:names", "List the domains that have a seed"),
    _entry(
        "totp_remove", "oc.commands.totp:remove", "Delete a domain's seed",
        required=("domain",), domain=_DOMAIN,
    ),
    _entry(
        "mcp_config", "oc.mcp.config:config", "Print or write an agent host's configuration",
        "--write merges it into the host's file: other servers, comments and order are kept, the "
        "previous file is saved beside it, and a file that cannot be parsed is left alone. "
        "--session and --no-start are passed on to oc-mcp.",
        required=("host",),
        host=_HOST,
        write={**_SWITCH, "description": "Change the host's file instead of printing"},
        scope={
            "type": "string", "enum": ("user", "project", "desktop"), "default": "user",
            "description": "Which file: your own, this project's, or Claude Desktop's",
        },
        tier={
            "type": "integer", "enum": (1, 2, 3),
            "description": "List only tools up to this tier",
        },
        tools_only={"type": "string", "description": "Only these capabilities (CSV)"},
        disable_tools={"type": "string", "description": "Leave out these capabilities (CSV)"},
        page_tools={**_SWITCH, "description": "Offer the tools of the tab's page, too"},
        command={"type": "string", "description": "Program to run (default: the path of oc-mcp)"},
    ),
    _entry(
        "mcp_doctor", "oc.mcp.doctor:doctor", "Launch oc-mcp as a host would and test it",
        "With a host, launches what that host's file says. The exit status is that of the first "
        "failure: 3 no daemon, 4 timeout, 5 browser problem.",
        host=_HOST,
    ),
    _entry(
        "mcp_upstreams", "oc.mcp.upstreams:states", "List the MCP servers behind the gateway",
        "They are configured in config.toml as [upstream.NAME]; oc-mcp offers their tools as "
        "NAME__tool. Tools that were added or changed after approval are withheld.",
    ),
    _entry(
        "mcp_approve", "oc.mcp.upstreams:approve", "Approve the tools of an MCP server",
        "A server's tools are approved when it first connects. Tools that change or are added "
        "later are withheld until you approve them: this shows the changes and asks.",
        required=("upstream",),
        upstream={"type": "string", "description": "NAME in [upstream.NAME]"},
        yes={**_SWITCH, "description": "Approve without asking"},
    ),
    _entry(
        "ask", "oc.commands.ask:ask", "Ask a person to do something on a page, and wait",
        "For a captcha, a login, a second factor, a payment. Says how the person can answer, and "
        "prints what changed on the page.",
        required=("reason",),
        reason={"type": "string", "description": "What the person should do, and why"},
        tab_id={"type": "string", "description": "The tab (default: the session's current one)"},
        timeout_ms={"type": "integer", "description": "How long to wait, in milliseconds"},
    ),
    _entry(
        "hold", "oc.commands.hold:hold", "Take control of a tab; agents' actions on it wait",
        "Gives it back when you press Enter or standard input ends. Reading calls still work; "
        "acting calls wait, and fail with human_in_control at their deadline.",
        tab_id={"type": "string", "description": "The tab (default: the session's current one)"},
    ),
    _entry(
        "approvals", "oc.commands.approvals:pending", "List requests that need your consent",
        "Data that would be sent out after a page was read, and changed tools of MCP servers: each "
        "with exactly what would happen.",
    ),
    _entry(
        "approvals_allow", "oc.commands.approvals:allow", "Allow a request that needs your consent",
        "The waiting call continues. If it has already failed, the same call is allowed when it is "
        "repeated within 15 minutes.",
        required=("approval",), approval=_APPROVAL,
        for_session={**_SWITCH, "description": "Allow it for the rest of its session"},
    ),
    _entry(
        "approvals_deny", "oc.commands.approvals:deny", "Deny a request that needs your consent",
        required=("approval",), approval=_APPROVAL,
    ),
    _entry(
        "output_save", "oc.commands.output_save:save", "Write a stored output to a file",
        required=("output_handle", "file"),
        output_handle={"type": "string", "description": "Handle, oh_ and 12 characters"},
        file={"type": "string", "description": "File to write, or - for standard output"},
    ),
)  # fmt: skip

# Options that every command takes, before and after its words.
GLOBAL_OPTIONS: dict[str, dict[str, Any]] = {
    "json": {**_SWITCH, "description": "Print the response body and nothing else"},
    "session": {
        "type": "string",
        "description": "Session to use (default: $OPENCHROME_SESSION, or 'default')",
    },
    "quiet": {**_SWITCH, "description": "Print only results and errors"},
    "start": {"type": "boolean", "description": "Start the daemon if none is running"},
    "timeout_ms": {"type": "integer", "description": "Deadline of the call in milliseconds"},
    "out": {"type": "string", "description": "Write the picture, text or result to this file"},
}
