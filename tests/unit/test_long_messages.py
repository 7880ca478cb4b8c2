"""Long messages of an HTTP server: the SDK gets a stand-in, the client what was sent."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp.shared.message import SessionMessage

from oc_mcp.client.message_bounds import LongMessages
from oc_mcp.client.stdio_transport import LONG, MAX_MESSAGE

LONG_TEXT = "é" * LONG
RESULT = {"jsonrpc": "2.0", "id": 7, "result": {"protocolVersion": "1", "content": [LONG_TEXT]}}
MESSAGES: dict[str, dict[str, Any]] = {
    "result": RESULT,
    "error": {"jsonrpc": "2.0", "id": 7, "error": {"code": -3, "message": "m", "data": LONG_TEXT}},
    "request": {"jsonrpc": "2.0", "id": "a", "method": "ask", "params": {"text": LONG_TEXT}},
    "notification": {"jsonrpc": "2.0", "method": "say", "params": {"text": LONG_TEXT}},
}


class Chunks(httpx2.AsyncByteStream):
    def __init__(self, *chunks: bytes) -> None:
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk

    async def aclose(self) -> None:
        pass


async def passed(messages: LongMessages, kind: str, *chunks: bytes) -> list[bytes]:
    """Return what the SDK would be given of a body that comes in these chunks."""
    response = httpx2.Response(200, headers={"content-type": kind}, stream=Chunks(*chunks))
    await messages.bound(response)
    return [chunk async for chunk in response.aiter_raw()]


def exchanged(messages: LongMessages, text: bytes) -> Any:  # noqa: ANN401 - any message
    """Return what the client is given for a message that the SDK has read."""
    message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    item = messages.take(SessionMessage(message))
    assert isinstance(item, SessionMessage)
    return item.message.model_dump(by_alias=True, exclude_unset=True)


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
async def test_a_long_body_is_exchanged_for_its_stand_in(message):
    messages = LongMessages()
    body = json.dumps(message).encode()
    given = b"".join(await passed(messages, "application/json", body[:999], body[999:]))
    assert len(given) < 1000
    assert exchanged(messages, given) == message
    assert "openchrome/" in str(exchanged(messages, given)), "a ticket is good once"


async def test_the_stand_in_has_the_short_values():
    (given,) = await passed(LongMessages(), "application/json", json.dumps(RESULT).encode())
    assert json.loads(given)["result"]["protocolVersion"] == "1"


async def test_invalid_messages_stay_invalid():
    for body in (b"[" * LONG * 2, b'"' + b"\xff" * LONG * 2 + b'"', b'{"a":"' + b"x" * LONG * 2):
        (given,) = await passed(LongMessages(), "application/json", body)
        assert given == b"{"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [97, 50_000, 10_000_000])
async def test_events_are_passed_on_unchanged(end, size):
    """Short ones unchanged, long ones as stand-ins, wherever the chunks are cut."""
    short = {"jsonrpc": "2.0", "method": "say", "params": {"text": "short"}}
    pretty = json.dumps(RESULT, indent=0).split("\n")
    events = [
        ["event: message", "id: 1", f"data: {json.dumps(short)}", ""],
        ["event: message", "id: 2", *(f"data: {line}" for line in pretty), ""],
        [f"data:{json.dumps(MESSAGES['error'])}", ""],
        [f"data: {json.dumps(short)}", "", ""],
    ]
    body = end.join(end.join(lines) for lines in events).encode()
    messages = LongMessages()
    chunks = [body[start : start + size] for start in range(0, len(body), size)]
    given = await passed(messages, "text/event-stream; charset=utf-8", *chunks)
    assert sum(map(len, given)) < 3000
    response = httpx2.Response(
        200, headers={"content-type": "text/event-stream"}, stream=Chunks(*given),
        request=httpx2.Request("GET", "http://h/"),
    )  # fmt: skip
    came = [event async for event in httpx2.EventSource(response)]
    assert [event.id for event in came][:2] == ["1", "2"]
    taken = [exchanged(messages, event.data.encode()) for event in came]
    assert taken == [short, RESULT, MESSAGES["error"], short]


TOO_MUCH = [b"x" * (1 << 20)] * (MAX_MESSAGE >> 20) + [b"xx"]


async def test_a_response_that_is_too_large_is_an_error():
    head = b'{"jsonrpc":"2.0","id":7,"result":{"text":"'
    given = await passed(LongMessages(), "application/json", head, *TOO_MUCH)
    event = await passed(LongMessages(), "text/event-stream", b"data: " + head, *TOO_MUCH)
    for text in (b"".join(given), b"".join(event).removeprefix(b"data: ")):
        message = json.loads(text)
        assert message["id"] == 7
        assert "larger than 16 MiB" in message["error"]["message"]


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream", "text/plain"])
async def test_other_messages_that_are_too_large_end_the_stream(kind):
    with pytest.raises(httpx2.ReadError, match="16 MiB"):
        await passed(LongMessages(), kind, *TOO_MUCH)


async def test_unread_messages_do_not_accumulate():
    messages = LongMessages()
    body = json.dumps(RESULT).encode()
    for _ in range(20):
        await passed(messages, "application/json", body)
    assert len(messages._parked) == 16
