"""Effects that page listeners defer: the reply waits for those that come soon."""

from collections.abc import Callable

from ocd.browser.injected import script
from support.pages import Page

At = Callable[[str], Page]


def test_deferred_effects_are_reported(at: At) -> None:
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


def test_late_effects_are_not_waited_for(at: At) -> None:
    """Nor is a timer that repeats: the page stays as it was."""
    page = at("later.html")
    told = page.do("interact", query="Much later", timeout_ms=20_000)
    assert "Next minute" not in told.get("content", "")
    page.do("wait_for", type="function", value="polled > 1", timeout_ms=60_000)
    assert page.js("same()") == "true"


def test_listeners_see_native_timer_functions(at: At) -> None:
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


def test_timer_functions_replaced_by_a_page_stay_its_own(at: At) -> None:
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


def test_two_watches_at_once_leave_the_timer_functions_usable(at: At) -> None:
    """Each lies over the other once, however often they begin and end by turns."""
    page = at("later.html")
    watch = script("tabs/pending_work")
    page.js(f"window.watches = [{watch.removesuffix(';')}, {watch.removesuffix(';')}]; 1")
    page.js(
        "window.drawn = 0;"
        "const draw = () => { if (++drawn < 40) requestAnimationFrame(draw); };"
        "document.addEventListener('keydown', () => { setTimeout(draw); draw(); }); 1"
    )
    for _ in range(12):
        page.do("interact", query="Search", action="press", value="a")
    page.js("watches[0].stop(); watches[1].stop(); 1")
    depth = page.js(
        "let depth = 0, at = requestAnimationFrame;"
        "while (depth < 99 && (at = at['\\0openchrome: pending work']?.inner)) depth++; depth"
    )
    assert depth == "0"
