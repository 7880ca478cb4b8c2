"""A cell is found by the headers of its column and row."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("Count of Nut", '- cell "31" ['),
        ("nut count", '- cell "31" ['),
        ("Count for Bolt", '- cell "5" ['),
        ("Price in Bolt", '- cell "0.30" ['),
        ("Count of Wing nut", '- cell "2" ['),
        ("Tuesday of Ada", '- gridcell "8" ['),
        ("Paid Cy", '- gridcell "no" ['),
    ],
)
def test_cell_is_found_by_column_and_row(at: At, words: str, line: str) -> None:
    assert at("crossing.html").lines(words)[0].startswith(line)


def test_cells_that_span_rows_head_each_of_them(at: At) -> None:
    """Both rows are found, in page order."""
    lines = at("crossing.html").lines("Count of Wing nut")
    assert [line.split("[")[0] for line in lines[:2]] == ['- cell "2" ', '- cell "4" ']


def test_an_elements_own_words_win_over_its_headers(at: At) -> None:
    assert at("crossing.html").lines("Price of Gold")[0].startswith('- text "Price of Gold is')


def test_a_row_of_data_heads_no_column(at: At) -> None:
    """The first row of a table without headers does not name the columns."""
    lines = at("crossing.html").lines("Steel of Rod")
    assert lines
    assert not any('"12"' in line for line in lines)


def test_field_after_other_fields_is_filled_by_column_and_row(at: At) -> None:
    page = at("crossing.html")
    page.js("document.querySelector('thead th:last-child').outerHTML = '<th>Order<th>Return'")
    page.do("form_input", query="Return of Bolt", value="3")
    assert page.js("document.querySelector('[name=bolt2]').value") == "3"
    page.do("fill_form", fields={"Order of Nut": "4"})
    assert page.js("document.querySelector('[name=nut]').value") == "4"


@pytest.mark.parametrize(("words", "hit"), [("Count of Nut", "nuts"), ("Tuesday of Ada", "ada")])
def test_cell_is_clicked_by_column_and_row(at: At, words: str, hit: str) -> None:
    """Also in grids whose only listener is on the table."""
    page = at("crossing.html")
    page.js("addEventListener('click', (event) => { window.hit = event.target.id })")
    page.do("interact", query=words)
    assert page.js("hit") == hit


def test_cells_with_the_same_column_and_row_are_ambiguous(at: At) -> None:
    assert (
        at("crossing.html").call_in_short("interact", query="Count of Wing nut").code == "ambiguous"
    )


def test_cell_with_most_of_the_words_names_the_row(at: At) -> None:
    """Another cell of the row may have some of them as well."""
    page = at("crossing.html")
    page.do("interact", query="Done Barbara 5", action="check")
    ticked = "[...document.querySelectorAll(':checked')].map((one) => one.name).join()"
    assert page.js(ticked) == "five"


def test_a_label_wins_over_a_column_header(at: At) -> None:
    """A field to filter a column by has no name but the column's."""
    page = at("crossing.html")
    page.do("fill_form", fields={"Real name": "Grace", "Email": "grace@site.test"})
    values = "[...document.querySelectorAll('[id^=new]')].map((one) => one.value).join()"
    assert page.js(values) == "Grace,grace@site.test"
    assert page.js(values.replace("new", "filter")) == ","
