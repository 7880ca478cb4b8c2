"""The result of another server's tool, as an output. Pure.

Its text is one body, which is sanitised, fenced and guarded like page text; images, audio and
links are passed on beside it within limits, and the text lists them.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.safety import secrets
from ocd.safety.redact import redact_url
from ocd.safety.redact_stream import redact_long
from ocd.storage.payload import JSON
from ocd.verb_api.declaration import UPSTREAM_ORIGIN, Output

MAX_ATTACHMENTS = 16
MAX_ATTACHED_BYTES = 6 * 1024 * 1024
MAX_ERROR_CHARS = 4000
MAX_URI = 2000
# Gives the address under which we answer for one of a server's resources.
UriAlias = Callable[[str], str]
MAX_NAME = 200
_PLAIN_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


def output_of(
    server: str, tool: str, result: Mapping[str, Any], uri_alias: UriAlias = str, *, redacted: bool
) -> Output:
    """Return the output of a tool's result (a raw CallToolResult).
    Raises upstream_failed for one that says that the tool failed, or that asks for input.
    """
    if result.get("resultType") not in (None, "complete"):
        kind = str(result["resultType"])[:MAX_NAME]
        raise tool_error(server, tool, f"it answered with '{kind}', which is not supported here")
    blocks = [block for block in result.get("content", ()) if isinstance(block, Mapping)]
    text = "\n".join(_texts(blocks, result.get("structuredContent")))
    if redacted:
        text = redact_long(text)
    if result.get("isError"):
        raise tool_error(server, tool, text)
    attached, notes = _attachments(blocks, uri_alias, redacted=redacted)
    if notes:
        text = "\n".join((*([text] if text else []), *notes))
    return Output(
        data={"upstream": server, "tool": tool},
        content=text or None,
        origin=f"{UPSTREAM_ORIGIN}{server}",
        content_type=JSON if text[:1] in ("[", "{") else "text/plain",
        attachments=tuple(attached),
    )


def tool_error(server: str, tool: str, text: str) -> OcdError:
    """Return the error of a tool that failed; what it says is untrusted, and cut if it is long."""
    more = {"text_characters": len(text)} if len(text) > MAX_ERROR_CHARS else {}
    return OcdError(
        "upstream_failed", f"The tool '{tool[:MAX_NAME]}' of the MCP server '{server}' failed",
        hint="Its own message is in untrusted_text.",
        upstream=server, tool=tool[:MAX_NAME],
        untrusted_text=secrets.current().mask_text(text)[:MAX_ERROR_CHARS], **more,
    )  # fmt: skip


def _texts(blocks: list[Mapping[str, Any]], structured: object) -> Iterator[str]:
    same = False
    for block in blocks:
        kind, inner = block.get("type"), block.get("resource")
        if kind == "text":
            text = str(block.get("text", ""))
            same = same or (structured is not None and _says(text, structured))
            yield text
        elif kind == "resource" and isinstance(inner, Mapping) and "text" in inner:
            yield f"[resource {one_line(inner.get('uri'), MAX_URI)}]\n{inner['text']}"
    # Servers should repeat it as text; it is used also from those that do not.
    if structured is not None and not same:
        yield msgspec.json.encode(structured).decode()


def _says(text: str, structured: object) -> bool:
    try:
        return bool(msgspec.json.decode(text) == structured)
    except (msgspec.DecodeError, RecursionError):
        return False


# --- beside the text ---------------------------------------------------------------------------


def _attachments(
    blocks: list[Mapping[str, Any]], uri_alias: UriAlias, *, redacted: bool
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the blocks to pass on, and a line about each block that is not text."""
    found, notes, size = list[dict[str, Any]](), list[str](), 0
    for block in blocks:
        clean = _attachment(block, uri_alias)
        if clean is None:
            continue
        name = _line(clean, _address(block, redacted=redacted))
        bytes_of = len(_data(clean))
        if len(found) >= MAX_ATTACHMENTS or size + bytes_of > MAX_ATTACHED_BYTES:
            notes.append(f"[left out, too large: {name}]")
        elif not _is_sound(clean):
            notes.append(f"[left out, its type does not match its content: {name}]")
        else:
            size += bytes_of
            found.append(clean)
            notes.append(f"[attached: {name}]")
    if len(notes) > 2 * MAX_ATTACHMENTS:
        more = len(notes) - 2 * MAX_ATTACHMENTS
        notes[2 * MAX_ATTACHMENTS :] = [f"[left out, too large: {more} more]"]
    return found, notes


def _attachment(block: Mapping[str, Any], uri_alias: UriAlias) -> dict[str, Any] | None:
    """Return a block with the keys that are known, each in its bounds; None for text."""
    kind = block.get("type")
    if kind in ("image", "audio"):
        mime = one_line(block.get("mimeType"), MAX_NAME)
        return {"type": kind, "data": str(block.get("data", "")), "mimeType": mime}
    if kind == "resource_link":
        return {"type": kind, **_link(block, uri_alias)}
    inner = block.get("resource")
    if kind == "resource" and isinstance(inner, Mapping) and "blob" in inner:
        link = _link(inner, uri_alias)
        known = {key: link[key] for key in ("uri", "mimeType") if key in link}
        return {"type": kind, "resource": {**known, "blob": str(inner["blob"])}}
    return None


def _link(block: Mapping[str, Any], uri_alias: UriAlias) -> dict[str, Any]:
    uri = str(block.get("uri") or "")
    link: dict[str, Any] = {"uri": uri_alias(uri) if uri and len(uri) <= MAX_URI else ""}
    # Some hosts drop a whole result because of a link without a name.
    link["name"] = one_line(block.get("name"), MAX_NAME) or "resource"
    if block.get("mimeType"):
        link["mimeType"] = one_line(block["mimeType"], MAX_NAME)
    if isinstance(block.get("size"), int):
        link["size"] = block["size"]
    return link


def _address(block: Mapping[str, Any], *, redacted: bool) -> str:
    """Return the server's own address of what the block is or links to, as a person knows it."""
    inner = block.get("resource")
    uri = one_line((inner if isinstance(inner, Mapping) else block).get("uri"), MAX_URI)
    return redact_url(uri) if redacted else uri


def one_line(value: object, max_chars: int) -> str:
    """Return a short text of another server's on one line, without what is invisible."""
    return _CONTROLS.sub("", str(value or ""))[:max_chars]


def _data(block: Mapping[str, Any]) -> str:
    data: str = block.get("data") or block.get("resource", {}).get("blob") or ""
    return data


def _line(block: Mapping[str, Any], address: str) -> str:
    inner: Mapping[str, Any] = block.get("resource") or block
    mime = inner.get("mimeType", "")
    size = len(_data(block)) * 3 // 4
    words = (block["type"], mime, address, f"{size} bytes" if size else "")
    return " ".join(word for word in words if word)


def _is_sound(block: Mapping[str, Any]) -> bool:
    """Return whether a host can take the block: one that it cannot may cost the whole result."""
    if block["type"] == "resource_link":
        return bool(block["uri"])
    try:
        base64.b64decode(_data(block), validate=True)
    except (binascii.Error, ValueError):
        return False
    if block["type"] == "resource":
        return bool(block["resource"]["uri"])
    mime = block["mimeType"]
    return bool(_PLAIN_TYPE.fullmatch(mime)) and mime.startswith(f"{block['type']}/")
