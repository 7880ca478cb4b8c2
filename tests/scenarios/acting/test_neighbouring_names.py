"""Words that nearly name something else: another number, one of several, the row of a table."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]
Shows = Callable[[str], Page]

_PAGER = """
  <style>li { display: inline-block; width: 80px } li, .size { cursor: pointer }</style>
  <ul class="pagination"><li>1</li><li>2</li><li>3</li><li>4</li><li>5</li>
  <li title="Next 5 Pages">•••</li><li>9</li></ul><div class="size">10 / page</div>
  <script></script>
"""
_TREE = """
  <style>.twist { display: inline-block; width: 12px; height: 12px; cursor: pointer }
  .inner { margin-left: 20px }</style>
  <div class="tree"><div class="node"><i class="twist tree-switcher"></i><span>Plants</span></div>
  <div class="node"><i class="twist tree-switcher inner"></i><span>Birch</span></div>
  <div class="node node-closed"><i class="twist tree-switcher"></i><span>Stones</span></div></div>
"""
_ARROW_BEFORE = """
  <style>.twist { display: inline-block; width: 12px; height: 12px }</style>
  <ul role="tree"><li role="none"><i class="icon twist"></i>
  <a href="#" role="treeitem" aria-expanded="false">Plants</a></li></ul>
"""
_ROWS = """
  <style>a { cursor: pointer }</style><table>
  <tr><td><label><input type=checkbox></label></td><td>Ann</td><td>5</td><td><a>Delete</a></td></tr>
  <tr><td><label><input type=checkbox></label></td><td>Cem</td><td>9</td><td><a>Delete</a></td></tr>
  </table>
"""
_LISTEN = (
    "heard = ''; document.body.onclick = ({ target }) =>"
    " { heard = target.className + '|' + target.textContent }; 1"
)


@pytest.fixture
def shows(at: At) -> Shows:
    """Go to a page with these contents, which notes what was clicked in `heard`."""

    def show(html: str) -> Page:
        page = at("things.html")
        page.js(f"document.body.innerHTML = {html!r}; {_LISTEN}")
        return page

    return show


def test_a_field_of_several_is_not_one_of_another_label(shows: Shows) -> None:
    """The page has the words as they are, beside what is no field."""
    page = shows(
        "<label>Film</label> <p>Alien</p><label>Films</label> <input id=films placeholder=Search>"
    )
    refused = page.call("form_input", query="Film", value="Brazil")
    assert refused.code == "element_not_found", refused.raw
    assert page.js("films.value") == ""
    page.do("form_input", query="Films", value="Brazil")
    assert page.js("films.value") == "Brazil"


def test_a_button_in_a_box_with_a_list_is_the_field_of_its_label(shows: Shows) -> None:
    page = shows(
        "<label>Film</label> <div aria-haspopup=listbox aria-expanded=false>"
        "<button id=it>Select a film</button></div><ul role=listbox id=list hidden>"
        "<li role=option>Alien<li role=option>Brazil</ul>"
    )
    page.js(
        "it.onclick = () => { list.hidden = false };"
        "list.onclick = ({ target }) =>"
        " { it.textContent = target.textContent; list.hidden = true }; 1"
    )
    for film in ("Brazil", "Alien"):
        page.do("form_input", query="Film", value=film)
        assert page.js("it.textContent") == film


def test_the_label_of_a_hidden_field_names_the_one_that_shows(shows: Shows) -> None:
    """Though that has a name of its own for assistive software."""
    page = shows(
        "<label for=one>Sport</label> <input id=one>"
        "<p><label for=kept>Sports</label> <span><input id=shown aria-label=multiselect>"
        "<input id=kept style='display: none'></span>"
    )
    page.do("form_input", query="Sports", value="Golf")
    assert page.js("[one.value, shown.value]") == '["","Golf"]'


def test_a_label_names_what_is_drawn_behind_a_hidden_list(shows: Shows) -> None:
    """It is for an element that no label can be for, and which is called by its value."""
    page = shows(
        "<label for=drawn>Speed</label> <select id=kept style='display: none'><option>Slow</select>"
        "<span id=drawn role=combobox tabindex=0 aria-expanded=false aria-controls=list"
        " aria-labelledby=text><b id=text>Slow</b></span>"
        "<ul role=listbox id=list hidden><li role=option>Slow<li role=option>Fast</ul>"
    )
    page.js(
        "drawn.onclick = () => { list.hidden = false };"
        "list.onclick = ({ target }) =>"
        " { text.textContent = target.textContent; list.hidden = true }; 1"
    )
    page.do("form_input", query="Speed", value="Fast")
    assert page.js("text.textContent") == "Fast"
    assert page.call("form_input", query="Speed", value="Warp").code == "option_not_found"


def test_a_label_is_found_before_the_values_of_its_field(shows: Shows) -> None:
    page = shows(
        "<div><div><label>Colours</label></div><div style='border: 1px solid'>"
        "<span class=tag>Red</span><span class=tag>Blue</span><input id=it></div></div>"
    )
    page.do("form_input", query="Colours", value="Green")
    assert page.js("it.value") == "Green"


def test_another_number_is_not_the_page_that_was_meant(shows: Shows) -> None:
    """Neither how many a page has nor what leads on by as many."""
    page = shows(_PAGER)
    page.do("interact", query="page 5")
    assert page.js("heard") == "|5"
    page.js("heard = ''")
    for words in ("page 7", "page 12"):
        assert page.call("interact", query=words).code == "element_not_found"
    assert page.js("heard") == ""


def test_what_is_called_by_some_words_is_meant_before_a_nameless_box_of_the_row(
    shows: Shows,
) -> None:
    page = shows(_ROWS)
    page.do("interact", query="Delete Cem")
    assert page.js("heard") == "|Delete"
    assert page.js("document.querySelectorAll(':checked').length") == "0"


def test_items_of_trees_without_roles_are_unfolded_by_their_arrows(shows: Shows) -> None:
    """Their state is in classes, or in how far the next item is indented."""
    page = shows(_TREE)
    for words in ("expand Plants", "collapse Stones", "expand Herbs"):
        assert page.call("interact", query=words).code == "element_not_found", words
    assert page.js("heard") == ""
    for words in ("expand Stones", "collapse Plants"):
        page.js("heard = ''")
        page.do("interact", query=words)
        assert page.js("heard").startswith("twist"), words


def test_an_item_is_unfolded_by_the_arrow_before_it(shows: Shows) -> None:
    """A click on the item itself selects it."""
    page = shows(_ARROW_BEFORE)
    page.do("interact", query="expand Plants")
    assert page.js("heard") == "icon twist|"
