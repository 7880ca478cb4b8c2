"""From a verb's output to the reply: sanitised, shortened, inline or stored."""

import asyncio
import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from ocd.api.wire import LargeTextPointer
from ocd.calls.param_decoding import CommonParams
from ocd.outputs import inline_policy
from ocd.safety import secrets
from ocd.safety.sanitize import Markup, Sanitizer, SanitizerFindings
from ocd.storage.payload import Payload, Rows
from ocd.verb_api.declaration import Output, Verb, Window

# How many characters are processed on the loop, in a millisecond or two.
_LONG = 1 << 17
# Bytes of a long list that are read and sent at a time.
_PIECE = 1 << 18
_MARKUP: dict[str, Markup] = {"text/markdown": "markdown", "text/html": "html"}


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to a call, ready for any transport.

    data: JSON value without the page text. content: page text from `origin`, or None. rows and
    items: where a list of `data` stands in a file. stored_path and file: see Output. is_handle:
    data is a handle's descriptor. unfinished: data describes a task that continues. pointer: stands
    for the page text or for data, which is empty then. attachments: further MCP content blocks,
    bounded. browser_restarted: the session's tabs went with an earlier Chromium; data says so, too,
    if it is an object.
    """

    data: Any
    content: str | None = None
    origin: str = ""
    image: tuple[bytes, str] | None = None
    rows: Rows | None = None
    items: tuple[str, ...] | None = None
    is_handle: bool = False
    unfinished: bool = False
    pointer: LargeTextPointer | None = None
    attachments: tuple[Mapping[str, Any], ...] = ()
    browser_restarted: bool = False
    stored_path: tuple[str, ...] = ()
    file: Path | None = None

    @property
    def output(self) -> Output:
        """The output whose JSON this carries."""
        return Output(
            data=self.data,
            rows=self.rows,
            items=self.items,
            stored_path=self.stored_path,
            file=self.file,
        )

    def check_readable(self) -> None:
        """Raise `unreadable_file` unless the list in the file can be read to its end; blocks."""
        for _ in self.rows or ():
            pass

    def pieces(self) -> Iterator[bytes]:
        """Yield the JSON that `encode` returns in pieces, for lists longer than memory; blocks."""
        if self.rows is None:
            yield self.encode()
            return
        buffered: list[bytes] = []
        size = 0
        for chunk in self.output.json(None):
            buffered.append(chunk.data)
            size += len(chunk.data)
            if size >= _PIECE:
                yield b"".join(buffered)
                buffered, size = [], 0
        yield b"".join(buffered)

    def encode(self) -> bytes:
        """Return the JSON of `data`, its list from the file spliced in; blocks if there is one."""
        payload = self.output.json(None) if self.rows else None
        return msgspec.json.encode(self.data) if payload is None else payload.encode()


def with_restart_note(reply: Reply) -> Reply:
    """Return the reply with the note that Chromium was restarted."""
    is_object = isinstance(reply.data, dict)
    data = {**reply.data, "browser_restarted": True} if is_object else reply.data
    return dataclasses.replace(reply, data=data, browser_restarted=True)


async def clean_output(sanitizer: Sanitizer, verb: Verb, output: Output) -> Output:
    """Return the output as it may be shown: its page text sanitised, the values of secrets masked.

    Long ones are processed in a thread, so that other calls continue.
    """
    if not verb.is_sanitised and not secrets.current():
        return output
    left = _LONG - len(output.content or "")
    if left >= 0 and remaining_budget(output.data, left) >= 0:
        return mask_output(_sanitise(sanitizer, verb, output))
    return await asyncio.to_thread(lambda: mask_output(_sanitise(sanitizer, verb, output)))


def remaining_budget(value: Any, left: int) -> int:  # noqa: ANN401 - any JSON value
    """Return what remains of a budget of characters after the value; negative once exceeded.

    A cheap upper bound: most replies are small, and need not be encoded to know it.
    """
    if isinstance(value, str):
        return left - len(value) - 2
    if value is None or isinstance(value, (bool, int, float)):
        return left - 30
    if not isinstance(value, (dict, list, tuple)):
        return -1
    if isinstance(value, dict):
        left -= sum(len(str(key)) + 4 for key in value)
    for item in value.values() if isinstance(value, dict) else value:
        left = remaining_budget(item, left - 1)
        if left < 0:
            break
    return left


def _sanitise(sanitizer: Sanitizer, verb: Verb, output: Output) -> Output:
    if not verb.is_sanitised:
        return output
    content, data, found = output.content, output.data, SanitizerFindings()
    if content is not None and verb.reads_page:
        content, found = sanitizer.clean(content, _MARKUP.get(output.content_type, "text"))
    if isinstance(data, dict):
        data, more = sanitizer.clean_values(data, verb.page_keys)
        data |= (found + more).field(hidden=data.get("hidden_chars") or 0)
    return replace_fields(output, content=content, data=data)


def mask_output(output: Output) -> Output:
    """Return the output without the values of secrets; rows had none when they were written."""
    known = secrets.current()
    if not known:
        return output
    content = None if output.content is None else known.mask_text(output.content)
    return replace_fields(output, data=known.mask(output.data), content=content)


def replace_fields(output: Output, **changes: Any) -> Output:  # noqa: ANN401 - fields of Output
    """Return a copy of the output with these fields changed."""
    if "data" in changes and changes["data"] != output.data:
        changes["file"] = None  # what stands there is the output as it was
    return Output(**{name: getattr(output, name) for name in Output.__slots__} | changes)


def inline(verb: Verb, output: Output, params: Mapping[str, Any]) -> Reply:
    """Return the reply that carries the output itself, its page text cut to the window.

    If there is more, the reply says how to continue the call with `params`.
    """
    output = _cut(output, to_end=False)
    _add_next_step(verb, output, params)
    return Reply(
        data=output.data,
        content=output.content,
        origin=output.origin,
        image=(output.image.data, output.image.mime_type) if output.image else None,
        rows=output.rows,
        items=verb.items if output.items is None else output.items,
        unfinished=output.unfinished,
        attachments=output.attachments,
        stored_path=output.stored_path,
        file=output.file,
    )


def _add_next_step(verb: Verb, output: Output, params: Mapping[str, Any]) -> None:
    if not isinstance(output.data, dict) or (output.content is None and verb.scope != "tab"):
        return
    offset = output.data.get("next_offset")
    if offset is not None:
        there = {"tab_id": output.data["tab_id"]} if "tab_id" in output.data else {}
        arguments = {**params, **there, "offset": offset}
        output.data["next_step"] = {"verb": verb.name, "arguments": arguments}


async def to_store(verb: Verb, common: CommonParams, output: Output) -> Payload | None:
    """Return the output as a handle stores it: complete, even where an inline reply would cut it.

    None if it is not stored, by what the caller asked for and by its size.
    """
    mode, limit = common.output_mode, common.output_inline_limit_bytes
    if mode in (None, "inline") or output.unfinished:
        return None

    def build_payload() -> Payload | None:
        payload = _cut(output, to_end=True).payload(verb.items)
        return payload if mode == "handle" or inline_policy.exceeds(payload, limit) else None

    return await asyncio.to_thread(build_payload)


def _cut(output: Output, *, to_end: bool) -> Output:
    """Return the output with its content cut to the window; `to_end` if it goes to a handle."""
    if output.window is None or output.content is None:
        return output
    start, end = _bounds(output.window, len(output.content), to_end=to_end)
    data = {
        **output.data,
        "total": len(output.content),
        "next_offset": end if end < len(output.content) else None,
    }
    return replace_fields(output, content=output.content[start:end], data=data, window=None)


def _bounds(window: Window, total: int, *, to_end: bool) -> tuple[int, int]:
    start = min(window.offset, total)
    if window.limit is None:
        return start, total if to_end else min(start + window.default, total)
    return start, min(start + window.limit, total)
