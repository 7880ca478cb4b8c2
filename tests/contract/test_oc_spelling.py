"""Every verb of the catalog has exactly one command on the command line."""

from collections import Counter

from oc.command_line import builtin_commands, command_index, command_names
from oc.command_line.builtin_commands import GLOBAL_OPTIONS

VERBS = command_index.load_catalog()["verbs"]


def test_no_two_commands_are_spelt_alike() -> None:
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


def test_verb_parameters_do_not_shadow_common_options() -> None:
    """A verb's `--session` or `--json` would take the client's away after the verb."""
    for entry in VERBS:
        taken = set(entry["params"]["properties"]) & (set(GLOBAL_OPTIONS) - {"timeout_ms"})
        assert not taken, entry["name"]
