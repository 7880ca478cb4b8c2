"""Readings without what an earlier one had."""

from hypothesis import given
from hypothesis import strategies as st

from ocd.content.repeated_lines import without_repeats

HERE, THERE = "http://site/a/", "http://site/b/c/"
LINES = st.lists(st.sampled_from(["- a", "  - b", "- c [ref=e1]", "    - d [ref=e2] → x/"]))
MENU = '- nav\n  - link "A" [ref=e1] → one\n  - link "B" [ref=e2] → two\n'


def test_a_menu_is_one_line_whatever_its_links_are_relative_to() -> None:
    there = MENU.replace("e1", "e7").replace("→ one", "→ ../../a/one").replace("→ two", "→ /a/two")
    found = without_repeats(there + "- text: new\n", THERE, MENU + "- text: old\n", HERE)
    assert found.text == '- as before: nav to link "B" (3 lines)\n- text: new\n'
    assert (found.added, found.left_out) == (1, 3)


def test_parents_of_new_lines_are_shown() -> None:
    menu = f"{MENU}- hr\n- table\n"
    found = without_repeats(f"{menu}  - row: 2\n", HERE, f"{menu}  - row: 1\n", HERE)
    assert found.text == "- as before: nav to hr (4 lines)\n- table\n  - row: 2\n"


def test_shortened_addresses_are_compared_in_full() -> None:
    here = '- nav\n- b\n- row: link "A" [ref=e1] → ../users/ | link "Add" [ref=e2] → …add/\n'
    there = here.replace("../users/", "/users/")
    found = without_repeats(there, THERE, here, HERE)
    assert found.text == '- as before: nav to row: link "A" (3 lines)\n'
    other = there.replace("…add/", "…all/")
    assert "all/" in without_repeats(other, THERE, here, HERE).text


def test_a_changed_state_or_target_is_shown() -> None:
    for other in (MENU.replace("→ two", "→ three"), MENU.replace("[ref=e2]", "[ref=e2] disabled")):
        assert 'link "B"' in without_repeats(other, HERE, MENU, HERE).text


@given(LINES, LINES)
def test_every_line_is_shown_or_was_there_before(before: list[str], after: list[str]) -> None:
    found = without_repeats("\n".join(after), HERE, "\n".join(before), HERE)
    told = [line for line in found.text.splitlines() if "as before" not in line]
    assert len(told) == found.added == len(after) - found.left_out
    assert set(told) <= set(after)
