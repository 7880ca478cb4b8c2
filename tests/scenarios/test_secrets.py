"""Secrets by name: typed into pages, and seen nowhere else."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from support.daemon import Daemon
from support.mcp import Http, error_of
from support.site import Site

VALUE = "hunter2/Größe&Co"


@pytest.fixture
def daemon(make_daemon: Callable[..., Daemon], tmp_path: Path) -> Daemon:
    file = tmp_path / "secrets.txt"
    file.write_text(f"LOGIN_PW={VALUE}\n", encoding="utf-8")
    file.chmod(0o600)
    return make_daemon("--http", "0", "--secrets", str(file))


def test_a_secret_reaches_the_page_and_no_reply(daemon: Daemon, site: Site) -> None:
    """It is filled in just before use; results, errors, journal, log and disk have its name."""
    daemon.new_tab(site.url("article.html"))
    code = "document.title = 'pw ' + '${SECRET:LOGIN_PW}'; [document.title.length, document.title]"
    reply = daemon.do("javascript_tool", code=code)
    assert json.loads(reply["content"]) == [len(f"pw {VALUE}"), "pw ${SECRET:LOGIN_PW}"]
    thrown = daemon.call("javascript_tool", code="throw new Error('no ${SECRET:LOGIN_PW}')").error
    assert "${SECRET:LOGIN_PW}" in thrown["message"]
    encoded = daemon.do("javascript_tool", code="encodeURIComponent('${SECRET:LOGIN_PW}')")
    assert encoded["content"] == "${SECRET:LOGIN_PW}"
    handle = daemon.do(
        "javascript_tool", code="'${SECRET:LOGIN_PW}'.repeat(3)", output_mode="handle"
    )
    assert VALUE not in json.dumps(handle, ensure_ascii=False)
    over_mcp = Http(daemon).call("javascript_tool", code="btoa('x${SECRET:LOGIN_PW}'.slice(0, 9))")
    assert over_mcp.status == 200
    for path in daemon.home.path.rglob("*"):
        if path.is_file() and "profile" not in path.parts:
            assert VALUE.encode() not in path.read_bytes(), path


def test_an_unknown_name_is_refused(daemon: Daemon, site: Site) -> None:
    """Nothing is typed then; the error knows the names that there are."""
    daemon.new_tab(site.url("article.html"))
    failed = Http(daemon).call("javascript_tool", code="'${SECRET:NOPE}'").result
    assert error_of(failed)["code"] == "secret_not_found"
    assert "LOGIN_PW" in error_of(failed)["hint"]


def test_a_file_that_is_no_secrets_file_stops_the_start(home: object, tmp_path: Path) -> None:
    from support.daemon import Home

    assert isinstance(home, Home)
    file = tmp_path / "secrets.txt"
    file.write_text("just words\n")
    refused = home.run("ocd", "start", "--secrets", str(file))
    assert refused.code == 2
    assert "line 1" in refused.err
    assert "just words" not in refused.err
