"""What the page's listeners put off: the reply waits for it, as long as it comes soon."""

from collections.abc import Callable

from support.pages import Page

At = Callable[[str], Page]


def test_what_listeners_put_off_is_told(at: At) -> None:
    """Timers, frames and messages of a click's own listeners, and timers set by those timers."""
    page = at("later.html")
    for button, said in {
        "Slow menu": "Rename",
        "Two frames on": "After two frames",
        "Queued": "From the queue",
        "Chain": "Link two",
    }.items():
        assert said in page.do("interact", query=button)["content"], button
    typed = page.do("interact", query="Search", action="type", value="ada")
    assert "Found ada" in typed["content"]
    assert "Found ada" not in page.do("interact", query="Taken back").get("content", "")
    assert page.js("same()") == "true"


def test_what_comes_much_later_is_not_waited_for(at: At) -> None:
    """Nor is a timer that goes on by itself: the page is left as it was."""
    page = at("later.html")
    told = page.do("interact", query="Much later", timeout_ms=20_000)
    assert "Next minute" not in told.get("content", "")
    assert page.js("same() && polled > 1") == "true"
