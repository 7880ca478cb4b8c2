"""Programs that are not browsers, are too old or respond oddly: `browser_failed`, in time."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.daemon import Daemon

MakeDaemon = Callable[..., Daemon]

# Speaks the protocol's framing on the pipes that Chromium gets; ANSWER makes a message's body.
_FAKE = """#!{python}
import json, os, signal
signal.alarm(50)
VERSION = {{"product": "Chrome/60.0.0.0", "protocolVersion": "1.2"}}
def answer(method):
    {answer}
rest = b""
while data := os.read(3, 65536):
    *whole, rest = (rest + data).split(b"\\0")
    for message in map(json.loads, whole):
        body = answer(message["method"])
        if body is not None:
            os.write(4, json.dumps({{"id": message["id"], **body}}).encode() + b"\\0")
"""
_UNKNOWN = '{"error": {"code": -32601, "message": f"\'{method}\' wasn\'t found"}}'
_VERSION = '{"result": VERSION} if method == "Browser.getVersion" else '
ANSWERS = {
    "knows-nothing": f"return {_UNKNOWN}",
    "too-old": f"return {_VERSION}{_UNKNOWN}",
    "empty-answers": 'return {"result": {}}',
    "answers-with-lists": 'return {"result": [1, 2]}',
    "answers-with-words": 'return {"result": "no"}',
    "silent-later": f"return {_VERSION}None",
    "ends-later": f"return {_VERSION}os._exit(3)",
    "garbage-later": f'return {_VERSION}os.write(4, b"\\\\xff garbage\\\\0") and None',
    "attaches-nonsense": 'os.write(4, b\'{"method":"Target.attachedToTarget","params":{}}\\\\0\')\n'
    '    return {"result": VERSION}',
}
SCRIPTS = {
    "ends-at-once": "exit 0",
    "prints-garbage": "echo hello; echo what >&2; exit 7",
    "garbage-on-the-pipe": r"printf 'hello\0\377\0{}\0[1]\0' >&4; exec sleep 50",
    "closes-its-pipes": "exec 3<&- 4>&-; exec sleep 50",
}


# Waiting for an answer costs the whole of a start's time: once is enough.
SLOW = {"silent-later", "garbage-later"}


def _expect_failed(daemon: Daemon, times: int = 2) -> None:
    for _ in range(times):
        error = daemon.call("navigate", url="http://127.0.0.1:1/").error
        assert error["code"] in ("browser_failed", "browser_not_found"), error
        assert len(error["message"].split()) > 3
        assert error["hint"]
    assert daemon.do("oc_task_list")["count"] == 0


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the module's daemon takes for a browser; each test writes another one."""
    path = tmp_path_factory.mktemp("program") / "browser"
    path.touch(mode=0o755)
    return path


@pytest.mark.parametrize("kind", ANSWERS)
def test_browser_with_unexpected_responses_is_an_error(
    share_daemon: MakeDaemon, program: Path, kind: str
) -> None:
    """Whatever it answers, callers get an error and the daemon continues."""
    answer = ANSWERS[kind].replace("{{", "{")
    program.write_text(_FAKE.format(python=sys.executable, answer=answer), encoding="utf-8")
    _expect_failed(share_daemon("--browser", str(program)), 1 if kind in SLOW else 2)


@pytest.mark.parametrize("kind", SCRIPTS)
def test_program_that_is_not_a_browser(share_daemon: MakeDaemon, program: Path, kind: str) -> None:
    """It exits, prints something, or says nothing that can be understood."""
    program.write_text(f"#!/bin/sh\n{SCRIPTS[kind]}\n", encoding="utf-8")
    _expect_failed(share_daemon("--browser", str(program)))


@pytest.mark.parametrize("path", ["/bin/true", "/etc/passwd", "/tmp"])
def test_path_that_is_not_a_browser(make_daemon: MakeDaemon, path: str) -> None:
    """A program that ends at once, a file that cannot be run, a folder."""
    _expect_failed(make_daemon("--browser", path))
