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
        assert said in page.do("interact", query=button).get("content", ""), button
    typed = page.do("interact", query="Search", action="type", value="ada")
    assert "Found ada" in typed["content"]
    assert "Found ada" not in page.do("interact", query="Taken back").get("content", "")
    assert page.js("same()") == "true"


def test_what_comes_much_later_is_not_waited_for(at: At) -> None:
    """Nor is a timer that repeats: the page stays as it was."""
    page = at("later.html")
    told = page.do("interact", query="Much later", timeout_ms=20_000)
    assert "Next minute" not in told.get("content", "")
    page.do("wait_for", type="function", value="polled > 1", timeout_ms=60_000)
    assert page.js("same()") == "true"


def test_listeners_see_the_clocks_as_they_are(at: At) -> None:
    """Names, errors, texts and bound copies of timer functions are those of the browser."""
    page = at("clocks.html")
    told = page.do("interact", query="Look")["content"]
    assert "All alike" in told, told
    for words in ("Bound", "Called as usual"):
        assert words in told, words
    assert page.js("await later()") == "still good"
    assert "From text" in page.text("#out")
    assert "Never" not in page.text("#out")
    assert page.js("same()") == "true"


def test_clocks_that_a_page_replaces_are_its_own(at: At) -> None:
    """Whether it stops them during an action, starts them again, or wraps what it finds."""
    page = at("clocks.html")
    assert "Frozen" in page.do("interact", query="Freeze")["content"]
    assert "Not yet" in page.do("interact", query="Put off", timeout_ms=20_000)["content"]
    assert "Put off" in page.do("interact", query="Thaw")["content"]
    assert "Put off" in page.do("interact", query="Put off")["content"]
    assert "Inside" in page.do("interact", query="Wrap")["content"]
    assert page.text("#out").endswith("WrappedInside")
    told = page.do("interact", query="Hurry", timeout_ms=20_000)
    assert "Much later" not in told.get("content", "")
