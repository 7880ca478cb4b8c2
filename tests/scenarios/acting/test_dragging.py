"""drag_drop: HTML5 drag and drop, sortable lists, sliders, and unusable ends."""

import re
from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


def test_html5_drag_carries_its_data(at: At) -> None:
    """The page gets the complete sequence of trusted events, with the data transfer."""
    page = at("drag.html")
    result = page.do("drag_drop", source_selector="#card", target_selector="#bin")
    assert page.text("#said") == "start enter over drop:the card:true end:move"
    assert (result["method"], result["accepted"]) == ("html5", True)
    assert result["target"]["name"] == "Bin"
    assert "#card" not in str(result["source"])


def test_target_below_the_fold_is_scrolled_to(at: At) -> None:
    """The target is scrolled into view during the drag."""
    page = at("drag.html")
    page.do("drag_drop", source_query="Card", target_query="Far bin")
    assert "drop:the card" in page.text("#said")
    assert page.js("far.contains(card)") == "true"


def test_refused_drop_is_reported(at: At) -> None:
    """A target that takes no drops is reported as `accepted: false`."""
    page = at("drag.html")
    result = page.do("drag_drop", source_selector="#card", target_selector="h1")
    assert (result["method"], result["accepted"]) == ("html5", False)


@pytest.mark.parametrize(
    ("source", "target", "order"),
    [("One", "Three", "TwoThreeOne"), ("Three", "One", "ThreeOneTwo")],
)
def test_list_that_follows_the_pointer_is_sorted(
    at: At, source: str, target: str, order: str
) -> None:
    """Lists built on pointer events see a pointer that moves."""
    page = at("drag.html")
    refs = {name: page.ref(f"{name} option") for name in (source, target)}
    down = source == "One"
    items = page.do("query_dom", selector="#sortable li", multiple=True)["elements"]
    box = items[2 if down else 0]["bounding_box"]
    edge = box["y"] + (box["height"] - 3 if down else 3)
    result = page.do("drag_drop", source_ref=refs[source], target_x=box["x"] + 20, target_y=edge)
    assert result["method"] == "pointer"
    assert page.text("#said") == f"sorted:{order}"


def test_slider_is_dragged_by_points(at: At) -> None:
    """Points of the window work where there is no element to name."""
    page = at("drag.html")
    knob = page.do("query_dom", selector="#knob")["element"]
    x, y = knob["bounding_box"]["x"] + 10, knob["bounding_box"]["y"] + 10
    page.do("drag_drop", source_x=x, source_y=y, target_x=x + 100, target_y=y)
    assert page.text("#said") == "knob:100"


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"source_selector": "#card"}, "invalid_argument"),
        ({"source_selector": "#card", "target_x": 5}, "invalid_argument"),
        ({"source_selector": "#card", "target_x": 5, "target_y": -5}, "invalid_argument"),
        ({"source_selector": "#card", "target_selector": "#nowhere"}, "element_not_found"),
        ({"source_query": "xylophone", "target_selector": "#bin"}, "element_not_found"),
        ({"source_ref": "e99999", "target_selector": "#bin"}, "stale_ref"),
    ],
)
def test_bad_end_changes_nothing(at: At, params: dict[str, object], code: str) -> None:
    """A missing or unknown end has its own code; nothing is dragged."""
    page = at("drag.html")
    assert page.call("drag_drop", **params).code == code
    assert page.text("#said") == ""


def test_drag_inside_a_frame(at: At) -> None:
    """Both ends may stand in a frame of another origin."""
    page = at("drag.html")
    page.js(
        'document.body.innerHTML = \'<iframe style="width:600px;height:500px" src="'
        + page.site.other_origin
        + "/acting/drag.html\"></iframe>'; 1"
    )
    page.do("wait_for", type="function", value="frames.length && document.readyState")
    page.do("wait_for", type="idle")
    result = page.do("drag_drop", source_selector="#card", target_selector="#bin")
    assert result["accepted"] is True


@pytest.mark.parametrize(
    ("source", "target", "orders", "said"),
    [
        ("Task A", "Task C", "BCAD ABCD", '"Task A" is now item 3 of Todo'),
        ("Task D", "Task A", "DABC ABCD", '"Task D" is now item 1 of Todo'),
        ("Task B", "Old A", "ACD BABCD", '"Task B" is now item 1 of Done'),
    ],
)
def test_item_is_dropped_at_its_target(
    at: At, source: str, target: str, orders: str, said: str
) -> None:
    """Lists that check once a frame and animate their items are given time."""
    page = at("sorting.html")
    result = page.do("drag_drop", source_query=source, target_query=target)
    assert page.js("order(todo) + ' ' + order(done)") == orders
    assert result["place"] == said
    assert result["content"].splitlines()[0] == f"dragged: {said}; html5, accepted"


