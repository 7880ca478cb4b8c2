"""Finding elements: words, selectors, paths."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


def test_words_find_a_button_by_name_and_role(at: At) -> None:
    """The best match comes first and has the ref that read_page gives."""
    page = at("rows.html")
    result = page.do("find", query="add zoe button")
    outline = page.do("read_page")["content"]
    assert f'button "Add Zoe" [ref={result["refs"][0]}]' in outline
    assert result["content"].splitlines()[0].startswith('- button "Add Zoe"')


def test_equal_labels_are_distinguished_by_their_row(at: At) -> None:
    """Each of three Delete buttons is listed with its row."""
    lines = at("rows.html").lines("delete")
    assert [who in line for who, line in zip(("Ann", "Bob", "Cid"), lines, strict=True)] == [
        True
    ] * 3


def test_words_of_the_row_choose_the_button(at: At) -> None:
    """`delete bob` puts the button in Bob's row first."""
    assert "bob@example.org" in at("rows.html").lines("delete bob")[0]


def test_label_finds_its_field(at: At) -> None:
    """A field is found by its label and by its purpose."""
    assert '"Password"' in at("form.html").lines("password field")[0]


def test_text_is_found(at: At) -> None:
    """Text that is not a control is found, too."""
    assert "text" in at("things.html").lines("First view")[0]


STATED = """<label><input type=checkbox> News</label>
<label><input type=checkbox checked> Terms</label> <label>Note <textarea name=n></textarea></label>
<button>Save</button><button disabled>Send</button><button aria-expanded=true>Menu</button>
<label>Name <input required></label><a href=#x>Disabled users</a>
<button aria-pressed=true>Bold</button><button>constructor</button>"""


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("the checked box", 'checkbox "Terms"'),
        ("unchecked checkbox", 'checkbox "News"'),
        ("disabled button", 'button "Send"'),
        ("expanded", 'button "Menu"'),
        ("multiline textbox", 'textbox "Note"'),
        ("required field", 'textbox "Name"'),
        ("disabled users", 'link "Disabled users"'),
        ("pressed bold", 'button "Bold"'),
        ("constructor", 'button "constructor"'),
    ],
)
def test_elements_are_found_by_their_state(at: At, query: str, line: str) -> None:
    """States after the name in an outline match; a name with the word ranks higher."""
    page = at("form.html")
    page.js(f"document.body.innerHTML = {STATED!r}; 1")
    assert line in page.lines(query)[0]


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("basket", 'link "Basket 3"'),
        ("proceed", 'text "Proceed here"'),
        ("continue", 'link "Continue"'),
        ("order total", 'text "12 EUR"'),
        ("whisper", 'textbox "Whisper"'),
        ("inside", 'button "Inside"'),
        ("deeply set", 'listitem "Deeply set"'),
        ("set inside", 'text "Set inside"'),
        ("buy now", 'clickable "Buy now"'),
    ],
)
def test_names_spread_over_several_sources_are_found(at: At, query: str, line: str) -> None:
    """Generated text, text of several elements, aria-labelledby, labels, shadow trees."""
    assert line in at("apart.html").lines(query)[0]


def test_hidden_words_are_not_found(at: At) -> None:
    """Neither alone nor as part of the line of text that they are hidden in."""
    page = at("apart.html")
    for words in ("covert plan", "unseen scheme"):
        assert page.do("find", query=words, wait_for_ms=0)["refs"] == []
    assert 'text "Shown words and the rest"' in page.lines("shown words")[0]


def test_words_far_into_a_text_are_found(at: At) -> None:
    """A long paragraph is found by its last sentence."""
    assert 'text "Many words come first.' in at("apart.html").lines("zebra crosses")[0]


def test_closed_details_in_preformatted_text_are_not_read(at: At) -> None:
    """Collapsed content is neither found nor read."""
    page = at("apart.html")
    assert page.do("find", query="folded", wait_for_ms=0)["refs"] == []
    content = page.do("read_page")["content"]
    assert "Many words come first." in content
    assert "Folded entry" not in content


def test_all_rows_that_fit_are_counted(at: At) -> None:
    """Where no row has all words, those with some of them are counted."""
    result = at("apart.html").do("find", query="Item 9999")
    assert result["content"].startswith('- cell "Item 1000"')
    assert result["total"] == 300


def test_where_a_name_is_the_whole_query_others_are_left_out(at: At) -> None:
    """Of 300 cells one is called so; what has these words and more, and controls, stay."""
    page = at("apart.html")
    assert page.do("find", query="Item 1299")["total"] == 1
    page.js("document.body.innerHTML += `<p>Item 1299, sold<p>Item 1300<p><a>Item</a>`; 1")
    page.js(f"document.body.insertAdjacentHTML('beforeend', `{_SECTION}`); 1")
    assert [line.split(" [ref")[0] for line in page.lines("Item 1299")] == [
        '- cell "Item 1299"', '- text "Item 1299, sold"',
    ]  # fmt: skip
    assert [line.split(" [ref")[0] for line in page.lines("Remove account")] == [
        '- heading "Remove account"', '- link "Remove"', '- button "Remove"',
    ]  # fmt: skip


