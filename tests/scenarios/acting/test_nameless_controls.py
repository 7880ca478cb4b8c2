"""Controls without a name are told by the same hint in a reading and in what an action changed."""

import re
from collections.abc import Callable

from support.pages import Page


def test_icon_only_boxes_are_told_as_the_outline_tells_them(at: Callable[[str], Page]) -> None:
    page = at("nameless.html")
    outline = page.do("read_page")["content"]
    told = page.do("interact", query="Both")["content"]
    for hint in ("toggle", "star-icon"):
        (line,) = re.findall(rf"checkbox \({hint}\) \[ref=\w+\]", outline)
        assert f"~ {line} checked" in told
    focused = page.do("interact", selector=".toggle", action="focus")
    assert focused["now"].startswith("focus checkbox (toggle) [ref=")