def test_item_that_is_animated_to_its_place(at: At) -> None:
    """The list is read after it was redrawn; its items ignored the pointer meanwhile."""
    page = at("sorting.html")
    result = page.do("drag_drop", source_query="Bird A", target_query="Bird C")
    assert page.js("order(flying)") == "BCAD"
    assert result["content"].splitlines()[0] == (
        'dragged: "Bird A" is now item 3 of Flying; pointer'
    )


def test_item_that_must_be_held_first(at: At) -> None:
    """As long as the page's press timer requires: an earlier move would not start a drag."""
    page = at("sorting.html")
    result = page.do("drag_drop", source_query="Stone A", target_query="Stone C")
    assert page.js("order(stones)") == "BCA"
    assert result["place"] == '"Stone A" is now item 3 of Held'


def test_item_that_did_not_move_is_an_error(at: At) -> None:
    """A drag without an effect is not reported as a success."""
    page = at("sorting.html")
    result = page.do("drag_drop", source_query="Task B", target_x=3, target_y=120)
    assert result["place"] == '"Task B" is still item 2 of Todo'


def test_row_that_is_a_table_of_its_own_is_an_item(at: At) -> None:
    """As grids draw their rows: the row takes its place among the rows, not the cell in its row."""
    page = at("things.html")
    page.js(
        "document.body.innerHTML = '<div id=rows></div>';"
        "rows.innerHTML = ['Ash', 'Elm', 'Fir'].map((name) => '<table class=item role=presentation"
        " draggable=true><tbody><tr role=row><td class=cell role=gridcell><div>' + name +"
        " '</div><td class=cell role=gridcell>1</table>').join('');"
        "for (const one of rows.children) {"
        " one.ondragstart = (event) => event.dataTransfer.setData('text/plain', 'x');"
        " one.ondragend = () => rows.dataset.to && rows.append(one);"
        " one.ondragover = (event) => event.preventDefault();"
        " one.ondrop = () => { rows.dataset.to = 'last' } } 1"
    )
    result = page.do("drag_drop", source_query="Ash", target_query="Fir")
    assert page.text("#rows") == "Elm1Fir1Ash1"
    assert result["place"] == '"Ash 1" is now item 3 of 3'


@pytest.mark.parametrize(
    ("name", "source", "target", "order"),
    [
        ("fingers", "Alpha", "Gamma", "Beta Gamma Alpha"),
        ("fingers", "Gamma", "Alpha", "Gamma Alpha Beta"),
        ("pointers", "Uno", "Tre", "Due Tre Uno"),
    ],
)
def test_touch_only_list_is_sorted(at: At, name: str, source: str, target: str, order: str) -> None:
    """By touch, after the mouse has moved nothing; the page does not scroll."""
    page = at("touch.html")
    result = page.do("drag_drop", source_query=source, target_query=target)
    assert page.js(f"[...{name}.children].map(one => one.textContent).join(' ')") == order
    assert result["method"] == "touch"
    assert f'"{source}" is now item' in result["place"]
    assert page.js("scrollY") == "0"


def test_drop_that_opens_a_question_is_not_repeated(at: At) -> None:
    """What covers the item since the drop is reported; the gesture is not repeated."""
    page = at("touch.html")
    result = page.do("drag_drop", source_query="Low", target_query="High")
    assert page.text("#output") == "1"
    assert result["method"] == "pointer"
    assert "Move it?" in result["now"]


def test_item_that_a_folder_takes_out_of_sight_has_no_place(at: At) -> None:
    page = at("drop-folder.html")
    result = page.do("drag_drop", source_query="Chair", target_query="Projects")
    assert page.text("#said") == "Chair moved"
    assert not result.get("place")


def test_drag_that_only_selects_text_is_reported_so(at: At) -> None:
    page = at("delegated-clicks.html")
    result = page.do("drag_drop", source_query="Ann", target_query="Carl")
    assert re.fullmatch(
        r'"Ann Delete" is still item 1 of 3; the text ".*nn.*" is selected', result["place"]
    )
    result = page.do("drag_drop", source_selector="h1", target_query="Ann")
    assert re.fullmatch(r'the text ".+" is selected', result["place"])
