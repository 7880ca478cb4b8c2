"""interact: waiting until an element can be used, and the reported changes."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


def test_click_names_what_it_hit_and_what_changed(at: At) -> None:
    """The result has the element and what changed on the page."""
    page = at("rows.html")
    result = page.do("interact", query="delete bob")
    assert result["target"] == {"role": "button", "name": "Delete"}
    assert "+ text: deleted Bob" in result["content"]
    assert page.text("output") == "deleted Bob"


def test_overlay_that_goes_away_is_waited_for(at: At) -> None:
    """An overlay over the button delays the click until it is gone."""
    page = at("overlay.html?leaves")
    page.do("interact", query="under")
    assert page.text("output") == "pressed"


def test_overlay_that_stays_is_named(at: At) -> None:
    """`covered` names what covers the element, and nothing is clicked."""
    page = at("overlay.html")
    reply = page.call_in_short("interact", query="under")
    assert reply.code == "covered"
    assert "Cookies" in reply.error["covered_by"]
    assert page.text("output") == ""


def test_moving_element_is_clicked_where_it_stops(at: At) -> None:
    """A click waits until the element stands still, and so does scrolling to it."""
    page = at("moving.html")
    page.do("interact", query="catch")
    assert page.text("output") == "hit"
    page = at("moving.html")
    page.do("interact", query="catch", action="scroll_into_view")
    assert page.js("x >= 300") == "true"  # not where it was on its way


def test_element_that_never_stops_is_refused(at: At) -> None:
    """`moving`, after the caller's time limit."""
    assert at("moving.html?forever").call_in_short("interact", query="catch").code == "moving"


def test_element_that_never_stops_is_clicked_if_it_is_slow(at: At) -> None:
    """Such as a ticker's links: after a second, its next place is close enough to be hit."""
    page = at("moving.html?slowly")
    page.do("interact", query="catch")
    assert page.text("output") == "hit"


@pytest.mark.parametrize("name", ["Cannot", "Must not"])
def test_disabled_element_is_refused(at: At, name: str) -> None:
    """Disabled and aria-disabled: `not_enabled`."""
    assert at("things.html").call_in_short("interact", query=name).code == "not_enabled"


def test_element_that_becomes_enabled_is_waited_for(at: At) -> None:
    """A button that is enabled in time is clicked."""
    page = at("things.html")
    page.js("setTimeout(() => { document.querySelector('[disabled]').disabled = false; }, 200); 1")
    assert page.do("interact", query="Cannot")["action"] == "click"


def test_hidden_element_is_refused(at: At) -> None:
    """display:none is `not_visible`."""
    reply = at("things.html").call_in_short("interact", selector="#hidden")
    assert reply.code == "not_visible"


def test_no_such_element(at: At) -> None:
    """Words and selectors without a match: `element_not_found`."""
    page = at("things.html")
    assert page.call("interact", query="xylophone").code == "element_not_found"
    assert page.call("interact", selector="#xylophone").code == "element_not_found"


def test_equally_good_matches_are_listed(at: At) -> None:
    """`ambiguous` has a line with a ref for each; one of them then works."""
    page = at("things.html")
    reply = page.call("interact", query="Same")
    assert reply.code == "ambiguous"
    assert len(reply.error["candidates"]) == 2
    ref = reply.error["candidates"][1].split("ref=")[1].split("]")[0]
    assert page.do("interact", ref=ref)["ref"] == ref


def test_several_matches_of_a_selector_are_ambiguous(at: At) -> None:
    """A selector that matches three visible elements does not act on the first."""
    assert at("rows.html").call("interact", selector="tbody button").code == "ambiguous"


def test_the_element_must_be_named_in_exactly_one_way(at: At) -> None:
    """Two ways to name it at once, or none, are invalid."""
    page = at("things.html")
    assert page.call("interact", query="Same", selector="a").code == "invalid_argument"
    assert page.call("interact").code == "invalid_argument"


def test_element_below_the_fold_is_scrolled_to(at: At) -> None:
    """A click far down scrolls there first."""
    page = at("things.html")
    page.do("interact", query="at the bottom")
    assert page.text("#view") == "deep"


@pytest.mark.parametrize(
    ("query", "action", "said"),
    [
        ("Twice", "double_click", "twice"),
        ("Aside", "right_click", "aside"),
        ("Over", "hover", "over"),
    ],
)
def test_double_click_right_click_and_hover(at: At, query: str, action: str, said: str) -> None:
    """Double click, right click and hover send the events of a mouse."""
    page = at("things.html")
    page.do("interact", query=query, action=action)
    assert page.text("#view") == said


@pytest.mark.parametrize(("key", "said"), [("Enter", "key Enter"), ("ctrl+k", "key k ctrl")])
def test_keys_are_pressed(at: At, key: str, said: str) -> None:
    """Single keys and chords."""
    page = at("things.html")
    page.do("interact", query="Keys", action="press", value=key)
    assert page.text("#view") == said


def test_unknown_key_is_refused(at: At) -> None:
    """An unknown key name is `wrong_value`."""
    reply = at("things.html").call("interact", query="Keys", action="press", value="Hyper+q")
    assert reply.code == "wrong_value"


def test_typing_goes_key_by_key(at: At) -> None:
    """`type` appends to the existing text."""
    page = at("form.html")
    page.do("interact", query="Name", action="type", value="Ada L")
    page.do("interact", query="Name", action="type", value="!")
    assert page.js("document.querySelector('[name=name]').value") == "Ada L!"


