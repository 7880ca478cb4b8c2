"""The reply about a handle: small, and its preview is the start of the text."""

from collections.abc import Iterator

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from ocd.api.wire import Descriptor
from ocd.outputs import inline_policy
from ocd.storage.payload import JSON, JsonLinesFile, Payload, of_text

# Characters that grow when they are escaped, once or twice, beside those that do not.
TEXT = st.text(
    st.one_of(st.characters(codec="utf-8"), st.sampled_from('"\\\x00\x1f\n\t/é漢😀')),
    max_size=4000,
)


def described(preview: str | None) -> Descriptor:
    return Descriptor(
        output_handle="oh_ABCDEFGHIJKL",
        mime_type="text/markdown",
        size_bytes=2**40,
        item_count=10**9,
        preview=preview,
        expires_at="2026-05-19T12:34:56.000Z",
    )


def reply_size(descriptor: Descriptor) -> int:
    """The bytes of a JSON-RPC reply: JSON inside a string of JSON."""
    text = msgspec.json.encode(descriptor).decode()
    result = {"content": [{"type": "text", "text": text}]}
    return len(msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "result": result}))


def test_the_descriptor_has_exactly_the_seven_keys() -> None:
    assert list(msgspec.to_builtins(described(""))) == [
        "output_handle", "mime_type", "size_bytes", "item_count", "preview", "expires_at",
        "fetch_with",
    ]  # fmt: skip


@given(TEXT)
def test_any_preview_is_shrunk_until_the_whole_reply_fits(text: str) -> None:
    preview = inline_policy.preview_of(text.encode(), "text/plain")
    assert preview is not None
    fitted = inline_policy.fit(described(preview), reply_size)
    assert reply_size(fitted) <= inline_policy.REPLY_BYTES
    assert fitted.preview is not None
    assert preview.startswith(fitted.preview)
    if fitted.preview != preview:
        longer = preview[: len(fitted.preview) + 1]
        assert reply_size(described(longer)) > inline_policy.REPLY_BYTES


@given(TEXT)
def test_the_default_measure_leaves_room_for_an_mcp_reply(text: str) -> None:
    preview = inline_policy.preview_of(text.encode(), "text/plain")
    assert reply_size(inline_policy.fit(described(preview))) + 512 <= inline_policy.REPLY_BYTES


def test_a_descriptor_that_fits_is_returned_as_it_is() -> None:
    whole = described("short")
    assert inline_policy.fit(whole) is whole
    assert inline_policy.fit(described(None)).preview is None


@given(TEXT)
def test_a_preview_is_the_longest_beginning_within_2048_bytes(text: str) -> None:
    encoded = text.encode()
    preview = inline_policy.preview_of(encoded[: inline_policy.PREVIEW_BYTES + 4], "text/plain")
    assert preview is not None
    assert text.startswith(preview)
    assert len(preview.encode()) <= inline_policy.PREVIEW_BYTES
    if preview != text:
        assert len(text[: len(preview) + 1].encode()) > inline_policy.PREVIEW_BYTES


def test_binary_has_no_preview() -> None:
    assert inline_policy.preview_of(b"\x89PNG", "image/png") is None
    assert inline_policy.preview_of(b"\xff\xfe\xfd", "text/plain") is None


def test_exceeds_stops_reading_at_the_limit() -> None:
    seen: list[int] = []

    class Counted(JsonLinesFile):
        def __iter__(self) -> Iterator[bytes]:
            for number in range(1000):
                seen.append(number)
                yield b"12345"

    payload = Payload(JSON, {"pages": []}, ("pages",), Counted.__new__(Counted))
    assert inline_policy.exceeds(payload, 100)
    assert len(seen) < 30
    assert not inline_policy.exceeds(Payload(JSON, [1]), 3)
    assert inline_policy.exceeds(Payload(JSON, [1]), 2)


def test_a_pointer_quotes_its_path_for_a_shell_and_cuts_at_a_character() -> None:
    extent = inline_policy.extent(of_text("text/plain", "😀" * 10), 3)
    text = inline_policy.pointer("read_page", extent, "oh_ABCDEFGHIJKL", "/tmp/it's $HOME/x.txt")
    assert "[read_page response: 10 chars, full output saved to /tmp/it's $HOME/x.txt]" in text
    assert "First 3 chars:\n😀😀😀\n" in text
    assert """cat '/tmp/it'"'"'s $HOME/x.txt'""" in text
    assert "oh_ABCDEFGHIJKL" in text
