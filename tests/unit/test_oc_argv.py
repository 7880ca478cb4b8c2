"""The command line's grammar, against a sample catalog."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from oc.command_line import argv, builtin_commands, command_index, command_names
from oc.command_line.argv import Command, HelpRequested
from ocd.api.errors import OcdError
from support.sample_catalog import KINDS, VERBS

INDEX = command_index.index(builtin_commands.BUILTINS, VERBS, KINDS)


def parse(line: str, *more: str) -> Command:
    return argv.parse([*line.split(), *more], INDEX)


def refused(line: str, *more: str) -> OcdError:
    with pytest.raises(OcdError) as caught:
        parse(line, *more)
    return caught.value


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("tabs context", "tabs_context"),
        ("tabs_context", "tabs_context"),
        ("tabs-context", "tabs_context"),
        ("read-page", "read_page"),
        ("read_page", "read_page"),
        ("task list", "oc_task_list"),
        ("oc_task_list", "oc_task_list"),
        ("task_list", "oc_task_list"),
        ("journal recent", "oc_journal"),
        ("worker create", "worker"),
        ("worker update w1", "worker_update"),
        ("evidence-bundle", "oc_evidence_bundle"),
        ("task start crawl", "task_start"),
        ("oc_task_start crawl", "oc_task_start"),
        ("status", "status"),
    ],
)
def test_each_spelling_names_its_verb(line: str, name: str) -> None:
    assert parse(line).entry["name"] == name


@pytest.mark.parametrize(
    ("line", "params"),
    [
        ("navigate http://x", {"url": "http://x"}),
        ("navigate http://x/\udced\udc95\udc9c", {"url": "http://x/한"}),  # LC_ALL=C
        ('call crawl {"url":"x"}', {"verb": "crawl", "json_params": {"url": "x"}}),
        ("navigate --url http://x", {"url": "http://x"}),
        ("navigate --url=http://x/?a=b", {"url": "http://x/?a=b"}),
        ("navigate --tab-id t1 http://x", {"url": "http://x", "tab_id": "t1"}),
        ("navigate --tabId t1 http://x", {"url": "http://x", "tab_id": "t1"}),
        ("crawl http://x --max-pages 5", {"url": "http://x", "max_pages": 5}),
        ("crawl http://x --maxPages=5", {"url": "http://x", "max_pages": 5}),
        ("crawl http://x --no-respect-robots", {"url": "http://x", "respect_robots": False}),
        ("crawl http://x --respect-robots=no", {"url": "http://x", "respect_robots": False}),
        ("crawl x --include a --include b", {"url": "x", "include": ["a", "b"]}),
        ('crawl x --include ["a","b"]', {"url": "x", "include": ["a", "b"]}),
        ("crawl x --include [name=q]", {"url": "x", "include": ["[name=q]"]}),
        ("crawl x --concurrency auto", {"url": "x", "concurrency": "auto"}),
        ("crawl x --concurrency 3", {"url": "x", "concurrency": 3}),
        ("crawl x --format Markdown", {"url": "x", "format": "markdown"}),
        ("crawl x --timeout 9", {"url": "x", "timeout_ms": 9}),
        ("--timeout-ms 9 crawl x", {"url": "x", "timeout_ms": 9}),
        ("lightweight-scroll --amount -5 --x -0.5", {"amount": -5, "x": -0.5}),
        ("form-input @e3 hello", {"ref": "@e3", "value": "hello"}),
        ("form-input e3 true", {"ref": "e3", "value": True}),
        ("form-input e3 @@ann", {"ref": "e3", "value": "@ann"}),
        ("form-input e3 -- --dashes", {"ref": "e3", "value": "--dashes"}),
        ("fill-form a=1 b=2=3", {"fields": {"a": "1", "b": "2=3"}}),
        ('fill-form {"a":"1"}', {"fields": {"a": "1"}}),
        ("fill-form a=1 --submit", {"fields": {"a": "1"}, "submit": True}),
        ("fill-form --submit --fields a=1", {"fields": {"a": "1"}, "submit": True}),
        ("fill-form --submit -- a=1", {"fields": {"a": "1"}, "submit": True}),
        ("fill-form a=1 --submit Send", {"fields": {"a": "1"}, "submit": "Send"}),
        ("fill-form a=1 --submit=false", {"fields": {"a": "1"}, "submit": False}),
        ("fill-form a=1 --submit --no-submit", {"fields": {"a": "1"}, "submit": False}),
        ("interact --verify --query Send", {"query": "Send", "verify": True}),
        ("interact --query Send --verify both", {"query": "Send", "verify": "both"}),
        ("interact --query Send --verify no", {"query": "Send", "verify": False}),
        ("file-upload e68 /a /b", {"ref": "e68", "file_paths": ["/a", "/b"]}),
        ("file-upload picture /a", {"query": "picture", "file_paths": ["/a"]}),
        ("context import /tmp/login.json", {"envelope_path": "/tmp/login.json"}),
        ('context import {"a":1}', {"envelope": {"a": 1}}),
        ("file-upload --selector input /a /b", {"selector": "input", "file_paths": ["/a", "/b"]}),
        ("tabs close t2 t3", {"tab_ids": ["t2", "t3"]}),
        ("network get", {"action": "get"}),
        ("task start crawl --url x --wait", {"kind": "crawl", "url": "x", "wait": True}),
        ("task start --wait crawl x", {"kind": "crawl", "url": "x", "wait": True}),
        ("task start recording --max-actions 5", {"kind": "recording", "max_actions": 5}),
        ("task start of-later --max-actions 5", {"kind": "of-later", "max_actions": 5}),
        ('task start crawl --args {"url":"x"}', {"kind": "crawl", "args": {"url": "x"}}),
        ("call zz --param a=1 --param b=2", {"verb": "zz", "param": ["a=1", "b=2"]}),
    ],
)
def test_command_lines_become_parameters(line: str, params: dict[str, Any]) -> None:
    assert parse(line).params == params


@pytest.mark.parametrize(
    "line", ["--json -q --session s task list", "task --json list --session s -q"]
)
def test_common_options_may_precede_or_follow_the_command(line: str) -> None:
    command = parse(line)
    assert command.as_json
    assert command.quiet
    assert command.session == "s"
    assert command.params == {}


def test_session_falls_back_to_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENCHROME_SESSION", raising=False)
    assert parse("status").session == "default"
    monkeypatch.setenv("OPENCHROME_SESSION", "left")
    assert parse("status").session == "left"
    assert parse("status --session right").session == "right"


def test_no_start_is_an_option_of_all_commands() -> None:
    assert parse("--no-start status").options == {"start": False}
    assert parse("navigate x --no-start").options == {"start": False}


@pytest.mark.parametrize(
    ("line", "code", "said", "hint"),
    [
        ("naviagte x", "unknown_verb", "naviagte", "oc navigate"),
        ("tabs contxt", "unknown_verb", "tabs contxt", "oc tabs context"),
        ("start", "unknown_verb", "start", "ocd start"),
        ("read", "unknown_verb", "read", "oc snapshot"),
        ("tap e3", "unknown_verb", "tap", "oc click"),
        ("navigate", "invalid_argument", "Missing argument: URL", "oc navigate URL"),
        ("navigate a b", "invalid_argument", "'b'", "oc navigate URL"),
        ("navigate x --tabid t", "invalid_argument", "--tabid", "--tab-id"),
        ("navigate x --tab-id", "invalid_argument", "needs a value", ""),
        ("navigate x --url y", "invalid_argument", "'x'", ""),
        ("crawl x --max-pages three", "invalid_argument", "a whole number, not 'three'", ""),
        ("crawl x --max-pages 1 --max-pages 2", "invalid_argument", "2 times", ""),
        ("crawl x --format markdwn", "invalid_argument", "one of markdown", "'markdown'?"),
        ("crawl x --no-respect-robots=5", "invalid_argument", "takes no value", ""),
        ("lightweight-scroll --x nan", "invalid_argument", "finite", ""),
        ("fill-form {bad", "invalid_argument", "JSON", "Quote"),
        ("fill-form bad", "invalid_argument", "name=value", ""),
        ("--jsn status", "invalid_argument", "--jsn", ""),
        ("task start --url x crawl", "invalid_argument", "--url", "after it"),
        ("form-input e3 @no-such-file", "file_not_found", "no-such-file", "@@no-such-file"),
    ],
)
def test_usage_errors_have_a_hint(line: str, code: str, said: str, hint: str) -> None:
    error = refused(line)
    assert error.code == code
    assert said in error.message
    assert hint in error.hint


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", ()),
        ("--help", ()),
        ("--json -h", ()),
        ("task", ("task",)),
        ("task --help", ("task",)),
        ("tabs_context --help", ("tabs", "context")),
        ("read-page --mode outline -h", ("read-page",)),
        ("task start crawl --help", ("task", "start", "crawl")),
    ],
)
def test_help_is_requested_for_the_words_before_it(line: str, words: tuple[str, ...]) -> None:
    with pytest.raises(HelpRequested) as caught:
        parse(line)
    assert caught.value.words == words


def test_option_value_may_look_like_help() -> None:
    assert parse("navigate --url --help").params == {"url": "--help"}


def test_paths_become_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon has another working directory."""
    monkeypatch.chdir(tmp_path)
    assert parse("javascript-tool --code-path a.js").params == {"code_path": f"{tmp_path}/a.js"}
    uploaded = parse("file-upload b.txt /c --selector input").params["file_paths"]
    assert uploaded == [f"{tmp_path}/b.txt", "/c"]


