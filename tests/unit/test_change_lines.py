"""Lines of several actions in a row, without what only the time between them has seen."""

import pytest

from ocd.verb_api import change_lines

SHOWN = "+ text: Words do not match"


@pytest.mark.parametrize(
    ("earlier", "later", "left"),
    [
        (SHOWN, '- span "Words do not match" (hidden)', []),
        (SHOWN, "- text: Words do not match", []),
        ("+ text: Words do not match at all", '- div "Words do not…" (hidden)', []),
        ('- div "Total"', "+ text: Total", []),
        (SHOWN, '- span "Words do" (hidden)', [SHOWN, '- span "Words do" (hidden)']),
        (SHOWN, SHOWN, [SHOWN, SHOWN]),
        # A new ref is news.
        ('- button "Go"', '+ button "Go" [ref=e2]', ['- button "Go"', '+ button "Go" [ref=e2]']),
        ("+ separator", "- separator", ["+ separator", "- separator"]),
    ],
)
def test_what_passes_between_two_actions_is_left_out(
    earlier: str, later: str, left: list[str]
) -> None:
    assert change_lines.join(["~ kept", earlier], [later]) == ["~ kept", *left]


def test_values_of_a_field_before_it_was_filled_are_left_out() -> None:
    own = '~ textbox "Folder" [ref=e2] value: "" → "/srv"'
    other = '~ textbox "Path" [ref=e22] value: "" → "/srv"'
    assert change_lines.without_values_of("e2", [own, other, "+ text: value"]) == [
        other,
        "+ text: value",
    ]
