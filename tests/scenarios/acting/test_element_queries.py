"""Queries for elements other than controls: clickable boxes, headers, cells, drop targets."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


@pytest.mark.parametrize(
    ("words", "action", "told"),
    [
        ("Trip to Rome", "click", "card opened"),
        ("Age", "click", "sorted by age"),
        ("41", "double_click", "cell opened"),
    ],
)
def test_a_box_is_acted_on_by_its_words(at: At, words: str, action: str, told: str) -> None:
    """A box without a name is found by its text, with or without a listener."""
    page = at("words.html")
    page.do("interact", query=words, action=action)
    assert page.text("#told") == told


def test_a_text_must_match_exactly(at: At) -> None:
    """A click by words never hits a text that only contains them."""
    assert at("words.html").call("interact", query="fence").code == "element_not_found"


def test_cards_are_dragged_to_a_column_by_words(at: At) -> None:
    """Neither end need be a control; a section and its heading of the same words are one place."""
    page = at("words.html")
    page.do("drag_drop", source_query="Paint the fence", target_query="Finished")
    assert page.text("#told") == "moved to Finished"
    page.do("act", instruction='drag "Paint the fence" to "Ready"')
    assert page.text("#told") == "moved to Ready"


def test_files_are_dropped_on_a_place_by_words(at: At) -> None:
    """A drop zone is a box with words in it."""
    page = at("words.html")
    log = {"name": "a.log", "content": "eA=="}
    page.do("file_upload", query="Put logs here", files=[log], drop=True)
    assert page.text("#told") == "dropped a.log"


def test_text_in_a_line_is_found(at: At) -> None:
    """A span beside a button is text of the page as well."""
    assert at("words.html").lines("Letter 103")[0].startswith('- text "Letter 103"')


def test_typing_prefers_the_field_to_its_list(at: At) -> None:
    """A combobox and its open list have the same name: text goes into the one that takes it."""
    page = at("words.html")
    page.do("interact", query="From city", action="type", value="Rome")
    assert page.do("query_dom", selector="input")["element"]["attributes"]["role"] == "combobox"
    assert page.js("document.querySelector('input').value") == "Rome"


def test_quotes_end_the_value(at: At) -> None:
    """`in` may belong to the name of the field."""
    page = at("words.html")
    page.do("act", instruction='type "Rome" in From city')
    assert page.js("document.querySelector('input').value") == "Rome"


def test_an_opened_popover_is_reported(at: At) -> None:
    """It changes no node of the page, but what a person sees."""
    result = at("words.html").do("interact", query="More")
    assert 'button "Archive" [ref=' in result["content"]
    assert "Archive" in result["now"]


def test_only_elements_that_were_there_are_reported_as_gone(at: At) -> None:
    """What appeared and disappeared during the action is left out; a new title has its own key."""
    result = at("words.html").do("interact", query="Count")
    assert result["content"] == "+ text: count 4\n- text: nothing yet\n"
    assert result["changed"]["title"] == "Renamed"


@pytest.mark.parametrize("where", ["near", "far"])
def test_button_in_a_scaled_frame(at: At, where: str) -> None:
    """Points and boxes inside of a scaled frame are those of the window."""
    page = at("places.html")
    assert f"{where} pressed true" in page.do("interact", query=f"press {where}")["content"]
    ref = page.ref(f"press {where}")
    nodes = page.do("oc_observe", scope="document")["nodes"]
    shown = next(node["bbox"] for node in nodes if node["ref"] == ref)
    found = page.do("query_dom", selector="button", multiple=True)["elements"]
    box = next(one["bounding_box"] for one in found if one["ref"] == ref)
    assert (box["x"], box["y"], box["width"]) == (shown["x"], shown["y"], shown["w"])


def test_a_frame_without_scripts(at: At) -> None:
    """No timer runs there; its contents can be used all the same."""
    page = at("places.html")
    assert page.do("form_input", query="Town", value="Rome")["value"] == "Rome"
    assert "Unfolded" in page.do("interact", query="Further words")["content"]
    sent = page.do("interact", query="Send still")["changed"]
    assert [frame["url"].endswith("/submit") for frame in sent["frames"]] == [True]
    assert page.site.wait_for("/submit")


def test_unreachable_elements_are_refused(at: At) -> None:
    """A click is not sent to a place next to a box outside the window."""
    code = at("places.html").call_in_short("interact", query="Turned away").code
    assert code in ("covered", "not_visible")


@pytest.mark.parametrize(("words", "fragment"), [("Kitchen", "#kitchen"), ("Red dot", "#dot")])
def test_image_map_and_svg_links(at: At, words: str, fragment: str) -> None:
    """Areas of image maps and links of drawings are read, and followed."""
    page = at("places.html")
    assert f'link "{words}" [ref=' in page.do("read_page")["content"]
    assert page.do("interact", query=words)["changed"]["url"].endswith(fragment)


def test_xhtml_is_html(at: At) -> None:
    """Elements with small names are the same controls."""
    page = at("strict.xhtml")
    assert 'heading "Strict" [level=1]' in page.do("read_page")["content"]
    page.do("fill_form", fields={"Name": "Ada", "Size": "L"}, submit="Send")
    assert page.site.wait_for("/submit")


def test_a_title_is_no_content_of_an_xhtml_page(at: At) -> None:
    """What goes from a head is not told as removed."""
    page = at("strict.xhtml")
    page.do(
        "javascript_tool", code="document.querySelector('h1').onclick = () => document.title = 'x'"
    )
    told = page.do("interact", query="Strict")
    assert told["changed"]["title"] == "x"
    assert "removed" not in told


@pytest.mark.parametrize("document", ["drawing.svg", "data.xml"])
def test_documents_that_are_not_html_are_scrolled_and_take_keys(at: At, document: str) -> None:
    """The page itself is the root element, whatever that is, and its body is not worth a word."""
    page = at(document)
    assert "focus" not in page.do("read_page")["content"].splitlines()[0]
    assert page.do("lightweight_scroll", direction="down", amount=50)["position"]["y"] == 50
    page.do("interact", action="press", value="Home")
    page.do("wait_for", type="function", value="scrollY === 0")


def test_new_value_of_a_control_is_reported(at: At) -> None:
    """A checkbox and a typed text, whose values are not in the DOM."""
    page = at("words.html")
    assert page.do("interact", query="Wanted")["value"] is True
    assert page.do("interact", query="Wanted", action="uncheck")["value"] is False
    assert page.do("interact", query="From city", action="type", value="Rome")["value"] == "Rome"


def test_a_link_to_an_error_page_is_reported(at: At) -> None:
    """The browser's own error page is told by its error; what clicks pass through is named so."""
    page = at("words.html")
    assert page.call_in_short("interact", query="Air").code == "not_enabled"
    assert "ERR_" in page.do("interact", query="Dead end")["changed"]["net_error"]


