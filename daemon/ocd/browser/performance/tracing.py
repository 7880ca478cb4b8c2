"""Performance traces: recorded by Chromium, stored as its JSON without headers."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw

from ocd.api.errors import OcdError
from ocd.browser.cdp.connection import Event
from ocd.browser.cdp.io_stream import read_stream
from ocd.storage.files import make_dir, unreadable_error, write_whole

if TYPE_CHECKING:
    from ocd.browser.tabs.tab import Tab

FORMAT = 1
KEPT = 20
MAX_BYTES = 256 << 20
COMPLETE_S = 30.0
_ID = re.compile(r"trace_[0-9a-f]{12}")
_CONFIG = {
    "recordMode": "recordUntilFull",
    "traceBufferSizeInKb": 51_200,
    "includedCategories": [
        "devtools.timeline", "disabled-by-default-devtools.timeline", "loading",
        "blink.user_timing",
    ],
    "excludedCategories": ["*"],
}  # fmt: skip
# The events that contain headers, and with them cookies.
_WITH_HEADERS = (b'"ResourceReceiveResponse"', b'"ResourceSendRequest"')


class _TraceJson(msgspec.Struct, rename="camel"):
    trace_events: list[Raw] = []
    metadata: dict[str, Any] = {}


@contextlib.asynccontextmanager
async def recording(tab: "Tab") -> AsyncIterator[list[bytes]]:
    """Record during the block; afterwards the list has the trace's JSON, in pieces.

    Raises busy if another trace of the browser is being recorded, timeout if Chromium does not
    deliver it, too_large beyond MAX_BYTES.
    """
    params = {"transferMode": "ReturnAsStream", "traceConfig": _CONFIG}
    pieces: list[bytes] = []
    try:
        await tab.cdp.send("Tracing.start", params)
    except OcdError as error:
        if error.code == "cdp_error" and "already" in error.message:
            raise OcdError("busy", "Another trace is being recorded.", hint="Try again.") from None
        raise
    complete = tab.cdp.create_future()
    tab.cdp.once("Tracing.tracingComplete", lambda event: _resolve(complete, event))
    try:
        yield pieces
    finally:
        if not tab.closed:
            tab.cdp.send_nowait("Tracing.end")
    try:
        async with asyncio.timeout(COMPLETE_S):
            stream = (await complete)["stream"]
    except TimeoutError:
        raise OcdError("timeout", "Chromium did not deliver the trace.") from None
    reading = read_stream(tab.cdp, stream, what="The trace", max_bytes=MAX_BYTES)
    pieces += [piece async for piece in reading]


def _resolve(future: asyncio.Future[Any], event: Event) -> None:
    if not future.done():
        future.set_result(event)


def store(folder: Path, pieces: Iterable[bytes], copy: Path | None) -> tuple[str, Path]:
    """Write the trace; return its id and its file, which is `copy` if given. Blocks.

    The session's oldest traces are removed. copy: a second file to write the trace to. Raises
    storage_*.
    """
    trace = msgspec.json.decode(b"".join(pieces), type=_TraceJson)
    trace.trace_events = [_strip_samples(event) for event in trace.trace_events]
    trace.metadata["openchrome_trace"] = FORMAT
    data = msgspec.json.encode(trace)
    trace_id = f"trace_{token_hex(6)}"
    path = make_dir(_folder(folder)) / f"{trace_id}.json"
    write_whole(path, data)
    if copy is not None:
        write_whole(copy, data)
    for old in _oldest(_folder(folder)):
        old.unlink(missing_ok=True)
    return trace_id, copy or path


def _strip_samples(event: Raw) -> Raw:
    data = bytes(event)
    if not any(name in data for name in _WITH_HEADERS):
        return event
    decoded = msgspec.json.decode(data)
    decoded.get("args", {}).get("data", {}).pop("headers", None)
    return Raw(msgspec.json.encode(decoded))


def _folder(folder: Path) -> Path:
    return folder / "traces"


def _oldest(folder: Path) -> list[Path]:
    files = sorted(folder.glob("trace_*.json"), key=lambda path: path.stat().st_mtime)
    return files[:-KEPT]


def events(folder: Path, trace_id: str) -> Iterator[Raw]:
    """Yield the events of a stored trace; blocks. Raises unknown_trace_id, unreadable_file."""
    path = _folder(folder) / f"{trace_id}.json"
    if not _ID.fullmatch(trace_id) or not path.is_file():
        trace_ids = sorted(path.stem for path in _folder(folder).glob("trace_*.json"))
        raise OcdError(
            "unknown_trace_id", f"This session has no trace {trace_id}.",
            hint="Record one: `oc_performance_insights`", known=trace_ids,
        )  # fmt: skip
    try:
        trace = msgspec.json.decode(path.read_bytes(), type=_TraceJson)
    except (msgspec.DecodeError, OSError) as error:
        raise unreadable_error(path, str(error)) from None
    yield from trace.trace_events
