"""What bare words stand for where an element may stand: a ref, words, an action."""

import json
from importlib.resources import files
from typing import Any

import pytest

from oc import argv, builtin_commands, command_index

VERBS = json.loads(files("ocd.api").joinpath("catalog.json").read_text(encoding="utf-8"))["verbs"]
INDEX = command_index.index(builtin_commands.BUILTINS, VERBS)


@pytest.mark.parametrize(
    ("words", "params"),
    [
        (("interact", "e5"), {"ref": "e5"}),
        (("interact", "@e5", "hover"), {"ref": "@e5", "action": "hover"}),
        (("interact", "click", "e5"), {"action": "click", "ref": "e5"}),
        (("interact", "e5", "type", "e6"), {"ref": "e5", "action": "type", "value": "e6"}),
        (("interact", "type", "e5", "ann"), {"action": "type", "ref": "e5", "value": "ann"}),
        (("interact", "click", "--query", "Buy"), {"action": "click", "query": "Buy"}),
        (("interact", "--query", "Buy", "click"), {"action": "click", "query": "Buy"}),
        (("interact", "--query", "click"), {"query": "click"}),
        (("interact", "click", "Sign in"), {"action": "click", "query": "Sign in"}),
        (("interact", "Sign in"), {"query": "Sign in"}),
        (("interact", "#go"), {"selector": "#go"}),
        (("interact", "doubleClick", "#go"), {"action": "double_click", "selector": "#go"}),
        (("interact", "press", "Enter"), {"action": "press", "value": "Enter"}),
        (("interact", "press", "e5", "Enter"), {"action": "press", "ref": "e5", "value": "Enter"}),
        (("interact", "dismiss_dialog"), {"action": "dismiss_dialog"}),
        (("interact", "e5", "--action", "check"), {"ref": "e5", "action": "check"}),
        (
            ("interact", "select", "Red", "--selector", "#c"),
            {"action": "select", "value": "Red", "selector": "#c"},
        ),
        (("form-input", "Your name", "Ann"), {"query": "Your name", "value": "Ann"}),
        (("form-input", "--query", "Your name", "Ann"), {"query": "Your name", "value": "Ann"}),
        (("drag-drop", "e1", "e2"), {"source_ref": "e1", "target_ref": "e2"}),
        (("drag-drop", "Tea", "#bin"), {"source_query": "Tea", "target_selector": "#bin"}),
    ],
)
def test_words_in_the_place_of_a_ref(words: tuple[str, ...], params: dict[str, Any]) -> None:
    assert argv.parse(words, INDEX).params == params
