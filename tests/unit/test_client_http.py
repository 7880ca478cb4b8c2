"""The Python client's HTTP parser: responses arrive in arbitrary pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openchrome.http import MAX_HEAD_BYTES, ProtocolError, Response

COUNTED = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Name: a: b\r\n\r\nhello"
CHUNKED = (
    b"HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"3;more=1\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: x\r\n\r\n"
)
EMPTY = b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n"


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = [*sorted({place % len(data) for place in places} - {0}), len(data)]
    return [data[a:b] for a, b in zip([0, *ends], ends, strict=False)]


@given(st.sampled_from([COUNTED, CHUNKED, EMPTY]), st.lists(st.integers(0, 500), max_size=40))
def test_a_response_may_arrive_in_any_pieces(data: bytes, places: list[int]) -> None:
    response = Response()
    body = b"".join(response.feed(piece) for piece in cut(data, places))
    assert body == (b"" if data is EMPTY else b"hello")
    assert response.complete
    assert response.reusable
    assert response.status == {COUNTED: 200, CHUNKED: 404, EMPTY: 204}[data]


def test_header_names_are_lower_case() -> None:
    response = Response()
    assert response.feed(COUNTED) == b"hello"
    assert response.headers == {"content-length": "5", "x-name": "a: b"}


def test_body_without_a_length_ends_with_the_connection() -> None:
    response = Response()
    assert response.feed(b"HTTP/1.1 200 OK\r\n\r\nhel") == b"hel"
    assert response.feed(b"lo") == b"lo"
    assert not response.complete
    assert response.feed(b"") == b""
    assert response.complete
    assert not response.reusable


@pytest.mark.parametrize("data", [COUNTED[:-1], CHUNKED[:-2], COUNTED[:20], b""])
def test_truncated_response_is_an_error(data: bytes) -> None:
    response = Response()
    if data:
        response.feed(data)
    assert not response.complete
    with pytest.raises(ProtocolError):
        response.feed(b"")


@pytest.mark.parametrize(
    "data", [b"220 smtp ready\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", b"x" * (MAX_HEAD_BYTES + 1)]
)
def test_invalid_response_is_an_error(data: bytes) -> None:
    with pytest.raises(ProtocolError):
        Response().feed(data)


def test_connection_with_close_or_extra_bytes_is_not_reused() -> None:
    closing, talkative = Response(), Response()
    closing.feed(COUNTED.replace(b"X-Name: a: b", b"Connection: close"))
    talkative.feed(COUNTED + b"HTTP")
    assert (closing.complete, closing.reusable) == (True, False)
    assert (talkative.complete, talkative.reusable) == (True, False)
