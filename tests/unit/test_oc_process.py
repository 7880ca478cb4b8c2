"""`oc` as a process of its own: pipes that close, and terminals."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.fake_daemon import FakeDaemon, serving
from support.pseudo_terminal import on_a_terminal

OC = [sys.executable, "-m", "oc"]


@pytest.fixture
def daemon(tmp_path: Path) -> FakeDaemon:
    return FakeDaemon(tmp_path)


def environ(tmp_path: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "OPENCHROME_HOME": str(tmp_path), **more}


def test_a_reader_that_closes_early_is_no_error(tmp_path: Path, daemon: FakeDaemon) -> None:
    """`oc … | head -c 5` prints no traceback, and the first bytes arrive."""
    daemon.says({"result": {"content": "x" * 4_000_000}})
    daemon.says({"result": {"content": "x" * 4_000_000}})
    with serving(daemon):
        for words in (["call", "any"], ["call", "any", "--json"]):
            with subprocess.Popen(
                [*OC, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=environ(tmp_path),
            ) as process:  # fmt: skip
                assert process.stdout
                assert process.stderr
                assert len(process.stdout.read(5)) == 5
                process.stdout.close()
                assert process.stderr.read() == b""
                assert process.wait() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this OS has no /dev/full")
def test_a_full_disk_is_reported(tmp_path: Path, daemon: FakeDaemon) -> None:
    """A full disk is reported in one line, with an exit status that a script can see."""
    daemon.says({"result": {"content": "text"}})
    daemon.says({"result": {"content": "text"}})
    with serving(daemon), Path("/dev/full").open("wb") as full:
        for words in (["call", "any"], ["call", "any", "--json"]):
            done = subprocess.run(
                [*OC, *words], stdout=full, stderr=subprocess.PIPE, env=environ(tmp_path),
                text=True, check=False,
            )  # fmt: skip
            assert done.returncode == 1
            assert done.stderr == "Error: Cannot write the result: No space left on device\n"


def test_closed_output_is_no_error(tmp_path: Path, daemon: FakeDaemon) -> None:
    """`oc … >&-` asks for no result, and gets no traceback."""
    daemon.says({"result": {"content": "text"}})
    with serving(daemon):
        command = 'exec "$@" >&-'
        done = subprocess.run(
            ["/bin/sh", "-c", command, "sh", *OC, "call", "any"], stderr=subprocess.PIPE,
            env=environ(tmp_path), check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")


def test_a_terminal_without_unicode_gets_question_marks(tmp_path: Path, daemon: FakeDaemon) -> None:
    daemon.says({"result": {"content": "naïve 漢字"}})
    with serving(daemon):
        shown = on_a_terminal([*OC, "call", "any"], environ(tmp_path, PYTHONIOENCODING="ascii"))
    assert shown == "na?ve ??\r\n"


def test_page_text_cannot_control_the_terminal(tmp_path: Path, daemon: FakeDaemon) -> None:
    daemon.says({"result": {"content": "a\x1b]0;owned\x07b\tc\nd"}})
    with serving(daemon):
        shown = on_a_terminal([*OC, "call", "any"], environ(tmp_path, PYTHONIOENCODING="utf-8"))
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert shown.endswith("b\tc\r\nd\r\n") or "b       c\r\nd\r\n" in shown


def test_a_picture_is_never_written_to_a_terminal(tmp_path: Path, daemon: FakeDaemon) -> None:
    daemon.says({"result": {"image": {"data": "UE5HIQ==", "mime_type": "image/png"}}})
    target = str(tmp_path / "a.png")
    with serving(daemon):
        shown = on_a_terminal([*OC, "call", "any", "--out", target], environ(tmp_path))
    assert shown == f"{target}\r\n"
    assert Path(target).read_bytes() == b"PNG!"


def test_ctrl_c_closes_the_connection_and_exits_130(tmp_path: Path, daemon: FakeDaemon) -> None:
    """The daemon cancels a call whose caller has gone."""
    process = subprocess.Popen([*OC, "call", "any"], stderr=subprocess.PIPE, env=environ(tmp_path))
    connection = daemon.accept()
    with connection, process:
        assert connection.recv(10)
        process.send_signal(signal.SIGINT)
        while connection.recv(65536):
            pass
        assert process.stderr
        assert b"Traceback" not in process.stderr.read()
        assert process.wait() == 130
    daemon.close()


def test_a_batch_uses_one_connection(tmp_path: Path, daemon: FakeDaemon) -> None:
    for number in range(5):
        daemon.says({"result": {"content": str(number)}})
    with serving(daemon):
        done = subprocess.run(
            [*OC, "batch"], env=environ(tmp_path), input=b"eval 1\n" * 5, capture_output=True,
            check=True,
        )  # fmt: skip
    assert done.stdout == b"0\n1\n2\n3\n4\n"
    assert daemon.connections == 1
