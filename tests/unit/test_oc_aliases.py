"""Commands that people guess are aliases of verbs; help lists all of them in groups."""

from typing import Any

import pytest

from oc.command_line import (
    argv,
    builtin_commands,
    command_aliases,
    command_index,
    command_names,
    unknown_commands,
)
from oc.help import pages
from ocd.api.errors import OcdError

CATALOG = command_index.load_catalog()
INDEX = command_index.index(builtin_commands.BUILTINS, CATALOG["verbs"])


@pytest.mark.parametrize(
    ("line", "verb", "params"),
    [
        ("open example.com", "navigate", {"url": "example.com"}),
        ("goto example.com", "navigate", {"url": "example.com"}),
        ("back", "navigate", {"url": "back"}),
        ("reload", "page_reload", {}),
        ("snapshot", "read_page", {"mode": "outline"}),
        ("markdown --only-main-content", "read_page", {"mode": "markdown",
                                                       "only_main_content": True}),
        ("click e12", "interact", {"action": "click", "ref": "e12"}),
        ("click @e12", "interact", {"action": "click", "ref": "@e12"}),
        ("click Save", "interact", {"action": "click", "query": "Save"}),
        ("click --selector #a", "interact", {"action": "click", "selector": "#a"}),
        ("dblclick e1", "interact", {"action": "double_click", "ref": "e1"}),
        ("press Enter", "interact", {"action": "press", "value": "Enter"}),
        ("press Enter --ref e3", "interact", {"action": "press", "value": "Enter", "ref": "e3"}),
        ("select e3 Red", "interact", {"action": "select", "ref": "e3", "value": "Red"}),
        ("type Email ada", "interact", {"action": "type", "query": "Email", "value": "ada"}),
        ("type ada", "interact", {"action": "type", "value": "ada"}),
        ("type ada --query Email", "interact", {"action": "type", "query": "Email",
                                                "value": "ada"}),
        ("fill Email ada", "form_input", {"query": "Email", "value": "ada"}),
        ("upload e3 /a /b", "file_upload", {"ref": "e3", "file_paths": ["/a", "/b"]}),
        ("drag e1 e2", "drag_drop", {"source_ref": "e1", "target_ref": "e2"}),
        ("scroll down 300", "lightweight_scroll", {"direction": "down", "amount": 300}),
        ("eval 1+1", "javascript_tool", {"code": "1+1"}),
        ("wait 500", "wait_for", {"type": "timeout", "value": 500}),
        ("wait idle", "wait_for", {"type": "idle"}),
        ("wait text Done", "wait_for", {"type": "text", "value": "Done"}),
        ("wait url **/done", "wait_for", {"type": "url_match", "value": "**/done"}),
        ("wait --selector #a", "wait_for", {"type": "selector", "value": "#a"}),
        ("wait --selector=#a", "wait_for", {"type": "selector", "value": "#a"}),
        ("wait load --timeout-ms 9", "wait_for", {"type": "load", "timeout_ms": 9}),
        ("pdf /p.pdf", "page_pdf", {"path": "/p.pdf"}),
        ("requests api", "network", {"action": "list", "url": "api"}),
        ("tab", "tabs_context", {}),
        ("tab t2", "tabs_context", {"tab_id": "t2"}),
        ("tab new example.com", "tabs_create", {"url": "example.com"}),
        ("tab close t2", "tabs_close", {"tab_ids": ["t2"]}),
        ("close", "tabs_close", {"all": True}),
        ("dialog accept Ada", "interact", {"action": "accept_dialog", "value": "Ada"}),
        ("dialog dismiss", "interact", {"action": "dismiss_dialog"}),
        ("resize 800 600", "emulate_device", {"width": 800, "height": 600}),
        ("set viewport 800 600", "emulate_device", {"width": 800, "height": 600}),
        ("set device iphone-14", "emulate_device", {"preset": "iphone-14"}),
        ("set offline", "network", {"action": "throttle", "preset": "offline"}),
        ("set online", "network", {"action": "throttle", "preset": "clear"}),
        ("state save /a.json", "oc_context_export", {"path": "/a.json"}),
        ("state load /a.json", "oc_context_import", {"envelope_path": "/a.json"}),
    ],
)  # fmt: skip
def test_an_alias_is_its_verb_with_some_parameters(
    line: str, verb: str, params: dict[str, Any]
) -> None:
    command = argv.parse(line.split(), INDEX)
    assert (command.entry["name"], command.params) == (verb, params)


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("press", "Missing argument: VALUE", "oc press VALUE [--option …]"),
        ("resize 800", "Missing argument: HEIGHT", "oc resize WIDTH HEIGHT [--option …]"),
        ("wait forever", "VALUE expects a whole number, not 'forever'", ""),
        ("clikc e1", "oc has no command 'clikc'", "Did you mean 'oc click'?"),
        ("back now", "Unexpected argument 'now'", "oc back [--option …]"),
        ("click e1 --action hover", "oc click has no option --action", ""),
        ("dialog refuse", "oc has no command 'dialog refuse'", "oc dialog: accept, dismiss"),
        ("task lst", "oc has no command 'task lst'", "Did you mean 'oc task list'?"),
        ("output list", "oc has no command 'output list'", "oc output: "),
    ],
)
def test_usage_errors_name_the_alias(line: str, message: str, hint: str) -> None:
    with pytest.raises(OcdError) as raised:
        argv.parse(line.split(), INDEX)
    assert message in raised.value.message
    assert hint in (raised.value.hint or "")


def test_words_of_other_tools_lead_to_commands() -> None:
    """Each is no command itself, and what its hint names is one, or an option of oc."""
    commands = {" ".join(command_names.words(entry)) for entry in INDEX.values()}
    commands |= {*command_aliases.ALIASES, "--version"}
    for word, command in unknown_commands.OTHER_WORDS.items():
        assert command in commands, word
        with pytest.raises(OcdError) as raised:
            argv.parse([*word.split(), "e1"], INDEX)
        assert raised.value.hint == f"Did you mean 'oc {command}'?"


def test_aliases_fit_their_verbs() -> None:
    """No alias hides a verb, sets a parameter that does not exist, or accepts one that it sets."""
    for words in command_aliases.ALIASES:
        assert words.replace(" ", "_") not in INDEX, words
        verb, fixed, positional, _ = command_aliases.ALIASES[words]
        properties = INDEX[verb]["params"]["properties"]
        assert set(fixed) | set(positional) <= set(properties), words
        for name, value in fixed.items():
            assert value in properties[name].get("enum", (value,)), words
        assert not set(fixed) & set(positional), words


def test_each_command_is_on_one_help_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    lines = pages.all_page(INDEX).splitlines()
    shown = [line[5:].split("  ")[0].rstrip() for line in lines if line.startswith("  oc ")]
    assert sorted(shown) == sorted(pages.commands(INDEX))


def test_groups_name_existing_commands() -> None:
    named = {line for _, text in pages._GROUPS.values() for line in pages._expanded(text)}
    assert named - command_names.NOUNS - command_aliases.NOUNS <= set(pages.commands(INDEX))


@pytest.mark.parametrize("width", ["40", "60", "80", "120", "200"])
def test_help_pages_fit_a_terminal(monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setenv("COLUMNS", width)
    for page in (pages.start_page("oc"), pages.all_page(INDEX)):
        assert max(map(len, page.splitlines())) <= int(width)
    if int(width) >= 80:
        assert len(pages.start_page("oc").splitlines()) <= 24
