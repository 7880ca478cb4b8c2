"""`oc mcp approve` at a terminal: changes are shown, and only "yes" approves them."""

import io
import json
import sys
from typing import Any

import pytest

from oc.command_line.argv import Command
from oc.mcp import upstreams

CHANGE = {"tool": "t", "name": "probe__t", "state": "changed", "diff": "-old\\n+new"}
FOUND = {"upstream": "probe", "tools": 3, "changes": [CHANGE], "mark": "m1"}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Answer:
    status = 200

    def read(self) -> bytes:
        return json.dumps({"result": FOUND}).encode()


class Line:
    """Keeps what is asked of the daemon."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def post(self, _path: str, body: dict[str, Any]) -> Answer:
        self.asked.append(body)
        return Answer()


@pytest.mark.parametrize(
    ("typed", "agreed"),
    [("y\n", True), ("Yes\n", True), ("\n", False), ("n\n", False), ("", False)],
)
def test_only_yes_approves(
    typed: str, agreed: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the changes that were shown are approved."""
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    line: Any = Line()
    entry: Any = {}
    command = Command(entry, params={"upstream": "probe"}, options={})
    status = upstreams.approve(line, command, {})
    assert status == (0 if agreed else 1)
    asked = [(one["action"], one.get("mark")) for one in line.asked]
    assert asked == [("review", None), *([("approve", "m1")] if agreed else [])]
    shown = capsys.readouterr()
    assert "probe__t  changed" in shown.out
    assert "+new" in shown.out
    assert "[y/N]" in shown.err
