"""Parts of a page by their kind and place, where no name says it: the page's own handlers tell."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]

MEANT = {
    "cell Ann": "click Ann",
    "the Bob cell": "click Bob",
    "columnheader Qty": "click Qty",
    "column Name": "click Name",
    "third item": "step Boil",
    "item 2": "step Cut",
    "last item of steps": "step Boil",
    "3 stars for taste": "taste 3",
    "Service 2nd star": "service 2",
    "rate service four": "service 4",
    "expand Plants": "opened Plants",
    "collapse Stones": "closed Stones",
    "price of Chain": "click 9",
    "cell 7": "click 7",
    "column Price": "click Price",
}
MEANINGLESS = (
    "cell Cem",
    "column City",
    "seventh item",
    "third item of orders",
    "6 stars for taste",
    "5 stars for service",
    "3 stars for parking",
    "collapse Plants",
    "expand Herbs",
    "price of Saddle",
    "colour of Chain",
)


@pytest.fixture
def page(at: At) -> Page:
    return at("spoken-parts.html")


@pytest.mark.parametrize(("words", "heard"), MEANT.items())
def test_a_part_is_clicked_by_its_kind_and_place(page: Page, words: str, heard: str) -> None:
    page.do("interact", query=words)
    assert page.text("#heard") == f"{heard};"


def test_cells_are_double_clicked_by_their_kind(page: Page) -> None:
    page.do("interact", query="cell Bob", action="double_click")
    assert page.text("#heard").endswith("dblclick Bob;")


@pytest.mark.parametrize("words", MEANINGLESS)
def test_words_for_a_part_that_is_not_there_click_nothing(page: Page, words: str) -> None:
    assert page.call("interact", query=words).code == "element_not_found"
    assert page.text("#heard") == ""


def test_stars_of_several_ratings_are_ambiguous(page: Page) -> None:
    assert page.call("interact", query="3 stars").code == "ambiguous"
    assert page.text("#heard") == ""
