"""The catalog of verbs: the explicit list of modules, and the document rendered from them.

`python -m ocd.calls.catalog` writes api/catalog.json (read by oc, MCP and completions),
api/results.json (`result_schemas`) and VERBS.md.
"""

import copy
import inspect
from collections.abc import Container, Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from ocd.api import tool_schema
from ocd.api.tool_schema import as_tool
from ocd.calls import result_schemas
from ocd.calls.param_decoding import CommonParams, common_names
from ocd.calls.path_params import companions, extras_of
from ocd.verb_api.declaration import UNLISTED, Verb
from ocd.verbs import (
    act,
    admin,
    ask_human,
    batches,
    checkpoints,
    computer,
    console,
    crawl,
    devtools,
    doctor,
    downloads,
    emulation,
    evidence,
    extract_data,
    file_upload,
    find,
    forms,
    http_auth,
    interaction,
    interception,
    javascript,
    memory,
    navigation,
    network,
    network_capture,
    observe,
    open_chat_studio,
    outputs,
    page_tools,
    performance,
    plans,
    profiles,
    read_page,
    recordings,
    screenshots,
    skills,
    storage_state,
    tabs,
    tasks,
    tool_discovery,
    totp,
    validate_page,
    vision_find,
    web_storage,
    workers,
    workflows,
)
from ocd.verbs import inspect as verbs_inspect

MODULES: tuple[ModuleType, ...] = (
    act,
    navigation,
    downloads,
    tabs,
    validate_page,
    read_page,
    find,
    verbs_inspect,
    observe,
    vision_find,
    extract_data,
    interaction,
    computer,
    forms,
    javascript,
    screenshots,
    console,
    network,
    network_capture,
    interception,
    page_tools,
    performance,
    devtools,
    http_auth,
    web_storage,
    storage_state,
    profiles,
    emulation,
    totp,
    evidence,
    memory,
    checkpoints,
    skills,
    crawl,
    tasks,
    open_chat_studio,
    outputs,
    recordings,
    admin,
    ask_human,
    doctor,
    tool_discovery,
    file_upload,
    workers,
    workflows,
    plans,
    batches,
)

PACKAGED = Path(tool_schema.__file__).with_name("catalog.json")


def load(modules: Iterable[ModuleType] = MODULES) -> dict[str, Verb]:
    """Return every verb by name, sorted; a name declared twice is a bug."""
    return {name: verb for name, verb in _collect_verbs(modules).items() if not verb.only_kind}


def kinds(modules: Iterable[ModuleType] = MODULES) -> dict[str, Verb]:
    """Return the task kinds by name: the long verbs, and kinds that are not verbs."""
    return {name: verb for name, verb in _collect_verbs(modules).items() if verb.long}


def _collect_verbs(modules: Iterable[ModuleType]) -> dict[str, Verb]:
    found: dict[str, Verb] = {}
    for module in modules:
        for verb in vars(module).values():
            if isinstance(verb, Verb):
                assert verb.name not in found, f"{verb.name} is declared twice"
                found[verb.name] = verb
    return dict(sorted(found.items()))


def read() -> dict[str, Any]:
    """Return the packaged document, which daemon and clients read."""
    document: dict[str, Any] = msgspec.json.decode(PACKAGED.read_bytes())
    return document


def render(verbs: Iterable[Verb]) -> dict[str, Any]:
    """Return the catalog document: {"hash", "verbs": […], "kinds": […]}.

    The kinds are those of the ledger that are no verbs, in the same shape; others are long verbs.
    """
    entries = [_entry(verb) for verb in verbs]
    return _document(entries, [_entry(kind) for kind in kinds().values() if kind.only_kind])


def limit(document: Mapping[str, Any], names: Container[str]) -> dict[str, Any]:
    """Return the document with these verbs alone, and with the kinds of their capabilities."""
    entries = [entry for entry in document["verbs"] if entry["name"] in names]
    groups = {entry["capability"] for entry in entries}
    return _document(entries, [kind for kind in document["kinds"] if kind["capability"] in groups])


def _document(entries: list[dict[str, Any]], more: list[dict[str, Any]]) -> dict[str, Any]:
    names = sorted(entry["name"] for entry in [*entries, *more] if entry.get("long"))
    verbs = [_with_kinds(e, names) if e["name"] == "oc_task_start" else e for e in entries]
    digest = blake2b(msgspec.json.encode([verbs, more]), digest_size=8).hexdigest()
    return {"hash": digest, "verbs": verbs, "kinds": more}


