"""Secrets by name: typed into pages, and seen nowhere else."""

import html
import json
import re
import tempfile
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote, unquote

import pytest

from support.daemon import Daemon, page_browser
from support.mcp import Http, error_of
from support.site import Site

VALUE = "hunter2/Größe&Co"


@pytest.fixture
def daemon(make_daemon: Callable[..., Daemon], tmp_path: Path) -> Daemon:
    file = tmp_path / "secrets.txt"
    file.write_text(f"LOGIN_PW={VALUE}\n", encoding="utf-8")
    file.chmod(0o600)
    everywhere = ("--allow-file-root", tempfile.gettempdir())
    return make_daemon("--http", "0", "--secrets", str(file), *everywhere)


def test_a_secret_reaches_the_page_but_no_reply(daemon: Daemon, site: Site) -> None:
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
    for path, data in daemon.home.contents():
        assert VALUE.encode() not in data, path


def test_the_log_of_a_headless_shell_has_no_console_output(
    make_daemon: Callable[..., Daemon], site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It would write down each line of a page's console."""
    monkeypatch.setattr(Daemon, "browser", page_browser())
    file = tmp_path / "secrets.txt"
    file.write_text(f"LOGIN_PW={VALUE}\n", encoding="utf-8")
    daemon = make_daemon("--secrets", str(file))
    daemon.new_tab(site.url("article.html"))
    for level in ("log", "warn", "error"):
        daemon.do("javascript_tool", code=f"console.{level}('${{SECRET:LOGIN_PW}}'); 1")
    daemon.stop()
    for path, data in daemon.home.contents():
        assert VALUE.encode() not in data, path


# The page says it again in many spellings, of which some are in its address and its console.
_ECHOES = """
const value = document.querySelector('#a2').value;
const bytes = new TextEncoder().encode('user:' + value);
const spelt = [
  value, value.toUpperCase(), encodeURIComponent(value), encodeURIComponent(encodeURI(value)),
  btoa(String.fromCharCode(...bytes)), JSON.stringify(JSON.stringify([value])),
  [...value].map(one => '&#' + one.codePointAt(0) + ';').join(''),
  [...value].map(one => '\\\\u' + one.codePointAt(0).toString(16).padStart(4, '0')).join(''),
  [...bytes].map(one => one.toString(16).padStart(2, '0')).join(''),
];
const list = document.createElement('ul');
for (const one of spelt) {
  list.appendChild(document.createElement('li')).textContent = one;
  console.error('echo ' + one);
}
document.body.prepend(list);
const headers = {'X-Word': btoa(unescape(encodeURIComponent(value)))};
await fetch('/echo?q=' + encodeURIComponent(value), {headers});
history.replaceState(null, '', '?q=' + encodeURIComponent(value));
document.title = value;
return spelt;
"""


def _given_away(data: bytes) -> Iterator[str]:
    """Return the spellings of the value that stand in the bytes."""
    text = re.sub(r"\\+", "", data.decode("utf-8", "replace")).casefold()
    inside = b64encode(b"user:" + VALUE.encode()).decode()[8:-4]
    forms = {
        VALUE, quote(VALUE, safe=""), quote(quote(VALUE)), html.escape(VALUE), VALUE.encode().hex(),
        inside, b64encode(VALUE.encode()).decode()[:-4],
        json.dumps(VALUE)[1:-1].replace("\\", ""),
        "".join(f"&#{ord(sign)};" for sign in VALUE),
        "".join(f"u{ord(sign):04x}" for sign in VALUE),
    }  # fmt: skip
    return (form for form in forms if form.casefold() in text)


def test_no_file_contains_a_secret(daemon: Daemon, site: Site) -> None:
    """Typed, echoed, crawled, noted: journal, tasks, recordings, logs and results have its name."""
    daemon.new_tab(site.url("records/shop.html"))
    recording = daemon.do("oc_recording_start")["recording_id"]
    answers = [
        daemon.call("form_input", selector="#a2", value="${SECRET:LOGIN_PW}"),
        daemon.call("javascript_tool", code=_ECHOES),
        daemon.call("form_input", selector="#a1", value=f"said aloud: {VALUE}"),
        daemon.call("read_page"), daemon.call("page_content"), daemon.call("tabs_context"),
        daemon.call("network", output_mode="handle"), daemon.call("console_capture"),
        daemon.call("page_content", output_mode="handle"),
        daemon.call("memory", action="record", domain="a.org", key="pw", value=VALUE),
        daemon.call("oc_checkpoint", action="save", name="here", task_description=VALUE),
        daemon.call("oc_evidence_bundle"),
        daemon.call("oc_session_snapshot", objective="log in", current_step=f"typed {VALUE}"),
        daemon.call("crawl", url=site.url(f"echo?q={quote(VALUE, safe='')}"), max_pages=1),
        daemon.call("find", query=VALUE), daemon.call("no_such_verb", session=None, word=VALUE),
        daemon.call("oc_recording_stop"), daemon.call("oc_journal", action="recent"),
        daemon.call("oc_recording_export", recording_id=recording, output_mode="handle"),
        daemon.call(f"no {VALUE}"), daemon.call("tabs_create", session=f"of {VALUE}"),
        daemon.call("oc_journal", action="recent"), daemon.request("GET", "/v1/status"),
    ]  # fmt: skip
    assert unquote(site.seen("echo")[0].query) == f"q={VALUE}"
    for reply in answers:
        assert not list(_given_away(reply.raw)), reply.raw
    assert sum(b"${SECRET:LOGIN_PW}" in reply.raw for reply in answers) > 8
    daemon.stop()  # whatever is written late
    found = {
        path.relative_to(daemon.home.path): forms
        for path, data in daemon.home.contents()
        if (forms := list(_given_away(data)))
    }
    assert not found


def test_no_verb_opens_the_secrets_file_or_the_daemons_own_files(
    daemon: Daemon, site: Site, tmp_path: Path
) -> None:
    """Neither to upload, fill in or show it nor to write over it, whatever it is called."""
    daemon.new_tab(site.url("article.html"))
    words, again = tmp_path / "secrets.txt", tmp_path / "again.txt"
    again.hardlink_to(words)
    before = words.read_bytes()
    home = daemon.home.path
    for path in (words, again, home / "config.toml", home / "run" / "token", home / "run" / "new"):
        for call in (
            {"verb": "javascript_tool", "code_path": str(path)},
            {"verb": "file_upload", "selector": "body", "file_paths": [str(path)]},
            {"verb": "page_pdf", "path": str(path)},
            {"verb": "network", "har_path": str(path)},
            {"verb": "navigate", "url": f"file://{path}"},
        ):
            params = {key: value for key, value in call.items() if key != "verb"}
            error = daemon.call(str(call["verb"]), **params).error
            assert error["code"] == "path_denied", (call, error)
    written = daemon.oc("page-pdf", "--path", str(words), "--json")
    assert json.loads(written.out)["error"]["code"] == "path_denied"
    assert "--secrets" in written.err or "--secrets" in written.out
    assert words.read_bytes() == before


def test_an_unknown_name_is_refused(daemon: Daemon, site: Site) -> None:
    """Nothing is typed, and the error lists the known names."""
    daemon.new_tab(site.url("article.html"))
    failed = Http(daemon).call("javascript_tool", code="'${SECRET:NOPE}'").result
    assert error_of(failed)["code"] == "secret_not_found"
    assert "LOGIN_PW" in error_of(failed)["hint"]


def test_an_invalid_secrets_file_prevents_the_start(home: object, tmp_path: Path) -> None:
    from support.daemon import Home

    assert isinstance(home, Home)
    file = tmp_path / "secrets.txt"
    file.write_text("just words\n")
    refused = home.run("ocd", "start", "--secrets", str(file))
    assert refused.code == 2
    assert "line 1" in refused.err
    assert "just words" not in refused.err
