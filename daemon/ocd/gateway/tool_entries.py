"""Catalog entries of another server's tools. Pure.

All of it is untrusted: names are spelt in allowed characters, texts lose what is invisible, sizes
have limits, and a tool that is not approved in its current form is withheld.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

import msgspec

from ocd.gateway.tool_pins import digest
from ocd.safety.sanitize import Sanitizer
from ocd.verb_api.capabilities import UPSTREAM_MARK

MAX_NAME = 40
MAX_TOOLS = 200
MAX_DESCRIPTION = 1800
MAX_SCHEMA_BYTES = 20_000
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_-]")
# The fields of a declaration that an approval covers.
PINNED_FIELDS = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
# Beside its own parameters a tool takes these of ours, unless it has some of the same name.
_OUTPUT_MODE = {
    "type": "string", "enum": ["inline", "handle", "auto"],
    "description": "auto: a handle if it is large",
}  # fmt: skip

State = Literal["offered", "changed", "new", "refused"]


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """One tool: its own name, the name it has with us, and whether it may be called.

    hash: of its declaration. why: what is wrong with a refused one. parameter_names: its own ones.
    """

    tool: str
    name: str
    state: State
    hash: str
    entry: Mapping[str, Any]
    parameter_names: frozenset[str] = frozenset()
    why: str = ""


def build_entries(
    server: str,
    tools: Sequence[Mapping[str, Any]],
    pinned: Mapping[str, str] | None,
    *,
    tier: int,
    sanitizer: Sanitizer,
) -> list[ToolEntry]:
    """Return the entries of a server's tools. pinned: the approved hashes; None: all approved."""
    names = Counter(exposed_name(server, _name(tool)) for tool in tools)
    found = []
    for number, tool in enumerate(tools):
        entry = _entry(server, tool, tier, sanitizer)
        why = _entry_error(tool, names[entry["name"]], number)
        state, mark = _state(_name(tool), _digest(tool), pinned), _digest(tool)
        state = "refused" if why else state
        if state in ("changed", "new"):
            entry = _withheld(server, entry, state)
        found.append(
            ToolEntry(_name(tool), entry["name"], state, mark, entry, _parameter_names(tool), why)
        )
    return found


def exposed_name(server: str, tool: str) -> str:
    """Return the name under which a tool is offered; long ones end in a hash of what they were."""
    name = f"{server}{UPSTREAM_MARK}{_NOT_ALLOWED.sub('_', tool)}"
    if len(name) <= MAX_NAME:
        return name
    return f"{name[: MAX_NAME - 7]}_{blake2b(tool.encode(), digest_size=3).hexdigest()}"


def _name(tool: Mapping[str, Any]) -> str:
    return str(tool.get("name", ""))


def _digest(tool: Mapping[str, Any]) -> str:
    return digest({key: tool[key] for key in PINNED_FIELDS if tool.get(key) is not None})


def _state(name: str, mark: str, pinned: Mapping[str, str] | None) -> State:
    if pinned is None or pinned.get(name) == mark:
        return "offered"
    return "changed" if name in pinned else "new"


def _entry_error(tool: Mapping[str, Any], namesakes: int, number: int) -> str:
    schema = tool.get("inputSchema")
    if not _name(tool):
        return "it has no name"
    if namesakes > 1:
        return "several tools would have this name"
    if number >= MAX_TOOLS:
        return f"the server has more than {MAX_TOOLS} tools"
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return "its inputSchema does not describe an object"
    if len(msgspec.json.encode(schema)) > MAX_SCHEMA_BYTES:
        return f"its inputSchema has more than {MAX_SCHEMA_BYTES} bytes"
    return ""


def _parameter_names(tool: Mapping[str, Any]) -> frozenset[str]:
    schema = tool.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return frozenset(properties) if isinstance(properties, dict) else frozenset()


def _entry(server: str, tool: Mapping[str, Any], tier: int, sanitizer: Sanitizer) -> dict[str, Any]:
    description = str(tool.get("description") or tool.get("title") or _name(tool))
    text, found = sanitizer.clean(description)
    cut = f"{text[:MAX_DESCRIPTION]} … (cut)" if len(text) > MAX_DESCRIPTION else text
    first, _, rest = cut.strip().partition("\n")
    hints = tool.get("annotations")
    reads = isinstance(hints, dict) and hints.get("readOnlyHint") is True
    return {
        "name": exposed_name(server, _name(tool)),
        "capability": "upstream",
        "tier": tier,
        "scope": "upstream",
        "summary": f"[{server}] {first.rstrip('. ')}",
        "doc": rest.strip(),
        "params": _schema(tool, sanitizer),
        **({"reads": True} if reads else {}),
        **found.field(),
    }


def _schema(tool: Mapping[str, Any], sanitizer: Sanitizer) -> dict[str, Any]:
    raw = tool.get("inputSchema")
    if not isinstance(raw, dict):
        return {"type": "object"}
    clean = clean_schema(raw, sanitizer)
    properties = clean.get("properties")
    mine = properties if isinstance(properties, dict) else {}
    return {**clean, "properties": {"output_mode": _OUTPUT_MODE, **mine}}


def clean_schema(raw: Mapping[str, Any], sanitizer: Sanitizer) -> dict[str, Any]:
    """Return a schema whose texts have lost what is invisible."""
    (cleaned, _) = sanitizer.clean_values({"schema": raw}, ("schema",))
    schema: dict[str, Any] = cleaned["schema"]
    return schema


def _withheld(server: str, entry: Mapping[str, Any], state: State) -> dict[str, Any]:
    """Return the entry without any text that has not been approved."""
    how = "was added after" if state == "new" else "has changed since"
    return {
        **entry,
        "summary": f"[{server}] Withheld: this tool {how} the server's tools were approved",
        "doc": f"It cannot be called until a person approves it: oc mcp approve {server}",
        "params": {"type": "object", "properties": {}},
        "reads": False,
    }
