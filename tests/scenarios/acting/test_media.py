"""Videos and sounds with the browser's own controls: what they do is said, and they are found."""

import re
from collections.abc import Callable

from support.pages import Page

At = Callable[[str], Page]


def test_state_of_a_video_is_said(at: At) -> None:
    """In the outline, and in the reply of what starts and stops it."""
    page = at("media.html")
    assert re.search(r"- video \[ref=e\d+\] paused muted", page.do("read_page")["content"])
    page.do("interact", query="video")
    assert page.js("document.activeElement.tagName") == "VIDEO"
    for state in ("playing", "paused"):
        reply = page.do("computer", action="key", text="Space")
        assert re.search(rf"~ video \[ref=e\d+\] {state} muted", reply["content"])
    assert "playing muted" in page.do("interact", query="Start")["content"]
    page.js("document.querySelector('video').pause(); 1")
    (line,) = page.lines("the video")
    assert line.startswith("- video [ref=e")