def test_clear_empties_a_field(at: At) -> None:
    """`clear` empties the field."""
    page = at("form.html")
    page.do("interact", query="About", action="clear")
    assert page.js("document.querySelector('textarea').value") == ""


def test_label_checks_its_hidden_checkbox(at: At) -> None:
    """A checkbox that is hidden behind its label is checked by it."""
    page = at("things.html")
    page.do("interact", query="I agree", action="check")
    assert page.text("#view") == "agreed true"


def test_opened_menu_is_reported_with_refs(at: At) -> None:
    """What appears is in the result, with refs for the next action."""
    page = at("things.html")
    result = page.do("interact", query="Menu")
    assert "] expanded" in result["content"]
    assert 'button "Paste" [ref=e' in result["content"]


def test_response_to_a_request_is_waited_for(at: At) -> None:
    """What the click has fetched is in the result if it arrives promptly."""
    page = at("things.html")
    page.site.open_gate("answer")
    assert "answered" in page.do("interact", query="Load")["content"]


def test_responses_to_consecutive_requests_are_waited_for(at: At) -> None:
    """What the last one brought is in the result, unless the page is slow."""
    page = at("things.html")
    page.js("""const ask = async () => (await fetch("/json", {cache: "no-store"})).text();
        document.querySelector("button").onclick = async () => {
            const start = performance.now();
            await ask(); await ask(); await ask();
            view.textContent = "the last answer"; window.took = performance.now() - start; }""")
    content = page.do("interact", query="Route").get("content", "")
    assert "the last answer" in content or page.js("window.took ?? 1000") > 300


def test_element_that_removes_itself(at: At) -> None:
    """A click that removes its own element succeeds; the ref is stale afterwards."""
    page = at("things.html")
    ref = page.ref("Vanish")
    assert '- button "Vanish"' in page.do("interact", ref=ref)["content"]
    assert page.call("interact", ref=ref).code == "stale_ref"


def test_scroll_of_page_and_box(at: At) -> None:
    """`lightweight_scroll` returns the position, and whether that is the end."""
    page = at("things.html")
    assert page.do("lightweight_scroll", amount=300)["position"]["y"] == 300
    assert page.do("lightweight_scroll", direction="bottom")["at_end"] is True
    inside = page.do("lightweight_scroll", ref=page.ref("Inside the box"), amount=50)
    assert inside["position"]["y"] == 50


@pytest.mark.parametrize(
    "way", ["script", "moved", "shadow", "transition", "animation", "pushed", "web"]
)
def test_element_that_starts_to_move_on_an_idle_page(at: At, way: str) -> None:
    """A page that was at rest for a while is checked again before each click."""
    page = at(f"at-rest.html?{way}")
    ref = page.ref("Catch")
    page.do("interact", ref=ref)
    assert page.text("#out") == "hit"
    page.js(f"out.textContent = ''; way = '{way}'; 1")
    page.do("interact", query="Go")
    page.do("interact", ref=ref)
    assert page.text("#out") == "hit"


@pytest.mark.parametrize("attempt", range(4))
def test_element_that_moves_on_a_busy_page_is_moving(at: At, attempt: int) -> None:
    """A frame drawn late for the previous position does not count as rest."""
    page = at(f"busy-motion.html?{attempt}")
    assert page.call_in_short("interact", selector="#glides").code == "moving"
    assert page.text("#out") == "untouched"


def test_click_taken_by_a_cross_origin_frame_is_an_error(at: At) -> None:
    """The page receives no event: the error names the frame that got the click."""
    page = at("swallowed.html")
    missed = page.call_in_short("interact", query="Buy")
    assert missed.code == "covered"
    assert "Advertisement" in missed.error["covered_by"]
    assert page.js("window.bought ?? 'nothing'") == "nothing"


def test_label_without_a_control_is_clicked_for_the_box_below_it(at: At) -> None:
    """A script of the page checks the box; anything else over it still covers it."""
    page = at("label-over.html")
    page.do("fill_form", fields={"Send me news": True})
    page.do("interact", query="I accept")
    ticked = "[...document.querySelectorAll('input')].map((one) => one.checked).join()"
    assert page.js(ticked) == "true,true,false"
    covered = page.call("interact", query="Under a layer", timeout_ms=300)
    assert covered.code == "covered"


def test_equal_matches_are_resolved_to_the_one_not_behind_a_dialog(at: At) -> None:
    """The page shows through what lies over it, and takes no clicks."""
    page = at("behind-a-dialog.html")
    page.do("interact", query="Export")
    assert page.js("clicked.value") == "dialog"
    page.js("veil.remove()")
    page.do("interact", query="Export")
    assert page.js("clicked.value") == "page"


def test_nested_controls_of_the_same_name_are_one(at: At) -> None:
    """The outline has one line for both."""
    page = at("rows-with-boxes.html")
    page.do("interact", query="Clear")
    assert page.js("document.querySelector('[aria-label=Clear]').dataset.clicked") == "1"


def test_element_without_a_role_is_named_by_its_tag(at: At) -> None:
    page = at("rows-with-boxes.html")
    assert page.do("interact", query="Status")["target"] == {"role": "span", "name": "Status"}


def test_canvas_is_clicked_by_the_layer_that_hears_the_mouse_for_it(
    at: Callable[[str], Page],
) -> None:
    """It draws nothing, so it covers nothing; a veil does."""
    page = at("canvas-layer.html")
    page.do("interact", query="Free grid", action="double_click")
    assert page.text("#said") == "opened at 150, 50"
    assert page.call_in_short("interact", query="Veiled grid").code == "covered"
