"""HTTP over a real socket: complete, in pieces, and broken."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from oc.connection import transport
from oc.connection.transport import Unreachable
from ocd.api.errors import OcdError
from support.fake_daemon import FakeDaemon, serving
from support.waiting import wait_until


@pytest.fixture
def daemon(tmp_path: Path) -> FakeDaemon:
    return FakeDaemon(tmp_path)


def ask(
    daemon: FakeDaemon, body: bytes = b"", timeout_s: float | None = 60, grace_s: float = 0
) -> transport.Reply:
    return transport.request(
        str(daemon.path), "POST", "/v1/call", body, timeout_s=timeout_s, grace_s=grace_s
    )


def test_a_reply_with_a_length_is_read_to_it(daemon: FakeDaemon) -> None:
    daemon.says({"result": 1}, status=409, headers="X-Some-Thing: here \r\n")
    with serving(daemon):
        reply = ask(daemon, b'{"a": 1}')
        assert reply.status == 409
        assert reply.headers["x-some-thing"] == "here"
        assert reply.read() == b'{"result": 1}'
        assert daemon.requests == [("POST /v1/call", {"a": 1})]
        assert "Host: ocd" in daemon.heads[0]


def test_chunks_may_be_split_anywhere(daemon: FakeDaemon) -> None:
    whole = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    whole += b"3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n"
    daemon.says_raw(*(whole[i : i + 1] for i in range(len(whole))))
    with serving(daemon):
        assert ask(daemon).read() == b"abc0123456789"


def test_lines_do_not_depend_on_chunks(daemon: FakeDaemon) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    daemon.says_raw(head, b"3\r\na\nb\r\n", b"4\r\nb\n\nc\r\n", b"0\r\n\r\n")
    with serving(daemon):
        assert list(ask(daemon).lines()) == [b"a", b"bb", b"c"]


def test_a_reply_without_a_length_ends_with_the_connection(daemon: FakeDaemon) -> None:
    daemon.says_raw(b"HTTP/1.1 200 OK\r\n\r\n", b"rest")
    with serving(daemon):
        assert ask(daemon).read() == b"rest"


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (b"HTTP/1.1 200 OK\r\nContent-Le",),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{",),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",),
    ],
)
def test_daemon_that_dies_during_a_call(daemon: FakeDaemon, parts: tuple[bytes, ...]) -> None:
    daemon.says_raw(*parts)
    with serving(daemon), pytest.raises(OcdError) as caught:
        ask(daemon).read()
    assert caught.value.code == "no_daemon"
    assert "Lost connection" in caught.value.message


def test_another_program_on_the_socket(daemon: FakeDaemon) -> None:
    daemon.says_raw(b"220 mail ready\r\n\r\n")
    with serving(daemon), pytest.raises(OcdError) as caught:
        ask(daemon)
    assert "not an OpenChrome daemon" in caught.value.message


def test_silence_is_a_timeout(daemon: FakeDaemon) -> None:
    # Nobody accepts: the kernel takes the request, no answer comes.
    with pytest.raises(OcdError) as caught:
        ask(daemon, timeout_s=0.05)
    assert caught.value.code == "timeout"
    assert caught.value.message == "The daemon did not answer within 0.05 s"
    daemon.close()


def test_a_timeout_names_the_callers_deadline(daemon: FakeDaemon) -> None:
    """Not the time that has passed."""
    with pytest.raises(OcdError) as caught:
        ask(daemon, timeout_s=0.05, grace_s=0.1)
    assert caught.value.message == "The daemon did not answer within 0.05 s, nor 0.1 s later"
    daemon.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "QUIET_S", 0.05)


@pytest.mark.usefixtures("impatient")
def test_a_daemon_that_hangs_ends_a_call_without_a_deadline(
    daemon: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "PROBE_S", 0.05)
    # Nobody accepts: neither the call nor the question whether it lives is answered.
    with pytest.raises(OcdError) as caught:
        ask(daemon, timeout_s=None)
    assert caught.value.code == "timeout"
    assert "The daemon hangs" in caught.value.message
    assert "ocd status" in caught.value.hint
    daemon.close()


@pytest.mark.usefixtures("impatient")
def test_a_slow_daemon_is_waited_for(daemon: FakeDaemon) -> None:
    said = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
    probes: list[bytes] = []

    def answer_probes() -> None:
        with suppress(OSError):  # it is closed at the end
            while True:
                with daemon.accept() as probe:
                    probes.append(probe.recv(50))
                    probe.sendall(said)

    with ThreadPoolExecutor(2) as pool:
        asked = pool.submit(ask, daemon, timeout_s=None)
        with daemon.accept() as waiting:
            pool.submit(answer_probes)
            wait_until(lambda: len(probes) > 2)
            waiting.sendall(said)
            reply = asked.result()
            assert reply.read() == b"{}"
        daemon.close()
    assert all(probe.startswith(b"GET /v1/status ") for probe in probes)


@pytest.mark.usefixtures("impatient")
def test_a_daemon_that_is_killed_during_a_call(daemon: FakeDaemon) -> None:
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask, daemon, timeout_s=None)
        with daemon.accept():
            daemon.close()
            with pytest.raises(OcdError, match="Lost connection"):
                asked.result()


def test_a_socket_without_a_listener_is_unreachable(tmp_path: Path, daemon: FakeDaemon) -> None:
    daemon.close()
    for path in (tmp_path / "none.sock", daemon.path):
        with pytest.raises(Unreachable):
            transport.request(str(path), "GET", "/v1/status")


def test_socket_without_permission(tmp_path: Path) -> None:
    with pytest.raises(OcdError) as caught:
        transport.request(str(tmp_path / ("x" * 200)), "GET", "/v1/status")
    assert caught.value.code == "no_daemon"


def test_a_connection_is_reused(daemon: FakeDaemon) -> None:
    """Two requests share a connection; after a reply that was not read, the third gets its own."""
    for number in range(4):
        daemon.says({"result": number})
    with serving(daemon):
        connection = transport.Connection()
        where = (str(daemon.path), "POST", "/v1/call", b"{}")
        assert connection.request(*where).read() == b'{"result": 0}'
        assert connection.request(*where).status == 200
        assert connection.request(*where).read() == b'{"result": 2}'
        connection.close()
    assert daemon.connections == 2


def test_a_closed_connection_is_replaced(daemon: FakeDaemon) -> None:
    daemon.says_raw(b"HTTP/1.1 200 OK\r\n\r\n", b"until the end")
    daemon.says({"result": 1})
    daemon.says({"result": 2})
    with serving(daemon):
        connection = transport.Connection()
        where = (str(daemon.path), "POST", "/v1/call", b"{}")
        connection.request(*where)
        assert connection.request(*where).read() == b'{"result": 1}'
        assert connection.request(*where).read() == b'{"result": 2}'
        connection.close()
    assert daemon.connections == 2