def test_large_text_comes_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("naïve()")
    assert parse(f"javascript-tool @{tmp_path}/a.js").params == {"code": "naïve()"}


def test_a_file_without_its_at_is_hinted_at(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    assert refused(f"fill-form {tmp_path}/a.json").hint.endswith(f"@{tmp_path}/a.json")


def test_out_is_the_file_of_a_verb_that_writes_one() -> None:
    """The reply describes the file; `--out` never writes that description under the file's name."""
    command = parse("page-pdf --out a.pdf")
    assert command.params == {"path": str(Path.cwd() / "a.pdf")}
    assert "out" not in command.options
    assert parse("page-pdf /a.pdf --out b.txt").options == {"out": "b.txt"}
    assert parse("page-screenshot --out a.png").options == {"out": "a.png"}


@pytest.mark.parametrize("text", ["- a point", "-->", "--- b = c", "-a b=c"])
def test_text_that_begins_like_an_option_is_an_argument(text: str) -> None:
    assert parse("form-input e3", text).params["value"] == text


def test_usage_and_command_lines() -> None:
    entry = INDEX["form_input"]
    assert command_names.usage(entry) == "oc form-input REF [VALUE] [--option …]"
    line = command_names.command_line(
        INDEX["oc_output_fetch"], {"output_handle": "oh_A", "offset": 200}
    )
    assert line == "oc output fetch oh_A --offset 200"


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("crawl", {"max_pages": 3, "respect_robots": False, "url": "http://x/?a=b c"}),
        ("form_input", {"value": "it's", "ref": "e3"}),
        ("form_input", {"ref": "e3", "value": "--dashes"}),
        ("form_input", {"value": True, "ref": "e3"}),
        ("interact", {"query": "Save", "force": True}),
        ("interact", {"action": "click", "query": "Save"}),
        ("lightweight_scroll", {"amount": -5}),
        ("tabs_close", {"tab_ids": ["t1", "t 2"]}),
        ("fill_form", {"fields": {"a": "1"}, "submit": "Send"}),
    ],
)
def test_a_command_line_can_be_rebuilt(verb: str, arguments: dict[str, Any]) -> None:
    """Hints are pasted: positional words, switches and values that begin with a dash survive."""
    line = command_names.command_line(INDEX[verb], arguments)
    assert argv.parse(shlex.split(line)[1:], INDEX).params == arguments


def test_a_word_that_is_not_a_choice_is_an_argument() -> None:
    """`oc act --verify 'click Send'`: the instruction is not one of the words for --verify."""
    index = command_index.of_catalog(command_index.load_catalog())
    command = argv.parse(["act", "--verify", "click Send"], index)
    assert command.params == {"instruction": "click Send", "verify": True}
