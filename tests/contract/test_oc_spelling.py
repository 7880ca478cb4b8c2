"""Every verb of the catalog can be said on the command line, in one way only."""

from collections import Counter

from oc.command_line import builtin_commands, command_index, command_names
from oc.command_line.builtin_commands import GLOBAL_OPTIONS

VERBS = command_index.load_catalog()["verbs"]


def test_no_two_commands_have_the_same_words() -> None:
    """But for `task start` and `task resume`, where our own commands stand for the verbs."""
    said = Counter(command_names.words(entry) for entry in [*builtin_commands.BUILTINS, *VERBS])
    assert [words for words, count in said.items() if count > 1] == [
        ("task", "start"),
        ("task", "resume"),
    ]


def test_positional_parameters_exist() -> None:
    """The table of exceptions names parameters that the verbs have."""
    known = {entry["name"]: entry["params"]["properties"] for entry in VERBS}
    for verb in command_names.POSITIONAL.keys() & known.keys():
        assert set(command_names.POSITIONAL[verb]) <= set(known[verb]), verb


def test_own_parameters_do_not_hide_common_options() -> None:
    """A verb's `--session` or `--json` would take the client's away after the verb."""
    for entry in VERBS:
        taken = set(entry["params"]["properties"]) & (set(GLOBAL_OPTIONS) - {"timeout_ms"})
        assert not taken, entry["name"]
