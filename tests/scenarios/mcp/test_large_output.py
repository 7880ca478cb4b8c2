"""Seed 002: an unexpectedly large reply is stored on disk, and a pointer says where."""

import json
import re
import shlex
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from support.daemon import Daemon, Home
from support.mcp import Bridge, Http, error_of, json_of, texts
from support.site import Site

pytestmark = pytest.mark.usefixtures("headless_shell")

POINTER = re.compile(
    r"\A\[(?P<tool>\w+) response: (?P<chars>\d+) chars, full output saved to (?P<path>.+)\]\n\n"
    r"First (?P<first>\d+) chars:\n(?P<preview>.*)\n\n"
    r"\[Use shell tool to read: (?P<shell>.+)\]\n"
    r'\[Or read it by pages: oc_output_fetch \{"output_handle": "(?P<handle>oh_[A-Z2-7]+)"\}\]\Z',
    re.DOTALL,
)
Config = Callable[[str], Daemon]


def pointer_of(result: dict[str, Any]) -> dict[str, str]:
    assert not result["isError"], result
    found = POINTER.match(result["content"][0]["text"])
    assert found, result["content"][0]["text"][:500]
    return found.groupdict()


def evaluated(size: int, letter: str = "x") -> dict[str, Any]:
    return {"code": f"{json.dumps(letter)}.repeat({size})"}


@pytest.fixture
def page(serving: Daemon, site: Site) -> Daemon:
    serving.close_tabs()
    serving.new_tab(site.url("article.html"))
    return serving


def test_replies_below_the_threshold_are_unchanged(page: Daemon, http: Http) -> None:
    """30,000 characters are passed as they are; there is no envelope of any kind."""
    result = http.call("javascript_tool", **evaluated(30_000)).result
    assert json_of(result)["type"] == "string"
    assert "x" * 30_000 in texts(result)[1]


def test_replies_above_the_threshold_are_stored_and_pointed_to(page: Daemon, http: Http) -> None:
    """The pointer has tool, count, path, beginning and both ways to read all of it."""
    result = http.call("javascript_tool", **evaluated(30_001, "é")).result
    said = pointer_of(result)
    assert (said["tool"], said["chars"], said["first"]) == ("javascript_tool", "30001", "3000")
    assert said["preview"] == "é" * 3000
    path = Path(said["path"])
    assert path.read_text(encoding="utf-8") == "é" * 30_001
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.is_relative_to(page.home.path / "output")
    shown = subprocess.run(shlex.split(said["shell"]), capture_output=True, check=True)
    assert shown.stdout.decode() == "é" * 30_001
    fetched = http.do("oc_output_fetch", output_handle=said["handle"], limit=1_000_000)
    assert fetched["content"] == "é" * 30_001
    links = [block for block in result["content"] if block["type"] == "resource_link"]
    assert [link["name"] for link in links] == [said["handle"]]
    assert "untrusted page content" in texts(result)[-1]
    events = http.do("oc_journal", count=20)
    assert any(event.get("handle") == said["handle"] for event in events)


def test_json_is_guarded_too(page: Daemon, http: Http, site: Site) -> None:
    """A reply whose JSON is large is stored as JSON and pages by items."""
    args = {"url": site.url("many-pages/1.html"), "max_pages": 30, "max_depth": 30}
    result = http.call("crawl", **args).result
    said = pointer_of(result)
    stored = json.loads(Path(said["path"]).read_text(encoding="utf-8"))
    assert len(stored["pages"]) == 30
    assert int(said["chars"]) == len(Path(said["path"]).read_text(encoding="utf-8"))
    fetched = http.do("oc_output_fetch", output_handle=said["handle"], limit=2, format="items")
    assert fetched["content"] == stored["pages"][:2]


def test_an_explicit_inline_mode_wins_over_the_guard(page: Daemon, http: Http) -> None:
    """An explicit output mode wins over the guard."""
    result = http.call("javascript_tool", **evaluated(40_000), output_mode="inline").result
    assert "x" * 40_000 in texts(result)[1]


def test_a_reply_too_long_for_one_message_is_never_inline(page: Daemon, http: Http) -> None:
    """Nor where the guard is off: it would be in the memory of both ends several times over."""
    characters = (16 << 20) + 1
    result = http.call("javascript_tool", **evaluated(characters), output_mode="inline").result
    said = pointer_of(result)
    assert int(said["chars"]) == characters
    assert Path(said["path"]).stat().st_size == characters


