"""The shell transcripts beside this file: what a person at a terminal sees, word for word."""

import os
from pathlib import Path

import pytest

from support.daemon import Home
from support.site import Site
from support.transcripts import Shell

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.txt")))
def test_transcript(name: str, home: Home, site: Site) -> None:
    """Every command of the transcript prints and exits as written (`make transcripts` rewrites)."""
    path = FOLDER / f"{name}.txt"
    expected = path.read_text(encoding="utf-8")
    actual = Shell(home, site.origin).replay(expected)
    if os.environ.get("OCD_REWRITE_TRANSCRIPTS"):
        path.write_text(actual, encoding="utf-8")
    else:
        assert actual == expected
