"""Actions wait for their element, and use mouse and keyboard as a person does.

It covers what test_page_readiness.py (clicks and values) and test_gestures.py do not.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from support.pages import Page

At = Callable[[str], Page]
TIMEOUT_MS = 60_000
COVERED = "<div id=veil></div>"
IN_FRAME = "<button id=in onclick=&quot;top.room.title += 7&quot;>In</button>"


def button(event: str, more: str = "") -> str:
    return f"<button id=it {more} on{event}=\"did += '{event}'\">Go</button>"


@dataclass(frozen=True)
class Case:
    """What stands on the page, how it changes in a moment, what is done, and what then holds."""

    name: str
    html: str
    change: str
    action: str
    holds: str
    expected: str
    more: dict[str, Any] = field(default_factory=dict)


WAITS = [
    Case("double click, disabled", button("dblclick", "disabled"),
         "it.disabled = false", "double_click", "did", "dblclick"),
    Case("right click, covered", button("contextmenu") + COVERED,
         "veil.remove()", "right_click", "did", "contextmenu"),
    Case("hover, hidden", button("mouseenter", "hidden"),
         "it.hidden = false", "hover", "did", "mouseenter"),
    Case("focus, not there", "", "room.innerHTML = '<input id=it>'", "focus",
         "document.activeElement.id", "it"),
    Case("press, hidden", "<input id=it style='display:none'>",
         "it.style.display = ''", "press", "it.value", "a", {"value": "a"}),
    Case("type, read-only", "<input id=it readonly>", "it.readOnly = false", "type", "it.value",
         "words", {"value": "words"}),
    Case("type, in a disabled fieldset", "<fieldset disabled><input id=it></fieldset>",
         "it.parentElement.disabled = false", "type", "it.value", "words", {"value": "words"}),
    Case("clear, disabled", "<input id=it disabled value=x>", "it.disabled = false", "clear",
         "it.value", ""),
    Case("select, option not there", "<select id=it><option>one</select>",
         "it.add(new Option('two'))", "select", "it.value", "two", {"value": "two"}),
    Case("uncheck, covered", "<input id=it type=checkbox checked>" + COVERED,
         "veil.remove()", "uncheck", "it.checked", "false"),
    Case("scroll into view, not there", "",
         "room.innerHTML = '<div style=\"height:3000px\"></div><p id=it>Here</p>'",
         "scroll_into_view", "it.getBoundingClientRect().top < innerHeight", "true"),
    Case("click, moved step by step", button("click", "style='position:relative'"),
         "let step = 0; const timer = setInterval(() => { it.style.left = `${++step * 9}px`; "
         "if (step === 12) clearInterval(timer); }, 16)", "click", "did", "click"),
    Case("click, below a bar that stays",
         "<div style='position:fixed;inset:0 0 auto;height:200px;background:#eee'></div>"
         f"<div style='height:3000px'></div>{button('click')}<div style='height:3000px'></div>",
         "scrollTo(0, it.offsetTop - 50)", "click", "did", "click"),
    Case("click, in a frame that loads late", "",
         f"room.innerHTML = '<iframe srcdoc=\"{IN_FRAME}\"></iframe>'",
         "click", "room.title", "7", {"selector": "#in"}),
    Case("click, in a shadow tree that comes late", "<div id=host></div>",
         "host.attachShadow({mode: 'open'}).innerHTML = "
         "'<button id=deep onclick=\"did += 8\">Deep</button>'",
         "click", "did", "8", {"selector": "#deep"}),
]  # fmt: skip


@pytest.fixture
def page(at: At) -> Page:
    page = at("not-yet.html")
    page.js("did = ''; 1")
    return page


@pytest.mark.parametrize("case", WAITS, ids=[case.name for case in WAITS])
def test_an_action_waits_until_its_element_is_actionable(page: Page, case: Case) -> None:
    page.js(f"room.innerHTML = {json.dumps(case.html)}; 1")
    page.js(f"setTimeout(() => {{ {case.change} }}, 60); 1")
    params = {"selector": "#it", "wait_for_ms": 30_000, "timeout_ms": TIMEOUT_MS, **case.more}
    page.do("interact", action=case.action, **params)
    assert page.js(case.holds) == case.expected


def test_several_options_are_waited_for(page: Page) -> None:
    page.js(
        "room.innerHTML = '<select id=it multiple><option>one</select>';"
        "setTimeout(() => { it.add(new Option('two')); it.add(new Option('three')) }, 60); 1"
    )
    page.do("form_input", selector="#it", value=["one", "three"], timeout_ms=TIMEOUT_MS)
    assert page.js("[...it.selectedOptions].map((one) => one.text).join()") == "one,three"


def test_dragged_element_is_waited_for(page: Page) -> None:
    page.js(
        'room.innerHTML = \'<div id=bin style="width:99px;height:40px">Bin</div>'
        "<b id=it draggable=true>Card</b><div id=veil></div>';"
        "bin.ondragover = (event) => event.preventDefault();"
        "bin.ondrop = () => { bin.append(it); did = 'dropped' };"
        "setTimeout(() => veil.remove(), 60); 1"
    )
    page.do("drag_drop", source_query="Card", target_selector="#bin", timeout_ms=TIMEOUT_MS)
    assert page.js("did") == "dropped"


def test_drop_without_an_effect_has_not_moved(page: Page) -> None:
    """Though what it was dropped on takes such things."""
    page.js(
        "room.innerHTML = '<div id=bin>Bin</div><b draggable=true>Card</b>';"
        "bin.ondragover = (event) => event.preventDefault(); 1"
    )
    reply = page.call("drag_drop", source_query="Card", target_selector="#bin")
    assert reply.code == "not_moved"
    assert "the page accepted the drop, but nothing changed" in reply.error["message"]


def test_pointer_events_on_a_canvas_have_button_and_pressure(page: Page) -> None:
    """As from a pen that does not measure it: half while it is down, none before and after."""
    page.js(
        "room.innerHTML = '<canvas id=it width=300 height=100></canvas>'; window.strokes = [];"
        "for (const type of ['pointermove', 'pointerdown', 'pointerup']) it.addEventListener(type,"
        " (event) => strokes.push(`${type} ${event.buttons} ${event.pressure}`)); 1"
    )
    x, y = json.loads(page.js("(({x, y}) => JSON.stringify([x, y]))(it.getBoundingClientRect())"))
    page.do("computer", action="mouse_move", coordinate=[x + 10, y + 10])
    page.do("computer", action="left_mouse_down")
    page.do("computer", action="mouse_move", coordinate=[x + 150, y + 50])
    page.do("computer", action="left_mouse_up")
    assert page.js("strokes.join()") == (
        "pointermove 0 0,pointerdown 1 0.5,pointermove 1 0.5,pointerup 0 0"
    )


def test_text_is_typed_at_the_end_of_a_field_without_focus(page: Page) -> None:
    """Wherever its caret was left."""
    page.js("room.innerHTML = '<input id=it value=Ada><button>Other</button>'; it.focus();"
            "it.setSelectionRange(1, 1); it.blur(); 1")  # fmt: skip
    page.do("interact", selector="#it", action="type", value=" Byron")
    assert page.js("it.value") == "Ada Byron"


@pytest.mark.parametrize("action", ["focus", "press"])
def test_element_without_contents_takes_the_focus(page: Page, action: str) -> None:
    page.js("room.innerHTML = '<div id=it tabindex=0></div>'; 1")
    page.do("interact", selector="#it", action=action, value="a")
    assert page.js("document.activeElement.id") == "it"
