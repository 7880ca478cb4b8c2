"""A ref acts on the element that was read, or on nothing."""

from collections.abc import Callable

from support.pages import Page

At = Callable[[str], Page]


def test_rerendered_element_is_found_again(at: At) -> None:
    """All rows are replaced; the ref of Bob's button still means Bob's."""
    page = at("rows.html")
    ref = page.ref("delete bob")
    page.js("add.click()")
    page.do("interact", ref=ref)
    assert page.text("output") == "deleted Bob"


def test_row_that_is_gone_is_stale(at: At) -> None:
    """Ann's row is gone after a render: her ref acts on no other row."""
    page = at("rows.html")
    ref = page.ref("delete ann")
    page.js("drop.click()")
    assert page.call("interact", ref=ref).code == "stale_ref"
    assert page.text("output") == ""


def test_recycled_row_is_stale(at: At) -> None:
    """The same node now shows another person: the ref is refused."""
    page = at("rows.html")
    ref = page.ref("delete ann")
    page.js("reuse.click()")
    assert page.call("interact", ref=ref).code == "stale_ref"
    assert page.text("output") == ""


def test_ref_works_again_and_again(at: At) -> None:
    """What an action changes elsewhere does not make its ref stale."""
    page = at("rows.html")
    ref = page.ref("delete bob")
    for _ in range(2):
        page.do("interact", ref=ref)
    assert page.text("output") == "deleted Bob"


def test_detached_and_not_rendered_again_is_stale(at: At) -> None:
    """The element was removed for good."""
    page = at("rows.html")
    ref = page.ref("Add Zoe")
    page.js("add.remove()")
    assert page.call("interact", ref=ref).code == "stale_ref"


def test_never_read_is_stale(at: At) -> None:
    """No reading has returned this ref."""
    assert at("rows.html").call("interact", ref="e99999").code == "stale_ref"
