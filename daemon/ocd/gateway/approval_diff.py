"""What a person reviews before approving another server's tools: the changes since last time.

Pure. Every word of a declaration is shown, also those that a terminal or an eye would pass over:
invisible characters are spelt out.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ocd.gateway.tool_entries import PINNED_FIELDS, ToolEntry
from ocd.gateway.tool_pins import PinnedTools, digest

Declaration = Mapping[str, Any]
# A longer text is shown up to here; the rest is counted.
MAX_TEXT = 50_000


def changes(
    found: Sequence[ToolEntry], tools: Sequence[Declaration], agreed: PinnedTools | None
) -> list[dict[str, Any]]:
    """Return the differences from the approved tools: [{"tool", "name", "state", "diff"}].

    state: new, changed or gone. diff: unified, a line for each line of text or of JSON. Refused
    tools, which cannot be approved, are left out.
    """
    now = dict(zip((entry.tool for entry in found), tools, strict=True))
    before = agreed or PinnedTools(tools={})
    changed = [
        _change(entry.tool, entry.name, entry.state, before, now[entry.tool])
        for entry in found
        if entry.state in ("changed", "new")
    ]
    gone = sorted(set(before.tools) - {entry.tool for entry in found if entry.state != "refused"})
    return changed + [_change(tool, "", "gone", before, None) for tool in gone]


def fingerprint(tools: Sequence[Declaration]) -> str:
    """Return the identity of a list of tools: an approval covers exactly the list shown."""
    return digest({"tools": [pinned_fields(tool) for tool in tools]})


def pinned_fields(tool: Declaration) -> dict[str, Any]:
    """Return the part of a declaration that an approval covers."""
    return {key: tool[key] for key in PINNED_FIELDS if tool.get(key) is not None}


def _change(
    tool: str, name: str, state: str, before: PinnedTools, now: Declaration | None
) -> dict[str, Any]:
    change: dict[str, Any] = {"tool": _visible(tool), "name": name, "state": state}
    then = before.declarations.get(tool)
    if then is None and tool in before.tools:
        change["unknown"] = (
            "the approved declaration is unknown: it was approved with an earlier version"
        )
    import difflib  # only needed where something is to be approved

    lines = difflib.unified_diff(
        list(_lines(then or {})), list(_lines(pinned_fields(now or {}))),
        f"{_visible(tool)} as approved {before.approved_at}".rstrip(), f"{_visible(tool)} now",
        lineterm="", n=2,
    )  # fmt: skip
    return {**change, "diff": "\n".join(lines)}


def _lines(declaration: Declaration) -> Iterator[str]:
    for key in PINNED_FIELDS:
        value = declaration.get(key)
        if value is None:
            continue
        if isinstance(value, str):
            first, *rest = value.split("\n")
            text = [f"{key}: {first}", *(f"  {line}" for line in rest)]
        else:
            rendered = msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=2)
            text = [f"{key}:", *(f"  {line}" for line in rendered.decode().split("\n"))]
        yield from _bound_lines(text)


def _bound_lines(lines: list[str]) -> Iterator[str]:
    left = MAX_TEXT
    for line in lines:
        left -= len(line)
        if left < 0:
            more = sum(len(line) for line in lines) - MAX_TEXT
            yield f"  … ({more} more characters, hash {digest({'lines': lines})})"
            return
        yield _visible(line)


def _visible(text: str) -> str:
    """Return the text with controls and invisible characters spelt out."""
    return "".join(
        f"\\u{{{ord(sign):x}}}" if unicodedata.category(sign) in _UNSEEN else sign for sign in text
    )


_UNSEEN = ("Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp")
