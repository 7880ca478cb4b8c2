"""Lists that hold only what is in sight: scrolling to something in them by words."""

from collections.abc import Callable

from support.pages import Page

At = Callable[[str], Page]


def test_list_is_scrolled_until_words_show(at: At) -> None:
    """The row's line has a ref that works; words outside of the list are not taken for it."""
    page = at("virtual.html")
    result = page.do("lightweight_scroll", query="People grid", until="Row 900")
    assert '"Row 900" [ref=' in result["content"]
    assert page.js("list.scrollTop") != "0"
    page.do("interact", query="delete row 900")
    assert page.text("#said") == "deleted Row 900"
    page.do("lightweight_scroll", selector="#list", direction="up", until="Row 3")
    page.do("interact", query="delete row 3")
    assert page.text("#said") == "deleted Row 3"


def test_list_in_the_middle_of_the_window_is_meant(at: At) -> None:
    """Without an element, what scrolls there: the list, or else the page."""
    page = at("virtual.html")
    page.js("list.style.cssText = 'position:fixed;inset:0;height:auto;width:auto'; 1")
    result = page.do("lightweight_scroll", until="Row 60")
    assert '"Row 60" [ref=' in result["content"]


def test_words_that_never_show_are_not_found(at: At) -> None:
    """At the end of the list: `element_not_found`, with where it came to."""
    page = at("virtual.html")
    page.js("list.scrollTop = 59000; 1")
    reply = page.call("lightweight_scroll", selector="#list", until="Row 5000")
    assert reply.code == "element_not_found"
    assert reply.error["at_end"] is True
