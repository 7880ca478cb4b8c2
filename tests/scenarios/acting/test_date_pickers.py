"""Fields with a custom calendar, which accepts typed text only on Enter."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


def test_calendar_accepts_typed_dates(at: At) -> None:
    """Enter submits no form, and fields without a calendar get no Enter."""
    page = at("picker.html")
    for label, value in {"Day": "2026-12-24", "Late": "24.12.2026", "Version": "1.2.3"}.items():
        assert page.do("form_input", query=label, value=value)["value"] == value
    assert page.js("[day.value, late.value, version.value, sent, entered]") == (
        '["2026-12-24","24.12.2026","1.2.3",0,["day","late"]]'
    )


def test_calendar_that_sets_another_day_is_an_error(at: At) -> None:
    page = at("picker.html")
    refused = page.call("form_input", query="Other", value="2026-12-24")
    assert refused.code == "wrong_value", refused.raw
    assert "2001-01-01" in refused.error["message"]


@pytest.mark.parametrize(
    ("typed", "held"),
    [
        ("03/05/2027", "03/05/27"),
        ("3/5/27", "03/05/27"),
        ("3/5/2027, 10:30 AM", "03/05/27, 10:30 AM"),
        ("soon", "soon"),
    ],
)
def test_combobox_with_a_calendar_reformats_the_date(at: At, typed: str, held: str) -> None:
    """It has no list of options, and takes what was typed when it is left."""
    page = at("things.html")
    page.js(
        "document.body.innerHTML = '<label>Due <input id=it role=combobox aria-haspopup=grid"
        " aria-expanded=false></label>';"
        "it.onchange = () => { const [day, time] = it.value.split(', ');"
        " const [m, d, y] = day.split('/'); if (y) it.value = [`${m.padStart(2, 0)}/"
        "${d.padStart(2, 0)}/${y.slice(-2)}`, time].filter(Boolean).join(', ') }; 1"
    )
    assert page.do("form_input", query="Due", value=typed)["value"] == held
    assert page.js("it.value") == held


def test_form_with_a_calendar_is_sent_once(at: At) -> None:
    """By its button, not by the Enter for the calendar."""
    page = at("picker.html")
    done = page.do("fill_form", fields={"Day": "2026-12-24", "Version": "2"}, submit="Send")
    assert done["submitted"] is True
    assert page.js("[day.value, sent]") == '["2026-12-24",1]'
