"""`oc mcp config`: each host's file is created, changed, or left alone."""

import json
import os
import re
import shutil
import stat
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oc import __main__
from oc.mcp import agent_hosts, config_files, jsonc_edit, toml_edit
from oc.mcp.agent_hosts import HOSTS
from ocd.api.errors import OcdError

JSON_HOSTS = sorted(name for name, host in HOSTS.items() if not host.is_toml)


class Done(NamedTuple):
    code: int
    out: str
    err: str


Oc = Callable[..., Done]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a project of the test's own."""
    for name in ("OPENCHROME_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "CODEX_HOME", "APPDATA",
                 "CLAUDE_CONFIG_DIR", "OPENCHROME_SESSION"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path


@pytest.fixture
def oc(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Oc:
    def run(*words: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["oc", "mcp", "config", *words])
        return Done(__main__.main(), *capfd.readouterr())

    return run


def target(name: str, scope: str = "user") -> Path:
    return Path(agent_hosts.file_of(HOSTS[name], scope, platform="linux"))


def written(name: str, scope: str = "user") -> dict[str, Any]:
    """What the host reads about us."""
    text = target(name, scope).read_text()
    whole = tomllib.loads(text) if HOSTS[name].is_toml else jsonc_edit.decode(text)
    entry: dict[str, Any] = whole[HOSTS[name].key]["openchrome"]
    return entry


def backups(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.*.bak"))


# --- every host ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "scope", "where"),
    [
        ("claude", "user", ".claude.json"),
        ("claude", "project", "project/.mcp.json"),
        ("claude", "desktop", ".config/Claude/claude_desktop_config.json"),
        ("cursor", "user", ".cursor/mcp.json"),
        ("cursor", "project", "project/.cursor/mcp.json"),
        ("vscode", "user", ".config/Code/User/mcp.json"),
        ("vscode", "project", "project/.vscode/mcp.json"),
        ("codex", "user", ".codex/config.toml"),
        ("codex", "project", "project/.codex/config.toml"),
        ("gemini", "user", ".gemini/settings.json"),
        ("gemini", "project", "project/.gemini/settings.json"),
        ("windsurf", "user", ".codeium/windsurf/mcp_config.json"),
    ],
)
def test_config_is_written_where_the_host_reads_it(
    oc: Oc, place: Path, monkeypatch: pytest.MonkeyPatch, name: str, scope: str, where: str
) -> None:
    """A second run changes nothing and leaves no backup."""
    monkeypatch.setattr(sys, "platform", "linux")
    done = oc(name, "--scope", scope, "--write", "--tier", "1")
    assert done.code == 0, done.err
    assert done.err.startswith(f"Created {place / where} with openchrome.")
    first = (place / where).read_bytes()
    assert oc(name, "--scope", scope, "--write", "--tier", "1").err.startswith(
        f"{place / where} is already up to date."
    )
    assert (place / where).read_bytes() == first
    assert not backups(place / where)
    entry = written(name, scope)
    assert Path(entry["command"]).is_absolute()
    assert entry["args"][-2:] == ["--tier", "1"]
    assert entry.get("type") == ("stdio" if HOSTS[name].names_transport else None)
    private = stat.S_IMODE((place / where).stat().st_mode) == 0o600
    assert private == (scope != "project")


def test_the_tier_fits_the_hosts_limit(oc: Oc) -> None:
    """Cursor accepts 40 tools of all servers together; an explicit tier wins."""
    done = oc("cursor", "--write")
    assert written("cursor", "user")["args"][-2:] == ["--tier", "1"]
    assert "Cursor takes 40 tools of all servers: tier 1 lists 2" in done.err
    oc("cursor", "--write", "--tier", "3")
    assert written("cursor", "user")["args"][-2:] == ["--tier", "3"]
    assert re.search(r"tier 2 lists (3\d|40) of \d+,", oc("vscode", "--write").err)
    assert "--tier" not in written("vscode", "user")["args"]
    assert "tools of all servers" not in oc("claude", "--write").err


def test_config_paths_on_other_systems(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mac = agent_hosts.file_of(HOSTS["vscode"], "user", platform="darwin")
    assert mac == str(place / "Library/Application Support/Code/User/mcp.json")
    monkeypatch.setenv("APPDATA", str(place / "Roaming"))
    windows = agent_hosts.file_of(HOSTS["claude"], "desktop", platform="win32")
    assert windows == str(place / "Roaming/Claude/claude_desktop_config.json")
    monkeypatch.setenv("CODEX_HOME", str(place / "elsewhere"))
    assert agent_hosts.file_of(HOSTS["codex"], "user") == str(place / "elsewhere/config.toml")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(place / "c"))
    assert agent_hosts.file_of(HOSTS["claude"], "user") == str(place / "c/.claude.json")


@pytest.mark.parametrize("name", sorted(HOSTS))
def test_without_write_config_is_only_printed(oc: Oc, name: str) -> None:
    """What is printed is a whole file that the host would read."""
    done = oc(name)
    assert done.code == 0
    whole = tomllib.loads(done.out) if HOSTS[name].is_toml else json.loads(done.out)
    assert set(whole[HOSTS[name].key]["openchrome"]) >= {"command", "args"}
    assert str(target(name)) in done.err
    assert not target(name).exists()


def test_options_reach_the_bridge(oc: Oc) -> None:
    done = oc(
        "cursor", "--tools-only", "core,tasks", "--session", "work", "--no-start", "--page-tools"
    )
    entry = json.loads(done.out)["mcpServers"]["openchrome"]
    want = ["--tools-only", "core,tasks", "--page-tools", "--session", "work", "--no-start"]
    assert entry["args"][-6:] == want
    assert "env" not in entry
    done = oc("cursor", "--disable-tools", "crawl", "--command", "oc-mcp", "--json")
    entry = json.loads(done.out)["result"]["entry"]
    assert (entry["command"], entry["args"]) == ("oc-mcp", ["--disable-tools", "crawl"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["cursor", "--tools-only", "core,crowl"], "Unknown capability: crowl"),
        (["cursor", "--tools-only", "core", "--disable-tools", "crawl"], "cannot be combined"),
        (["windsurf", "--scope", "project"], "Windsurf has no scope 'project'"),
        (["emacs"], "HOST expects one of claude"),
        ([], "Missing argument: HOST"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_why(oc: Oc, words: list[str], said: str) -> None:
    done = oc(*words)
    assert done.code == 2
    assert said in done.err


def test_environment_that_finds_the_same_daemon(
    oc: Oc, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hosts pass on few variables, so the home, and the place of its sockets, are written."""
    monkeypatch.setenv("OPENCHROME_HOME", "h")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1")
    home = str(place / "project/h")
    entry = json.loads(oc("gemini").out)["mcpServers"]["openchrome"]
    assert entry["env"]["OPENCHROME_HOME"] == home
    monkeypatch.setenv("OPENCHROME_HOME", "/" + "h" * 120)
    entry = json.loads(oc("gemini").out)["mcpServers"]["openchrome"]
    assert entry["env"] == {"OPENCHROME_HOME": "/" + "h" * 120, "XDG_RUNTIME_DIR": "/run/user/1"}


# --- files that have something in them ----------------------------------------------------------

COMMENTED = """\
// my servers
{
    "servers": {
        "other": { "command": "npx", "args": ["-y", "other"] }, // keep me
        /* and me */
    },
    "inputs": [], // trailing commas are fine here
}
"""


def test_comments_order_and_other_servers_are_kept(oc: Oc) -> None:
    """Every line of the old file is in the new one; a backup of the old one is beside it."""
    path = target("vscode", "project")
    path.parent.mkdir()
    path.write_text(COMMENTED)
    path.chmod(0o640)
    done = oc("vscode", "--scope", "project", "--write")
    assert done.code == 0, done.err
    assert done.err.startswith(f"Added openchrome to {path}.")
    new = path.read_text()
    kept = [line for line in new.splitlines() if line in COMMENTED.splitlines()]
    assert kept == COMMENTED.splitlines()
    assert jsonc_edit.decode(new)["servers"].keys() == {"other", "openchrome"}
    assert '\n        "openchrome": {\n            ' in new
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    [backup] = backups(path)
    assert backup.read_text() == COMMENTED
    assert stat.S_IMODE(backup.stat().st_mode) == 0o640


@pytest.mark.parametrize("name", JSON_HOSTS)
@pytest.mark.parametrize(
    "old",
    [
        "",
        "  \n",
        "{}",
        "{\n}\n",
        '{"KEY":{}}',
        '{"KEY":{"a":{"command":"x"}},"z":1}',
        '{\n\t"z": 1\n}',
        '{\n  "z": "// no comment, }{",\n  "KEY": {\n    "a": {}\n  }\n}',
        '{\r\n  "z": 1, // one\r\n  "KEY": {\r\n    "a": {} /* a,\r\n b */\r\n  }\r\n}\r\n',
        '\ufeff{"KEY": {"openchrome": {"command": "old"}}}',
        '{"KEY": {"openchrome": {"command": "1"}, "openchrome": {"command": "2"}}}',
    ],
)
def test_other_keys_keep_their_meaning(oc: Oc, name: str, old: str) -> None:
    path = target(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(old.replace("KEY", HOSTS[name].key).encode())
    before = jsonc_edit.decode(path.read_text().removeprefix("\ufeff")) if old.strip() else {}
    done = oc(name, "--write")
    assert done.code == 0, done.err
    text = path.read_bytes().decode()
    after = jsonc_edit.decode(text.removeprefix("\ufeff"))
    servers = after[HOSTS[name].key]
    assert Path(servers.pop("openchrome")["command"]).is_absolute()
    before.setdefault(HOSTS[name].key, {}).pop("openchrome", None)
    assert after == before
    assert text.startswith("\ufeff") == old.startswith("\ufeff")
    assert ("\r\n" in old) == ("\r\n" in text)
    assert "\n" not in text.replace("\r\n", "") or "\r\n" not in old
    assert oc(name, "--write").err.startswith(f"{path} is already up to date.")


def test_own_entry_keeps_what_the_user_added(oc: Oc, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unknown keys and other variables stay; a URL is replaced by the command."""
    old = {"command": "x", "disabled": True, "env": {"A": "1", "OPENCHROME_HOME": "/old"},
           "url": "http://127.0.0.1:1/mcp", "headers": {"Authorization": "Bearer x"}}  # fmt: skip
    path = target("cursor")
    path.parent.mkdir()
    path.write_text(json.dumps({"mcpServers": {"openchrome": old}}))
    monkeypatch.setenv("OPENCHROME_HOME", "/new")
    done = oc("cursor", "--write")
    assert done.err.startswith("Updated openchrome in ")
    assert "(args, command, env, headers, type, url)" in done.err
    entry = written("cursor")
    assert entry["disabled"] is True
    assert entry["env"] == {"A": "1", "OPENCHROME_HOME": "/new"}
    assert entry.keys() == {"command", "disabled", "env", "args", "type"}


def test_json_says_what_changed(oc: Oc) -> None:
    path = target("gemini")
    path.parent.mkdir()
    path.write_text('{"theme": "dark"}')
    done = oc("gemini", "--write", "--json")
    assert done.err == ""
    said = json.loads(done.out)["result"]
    assert (said["host"], said["path"], said["action"]) == ("gemini", str(path), "added")
    assert Path(said["backup"]).read_text() == '{"theme": "dark"}'
    assert said["entry"] == written("gemini")
    assert json.loads(oc("gemini", "--write", "--json").out)["result"]["action"] == "unchanged"


TOML = '''\
# my Codex
model = "o" # the best

[mcp_servers.other]  # keep
command = "npx"
text = """
[mcp_servers.openchrome]
no table, but a string
"""
args = [
  "a",
  [1]
]

[mcp_servers.openchrome]
command = "old" # goes
tool_timeout_sec = 120

[mcp_servers.openchrome.env]
A = "1"

# about the profile
[profiles.fast]
model = "f"
'''


def test_codex_keeps_every_other_line(oc: Oc) -> None:
    path = target("codex")
    path.parent.mkdir()
    path.write_text(TOML)
    assert oc("codex", "--write").code == 0
    new = path.read_text()
    before, after = TOML.split('[mcp_servers.openchrome]\ncommand = "old"')
    assert new.startswith(before)
    assert new.endswith("\n\n# about the profile" + after.split("# about the profile")[1])
    entry = written("codex")
    assert (entry["tool_timeout_sec"], entry["env"]) == (120, {"A": "1"})
    assert Path(entry["command"]).is_absolute()
    assert backups(path)[0].read_text() == TOML
    assert oc("codex", "--write").err.startswith(f"{path} is already up to date.")


@pytest.mark.parametrize("old", ["", "a = 1", "a = 1\r\n[b]\r\nc = 2\r\n", "[mcp_servers]\n"])
def test_codex_gets_a_table_at_the_end(oc: Oc, old: str) -> None:
    path = target("codex")
    path.parent.mkdir()
    path.write_bytes(old.encode())
    assert oc("codex", "--write").code == 0
    new = path.read_bytes().decode()
    assert new.startswith(old)
    assert ("\r\n" in old) == ("\r\n" in new)
    assert written("codex")["args"] is not None


@pytest.mark.parametrize(
    "old",
    [
        'mcp_servers = {other = {command = "x"}} # short\n',
        '[mcp_servers]\nopenchrome = {command = "x", startup_timeout_sec = 9} # old\n',
        'mcp_servers.openchrome.command = "x"\nmodel = "m" # mine\n',
        "mcp_servers = {}\n",
    ],
)
def test_codex_keeps_inline_tables_and_dotted_keys(oc: Oc, old: str) -> None:
    path = target("codex")
    path.parent.mkdir()
    path.write_text(old)
    assert oc("codex", "--write").code == 0
    new = path.read_text()
    assert Path(written("codex")["command"]).is_absolute()
    assert re.findall("#.*", new) == re.findall("#.*", old)
    before = tomllib.loads(old)
    servers = before.get("mcp_servers", {})
    kept = {**before, "mcp_servers": {**servers, "openchrome": written("codex")}}
    assert tomllib.loads(new) == kept


def test_awkward_values_survive_toml() -> None:
    value = {"command": 'C:\\a "b"\n', "args": ["ž", "\x7f"], "odd key": 1.5, "env": {"x.y": "z"},
             "list": [{"a": 1}]}  # fmt: skip
    text = toml_edit.with_table("", ("mcp_servers", "openchrome"), value)
    assert tomllib.loads(text) == {"mcp_servers": {"openchrome": value}}


# --- files that are left alone ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("cursor", b'{"mcpServers": {', "line 1"),
        ("cursor", b'{\n"a": 1,\n"b" 2}', "line 3"),
        ("cursor", b'{"a": "\xff"}', "not UTF-8"),
        ("cursor", b"[]", "not a JSON object"),
        ("cursor", b"[" * 100_000, "nested too deeply"),
        ("cursor", b'{"mcpServers": []}', "not an object"),
        ("cursor", b'{"mcpServers": {"openchrome": "x"}}', "not an object"),
        ("cursor", b"// nothing but a comment", "line 1"),
        ("codex", b"a = ", "Invalid value"),
        ("codex", b'mcp_servers = "x"', "not a table"),
    ],
)
def test_unreadable_files_are_not_overwritten(
    oc: Oc, name: str, content: bytes, reason: str
) -> None:
    path = target(name)
    path.parent.mkdir()
    path.write_bytes(content)
    done = oc(name, "--write", "--json")
    assert done.code == 1
    error = json.loads(done.out)["error"]
    assert (error["code"], error["path"]) == ("unreadable_file", str(path))
    assert reason in error["message"]
    assert path.read_bytes() == content
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_symbolic_link_stays_a_link(oc: Oc, place: Path) -> None:
    """Dotfiles are often links into a repository: the file there is changed."""
    real = place / "dotfiles" / "gemini.json"
    real.parent.mkdir()
    real.write_text('{"theme": "dark"}')
    path = target("gemini")
    path.parent.mkdir()
    path.symlink_to(real)
    assert oc("gemini", "--write").code == 0
    assert path.is_symlink()
    assert json.loads(real.read_text()).keys() == {"theme", "mcpServers"}
    assert backups(real)[0].read_text() == '{"theme": "dark"}'


def test_folder_that_cannot_be_written(oc: Oc, place: Path) -> None:
    """A file is in the place of the folder, which stops even root."""
    (place / ".codeium").write_text("")
    done = oc("windsurf", "--write")
    assert done.code == 1
    assert "left alone: Not a directory" in done.err
    assert "Hint: Run it without --write" in done.err


def test_a_failed_write_leaves_no_traces(
    oc: Oc, monkeypatch: pytest.MonkeyPatch, place: Path
) -> None:
    path = target("cursor")
    path.parent.mkdir()
    path.write_text("{}")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    done = oc("cursor", "--write", "--json")
    assert json.loads(done.out)["error"]["code"] == "storage_full"
    assert [p.name for p in path.parent.iterdir()] == ["mcp.json"]
    assert path.read_text() == "{}"


def test_concurrent_changes_by_the_host_are_kept(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claude Code often writes its file; the change is applied to its latest version."""
    host, path = HOSTS["claude"], target("claude")
    path.write_text('{"n": 0}')
    copymode, seen = shutil.copymode, list[str]()

    def racing(source: str, to: str) -> None:
        copymode(source, to)
        if not seen:
            path.write_text('{"n": 1}')
        seen.append(to)

    monkeypatch.setattr(shutil, "copymode", racing)
    merged = config_files.merge(host, str(path), {"command": "x", "args": []}, private=True)
    assert merged.action == "added"
    assert json.loads(path.read_text())["n"] == 1
    assert [b.read_text() for b in backups(path)] == ['{"n": 1}']


def test_a_host_that_keeps_writing_is_an_error(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config_files, "_replace", lambda *_args, **_more: None)
    with pytest.raises(OcdError) as caught:
        config_files.merge(HOSTS["claude"], str(target("claude")), {"command": "x"}, private=True)
    assert caught.value.code == "busy"


# --- the editor by itself -----------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(
    document=st.dictionaries(st.text(), JSON, max_size=4),
    servers=st.none() | st.dictionaries(st.text(), JSON, max_size=3),
    indent=st.sampled_from([None, 1, 2, 4, "\t"]),
    comment=st.sampled_from(["", "// x\n", "/* , } */", " \r\n\t"]),
)
def test_any_document_keeps_its_meaning(
    document: dict[str, Any], servers: dict[str, Any] | None, indent: int | str | None, comment: str
) -> None:
    """Only the one member changes, whatever surrounds it."""
    if servers is not None:
        document["servers"] = servers
    elif not isinstance(document.get("servers", {}), dict):
        return
    text = comment + json.dumps(document, indent=indent, ensure_ascii=False) + comment
    entry = {"command": "x", "args": ["a"]}
    new = jsonc_edit.with_member(text, "servers", "openchrome", entry)
    wanted = {**document.get("servers", {}), "openchrome": entry}
    assert jsonc_edit.decode(new) == {**document, "servers": wanted}
    assert jsonc_edit.with_member(new, "servers", "openchrome", entry) == new
