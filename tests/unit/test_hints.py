"""A hint is written once: agents read calls of tools, people at a shell read commands."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import ocd
from oc import hints, terminal
from oc.output import reply_rendering
from ocd.api.errors import OcdError
from ocd.api.tool_calls import respell, tool_call
from ocd.calls import catalog
from openchrome import OpenChromeError, protocol
from support.syntax_trees import IN_ONE_WORKER, tree_of

pytestmark = IN_ONE_WORKER

VERBS = {entry["name"]: entry for entry in catalog.render(catalog.load().values())["verbs"]}
MODULES = sorted(Path(ocd.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize(
    ("call", "command"),
    [
        (tool_call("navigate", url="https://a.org/?q=1&r=2"), "oc open 'https://a.org/?q=1&r=2'"),
        (tool_call("navigate", url="back"), "oc back"),
        (tool_call("read_page"), "oc snapshot"),
        (tool_call("read_page", mode="text"), "oc text"),
        (tool_call("find", query="Sign in"), "oc find 'Sign in'"),
        (tool_call("interact", ref="e12"), "oc click e12"),
        (tool_call("interact", action="accept_dialog"), "oc dialog accept"),
        (tool_call("tabs_context"), "oc tab"),
        (tool_call("tabs_close", all=True), "oc close"),
        (tool_call("wait_for", type="load"), "oc wait load"),
        (tool_call("oc_task_get", task_id="0a", include_result=True),
         "oc task get 0a --include-result"),
        (tool_call("oc_task_list", status="PENDING"), "oc task list --status PENDING"),
        (tool_call("worker", action="list"), "oc worker list"),
    ],
)  # fmt: skip
def test_a_call_is_a_command_on_the_command_line(call: str, command: str) -> None:
    assert hints.in_commands(f"Do this: {call}, then that.") == f"Do this: `{command}`, then that."


@pytest.mark.parametrize(
    "text",
    [
        "Nothing.",
        "`ulimit -n`",
        "`no_such_verb`",
        "`navigate {broken}`",
        "`navigate 3`",
        "`",
        "`a` `b",
    ],
)
def test_text_that_is_not_a_call_stays(text: str) -> None:
    assert hints.in_commands(text) == text


def _hint_texts() -> Iterator[tuple[str, str]]:
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            for value in _hint_values(node):
                calls = {name for part in ast.walk(value) for name in _call_parts(part)}
                for part in ast.walk(value):
                    if not isinstance(part, ast.Constant) or part in calls:
                        continue
                    if isinstance(part.value, str):
                        yield f"{path.name}:{part.lineno}", part.value


def _hint_values(node: ast.AST) -> list[ast.expr]:
    """Return what becomes a hint: by keyword, as an error's last words, in a variable, in a table.

    An answer that is awaited for is no text of ours.
    """
    found: list[ast.expr] = []
    if isinstance(node, ast.Call):
        found = [each.value for each in node.keywords if each.arg in ("hint", "removed_params")]
        name = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
        found += node.args[2:] if name.endswith(("_error", "did_you_mean")) else []
    elif isinstance(node, ast.Assign) and {"hint", "_REASONS"} & set(_names(node.targets)):
        found = [node.value]
    return [one for one in found if not any(isinstance(n, ast.Await) for n in ast.walk(one))]


def _names(targets: list[ast.expr]) -> Iterator[str]:
    for target in targets:
        yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))


def _call_parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands inside a `tool_call`, which the other test looks at."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "tool_call":
        yield from ast.walk(node)


# Commands that are for a person, and no tool does.
_FOR_PEOPLE = (
    "oc approvals", "oc attach", "oc dashboard", "oc totp add", "oc mcp approve",
    "oc mcp upstreams",
)  # fmt: skip


def test_hints_name_tools_in_one_way() -> None:
    """Between backticks, with arguments that exist, so that each caller gets its own spelling."""
    names = [name for name in VERBS if "_" in name]
    bare = re.compile(rf"(?<![`\w.])({'|'.join(names)})(?![\w_])")
    command = re.compile(r"\boc [a-z]")
    other_syntax = re.compile(rf"`(?:{'|'.join(names)})\(")
    found: list[str] = []
    for place, text in _hint_texts():
        element_text = text
        for known in _FOR_PEOPLE:
            element_text = element_text.replace(known, "")
        if any(one.search(element_text) for one in (bare, command, other_syntax)):
            found.append(f"{place}: {text}")

        def check(name: str, arguments: Any, place: str = place) -> None:  # noqa: ANN401 - JSON
            if name in VERBS:
                unknown = set(arguments) - set(VERBS[name]["params"]["properties"])
                found.extend(f"{place}: {name} has no {one}" for one in unknown)

        respell(text, check)
    assert sorted(set(found)) == []


def test_arguments_of_proposed_calls_exist() -> None:
    """Every keyword given to `tool_call` is a parameter of its verb."""
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "tool_call":
                name = node.args[0]
                if not isinstance(name, ast.Constant):
                    continue
                given = {keyword.arg for keyword in node.keywords if keyword.arg}
                assert given <= set(VERBS[str(name.value)]["params"]["properties"]), ast.dump(node)


def test_backticks_in_an_argument_do_not_end_the_call() -> None:
    text = tool_call("navigate", url="a`b` {")
    assert json.loads(text.removeprefix("`navigate ").removesuffix("`")) == {"url": "a'b' {"}


def test_hints_in_json_are_commands(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """`oc --json` prints the reply unchanged, except for commands in hints."""
    error = OcdError("no_tab", "The 'session' ö", hint='Open one: `navigate {"url": "URL"}`')
    assert terminal.failure(error, as_json=True, body=b'{"error":{"code":"x"}}\n') == 1
    assert terminal.failure(error, as_json=True) == 1
    plain, told = capfdbinary.readouterr().out.splitlines()
    assert plain == b'{"error":{"code":"x"}}'
    assert json.loads(told)["error"] == {**error.body(), "hint": "Open one: `oc open URL`"}


def test_hints_in_json_results_are_commands(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """A result's own hint has commands; page text is unchanged."""
    hint = "None. Try `read_page`."
    result = {"hint": hint, "data": {"hint": hint, "page": {"hint": hint}}}
    command: Any = SimpleNamespace(options={})
    long = json.dumps({"result": result, "filled": "x" * 70_000}).encode()
    for body in (json.dumps({"result": result}).encode(), long):
        reply: Any = SimpleNamespace(chunks=lambda body=body: iter([body[:20], body[20:]]))
        reply_rendering.show_json(reply, command)
    short, as_it_came = capfdbinary.readouterr().out.splitlines()
    told = "None. Try `oc snapshot`."
    assert json.loads(short)["result"] == {
        "hint": told, "data": {"hint": told, "page": {"hint": hint}},
    }  # fmt: skip
    assert as_it_came == long


