"""form_input and fill_form: every kind of control."""

import json
from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


def value_of(page: Page, name: str, what: str = "value") -> object:
    return page.js(f"document.querySelector('[name={name}]').{what}")


@pytest.mark.parametrize(
    ("query", "name", "value", "becomes"),
    [
        ("Name", "name", "Grüße 👋", "Grüße 👋"),
        ("About", "about", "two\nlines", "two\nlines"),
        ("Colour", "colour", "Green", "g"),
        ("Colour", "colour", "g", "g"),
        ("Day", "day", "2031-12-24", "2031-12-24"),
        ("Hour", "hour", "18:30", "18:30"),
        ("Paint", "paint", "#FF8800", "#ff8800"),
        ("Volume", "volume", 7, "7"),
        ("Age", "age", 41, "41"),
    ],
)
def test_value_is_set(at: At, query: str, name: str, value: object, becomes: str) -> None:
    """The control has the value, and its listeners were called."""
    page = at("form.html")
    page.do("form_input", query=query, value=value)
    assert value_of(page, name) == becomes
    assert f"{name}:input" in str(page.js("seen"))


def test_text_replaces_the_old_text(at: At) -> None:
    """The old text is gone; the result has the new one."""
    page = at("form.html")
    assert page.do("form_input", query="About", value="new")["value"] == "new"
    assert page.do("form_input", query="About", value="")["value"] == ""


def test_editable_text_is_replaced(at: At) -> None:
    """contenteditable takes text like a field."""
    page = at("form.html")
    page.do("form_input", query="Story", value="The end")
    assert page.text("#rich") == "The end"


def test_several_options(at: At) -> None:
    """A multi-select list gets all of the options."""
    page = at("form.html")
    page.do("form_input", query="Toppings", value=["Ham", "Figs"])
    chosen = page.js(
        "[...document.querySelector('[name=toppings]').selectedOptions].map(o => o.text)"
    )
    assert [word in str(chosen) for word in ("Ham", "Corn", "Figs")] == [True, False, True]


def test_checkbox_is_set_not_toggled(at: At) -> None:
    """true twice leaves it checked; false unchecks it."""
    page = at("form.html")
    for want in (True, True, False):
        assert page.do("form_input", query="Send me news", value=want)["value"] is want


def test_radio_is_chosen(at: At) -> None:
    """A radio button accepts true and refuses false."""
    page = at("form.html")
    page.do("form_input", query="Large", value=True)
    assert page.js("document.querySelector('[value=l]').checked") == "true"
    assert page.call("form_input", query="Large", value=False).code == "wrong_value"


@pytest.mark.parametrize(
    ("query", "value", "code"),
    [
        ("Colour", "Mauve", "option_not_found"),
        ("Colour", "Blue", "not_enabled"),
        ("Day", "tomorrow", "wrong_value"),
        ("Volume", "11", "wrong_value"),
        ("Paint", "red", "wrong_value"),
        ("Age", "old", "wrong_value"),
        ("Send me news", "perhaps", "wrong_value"),
        ("Picture", "/etc/passwd", "wrong_value"),
        ("Send it", "x", "wrong_value"),
        ("Fixed", "moves", "not_enabled"),
        ("Off", "on", "not_enabled"),
    ],
)
def test_wrong_value_has_its_code(at: At, query: str, value: str, code: str) -> None:
    """A value that the control does not accept is refused with a hint."""
    reply = at("form.html").call_in_short("form_input", query=query, value=value)
    assert reply.code == code
    assert reply.error["hint"]


def test_a_value_between_the_steps_of_a_range_names_the_steps(at: At) -> None:
    """7.5 is within the range, so the error names the step, not the range."""
    refused = at("form.html").call("form_input", query="Volume", value="7.5")
    assert refused.code == "wrong_value"
    assert "from 0 to 10 in steps of 1" in refused.error["message"]


def test_missing_option_lists_the_others(at: At) -> None:
    """option_not_found lists the labels of the options."""
    reply = at("form.html").call("form_input", query="Colour", value="Mauve")
    assert reply.error["options"] == ["Red", "Green", "Blue"]


_OF_PETS = """<label>Pet <select name=pet><option value=none>Choose<option value=cat>🐈 Cat
<option value=dog>🐕‍🦺 Dog (loyal)<option value=c>C<option value=c2>C++
<option value=s1>⭐ Star<option value=s2>🌟 Star</select></label>"""


