"""The spelling of commands: which words name which verb, and its positional parameters.

A command is an entry of the catalog, or one of `builtin_commands` in the same shape.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias


Entry: TypeAlias = "dict[str, Any]"

# After these words, the rest of a verb's name is a separate word: `oc tabs context`.
NOUNS = frozenset(
    ("approvals", "context", "mcp", "output", "recording", "session", "skill", "tabs", "task",
     "totp", "worker", "workflow")
)  # fmt: skip

# Verbs whose positional arguments do not follow from their required parameters.
POSITIONAL: dict[str, tuple[str, ...]] = {
    "batch_paginate": ("strategy",),
    "call": ("verb", "json_params"),
    "computer": ("action", "text"),
    "cookies": ("action", "name", "value"),
    "crawl": ("url",),
    "crawl_sitemap": ("url",),
    "downloads": ("action", "name"),
    "drag_drop": ("source_ref", "target_ref"),
    "emulate_device": ("preset",),
    "expand_tools": ("name",),
    "file_upload": ("ref", "file_paths"),
    "form_input": ("ref", "value"),
    "geolocation": ("preset",),
    "help": ("topic",),
    "hold": ("tab_id",),
    "inspect": ("query",),
    "interact": ("ref", "action", "value"),
    "javascript_tool": ("code",),
    "lightweight_scroll": ("direction", "amount"),
    "mcp_doctor": ("host",),
    "memory": ("action", "domain", "key", "value"),
    "network": ("action", "id"),
    "oc_assert": ("contract",),
    "run": ("file", "args"),
    "oc_checkpoint": ("action", "name"),
    "oc_context_export": ("path",),
    "oc_context_import": ("envelope_path",),
    "oc_devtools_url": ("target_id",),
    "oc_evidence_bundle": ("include",),
    "oc_performance_insights": ("url",),
    "oc_recording_export": ("recording_id",),
    "oc_recording_start": ("name",),
    "oc_session_resume": ("snapshot_id",),
    "oc_session_snapshot": ("objective", "current_step", "next_actions"),
    "oc_skill_recall": ("domain",),
    "oc_skill_record": ("domain", "name", "steps"),
    "oc_skill_replay": ("skill_id",),
    "page_content": ("selector",),
    "page_pdf": ("path",),
    "page_screenshot": ("path",),
    "query_dom": ("selector",),
    "request_intercept": ("action", "rule"),
    "storage": ("action", "key", "value"),
    "tabs_close": ("tab_ids",),
    "tabs_create": ("url",),
    "user_agent": ("preset",),
    "vision_find": ("query",),
    "wait_for": ("type", "value"),
    "workflow_cleanup": ("workflow_id",),
    "workflow_collect": ("workflow_id",),
    "workflow_collect_partial": ("workflow_id",),
    "workflow_status": ("workflow_id",),
}

# Verbs whose answer is a file: `--out FILE` is where the daemon writes it, not the answer's text.
FILES = frozenset(("oc_context_export", "oc_recording_export", "oc_task_export", "page_pdf"))

# Parameters of many commands that nobody wants to give by position.
SHARED = frozenset(("tab_id", "timeout_ms", "output_mode", "output_inline_limit_bytes"))


def key(word: str) -> str:
    """Return the form under which a command is looked up: `read-page` is `read_page`."""
    return word.replace("-", "_")


def short(name: str) -> str:
    """Return a verb's name without the product's prefix."""
    return name.removeprefix("oc_")


def words(entry: Entry) -> tuple[str, ...]:
    """Return the words that name a command: ("task", "list"), ("read-page",), ("click",)."""
    if "words" in entry:
        alias: tuple[str, ...] = entry["words"]
        return alias
    noun, _, rest = short(entry["name"]).partition("_")
    if rest and noun in NOUNS:
        return noun, rest.replace("_", "-")
    return (short(entry["name"]).replace("_", "-"),)


def positional(entry: Entry) -> tuple[str, ...]:
    """Return the parameters that may be given without an option, in order.

    Those are the required ones, those with a `_path` companion (of which one is required), and an
    `action`.
    """
    properties, required = entry["params"]["properties"], entry["params"].get("required", ())
    if "positional" in entry:
        return tuple(entry["positional"])
    if entry["name"] in POSITIONAL:
        return tuple(name for name in POSITIONAL[entry["name"]] if name in properties)
    return tuple(
        name
        for name, schema in properties.items()
        if name in required
        or f"{name}_path" in properties
        or (name == "action" and "enum" in schema)
    )


def usage(entry: Entry) -> str:
    """Return the command line of a command as a pattern: `oc navigate URL [--option …]`."""
    required = entry["params"].get("required", ())
    names = ((name, name.upper()) for name in positional(entry))
    arguments = [shout if name in required else f"[{shout}]" for name, shout in names]
    return " ".join(["oc", *words(entry), *arguments, "[--option …]"])


def command_line(entry: Entry, arguments: dict[str, Any]) -> str:
    """Return a command to paste that calls a verb with these arguments."""
    import shlex

    leading: list[str] = []
    for name in (_words_for(name, arguments) for name in positional(entry)):
        if name not in arguments or any(text.startswith("-") for text in _texts(arguments[name])):
            break  # the next one would take its position
        leading.append(name)
    texts = [text for name in leading for text in _texts(arguments[name])]
    parts = ["oc", *words(entry), *map(shlex.quote, texts)]
    for name, value in arguments.items():
        dashed = name.replace("_", "-")
        schema = entry["params"]["properties"].get(name, {})
        if isinstance(value, bool) and schema.get("type") == "boolean":
            parts.append(f"--{dashed}" if value else f"--no-{dashed}")
        elif name not in leading:
            parts += [f"--{dashed}", shlex.quote(_text(value))]
    return " ".join(parts)


def _words_for(name: str, arguments: dict[str, Any]) -> str:
    """Return the parameter in the position of a ref: `query`, if words are given instead."""
    query = f"{name.removesuffix('ref')}query"
    words = arguments.get(query)
    is_words = isinstance(words, str) and not is_ref(words)
    return query if name.endswith("ref") and name not in arguments and is_words else name


def is_ref(text: str) -> bool:
    """Return whether the text is a ref, e12 or @e12; a bare number is text, as in a calendar."""
    word = text.strip().removeprefix("@").lower()
    return word[:1] == "e" and word[1:].isascii() and word[1:].isdecimal()


def _texts(value: object) -> list[str]:
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return value
    return [_text(value)]


def _text(value: object) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