def test_the_shell_and_the_socket_are_not_guarded(page: Daemon) -> None:
    """By default only agent hosts are."""
    assert page.do("javascript_tool", **evaluated(40_000))["content"] == "x" * 40_000
    printed = page.oc("javascript-tool", evaluated(40_000)["code"]).ok().out
    assert printed == "x" * 40_000 + "\n"


def test_oc_output_fetch_is_never_guarded(page: Daemon, http: Http) -> None:
    """oc_output_fetch has limits of its own."""
    said = pointer_of(http.call("javascript_tool", **evaluated(50_000)).result)
    page_of = http.do("oc_output_fetch", output_handle=said["handle"], limit=45_000)
    assert page_of["returned"] == 45_000


def test_a_bridge_can_switch_the_guard(page: Daemon) -> None:
    """`oc-mcp --guard off` is that host's own switch."""
    for flag, guarded in (("off", False), ("on", True)):
        with Bridge(page.home, "--guard", flag, "--session", "default") as bridge:
            bridge.greet()
            call = {"name": "javascript_tool", "arguments": evaluated(31_000)}
            text = bridge.ask("tools/call", call)["result"]["content"][0]["text"]
            assert bool(POINTER.match(text)) == guarded


@pytest.fixture
def configured(make_daemon: Callable[..., Daemon]) -> Config:
    return lambda text: make_daemon("--http", "0", config=text)


def test_every_configured_value_is_used(configured: Config, site: Site, tmp_path: Path) -> None:
    """Review finding 1 of the seed: keys that were decoded under other names were ignored."""
    folder = tmp_path / "it's $HOME; kept `here`"
    daemon = configured(
        "[handle_large_tool_output]\nenabled = true\nthreshold = 5000\npreview_size = 7\n"
        f"output_dir = {json.dumps(str(folder))}\n"
    )
    daemon.new_tab(site.url("article.html"))
    said = pointer_of(Http(daemon).call("javascript_tool", **evaluated(5001)).result)
    assert (said["preview"], said["first"]) == ("x" * 7, "7")
    assert Path(said["path"]).is_relative_to(folder)
    # Review finding 3: the path in the suggested command is quoted for a shell.
    shown = subprocess.run(["sh", "-c", said["shell"]], capture_output=True, check=True)
    assert shown.stdout == b"x" * 5001
    # enabled = true is for every caller.
    reply = daemon.do("javascript_tool", **evaluated(5001))
    assert POINTER.match(reply["content"])
    assert reply["output_handle"] != said["handle"]
    assert daemon.do("oc_output_fetch", output_handle=reply["output_handle"])["eof"]


def test_two_replies_never_share_a_file(page: Daemon, http: Http) -> None:
    """Review finding 2: the second of two replies with equal ids overwrote the first."""
    said = [pointer_of(http.call("javascript_tool", **evaluated(31_000)).result) for _ in range(3)]
    assert len({one["path"] for one in said}) == 3


def test_an_unknown_key_is_an_error(home: Home) -> None:
    home.write_config("[handle_large_tool_output]\npreviewSize = 7\n")
    refused = home.run("ocd", "start")
    assert refused.code == 2
    assert "previewSize" in refused.err


def test_a_failed_write_is_an_error(configured: Config, site: Site, tmp_path: Path) -> None:
    """A reply that cannot be stored is not lost silently."""
    (tmp_path / "file").write_text("in the way")
    folder = json.dumps(str(tmp_path / "file"))
    daemon = configured(f"[handle_large_tool_output]\nthreshold = 100\noutput_dir = {folder}\n")
    daemon.new_tab(site.url("article.html"))
    failed = Http(daemon).call("javascript_tool", **evaluated(101)).result
    assert error_of(failed)["code"] == "storage_failed"


def test_a_huge_result_is_stored_whole_and_is_in_memory_once(page: Daemon, http: Http) -> None:
    """44 MB: neither encoding, sanitising nor storing it doubles the memory."""
    pid = page.status()["pid"]
    process = Path(f"/proc/{pid}")
    (process / "clear_refs").write_text("5")  # the peak is counted from now on
    before = psutil.Process(pid).memory_info().rss
    script = "'<p class=\"a\">\\u00e4 \\\\ \\n</p>'.repeat(2_000_000)"
    said = pointer_of(http.call("javascript_tool", code=script, timeout_ms=60_000).result)
    peak = int(re.search(r"VmHWM:\s+(\d+)", (process / "status").read_text())[1]) * 1024
    assert said["chars"] == "44000000"
    assert peak - before < 2.5 * 44_000_000, (peak - before) / 44_000_000
    with Path(said["path"]).open(encoding="utf-8", newline="") as file:
        while text := file.read(22 * 100_000):
            assert text == '<p class="a">ä \\ \n</p>' * 100_000