@pytest.mark.parametrize(
    ("value", "becomes"),
    [("Cat", "cat"), ("dog (Loyal)", "dog"), ("Dog", "dog"), ("C", "c"), ("🌟 Star", "s2"),
     ("C#", None), ("Star", None), ("⭐", None)],
)  # fmt: skip
def test_options_are_named_without_their_pictures(at: At, value: str, becomes: str | None) -> None:
    """By label or value; what two options are called, or none, chooses none."""
    page = at("form.html")
    page.js(f"document.body.innerHTML = {json.dumps(_OF_PETS)}")
    reply = page.call_in_short("form_input", query="Pet", value=value)
    assert reply.status == 200 if becomes else reply.code == "option_not_found", reply.body
    assert value_of(page, "pet") == (becomes or "none")


def test_controlled_input_keeps_the_text(at: At) -> None:
    """An input whose framework controls its value accepts the text as if typed."""
    page = at("controlled.html")
    page.do("form_input", query="City", value="Oslo")
    page.do("interact", query="Idle")
    assert page.js("city.value") == "OSLO"


def test_password_is_never_returned(at: At) -> None:
    """Neither the result nor a reading contains it."""
    page = at("form.html")
    result = page.do("form_input", query="Password", value="geheim!")
    assert value_of(page, "secret") == "geheim!"
    assert "geheim" not in str(result)


def test_form_is_filled_and_sent(at: At) -> None:
    """One call fills the fields and submits; the site received them."""
    page = at("form.html")
    result = page.do(
        "fill_form",
        fields=[
            {"label": "Name", "value": "Ada"},
            {"label": "Password", "value": "geheim!"},
            {"label": "Colour", "value": "Green"},
            {"label": "Send me news", "value": True},
        ],
        submit=True,
    )
    assert (result["filled"], result["submitted"]) == (4, True)
    assert result["changed"]["title"] == "Sent"
    assert "geheim" not in str(result["fields"])
    (sent,) = page.site.seen("acting/sent.html")
    assert "name=Ada" in sent.query
    assert "colour=g" in sent.query
    assert "news=on" in sent.query


def test_form_is_sent_by_the_named_button(at: At) -> None:
    """`submit` may be the name of the button."""
    page = at("form.html")
    page.do("fill_form", fields=[{"selector": "[name=name]", "value": "Bo"}], submit="send it")
    assert "name=Bo" in page.site.seen("acting/sent.html")[0].query


def test_a_button_wins_over_a_link_of_the_same_name(at: At) -> None:
    """A link to the form has the same name as its submit button: the button is meant."""
    page = at("form.html")
    page.js(
        "document.body.insertAdjacentHTML('afterbegin', '<a href=#here>Keep</a>"
        '<button onclick="document.title = name.value">Keep</button>\'); 1'
    )
    page.do("fill_form", fields={"Name": "Ada"}, submit="Keep")
    assert "#here" not in page.js("location.href")


def test_failed_field_prevents_submission(at: At) -> None:
    """The other fields are filled, the failed one has its error, nothing is submitted."""
    page = at("form.html")
    fields = [{"label": "Colour", "value": "Mauve"}, {"label": "Name", "value": "Ada"}]
    failure = page.call("fill_form", fields=fields, submit=True)
    assert (failure.code, failure.error["filled"]) == ("fields_failed", 1)
    (failed,) = failure.error["failed"]
    assert (failed["field"], failed["error"]["code"]) == ("Colour", "option_not_found")
    assert failure.error["submitted"] is False
    assert "changed" in failure.error
    assert value_of(page, "name") == "Ada"
    assert page.site.seen("acting/sent.html") == []


def test_fields_by_label_alone(at: At) -> None:
    """The short form is an object of labels and values."""
    page = at("form.html")
    result = page.do("fill_form", fields={"Name": "Ada", "Send me news": True, "Volume": 3})
    assert result["filled"] == 3
    assert (value_of(page, "name"), value_of(page, "volume")) == ("Ada", "3")