def test_nested_hints_in_json_are_commands(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    """Those of errors inside a result, at any depth, but none in page text."""
    call, told = "Try `read_page`.", "Try `oc snapshot`."
    error = {"code": "orphaned", "message": "gone", "hint": call}
    finding = {"name": "x", "level": "error", "seen": "y", "hint": call}
    page = {"code": "E42", "message": "a page's own", "hint": call}
    result = {"meta": {"error": error}, "tasks": [{"error": error}], "checks": [finding, page]}
    for body in ({"result": result}, {"kind": "ended", "data": {"error": error}}):
        terminal.write_bytes(terminal.json_in_commands(json.dumps(body).encode()) + b"\n")
    found, event = (json.loads(line) for line in capfdbinary.readouterr().out.splitlines())
    right = {**error, "hint": told}
    assert found["result"] == {
        "meta": {"error": right}, "tasks": [{"error": right}],
        "checks": [{**finding, "hint": told}, page],
    }  # fmt: skip
    assert event["data"]["error"] == right
    assert terminal.json_in_commands(b'{"hint": "`broken') == b'{"hint": "`broken'


@pytest.mark.parametrize(
    ("text", "python"),
    [
        ('Open one: `navigate {"url": "back"}`', "Open one: `oc.navigate(url='back')`"),
        ("`read_page`, or `wait_for`.", "`oc.read_page()`, or `oc.wait_for()`."),
        ("`ulimit -n` `no_such_verb` `navigate {broken}`",) * 2,
        ("`call` `close`",) * 2,
    ],
)
def test_a_call_is_a_method_in_the_python_client(text: str, python: str) -> None:
    with pytest.raises(OpenChromeError) as caught:
        protocol.decode_result(400, _error(hint=text))
    assert caught.value.hint == python
    answer = {"result": {"hint": text, "data": {"hint": text, "rows": [{"hint": text}]}}}
    result = protocol.decode_result(200, json.dumps(answer).encode())
    assert (result["hint"], result["data"]["hint"]) == (python, python)
    assert result["data"]["rows"] == [{"hint": text}]


def _error(**details: str) -> bytes:
    return json.dumps({"error": {"code": "no_tab", "message": "x", **details}}).encode()
