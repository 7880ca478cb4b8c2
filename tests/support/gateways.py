"""Other MCP servers for a daemon's gateway: started by it, or beside it over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.upstreams.forks import launcher

SERVER = Path(__file__).parent / "upstreams" / "server.py"
ROUGH = Path(__file__).parent / "upstreams" / "rough.py"


def table(
    notes: Path, *flags: str, name: str = "probe", more: str = "", server: Path | None = None
) -> str:
    """Return the table of config.toml that starts a server: SERVER, forked, or the given one."""
    words = [str(server)] if server else launcher()
    return (
        f"[upstream.{name}]\ncommand = {json.dumps(sys.executable)}\n"
        f"args = {json.dumps([*words, *flags])}\n"
        f"env = {{ NOTES = {json.dumps(str(notes))}, DECLARED = 'yes' }}\n{more}\n"
    )


@contextmanager
def over_http(notes: Path, *flags: str) -> Iterator[str]:
    """Run the server at a port of its own; yield its table."""
    process = subprocess.Popen(
        [sys.executable, *launcher(), "--http", *flags], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "NOTES": str(notes)},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        url = f"http://127.0.0.1:{port}/mcp"
        yield f'[upstream.probe]\nurl = "{url}"\nheaders = {{ X-Who = "openchrome" }}\n'
    finally:
        process.kill()
        process.wait(60)
        if process.stdout is not None:
            process.stdout.close()


def seen(notes: Path) -> list[str]:
    """Return what the server has noted."""
    return notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []


def body_of(result: dict[str, Any], name: str = "probe") -> str:
    """Return the text of a tool's answer, which is fenced in the second block."""
    assert not result["isError"], result
    lines = result["content"][1]["text"].split("\n")
    assert f"untrusted output from upstream:{name}" in lines[0], lines[0]
    assert "end of untrusted output" in lines[-1], lines[-1]
    return "\n".join(lines[1:-1])
