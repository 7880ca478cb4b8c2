"""act: short English instructions, step by step."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


def test_form_is_filled_and_sent_by_one_instruction(at: At) -> None:
    """Steps of several kinds; the site received the values, each step reports what it did."""
    page = at("form.html")
    result = page.do(
        "act",
        instruction='type "Ada, then Bob" into Name, select Green in Colour and check Send me '
        "news; set Volume to 7\nthen click Send it",
    )
    assert [step["action"] for step in result["steps"]] == [
        "fill", "select", "check", "fill", "click",
    ]  # fmt: skip
    assert result["steps"][0]["target"] == {"role": "textbox", "name": "Name"}
    assert result["steps"][4]["changed"]["title"] == "Sent"
    (sent,) = page.site.seen("acting/sent.html")
    for part in ("name=Ada, then Bob", "colour=g", "news=on", "volume=7"):
        assert part in sent.query


@pytest.mark.parametrize(
    ("page_name", "instruction", "selector", "said"),
    [
        ("rows.html", "click Delete for Bob", "output", "deleted Bob"),
        ("rows.html", "click the second Delete button", "output", "deleted Bob"),
        ("rows.html", "click the last delete button", "output", "deleted Cid"),
        ("rows.html", "click Add Zoe and click the first Delete button", "output", "deleted Zoe"),
        ("things.html", "double-click Twice", "#view", "twice"),
        ("things.html", "right click on Aside", "#view", "aside"),
        ("things.html", "hover over the Over button", "#view", "over"),
        ("things.html", "press Ctrl+K in Keys", "#view", "key k ctrl"),
        ("things.html", "focus on Keys, press Enter", "#view", "key Enter"),
        ("things.html", "open Menu; click Paste; tick I agree", "#view", "agreed true"),
        ("things.html", "scroll to the bottom and click At the bottom", "#view", "deep"),
        ("things.html", "click Ask, then accept the dialog", "#view", "confirmed true"),
        ("things.html", "click Name; accept the dialog with Ada", "#view", "named Ada"),
        ("lists.html", "choose Korea in Country", "#said", "country Korea"),
        ("lists.html", "select Large for Size", "#said", "size Large"),
        ("drag.html", "drag the Card onto the Bin", "#said",
         "start enter over drop:the card:true end:move"),
    ],
)  # fmt: skip
def test_each_kind_of_step_acts_on_its_element(
    at: At, page_name: str, instruction: str, selector: str, said: str
) -> None:
    """Every kind of step acts on the element that its words mean."""
    page = at(page_name)
    page.do("act", instruction=instruction)
    assert page.text(selector) == said


def test_typing_goes_to_the_focus(at: At) -> None:
    """Without a field in the step, text goes to the caret; keys follow."""
    page = at("form.html")
    page.do("act", instruction='click into Name, type "Ada", press Backspace twice')
    assert page.js("document.querySelector('[name=name]').value") == "A"


def test_navigation_steps(at: At) -> None:
    """Navigation steps wait for the page."""
    page = at("things.html")
    result = page.do("act", instruction="click Onwards, go back, go to /acting/rows.html, reload")
    assert result["changed"]["title"] == "Rows"
    assert page.js("document.title") == "Rows"


def test_words_are_waited_for(at: At) -> None:
    """`wait for` ends when the words appear, `wait until … disappears` when they are gone."""
    page = at("things.html")
    page.js("setTimeout(() => { view.textContent = 'All done'; }, 400); 1")
    page.do("act", instruction="wait for All done")
    page.js("setTimeout(() => { view.textContent = ''; }, 400); 1")
    page.do("act", instruction="wait until All done disappears", timeout_ms=20_000)
    assert page.call("act", instruction="wait for Godot", timeout_ms=400).code == "timeout"


def test_element_added_by_a_step_is_waited_for(at: At) -> None:
    """The element of a step may appear some time after the step before."""
    page = at("things.html")
    page.js(
        "document.querySelector('[ondblclick]').onclick = () => setTimeout(() => {"
        " view.innerHTML = '<button onclick=\"view.textContent = 1\">Late one</button>'; }, 300); 1"
    )
    page.do("act", instruction="click Twice, click Late one")
    assert page.text("#view") == "1"


@pytest.mark.parametrize(
    ("instruction", "code"),
    [
        ("frobnicate the widget", "not_understood"),
        ("click Onwards; frobnicate", "not_understood"),
        ("type hello", "not_understood"),
        ("click Same", "ambiguous"),
        ("click xylophone", "element_not_found"),
        ("click the fifth Same button", "element_not_found"),
        ("click Cannot", "not_enabled"),
        ("click e99999", "stale_ref"),
        ("click #hidden", "not_visible"),
        ("check Onwards", "wrong_value"),
    ],
)
def test_step_that_fails_has_its_code(at: At, instruction: str, code: str) -> None:
    """The code of the single verb; if an instruction is not understood, nothing is done."""
    page = at("things.html")
    assert page.call_in_short("act", instruction=instruction).code == code
    assert page.js("document.title") == "Things"


def test_failure_lists_the_completed_steps(at: At) -> None:
    """The error has the number of the step, and the completed steps."""
    page = at("things.html")
    reply = page.call("act", instruction="click Route; click xylophone")
    assert reply.error["step"] == 2
    assert reply.error["steps"][0]["target"]["name"] == "Route"
    assert page.text("#view") == "Second view"


def test_key_or_button_is_ambiguous(at: At) -> None:
    """Words that name a key and a button are ambiguous; naming the kind resolves it."""
    page = at("rows.html")
    assert page.call("act", instruction="press Delete").code == "ambiguous"
    assert page.do("act", instruction="press the Delete key")["steps"][0]["action"] == "press"


def test_context_distinguishes_equal_elements(at: At) -> None:
    """The words of `context` decide where the instruction is ambiguous."""
    page = at("rows.html")
    assert page.call("act", instruction="click Delete").code == "ambiguous"
    page.do("act", instruction="click Delete", context="bob@example.org")
    assert page.text("output") == "deleted Bob"


def test_picture_on_request(at: At) -> None:
    """`verify` adds a screenshot."""
    page = at("things.html")
    assert page.do("act", instruction="scroll down", verify=True)["image"]["data"]
    assert "image" not in page.do("act", instruction="scroll up")


def test_focused_element_and_boxes_that_scroll(at: At) -> None:
    """`the focused field` is the one with the focus; a box scrolls without the page."""
    page = at("things.html")
    assert page.call("act", instruction="clear the focused field").code == "element_not_found"
    page.js(
        "document.body.innerHTML = '<label>Name <input id=n></label>"
        '<div id=box tabindex=0 role=grid aria-label=Orders style="height:90px;overflow:auto">'
        '<div style="height:2000px">rows</div></div>\'; 1'
    )
    page.do("act", instruction='focus on Name, then type "Ada" into the focused field')
    assert page.js("n.value") == "Ada"
    page.do("act", instruction="scroll down in the Orders grid")
    assert 0 < float(page.js("box.scrollTop")) < 90
    page.do("act", instruction="scroll to the bottom of Orders grid")
    assert float(page.js("box.scrollTop")) > 1800
    page.do("act", instruction="scroll up 1000 px in grid")
    assert 800 < float(page.js("box.scrollTop")) < 1000
    assert float(page.js("scrollY")) == 0


def test_interrupted_instruction_reports_its_state(at: At) -> None:
    """Completed steps, remaining steps, and the current page; in the shell, too."""
    page = at("things.html")
    words = "click Route, then click Nowhere at all, then go back"
    error = page.call("act", instruction=words).error
    assert (error["code"], error["step"], len(error["steps"])) == ("element_not_found", 2, 1)
    assert error["not_done"] == ["click Nowhere at all", "go back"]
    assert 'focus button "Route"' in error["now"]
    done = page.daemon.oc("act", "click Onwards; click Nowhere at all; go back")
    assert done.code == 1
    assert "Not done: click Nowhere at all" in done.err
    assert "Now: " in done.err


def test_steps_report_written_text_and_scroll_position(at: At) -> None:
    """Neither changes the page visibly; a password is not shown."""
    page = at("form.html")
    page.js("document.body.style.height = '9000px'; 1")
    steps = 'click Name; type "Ada" into the focused field; type "hush" into Password'
    content = page.do("act", instruction=f"{steps}; check Send me news; scroll down")["content"]
    assert 'step 2: textbox "Name" [ref=' in content
    assert '= "Ada"' in content
    assert "step 4: checkbox " in content
    assert "step 5: scrolled to 0, " in content
    assert "hush" not in content


def test_form_that_cannot_be_submitted_fails_the_step(at: At) -> None:
    page = at("required.html")
    failure = page.call("act", instruction='type "x" into Note then submit')
    assert (failure.code, failure.error["step"]) == ("fields_failed", 2)
    assert failure.error["not_done"] == ["submit"]
    failure = page.call("act", instruction='type "x" into Town then submit', timeout_ms=3000)
    assert (failure.code, page.text("#said")) == ("not_enabled", "")