def _with_kinds(entry: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return the entry of oc_task_start, saying which kinds of tasks there are."""
    properties = entry["params"]["properties"]
    properties = {**properties, "kind": {**properties["kind"], "enum": names}}
    return {**entry, "params": {**entry["params"], "properties": properties}}


def _entry(verb: Verb) -> dict[str, Any]:
    doc = inspect.cleandoc(verb.params.__doc__ or "")
    summary, _, rest = doc.partition("\n")
    flags: dict[str, Any] = {n: True for n in ("long", "large", "reads") if getattr(verb, n)}
    if any(extra.get("path") == "write" for extra in extras_of(verb.params).values()):
        flags["writes_files"] = True
    if verb.page_keys:
        flags["page_keys"] = list(verb.page_keys)
    if verb.example:
        flags["example"] = dict(verb.example)
    return {
        "name": verb.name,
        "capability": verb.capability,
        "tier": verb.tier,
        "scope": verb.scope,
        "summary": summary,
        "doc": rest.strip(),
        "params": _params_schema(verb),
        **flags,
    }


def _params_schema(verb: Verb) -> dict[str, Any]:
    own, common = _schema(verb.params), _schema(CommonParams)
    shared = {name: common["properties"][name] for name in common_names(verb)}
    by_path = {
        path: {"type": "string", "description": f"Absolute path of a file with {name}", **UNLISTED}
        for path, name in companions(verb.params).items()
    }
    properties = own["properties"] | by_path | shared
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required := [n for n in own.get("required", ()) if f"{n}_path" not in by_path]:
        schema["required"] = required
    return {**schema, "additionalProperties": False}


def _schema(params: type) -> dict[str, Any]:
    (schema,), definitions = msgspec.json.schema_components([params])
    inlined: dict[str, Any] = _inline_references(schema, definitions)
    inlined.setdefault("properties", {})
    return inlined


def _inline_references(node: Any, definitions: dict[str, Any]) -> Any:  # noqa: ANN401 - a JSON Schema node
    """Return the node with references put in place, null branches and titles dropped."""
    if isinstance(node, list):
        return [_inline_references(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _inline_references(
            copy.deepcopy(definitions[node["$ref"].rsplit("/", 1)[1]]), definitions
        )
    untitled = {k: _inline_references(v, definitions) for k, v in node.items() if k != "title"}
    return _without_null(untitled)


def _without_null(node: dict[str, Any]) -> dict[str, Any]:
    # Absent means none: a null branch only makes schemas larger.
    branches = node.get("anyOf")
    if isinstance(branches, list) and {"type": "null"} in branches:
        left = [branch for branch in branches if branch != {"type": "null"}]
        rest = {k: v for k, v in node.items() if k != "anyOf"}
        node = {**left[0], **rest} if len(left) == 1 else {**rest, "anyOf": left}
    if None in node.get("enum", ()):
        node = {**node, "enum": [value for value in node["enum"] if value is not None]}
    if node.get("default", ...) is None:
        node = {k: v for k, v in node.items() if k != "default"}
    return node


def verbs_page(catalog: dict[str, Any]) -> str:
    """Return VERBS.md: every verb with its parameters, by capability."""
    lines = ["# Verbs", "", "Generated by `make gen` from the declarations in `daemon/ocd/verbs`."]
    lines += ["", *_list_sizes(catalog["verbs"])]
    by_capability: dict[str, list[dict[str, Any]]] = {}
    for entry in catalog["verbs"]:
        by_capability.setdefault(entry["capability"], []).append(entry)
    if catalog["kinds"]:
        by_capability["Other kinds of tasks"] = catalog["kinds"]
    for capability, entries in by_capability.items():
        lines += ["", f"## {capability}"]
        for entry in entries:
            lines += verb_section(entry)
    return "\n".join(lines) + "\n"


def _list_sizes(entries: Iterable[dict[str, Any]]) -> list[str]:
    """Return what hosts send to a model in each conversation, as a table."""
    entries = list(entries)
    lists = {
        "`--tier 1`": [entry for entry in entries if entry["tier"] == 1],
        "default": [entry for entry in entries if entry["tier"] <= 2],
        "`--tier 3`": entries,
    }
    lines = ["| tools/list | tools | bytes |", "|---|---|---|"]
    for name, listed in lists.items():
        size = len(msgspec.json.encode([as_tool(entry) for entry in listed]))
        lines.append(f"| {name} | {len(listed)} | {size:,} |")
    return lines


def verb_section(entry: Mapping[str, Any]) -> list[str]:
    """Return a verb of VERBS.md: what it does, its example and its parameters."""
    flags = [f"tier {entry['tier']}", *(flag for flag in ("long", "large") if entry.get(flag))]
    lines = ["", f"### {entry['name']}", "", f"{entry['summary']}. ({', '.join(flags)})"]
    if entry["doc"]:
        lines += ["", entry["doc"]]
    if entry.get("example"):
        lines += ["", f"Example: `{msgspec.json.encode(entry['example']).decode()}`"]
    if entry["params"]["properties"]:
        lines += ["", "| parameter | type | default | meaning |", "|---|---|---|---|"]
    required = entry["params"].get("required", ())
    for name, schema in entry["params"]["properties"].items():
        default = "required" if name in required else _default_text(schema)
        meaning = schema.get("description", "").replace("|", "\\|")
        lines.append(f"| `{name}` | {_type_text(schema)} | {default} | {meaning} |")
    return lines


def _type_text(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " \\| ".join(str(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " \\| ".join(_type_text(branch) for branch in schema["anyOf"])
    if schema.get("type") == "array":
        return f"{_type_text(schema.get('items', {}))}[]"
    return str(schema.get("type", "any"))


def _default_text(schema: dict[str, Any]) -> str:
    if "default" not in schema:
        return ""
    return f"`{msgspec.json.encode(schema['default']).decode()}`"


def generate() -> None:
    """Write both documents into the package and VERBS.md into the repository, if this is one."""
    verbs = load()
    catalog = render(verbs.values())
    for path, document in (
        (PACKAGED, catalog),
        (result_schemas.PACKAGED, result_schemas.render({**verbs, **kinds()}.values())),
    ):
        compact = msgspec.json.encode(document)
        _refresh(path, msgspec.json.format(compact, indent=1) + b"\n")
    root = Path(__file__).parents[3]
    if (root / "pyproject.toml").exists():
        _refresh(root / "VERBS.md", verbs_page(catalog).encode())


def _refresh(path: Path, content: bytes) -> None:
    """Write a file that has changed; programs may be reading one that has not."""
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


if __name__ == "__main__":
    generate()
