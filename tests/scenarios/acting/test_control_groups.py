"""Composite fields: radio groups, sliders, multi-select lists."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


def test_groups_are_filled_by_their_label(at: At) -> None:
    """Legend, words beside, aria-labelledby, through slots; lists get exactly the values."""
    page = at("groups.html")
    fields = {
        "Shipping": "Express", "Payment": "Invoice", "Size": "Large", "Rating": "3", "Plan": "Pro",
        "Volume": 70, "Depth": 1.25, "Tags": ["a", "c"], "Languages": ["German", "French"],
    }  # fmt: skip
    filled = page.do("fill_form", fields=fields)
    assert filled["filled"] == len(fields)
    assert page.js("picked()") == ("ship=exp pay=i stars=c Large Pro 70 1.25 French German")
    assert page.js("[...tags.selectedOptions].map((one) => one.value).join()") == "a,c"
    assert page.do("form_input", query="Shipping", value="std")["value"] == "Standard"
    assert page.do("interact", query="Express", action="check")["value"] is True
    page.do("interact", query="Payment", action="select", value="Card")
    assert page.js("picked()").startswith("ship=exp pay=c ")


@pytest.mark.parametrize(
    ("field", "value", "code", "named"),
    [
        ("Shipping", "Pigeon", "option_not_found", ["Standard", "Express (2 days)"]),
        ("Size", "Huge", "option_not_found", ["Small", "Large"]),
        ("Shipping", True, "option_not_found", ["Standard", "Express (2 days)"]),
        ("Tags", "zzz", "option_not_found", ["a", "b", "c"]),
        ("Tags", ["a", "zzz"], "option_not_found", ["a", "b", "c"]),
        ("Volume", 71, "wrong_value", None),
        ("Volume", 300, "wrong_value", None),
        ("Volume", "loud", "wrong_value", None),
    ],
)
def test_unavailable_choices_are_refused(
    at: At, field: str, value: object, code: str, named: list[str] | None
) -> None:
    """Immediately, not at the deadline, and with the choices."""
    failed = at("groups.html").call("form_input", query=field, value=value, timeout_ms=120_000)
    assert failed.code == code
    assert failed.error.get("options") == named


def test_values_that_suggestions_do_not_include_are_reported(at: At) -> None:
    """Free text stays; a field that accepts only its options fails and lists them."""
    page = at("suggested.html")
    assert page.do("form_input", query="Free text", value="Mauve")["value"] == "Mauve"
    refused = page.call("form_input", query="From the list", value="Mauve", timeout_ms=120_000)
    assert (refused.code, refused.error["options"]) == (
        "option_not_found",
        ["Red", "Green", "Blue"],
    )
    page.do("form_input", query="From the list", value="Green")
    page.do("form_input", query="Several", value=["Red", "Blue"])
    page.do("form_input", query="Several", value=["Red", "Blue", "Green"])
    refused = page.call("form_input", query="Several", value=["Red", "Mauve"], timeout_ms=120_000)
    assert refused.code in ("option_not_found", "wrong_value")
    said = page.js("JSON.stringify(chosen)")
    assert said == '{"Free text":[],"From the list":["Green"],"Several":["Red","Blue","Green"]}'


def test_custom_fields_send_native_change_events(at: At) -> None:
    """`input` crosses shadow roots, `change` does not; an option of a list can be checked."""
    page = at("groups.html")
    page.js(
        "const root = document.body.appendChild(document.createElement('div'))"
        ".attachShadow({mode: 'open'}); root.innerHTML = '<input type=date aria-label=Born>';"
        " window.heard = []; for (const name of ['input', 'change'])"
        " document.addEventListener(name, () => heard.push(name)); 1"
    )
    page.do("form_input", query="Born", value="1999-12-31")
    assert page.js("heard.join()") == "input"
    page.js(
        "document.body.insertAdjacentHTML('beforeend', '<div role=treeitem tabindex=0"
        ' onclick="this.ariaChecked = true">Branch</div>\'); 1'
    )
    page.do("interact", query="Branch", action="check")
    assert page.js("document.querySelector('[role=treeitem]').ariaChecked") == "true"


def test_a_state_that_is_drawn_after_the_click_is_waited_for(at: At) -> None:
    """As in components that render some frames later."""
    page = at("groups.html")
    page.js(
        """document.body.insertAdjacentHTML('beforeend',
          '<div role=checkbox aria-checked=false tabindex=0 aria-label=Late>Late</div>');
        const box = document.body.lastElementChild;
        box.onclick = () => setTimeout(() => box.setAttribute('aria-checked', 'true'), 100);"""
    )
    assert page.do("form_input", query="Late", value=True)["value"] is True


def test_radio_buttons_with_a_name_each(at: At) -> None:
    """Scripts keep one of them checked; the words above them name the group."""
    page = at("self-filling.html")
    page.js(
        "document.body.insertAdjacentHTML('beforeend', '<fieldset id=days><span>Day</span><div>"
        "<label><input type=radio name=r1> Mon</label><label><input type=radio name=r2> Tue</label>"
        "</div></fieldset>'); days.onchange = (event) => days.querySelectorAll('input').forEach("
        "(one) => { one.checked = one === event.target }); 1"
    )
    page.do("form_input", query="Day", value="Mon")
    page.do("fill_form", fields={"Day": "Tue"})
    assert page.js("[...days.querySelectorAll('input')].map((one) => one.checked).join()") == (
        "false,true"
    )


def test_box_and_what_is_drawn_for_it_are_one(at: At) -> None:
    """The drawn one is clicked; a spin button is the field in it."""
    page = at("drawn-twice.html")
    page.do("interact", query="News", action="check")
    page.do("interact", query="High")
    page.do("form_input", query="Guests", value="4")
    state = (
        "[...document.querySelectorAll('[aria-checked=true]')].map((one) => one.ariaLabel).join()"
    )
    assert page.js(f"{state} + guests.value") == "News,High4"
