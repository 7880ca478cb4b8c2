"""Durable files: written completely or not at all, private, and cleaned up after a failure."""

import resource
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ocd.api.errors import OcdError
from ocd.storage import files


@contextmanager
def _file_limit(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond the size."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)


def test_a_replaced_file_is_complete_and_private(tmp_path: Path) -> None:
    """The new content is under the old name, with mode 0600."""
    path = tmp_path / "meta.json"
    files.write_whole(path, b"one")
    assert files.write_whole(path, (b"t", b"wo")) == 3
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["meta.json"]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    """An error between two chunks loses nothing and leaves no temporary file."""
    path = tmp_path / "meta.json"
    files.write_whole(path, b"old")

    def chunks() -> Iterator[bytes]:
        yield b"new"
        raise OSError(28, "No space left on device")

    with pytest.raises(OcdError) as caught:
        files.write_whole(path, chunks())
    assert caught.value.code == "storage_full"
    assert str(path) in caught.value.message
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["meta.json"]


def test_a_file_that_does_not_fit_is_removed(tmp_path: Path) -> None:
    """The old file stays, and the space of the half-written one is free again."""
    path = tmp_path / "000001-after.webp"
    with _file_limit(12), pytest.raises(OcdError) as caught:
        files.write_unsynced(path, b"x" * 20)
    assert caught.value.code == "storage_failed"
    assert list(tmp_path.iterdir()) == []
    files.write_unsynced(path, b"x" * 20)
    assert path.stat().st_size == 20


def test_another_failed_write_is_storage_failed(tmp_path: Path) -> None:
    """Only a full disk is called full."""
    with pytest.raises(OcdError) as caught:
        files.write_whole(tmp_path / "missing" / "x", b"")
    assert caught.value.code == "storage_failed"


def test_a_log_ends_a_torn_line_before_it_appends(tmp_path: Path) -> None:
    """After a crash in the middle of a line, the next line is complete."""
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"a":1}\n{"b"')
    log = files.JsonLinesLog(path)
    log.append(b'{"c":3}')
    log.close()
    assert path.read_bytes() == b'{"a":1}\n{"b"\n{"c":3}\n'


def test_torn_lines_are_skipped(tmp_path: Path) -> None:
    """A reader beside the writer sees complete lines only; no file means no lines."""
    path = tmp_path / "events.jsonl"
    assert list(files.read_lines(path)) == []
    path.write_bytes(b"1\n2\n3")
    assert list(files.read_lines(path)) == [b"1", b"2"]


def test_a_symbolic_link_is_never_written_through(tmp_path: Path) -> None:
    """A link planted under a file's name does not redirect the write."""
    target = tmp_path / "target"
    target.write_bytes(b"keep")
    (tmp_path / "log").symlink_to(target)
    with pytest.raises(OcdError):
        files.JsonLinesLog(tmp_path / "log")
    assert target.read_bytes() == b"keep"


def test_a_line_that_does_not_fit_is_removed(tmp_path: Path) -> None:
    """A full disk loses only that line; a later one is complete."""
    log = files.JsonLinesLog(tmp_path / "events.jsonl")
    log.append(b'{"a":1}')
    with _file_limit(12), pytest.raises(OcdError) as caught:
        log.append(b'{"b":"much too long"}')
    assert caught.value.code == "storage_failed"
    log.append(b'{"c":3}')
    log.close()
    assert list(files.read_lines(log.path)) == [b'{"a":1}', b'{"c":3}']
