"""Elements in shadow trees and frames."""

import re
from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


def read_refs(page: Page) -> dict[str, str]:
    """Return the refs of a reading by the words of their lines."""
    lines = page.do("read_page")["content"].splitlines()
    named = [line for line in lines if '" [ref=' in line]
    return {line.split('"')[1]: line.split("ref=")[1].split("]")[0] for line in named}


@pytest.mark.parametrize("mode", ["open", "closed"])
def test_button_in_a_shadow_tree(at: At, mode: str) -> None:
    """Refs of read_page act inside open and closed shadow trees."""
    page = at("shadow.html")
    page.do("interact", ref=read_refs(page)[f"In the {mode} box"])
    assert page.text("output") == f"{mode} pressed"


def test_closed_shadow_trees_read_alike_in_each_document(at: At) -> None:
    """Looking for listeners changes no element; a host without listeners is not a button."""
    for _ in range(8):
        lines = at("shadow.html").do("read_page")["content"].splitlines()
        assert [re.sub(r" \[ref=e\d+\]", "", line) for line in lines[1:]] == [
            '- button "In the open box"', '- textbox "Word"',
            '- button "In the closed box"', '- textbox "Word"',
        ]  # fmt: skip


@pytest.mark.parametrize("where", ["near", "far"])
def test_button_in_a_frame(at: At, where: str) -> None:
    """Frames of the same and of another origin, scrolled to inside and outside."""
    page = at("frames.html")
    result = page.do("interact", query=f"press {where}")
    assert f"{where} pressed true" in result["content"]


@pytest.mark.parametrize("where", ["near", "far"])
def test_frame_far_down_the_page_is_scrolled_to(at: At, where: str) -> None:
    """An element in view of its frame may still be outside the window."""
    page = at("frames.html")
    page.js("document.body.style.paddingTop = '5000px'; 1")
    result = page.do("interact", query=f"press {where}")
    assert f"{where} pressed true" in result["content"]


@pytest.mark.parametrize("place", [0, 1])
def test_field_in_a_frame(at: At, place: int) -> None:
    """Text goes into the frame's own field."""
    page = at("frames.html")
    refs = page.refs("Note field")
    assert len(refs) == 2
    assert page.do("form_input", ref=refs[place], value="hello")["value"] == "hello"


TURNED = ("leaning", "mirrored", "overturned", "skew")


@pytest.mark.parametrize("where", [*TURNED, "far", "inward"])
def test_button_in_a_transformed_frame(at: At, where: str) -> None:
    """Rotated, 3D-transformed, mirrored and skewed frames are clicked where they are shown."""
    page = at("turned.html")
    assert f"{where} pressed true" in page.do("interact", query=f"press {where}")["content"]


@pytest.mark.parametrize("where", TURNED)
def test_point_in_a_transformed_frame(at: At, where: str) -> None:
    """The centre of a reported box is the element, and hit testing finds it there."""
    page = at("turned.html")
    ref = page.ref(f"press {where}")
    page.do("interact", action="scroll_into_view", ref=ref)
    found = page.do("query_dom", selector="button", multiple=True)["elements"]
    box = next(one["bounding_box"] for one in found if one["ref"] == ref)
    point = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    clicked = page.do("computer", action="left_click", coordinate=point)
    assert clicked["target"]["name"] == f"Press {where}"
    assert f"{where} pressed true" in clicked["content"]


def test_covered_frame_is_covered(at: At) -> None:
    """What covers a frame covers the elements in it."""
    page = at("frames.html")
    page.js(
        "document.body.insertAdjacentHTML('beforeend',"
        " '<div role=dialog aria-label=Veil style=\"position:fixed;inset:0\"></div>'); 1"
    )
    for where in ("near", "far"):
        assert page.call_in_short("interact", query=f"press {where}").code == "covered"


def test_invisible_elements_are_scrolled_to_by_position(at: At) -> None:
    """Invisible elements have a place; those without a box are where their contents are."""
    page = at("things.html")
    shows = "(one => one.getBoundingClientRect().bottom <= innerHeight)"
    page.js(
        "const room = '<div style=height:3000px></div>'; document.body.insertAdjacentHTML("
        "'beforeend', room + '<p id=ghost style=visibility:hidden>Ghost</p>' + room +"
        " '<p id=inside><span id=bare style=display:contents>Bare</span></p>'"
        " + '<div id=around style=display:contents><p id=within>Within</p></div>' + room); 1"
    )
    for selector, place in {"#ghost": "ghost", "#bare": "inside", "#around": "within"}.items():
        page.js("scrollTo(0, 0); 1")
        page.do("interact", selector=selector, action="scroll_into_view")
        assert page.js(f"{shows}({place}) && scrollY > 0"), selector
    page.js("ghost.style.display = 'none'; 1")
    gone = page.call_in_short("interact", selector="#ghost", action="scroll_into_view")
    assert gone.code == "not_visible"


@pytest.mark.parametrize(
    ("markup", "selector"),
    [
        ("<button id=it style=display:contents>Plain words</button>", "#it"),
        ("<button id=it style=display:contents><b>Bold</b> words</button>", "#it"),
        ("<button id=it><label style=pointer-events:none>Label</label></button>", "#it label"),
        ("<a id=it href=#there><b style='position:fixed;right:0;top:9px'>Ribbon</b></a>", "#it"),
        ("<a id=it href=#a><i><img src=x alt=Me style='position:absolute;top:0'></i></a>", "#it"),
    ],
    ids=[
        "words without a box",
        "parts without a box",
        "label that clicks pass through",
        "contents placed elsewhere",
        "contents of contents placed elsewhere",
    ],
)
def test_control_is_clicked_where_it_is_visible(at: At, markup: str, selector: str) -> None:
    """Without a box of its own, through its contents; a mere label through its button."""
    page = at("things.html")
    page.js(
        f"document.body.innerHTML = `<p style=height:5000px></p><div>Here: {markup}</div>`;"
        "it.onclick = () => { document.title = 'clicked' }; 1"
    )
    page.do("interact", selector=selector)
    assert page.js("document.title") == "clicked"


def test_content_of_a_disabled_button_is_waited_for(at: At) -> None:
    """It is clicked once the button is enabled."""
    page = at("things.html")
    page.js(
        "document.body.innerHTML = '<button id=it disabled><span>Pay</span></button>';"
        "it.onclick = () => { document.title = 'paid' }; 1"
    )
    reply = page.call_in_short("interact", selector="#it span")
    assert reply.code == "not_enabled"
    assert "part of button" in reply.error["message"]
    page.js("setTimeout(() => { it.disabled = false }, 200); 1")
    page.do("interact", selector="#it span")
    assert page.js("document.title") == "paid"


def test_components_and_forms_in_a_frame_of_the_same_origin(at: At) -> None:
    """Its classes are not those of the page: shadow trees and forms are known without them."""
    page = at("framed-components.html")
    told = "document.querySelector('iframe').contentDocument.getElementById('told').textContent"
    content = page.do("read_page")["content"]
    assert "Three lamps" in content
    assert 'button "Empty the basket"' in content
    for mode in ("markdown", "text", "dom"):
        assert "Three lamps" in page.do("read_page", mode=mode)["content"]
    page.do("interact", query="Empty the basket")
    assert page.js(told) == "emptied"
    page.do("fill_form", fields={"Coupon": "LAMP10"}, submit="Redeem")
    assert page.js(told) == "redeemed LAMP10"
