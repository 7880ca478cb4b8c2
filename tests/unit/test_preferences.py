"""What is written into a profile before Chromium starts."""

import json
import logging
from pathlib import Path

import pytest

from ocd.browser.process.preferences import save_pdfs


def written(profile: Path) -> bytes:
    return (profile / "Default" / "Preferences").read_bytes()


def write(profile: Path, content: bytes) -> None:
    (profile / "Default").mkdir()
    (profile / "Default" / "Preferences").write_bytes(content)


def test_a_new_profile_saves_pdfs(tmp_path: Path) -> None:
    save_pdfs(tmp_path)
    assert json.loads(written(tmp_path)) == {"plugins": {"always_open_pdf_externally": True}}


def test_everything_else_in_a_profile_stays(tmp_path: Path) -> None:
    write(tmp_path, b'{"plugins": {"x": 1}, "browser": {"y": [2]}}')
    save_pdfs(tmp_path)
    expected = {
        "plugins": {"x": 1, "always_open_pdf_externally": True}, "browser": {"y": [2]},
    }  # fmt: skip
    assert json.loads(written(tmp_path)) == expected


@pytest.mark.parametrize(
    "content",
    [
        b'{"plugins": {"always_open_pdf_externally": false}}',
        b'{"plugins": 3}',
        b"[]",
        b'{"cut off',
        b"\xff",
        b"",
    ],
)
def test_a_choice_and_what_cannot_be_read_stay(tmp_path: Path, content: bytes) -> None:
    write(tmp_path, content)
    save_pdfs(tmp_path)
    assert written(tmp_path) == content


def test_a_profile_that_cannot_be_written_prevents_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "Default").write_bytes(b"")
    with caplog.at_level(logging.WARNING):
        save_pdfs(tmp_path)
    assert "PDF documents will open in Chromium's viewer" in caplog.text
    assert list(tmp_path.iterdir()) == [tmp_path / "Default"]
