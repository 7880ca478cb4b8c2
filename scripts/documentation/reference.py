"""The generated pages: verbs with what they answer, error codes, and what both come from."""

import json
import textwrap
from collections.abc import Mapping
from typing import Any

from documentation import examples, result_tables
from ocd.api.error_meanings import MEANINGS
from ocd.api.errors import CODES
from ocd.calls import catalog

Entry = Mapping[str, Any]
# The verbs of `core` by what one does with them; what is in none of these stands by capability.
_CORE = {
    "Tabs and pages": (
        "navigate", "page_reload", "tabs_create", "tabs_context", "tabs_close", "wait_for",
        "validate_page", "downloads", "init_script",
    ),
    "Reading": (
        "read_page", "find", "inspect", "oc_observe", "vision_find", "query_dom", "page_content",
        "extract_data", "page_screenshot", "page_pdf", "javascript_tool",
    ),
    "Acting": (
        "interact", "act", "form_input", "fill_form", "file_upload", "drag_drop", "computer",
        "lightweight_scroll", "page_tools", "page_tool_call", "oc_ask_human",
    ),
    "Network, console and speed": (
        "network", "network_capture_lite", "network_capture_full", "console_capture",
        "request_intercept", "http_auth", "performance_metrics", "oc_devtools_url",
    ),
    "Emulation": ("emulate_device", "user_agent", "geolocation"),
    "Evidence and memory": (
        "oc_assert", "oc_evidence_bundle", "oc_diff", "memory", "oc_checkpoint",
        "oc_session_snapshot", "oc_session_resume", "oc_skill_record", "oc_skill_recall",
        "oc_skill_replay",
    ),
    "Outputs": ("oc_output_fetch", "oc_output_search"),
}  # fmt: skip
_TITLES = {
    "core": "The daemon", "crawl": "Crawling and batches", "perf": "Performance traces",
    "profile": "Profiles", "recording": "Recordings", "skills": "Skills",
    "storage": "Cookies and storage", "tasks": "Tasks", "totp": "One-time passwords",
    "upload": "Uploads to Open Chat Studio", "workflow": "Workflows", "upstream": "Gateway",
}  # fmt: skip


def pages() -> dict[str, str]:
    """Return the generated pages by their path in the site."""
    groups = _groups()
    verbs = {f"verbs/{_file_name(title)}": _group_page(title, groups[title]) for title in groups}
    return {
        "verbs/index.md": _overview(groups), **verbs, result_tables.PAGE: result_tables.page(),
        "errors.md": _errors_page(),
    }  # fmt: skip


def verb_pages() -> list[str]:
    """Return the paths of the pages of verbs, in order."""
    return [*(f"verbs/{_file_name(title)}" for title in _groups()), result_tables.PAGE]


def _groups() -> dict[str, list[Entry]]:
    by_verb = {verb: title for title, verbs in _CORE.items() for verb in verbs}
    groups: dict[str, list[Entry]] = {title: [] for title in _CORE}
    document = catalog.read()
    for entry in document["verbs"]:
        capability = entry["capability"]
        title = by_verb.get(entry["name"]) or _TITLES.get(capability, capability.capitalize())
        groups.setdefault(title, []).append(entry)
    groups["Kinds of tasks"] = document["kinds"]
    return groups


def _file_name(title: str) -> str:
    return title.lower().replace(",", "").replace(" ", "-") + ".md"


def _overview(groups: Mapping[str, list[Entry]]) -> str:
    lines = [
        "# Verbs", "",
        "A verb is one operation of the daemon: a command of `oc`, a tool for agent hosts, and a",
        "method of the Python client. `oc help NAME` shows what these pages say. The examples show",
        "real output, from the practice site that [Start](../start.md) begins with; only ids and",
        "times have been replaced by fixed ones.",
    ]  # fmt: skip
    for title, entries in groups.items():
        lines += ["", f"## {title}", "", "| verb | |", "|---|---|"]
        page = _file_name(title)
        lines += [f"| [{e['name']}]({page}#{e['name']}) | {e['summary']} |" for e in entries]
    return "\n".join(lines) + "\n"


def _group_page(title: str, entries: list[Entry]) -> str:
    answers = examples.written()
    lines = [f"# {title}", "", *_contents(entries)]
    for entry in entries:
        lines += _section(entry, answers.get(entry["name"]))
    return "\n".join(lines) + "\n"


def _section(entry: Entry, answer: str | None) -> list[str]:
    """Return what VERBS.md has, a level up, with the answer and with what is returned."""
    lines = [line.removeprefix("#") for line in catalog.verb_section(entry)]
    lines += result_tables.table(entry["name"])
    if answer is None:
        return lines
    lines = [line for line in lines if not line.startswith("Example: ")]
    table = next((n for n, line in enumerate(lines) if line.startswith("| parameter")), len(lines))
    return [*lines[:table], *_example(entry, answer), "", *lines[table:]]


def _contents(entries: list[Entry]) -> list[str]:
    names = ", ".join(f"`{entry['name']}`" for entry in entries)
    return textwrap.wrap(f"The verbs {names}.")


def _example(entry: Entry, answer: str) -> list[str]:
    fence = "````" if "```" in answer else "```"
    call = {"name": entry["name"], "arguments": entry.get("example", {})}
    tool_call = json.dumps(call, ensure_ascii=False)
    return [
        f"{fence}console",
        answer,
        fence,
        "",
        "As a tool call:",
        "",
        "```json",
        tool_call,
        "```",
    ]


def _errors_page() -> str:
    lines = [
        "# Errors", "",
        "An error has a `code`, a `message` that says what happened, and usually a `hint` with the",
        "next step. Codes are stable; texts may change, so programs should branch on the code. The",
        "Python client has an exception class for each. The last column is the exit status of",
        "`oc`.", "",
        "| code | what happened | what to do | HTTP | exit |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for code, (http, status) in CODES.items():
        happened, to_do = MEANINGS.get(code, ("", ""))
        lines.append(f"| `{code}` | {happened} | {_cell(to_do)} | {http} | {status} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
