"""Positional arguments where an element may be named: a ref, or words."""

import json
from importlib.resources import files
from typing import Any

import pytest

from oc.command_line import argv, builtin_commands, command_index
from ocd.api.errors import OcdError

VERBS = json.loads(files("ocd.api").joinpath("catalog.json").read_text(encoding="utf-8"))["verbs"]
INDEX = command_index.index(builtin_commands.BUILTINS, VERBS)


@pytest.mark.parametrize(
    ("words", "params"),
    [
        (("interact", "e5"), {"ref": "e5"}),
        (("interact", "12"), {"query": "12"}),
        (("interact", "@e5", "hover"), {"ref": "@e5", "action": "hover"}),
        (("interact", "e5", "type", "e6"), {"ref": "e5", "action": "type", "value": "e6"}),
        (("interact", "click", "e5"), {"action": "click", "ref": "e5"}),
        (("interact", "doubleClick", "e5"), {"action": "double_click", "ref": "e5"}),
        (("interact", "type", "e5", "ann"), {"action": "type", "ref": "e5", "value": "ann"}),
        (("interact", "press", "e5", "Enter"), {"action": "press", "ref": "e5", "value": "Enter"}),
        (("interact", "click", "--query", "Buy"), {"action": "click", "query": "Buy"}),
        (("interact", "--query", "Buy", "click"), {"action": "click", "query": "Buy"}),
        (("interact", "--query", "click"), {"query": "click"}),
        (("interact", "Sign in"), {"query": "Sign in"}),
        (("interact", "Sign in", "click"), {"query": "Sign in", "action": "click"}),
        (("interact", "--selector", "#go"), {"selector": "#go"}),
        (("interact", "#1 bestseller"), {"query": "#1 bestseller"}),
        (("interact", "e5", "--action", "check"), {"ref": "e5", "action": "check"}),
        (("interact", "--action", "dismiss_dialog"), {"action": "dismiss_dialog"}),
        (
            ("interact", "--action", "press", "--value", "Enter"),
            {"action": "press", "value": "Enter"},
        ),
        (
            ("interact", "select", "Red", "--selector", "#c"),
            {"action": "select", "value": "Red", "selector": "#c"},
        ),
        (("form-input", "Your name", "Ann"), {"query": "Your name", "value": "Ann"}),
        (("form-input", "--query", "Your name", "Ann"), {"query": "Your name", "value": "Ann"}),
        (("drag-drop", "e1", "e2"), {"source_ref": "e1", "target_ref": "e2"}),
        (("drag-drop", "Tea", "e2"), {"source_query": "Tea", "target_ref": "e2"}),
    ],
)
def test_words_instead_of_a_ref(words: tuple[str, ...], params: dict[str, Any]) -> None:
    assert argv.parse(words, INDEX).params == params


@pytest.mark.parametrize(
    "words", [("click", "Sign in"), ("press", "Enter"), ("dismiss_dialog",), ("doubleClick", "#go")]
)
def test_an_action_instead_of_an_element_is_an_error(words: tuple[str, ...]) -> None:
    with pytest.raises(OcdError, match="is an action, and the element comes first") as caught:
        argv.parse(("interact", *words), INDEX)
    assert f"--action {words[0]}" in caught.value.hint
