"""Actions wait for elements that are not ready yet, for whatever reason."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]
TIMEOUT_MS = 60_000
CLICKED = [
    "not displayed", "display none itself", "visibility hidden", "no size yet",
    "scaled to nothing", "not there yet", "disabled", "in a disabled fieldset",
    "marked as disabled", "inert", "covered", "covered by what lets clicks through later",
    "lets clicks through itself", "moving", "outside of the window",
    "replaced while it is disabled", "in a closed dialog",
]  # fmt: skip
FILLED = [
    "field disabled", "field read-only", "field hidden", "list disabled", "option not there",
    "option disabled", "group of options disabled", "list replaced",
]  # fmt: skip


@pytest.mark.parametrize("case", CLICKED)
def test_click_waits(at: At, case: str) -> None:
    """The page is not ready at first; once it is, it gets the click."""
    page = at("not-yet.html")
    page.js(f"begin({case!r}); 1")
    page.do("interact", selector="#it", wait_for_ms=30_000, timeout_ms=TIMEOUT_MS)
    assert page.js("outcome()") == "clicked"


@pytest.mark.parametrize("case", FILLED)
def test_filling_waits_until_the_field_accepts_the_value(at: At, case: str) -> None:
    page = at("not-yet.html")
    page.js(f"begin({case!r}); 1")
    page.do("form_input", selector="#it", value="two", timeout_ms=TIMEOUT_MS)
    assert page.js("outcome()") == "two"


def test_checking_waits_until_the_box_is_enabled(at: At) -> None:
    page = at("not-yet.html")
    page.js("begin('box disabled'); 1")
    page.do("interact", selector="#it", action="check", timeout_ms=TIMEOUT_MS)
    assert page.js("outcome()") == "true"