_SECTION = """
<section><h2>Remove account</h2><p>Remove it for ever.</p>
  <a href='#gone'>Remove</a> <button>Remove</button></section>
"""


def test_words_with_soft_hyphens_are_found(at: At) -> None:
    """A soft hyphen is not part of a word."""
    assert at("apart.html").lines("lamplight")[0].startswith('- text "lamplight"')


def test_no_match_is_not_an_error(at: At) -> None:
    """An empty list comes with a hint."""
    result = at("rows.html").do("find", query="xylophone")
    assert (result["refs"], result["total"]) == ([], 0)
    assert "wait_for" in result["hint"]


def test_limit_cuts_and_total_counts(at: At) -> None:
    """`limit` bounds the lines; `total` counts all matches."""
    result = at("rows.html").do("find", query="delete", limit=2)
    assert (len(result["refs"]), result["total"]) == (2, 3)


def test_find_looks_into_frames(at: At) -> None:
    """Frames of the same and of another origin are part of the page."""
    found = "\n".join(at("frames.html").lines("press"))
    assert "Press near" in found
    assert "Press far" in found


@pytest.mark.parametrize("by", [{"selector": "tbody button"}, {"xpath": "//tbody//button"}])
def test_query_dom_gives_refs_that_work(at: At, by: dict[str, str]) -> None:
    """Elements come with tag, text, box and a ref that interact takes."""
    page = at("rows.html")
    result = page.do("query_dom", multiple=True, **by)
    assert result["total"] == 3
    second = result["elements"][1]
    assert (second["tag_name"], second["text_content"], second["is_visible"]) == (
        "button",
        "Delete",
        True,
    )
    assert second["bounding_box"]["width"] > 0
    page.do("interact", ref=second["ref"])
    assert page.text("output") == "deleted Bob"


def test_query_dom_pierces_shadow_trees(at: At) -> None:
    """Shadow trees, open and closed, are searched unless the caller says no."""
    page = at("shadow.html")
    assert page.do("query_dom", selector="button", multiple=True)["total"] == 2
    assert page.do("query_dom", selector="button", pierce_shadow=False)["total"] == 0


def test_query_dom_marks_text_that_was_cut(at: At) -> None:
    """200 characters of text, and a mark if there is more."""
    page = at("things.html")
    page.js("view.textContent = 'x'.repeat(500)")
    element = page.do("query_dom", selector="#view")["element"]
    assert element["cut"] is True
    assert len(element["text_content"]) == 201


def test_query_dom_hides_passwords(at: At) -> None:
    """A password's value is not among the attributes."""
    page = at("form.html")
    page.js("document.querySelector('[type=password]').setAttribute('value', 'geheim')")
    element = page.do("query_dom", selector="[type=password]")["element"]
    assert element["tag_name"] == "input"
    assert "geheim" not in str(element)


@pytest.mark.parametrize("by", [{"selector": "a["}, {"xpath": "//["}, {}])
def test_query_dom_names_a_bad_selector(at: At, by: dict[str, str]) -> None:
    """An invalid selector or XPath is invalid_argument; so is neither of them."""
    assert at("rows.html").call("query_dom", **by).code == "invalid_argument"


def test_the_shortened_name_in_a_row_can_be_searched(at: At) -> None:
    """A line of an outline can be used as query, although it lacks what its rows share."""
    page = at("../reading/terse.html")
    assert 'checkbox "… Bob Ray" [ref=' in page.do("read_page")["content"]
    reply = page.do("interact", query='checkbox "… Bob Ray"')
    assert reply["target"] == {"role": "checkbox", "name": "Invite to the list Bob Ray"}
    assert reply["value"] is True


_CELLS = """
<p><button aria-label='Run cell'>+</button><button aria-label='Move cell up'>^</button>
  <button data-testid='delete-button'></button>
<p><label for=day>Departure</label>
  <button id=day onclick='this.dataset.was = 1'>Pick a date</button>
<p><a href='#x' aria-label='Help on paper sizes'>What is A4?</a>
"""


def test_rare_words_lead_where_none_has_them_all(at: At) -> None:
    """Among buttons with "cell" in their names, the one with the icon "delete" is first."""
    page = at("beside.html")
    page.js(f"document.body.innerHTML = `{_CELLS}`; 1")
    first, second, *_ = page.lines("delete cell")
    assert first.startswith("- button (delete-button) [ref=e")
    assert "(partial match)" in first
    assert second.startswith('- button "Run cell"')


def test_a_button_is_found_by_its_visible_text_too(at: At) -> None:
    """Its label or aria-label differs from the words that a person sees."""
    page = at("beside.html")
    page.js(f"document.body.innerHTML = `{_CELLS}`; 1")
    (line,) = page.lines("pick a date")
    assert line.startswith('- button "Departure" [ref=e')
    assert page.do("interact", query="Pick a date")["target"]["name"] == "Departure"
    assert page.js("day.dataset.was") == "1"
    (line,) = page.lines("What is A4?")
    assert line.startswith('- link "Help on paper sizes" [ref=e')