def test_fields_without_a_label_are_named_by_their_refs(at: At) -> None:
    """The short form accepts refs as keys."""
    page = at("form.html")
    ref = page.do("find", query="About")["refs"][0]
    result = page.do("fill_form", fields={ref: "Bo", "Name": "Ada"})
    assert (result["filled"], result["fields"][0]["ref"]) == (2, ref)
    assert (value_of(page, "name"), value_of(page, "about")) == ("Ada", "Bo")


def test_values_come_from_files(at: At) -> None:
    """`value_path` and `fields_path` name files with values that are too large for a call."""
    page = at("form.html")
    folder = page.daemon.home.base / "tmp"
    (folder / "long.txt").write_text("long " * 4000)
    (folder / "fields.json").write_text('{"Name": "Ada"}')
    page.do("form_input", query="About", value_path=str(folder / "long.txt"))
    page.do("fill_form", fields_path=str(folder / "fields.json"))
    assert value_of(page, "about", "value.length") == "20000"
    assert value_of(page, "name") == "Ada"


def test_each_field_is_waited_for_on_its_own(at: At) -> None:
    """A field that never appears does not use up the time of the others."""
    page = at("form.html")
    page.js(
        "document.body.innerHTML = '<label>First <input></label>';"
        " document.querySelector('input').oninput = () => setTimeout(() =>"
        " document.body.insertAdjacentHTML('beforeend', '<label>Second <input></label>'), 200); 1"
    )
    failure = page.call("fill_form", fields={"Nowhere": "a", "First": "b", "Second": "c"})
    assert [field["field"] for field in failure.error["failed"]] == ["Nowhere"]
    assert [field["field"] for field in failure.error["fields"]] == ["First", "Second"]


def test_fields_are_named_by_words_refs_or_selectors(at: At) -> None:
    """As keys of the short form, and as items with `query`; each result has its value."""
    page = at("form.html")
    ref = page.ref("About")
    result = page.do("fill_form", fields={"[name=name]": "Ada", ref: "me", "Volume": 3})
    assert [one["value"] for one in result["fields"]] == ["Ada", "me", "3"]
    page.do("fill_form", fields=[{"query": "Name", "value": "Bo"}])
    assert value_of(page, "name") == "Bo"


def test_form_whose_button_cannot_be_used_says_what_was_filled(at: At) -> None:
    """The fields are filled, the button is missing: the error says both."""
    page = at("form.html")
    failure = page.call("fill_form", fields={"Name": "Ada"}, submit="No such button")
    assert (failure.code, failure.error["filled"]) == ("element_not_found", 1)
    assert failure.error["submitted"] is False
    assert value_of(page, "name") == "Ada"


def test_a_field_that_times_out_leaves_time_for_the_next(at: At) -> None:
    """The fields after one that accepts no text are filled."""
    page = at("in-turn.html")
    failure = page.call("fill_form", fields={"Number": "13", "Town": "Turin"}, timeout_ms=6000)
    assert failure.code == "fields_failed"
    assert [(one["field"], one["error"]["code"]) for one in failure.error["failed"]] == [
        ("Number", "not_enabled")
    ]
    assert page.js("chosen") == "Turin"


def test_empty_elements_added_while_a_form_is_filled(at: At) -> None:
    """As date pickers add them: their listeners are looked up, and refs stay valid."""
    page = at("form.html")
    page.js(
        "const brings = document.querySelector('[name=name]'); brings.onfocus = () =>"
        " document.body.insertAdjacentHTML('beforeend', '<b onclick=1 style=\"display:block;"
        "width:20px;height:20px\"></b>'); 1"
    )
    filled = page.do("fill_form", fields={"Name": "Ada", "Colour": "Green"})
    assert filled["filled"] == 2


def test_field_beside_a_box_is_meant_by_its_value(at: At) -> None:
    """The label is the box's; true and false tick it, anything else is for the field."""
    page = at("edited-lines.html")
    page.do("form_input", query="Most connections", value="123")
    page.do("form_input", query="Most connections", value=True)
    assert page.js("most.value + limited.checked") == "123true"
    page.do("fill_form", fields={"Most connections": "off"})
    assert page.js("most.value + limited.checked") == "123false"


def test_group_that_takes_the_focus_is_one_field(at: At) -> None:
    page = at("edited-lines.html")
    page.do("form_input", query="Level", value="High")
    assert page.js("low.ariaChecked + high.ariaChecked") == "falsetrue"
