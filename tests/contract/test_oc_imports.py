"""What an `oc` call may import: every call pays for each of these modules."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.fake_daemon import FakeDaemon, serving

DEAR = {
    "asyncio", "dataclasses", "datetime", "difflib", "http.client", "importlib", "inspect",
    "logging", "msgspec", "pathlib", "rich", "socket", "subprocess", "tempfile", "typer", "typing",
    "unicodedata", "urllib",
}  # fmt: skip

PROGRAM = """
import json, sys
from oc.__main__ import main
code = main()
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize(
    "words", [["status", "--json"], ["tabs", "context"], ["navigate", "http://x"], ["read-page"]]
)
def test_a_warm_call_imports_little(tmp_path: Path, words: list[str]) -> None:
    """A warm call imports neither typer nor rich nor msgspec, and not even `typing`."""
    daemon = FakeDaemon(tmp_path)
    daemon.says({"result": {"url": "http://x/", "content": "words"}})
    # -I -S without site-packages' own start-up files: only what oc asks for is seen.
    path = [str(Path(p).resolve()) for p in ("client", "daemon")]
    bare = f"import sys; sys.path[:0] = {path!r}\n{PROGRAM}"
    with serving(daemon):
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", bare, *words], check=False, capture_output=True,
            env={**os.environ, "OPENCHROME_HOME": str(tmp_path)},
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not DEAR & set(json.loads(done.stderr.splitlines()[-1]))