@pytest.mark.parametrize(
    ("words", "clicked"),
    [("Edit", "Edit;"), ("Paused", "Paused (4);"), ("Category link", "Category;")],
)
def test_name_as_it_is_seen(at: At, words: str, clicked: str) -> None:
    """With its capitals, and without the words of its picture."""
    page = at("names-as-seen.html")
    page.do("interact", query=words)
    assert page.text("output") == clicked


@pytest.mark.parametrize("words", ["edit", "Category"])
def test_names_that_look_the_same_are_ambiguous(at: At, words: str) -> None:
    page = at("names-as-seen.html")
    assert page.call("interact", query=words).code == "ambiguous"
    assert page.text("output") == ""


@pytest.mark.parametrize(
    ("query", "clicked"),
    [("#save", "save"), ("[data-kind='1']", "save"), ("button[data-kind]", "save"),
     ("#general", "#general"), (".NET", ".NET"), ("🗑 Bob", "bob"), ("🗑 in the row of Ann", "ann")],
)  # fmt: skip
def test_signs_in_place_of_words(at: At, query: str, clicked: str) -> None:
    """A selector is one unless the page says it; what has the picture is meant."""
    page = at("signs-in-names.html")
    page.do("interact", query=query)
    assert page.text("#told") == clicked


def test_signs_that_nothing_has(at: At) -> None:
    page = at("signs-in-names.html")
    for query in ("🗑 Carl", "#nothing", "[data-kind=2]", "#1"):
        assert page.call_in_short("interact", query=query).code == "element_not_found"
    assert page.text("#told") == ""


def test_a_legend_is_no_section_of_what_stands_outside(at: At) -> None:
    lines = at("signs-in-names.html").lines("Go on")
    assert [line for line in lines if "Address" in line] == []


def test_a_line_of_an_outline_means_its_ref(at: At) -> None:
    page = at("signs-in-names.html")
    line = page.lines("Go on")[0]
    ref = page.ref("Go on")
    for named in ({"query": line}, {"query": f"[ref={ref}]"}, {"ref": f"[ref={ref}]"}):
        page.js("document.getElementById('told').textContent = ''")
        page.do("interact", **named)
        assert page.text("#told") == "Go on"
    stale = page.call("interact", query='button "Go" [ref=e99999]')
    assert stale.code == "stale_ref"
