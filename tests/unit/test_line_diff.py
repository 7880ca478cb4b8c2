"""Line differences between two readings."""

import threading

from hypothesis import given
from hypothesis import strategies as st

from ocd.content.line_diff import difference
from ocd.pages.read.filters_and_deltas import compute_beside

LINES = st.lists(st.sampled_from(["- a", "  - b", "- c [ref=e1]", "- d [ref=e1]", "- e"])).map(
    "\n".join
)


def test_lines_with_the_same_ref_are_a_change() -> None:
    found = difference(
        '- button "Buy" [ref=e1]\n- text: 1\n',
        '- text: 1\n- button "Sold" [ref=e1] disabled\n- link "x" [ref=e9]\n',
    )
    assert found.changed == [('button "Buy" [ref=e1]', 'button "Sold" [ref=e1] disabled')]
    assert (found.added, found.removed, found.unchanged) == (['link "x" [ref=e9]'], [], 1)
    assert found.refs == ["e9"]
    assert found.text() == (
        '~ button "Buy" [ref=e1] → button "Sold" [ref=e1] disabled\n+ link "x" [ref=e9]\n'
    )


def test_controls_on_one_line_are_compared_one_by_one() -> None:
    """Text that is around the bar and in it is reported once; a bar of icons likewise."""
    tabs = 'tab: "One | \\"two\\"" [ref=e1]{} | "Three" [ref=e2]{} | "Four" [ref=e3]'
    bar = f"banner > tablist > {tabs}\n"
    found = difference(
        f"- {bar.format(' selected', '')}- button: (pen) [ref=e4] | [ref=e5]\n",
        f"- {bar.format('', ' selected')}- button: (pen) [ref=e4] disabled | [ref=e5]\n",
    )
    assert found.changed == [
        ('tab "One | \\"two\\"" [ref=e1] selected', 'tab "One | \\"two\\"" [ref=e1]'),
        ('tab "Three" [ref=e2]', 'tab "Three" [ref=e2] selected'),
        ("button (pen) [ref=e4]", "button (pen) [ref=e4] disabled"),
    ]
    assert (found.added, found.removed, found.unchanged) == ([], [], 3)


def test_states_that_all_of_a_bar_have_are_those_of_each() -> None:
    found = difference(
        '- menubar > menuitem haspopup: "File" [ref=e1] | "Edit" [ref=e2]\n',
        '- menubar > menuitem: "File" [ref=e1] haspopup | "Edit" [ref=e2] expanded\n',
    )
    assert found.changed == [
        ('menuitem "Edit" [ref=e2] haspopup', 'menuitem "Edit" [ref=e2] expanded')
    ]


@given(LINES, LINES)
def test_every_line_is_accounted_for(before: str, after: str) -> None:
    found = difference(before, after)
    old = [line for line in before.splitlines() if line.strip()]
    new = [line for line in after.splitlines() if line.strip()]
    assert len(old) == found.unchanged + len(found.changed) + len(found.removed)
    assert len(new) == found.unchanged + len(found.changed) + len(found.added)
    assert difference(after, after).ratio == 0


async def test_long_texts_are_compared_in_a_thread() -> None:
    """Five megabytes take up to a second; a short text is not worth a thread."""
    here = threading.get_ident()
    assert await compute_beside(100, threading.get_ident) == here
    assert await compute_beside(5_000_000, threading.get_ident) != here
