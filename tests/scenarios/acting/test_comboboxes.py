"""Custom selects: comboboxes, listboxes, suggestions, menus."""

import json
from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


@pytest.mark.parametrize(
    ("query", "value", "said"),
    [
        ("Country", "Korea", "country Korea"),
        ("Country", "korea, republic of", "country Korea, Republic of"),
        ("Size", "Large", "size Large"),
        ("City", "Osaka", "city Osaka"),
        ("Fruit", "Pear", "fruit Pear"),
        ("Number", "Number 37", "many Number 37"),
        ("Slow list", "second", "slow second"),
    ],
)
def test_option_is_chosen_in_one_call(at: At, query: str, value: str, said: str) -> None:
    """form_input opens the list, waits for the option, and clicks it."""
    page = at("lists.html")
    result = page.do("form_input", query=query, value=value)
    assert page.text("#said") == said
    assert str(result["value"]).lower() == value.lower()


def test_several_options_of_a_listbox(at: At) -> None:
    """In a multi-select list, the options that are not selected yet are clicked."""
    page = at("lists.html")
    result = page.do("form_input", selector="#tags", value=["Red", "Green"])
    assert result["value"] == ["Red", "Green"]
    assert page.text("#said") == "tags Red,Green"


def test_select_with_several_options_hints_at_form_input(at: At) -> None:
    page = at("lists.html")
    reply = page.call("interact", selector="#tags", action="select", value='["Red", "Green"]')
    assert reply.code == "option_not_found"
    assert "form_input" in reply.error["hint"]


def test_interact_selects_too(at: At) -> None:
    """The action `select` works for native and custom selects."""
    page = at("lists.html")
    page.do("interact", query="Country", action="select", value="France")
    assert page.text("#said") == "country France"


def test_missing_option_lists_the_others_and_closes_the_list(at: At) -> None:
    """option_not_found lists the options; the list is closed again."""
    page = at("lists.html")
    reply = page.call("form_input", query="Country", value="Atlantis")
    assert reply.code == "option_not_found"
    assert reply.error["options"] == ["France", "Korea, Republic of", "Korea"]
    assert page.js("country.getAttribute('aria-expanded')") == "false"


def test_disabled_option_is_refused(at: At) -> None:
    """An option that is there but disabled is `not_enabled`."""
    assert at("lists.html").call("form_input", selector="#tags", value="Blue").code == "not_enabled"


@pytest.mark.parametrize(
    ("query", "code", "held"),
    [
        ("Ignoring", "value_differs", "Pick one"),
        ("Preferring", "value_differs", "Bern"),
        ("Labelled", "not_enabled", None),
    ],
)
def test_choice_that_the_page_rejects_is_an_error(
    at: At, query: str, code: str, held: str | None
) -> None:
    """If the control shows something else after the click, the call fails."""
    page = at("refused_choices.html")
    reply = page.call("form_input", query=query, value="Ulm", timeout_ms=4000)
    assert (reply.code, reply.error.get("held")) == (code, held)
    assert page.do("form_input", query=query, value="Essen")["value"] == "Essen"
    assert page.do("form_input", query="Adding", value="Ulm")["value"] == "Add a town"
    assert page.text("#added") == "Ulm"


def test_text_without_a_suggestion_stays(at: At) -> None:
    """A field with suggestions keeps other text; `select` requires a suggestion."""
    page = at("lists.html")
    assert page.do("form_input", query="City", value="Ulm")["value"] == "Ulm"
    reply = page.call_in_short("interact", query="City", action="select", value="Ulm")
    assert reply.code in ("option_not_found", "wrong_value")


def test_too_long_text_is_refused(at: At) -> None:
    """Text that the field would truncate is not entered."""
    page = at("form.html")
    reply = page.call("form_input", query="Short", value="four")
    assert (reply.code, reply.error["most"]) == ("wrong_value", 3)


def test_several_values_of_a_field_with_suggestions(at: At) -> None:
    """Each value is chosen from its suggestions; one that is not suggested is an error."""
    page = at("tokens.html")
    page.do("form_input", query="Tags", value=["Red", "Blue"])
    assert page.text("#chosen") == "Red,Blue"
    assert page.call("form_input", query="Tags", value=["Purple"]).status >= 400


@pytest.mark.parametrize("name", ["Colours", "Paints"])
def test_list_that_stays_open_after_several_is_closed(at: At, name: str) -> None:
    """With Escape, as a person would, except where Escape would close a dialog."""
    page = at("staying.html")
    page.do("interact", query="Open the order")
    page.do("form_input", query=name, value=["Red", "Blue"])
    assert page.text("b" if name == "Colours" else "dialog b") == "Red,Blue"
    lists = "JSON.stringify([...document.querySelectorAll('ul')].map((one) => one.hidden))"
    assert page.js(lists) == "[true,true]"
    assert page.js("box.open") == "true"
    page.do("interact", query="Below")
    assert page.text("#pressed") == "pressed"


@pytest.mark.parametrize("name", ["Region", "Country"])
def test_list_that_opens_only_by_a_click_is_opened(at: At, name: str) -> None:
    """Text typed before that is lost or ignored; only a class name hints at the list."""
    page = at("clicked-open.html")
    refused = page.call("form_input", query=name, value="Moon")
    assert refused.code == "option_not_found"
    page.do("form_input", query=name, value="North / Coast")
    assert page.text("output") == f"{name}: North / Coast. "


def test_custom_checkbox_around_an_input_is_one_checkbox(at: At) -> None:
    """A custom element with the role, and an input of the same name in its shadow tree."""
    page = at("staying.html")
    page.js(
        "document.body.insertAdjacentHTML('beforeend', '<own-box role=checkbox aria-checked=false"
        " aria-label=Agreed tabindex=0></own-box>'); const own = document.querySelector('own-box');"
        " own.attachShadow({mode: 'open'}).innerHTML ="
        " '<label><input type=checkbox aria-label=Agreed>Agreed</label>';"
        " own.shadowRoot.querySelector('input').onchange = ({target}) =>"
        " { own.ariaChecked = target.checked }"
    )
    page.do("fill_form", fields={"Agreed": True})
    assert page.js("document.querySelector('own-box').ariaChecked") == "true"


def test_widget_that_replaces_a_native_list(at: At) -> None:
    """The form's unreachable native list is not listed; the widget has its name."""
    page = at("stand-ins.html")
    outline = str(page.do("read_page")["content"])
    assert [line for line in outline.splitlines() if "City" in line and "options:" in line] == []
    assert outline.count("Toppings") == 1
    result = page.do("form_input", query="City", value="Rome")
    assert (page.js("city.value"), page.text("#shown"), result["value"]) == ("Rome", "Rome", "Rome")


def test_a_value_that_is_not_listed_is_added(at: At) -> None:
    """The field accepts only its options, offers to add one, and filters late."""
    page = at("stand-ins.html")
    for topping in ("ham", "cheese"):
        page.do("form_input", query="Toppings", value=topping)
        assert page.js("held.value") == topping
    assert page.js("list.hidden") == "true"


def test_several_values_that_are_not_listed_are_added(at: At) -> None:
    page = at("stand-ins.html")
    page.do("form_input", query="Toppings", value=["ham", "cheese"])
    assert page.js("held.value") == "ham,cheese"


@pytest.mark.parametrize(
    ("path", "chosen"),
    [("North / Coast / Beach", "ncb"), ("South > Coast > Cliffs", "scc"), ("North / Hills", "nh")],
)
def test_option_of_several_levels_is_named_with_those_above_it(
    at: At, path: str, chosen: str
) -> None:
    """The list opens only by a click on its box; a click on the label just focuses it."""
    page = at("cascade.html")
    result = page.do("form_input", query="Region", value=path)
    assert page.text("#output") == chosen
    assert result["value"] in (path, path.rpartition(" > ")[2])


@pytest.mark.parametrize("path", ["North / Coast / Beach", "South / Coast / Cliffs"])
def test_option_of_several_levels_where_typing_filters(at: At, path: str) -> None:
    """The filter matches single levels, not the path: typed text is removed again."""
    page = at("cascade.html")
    for way in ("North / Hills", path):
        result = page.do("form_input", query="Place", value=way)
        assert (result["value"], page.text("#placed")) == (way, way)
    assert "(hidden)" not in result["content"]
    assert "menu" not in result["content"]


def test_path_that_leads_nowhere_is_refused(at: At) -> None:
    """The error has the options of its lists; nothing is chosen."""
    page = at("cascade.html")
    reply = page.call("form_input", query="Region", value="North / Coast / Desert", timeout_ms=8000)
    assert reply.code == "option_not_found"
    assert "Beach" in reply.error["options"]
    assert page.text("#output") == ""


def test_field_that_clears_its_text_reports_the_chosen_value(at: At) -> None:
    """Its text is cleared, and the chosen value appears beside it."""
    page = at("tokens.html")
    result = page.do("form_input", query="Tags", value=["Red"])
    assert result["value"] == "Red"


@pytest.mark.parametrize(
    ("query", "value", "chosen"),
    [
        ("Town", "Bern", {"town": "Bern"}),
        ("Way", "North / Hills / Mill", {"way": "North / Hills / Mill"}),
        ("Stop", "Bergen", {"stop": "Bergen"}),
        ("Street", "Mill Lane", {"street": "Mill Lane"}),
        ("Street", "Mill", {"street": "Mill"}),
    ],
)
def test_a_field_without_list_roles_is_chosen_from(
    at: At, query: str, value: str, chosen: dict[str, str]
) -> None:
    """A list without roles opens on typing; text alone would be discarded."""
    page = at("offered.html")
    result = page.do("form_input", query=query, value=value)
    assert result["value"] == value
    assert json.loads(page.text("#chosen")) == chosen


@pytest.mark.parametrize(
    ("query", "value", "options"),
    [
        ("Town", "Ber", ["Berlin", "Bergen", "Bern"]),
        ("Town", "Nowhere", []),
        ("Way", "North / Hills / Quay", ["North / Hills / Mill"]),
        ("Stop", "Ber", ["Berlin", "Bergen", "Bern"]),
    ],
)
def test_a_value_that_such_a_field_does_not_offer_is_refused(
    at: At, query: str, value: str, options: list[str]
) -> None:
    """It accepts only its options, which shows when it is left; in a dialog it is not left."""
    page = at("offered.html")
    reply = page.call("form_input", query=query, value=value)
    assert reply.code == "option_not_found"
    assert reply.error["options"][: len(options)] == options
    assert page.text("#chosen") == "{}"


@pytest.mark.parametrize("query", ["Site", "Handbook", "Articles"])
def test_a_field_to_search_by_takes_any_text(at: At, query: str) -> None:
    """Also in a dialog with its list open: pages that were found are not its values."""
    page = at("search-fields.html")
    result = page.do("form_input", query=query, value="crawl")
    assert result["value"] == "crawl"
    assert page.text("#asked") == "crawl"
    assert page.js("location.search") == ""


def test_a_hint_next_to_a_field_is_not_a_list(at: At) -> None:
    """What appears beside the typed text and offers no options changes nothing."""
    page = at("offered.html")
    result = page.do("form_input", query="Pin", value="1234")
    assert result["value"] == "1234"
    assert "Four digits are enough" in result["content"]


@pytest.mark.parametrize(
    ("query", "value"), [("Fruit", "Pear"), ("Fruit", "Melon"), ("Due", "24 December")]
)
@pytest.mark.parametrize("by_ref", [False, True], ids=["words", "combobox"])
def test_a_combobox_around_a_text_field_is_that_field(
    at: At, query: str, value: str, *, by_ref: bool
) -> None:
    """ARIA 1.1's pattern: by words or by the combobox's ref, the inner field gets the text."""
    page = at("wrapped-combobox.html")
    where = {"query": query}
    if by_ref:
        outline = page.do("read_page", selector=f"p:has(#{query.lower()})")["content"]
        where = {"ref": outline.partition("combobox")[2].partition("[ref=")[2].partition("]")[0]}
    assert page.do("form_input", **where, value=value)["value"] == value
    assert page.js(f"document.querySelector('#{query.lower()}').value") == value


def test_list_that_deselects_on_a_second_click(at: At) -> None:
    """Nothing marks it as multi-select; clicks pass through its field to the box around it."""
    page = at("toggling.html")
    for _ in range(3):
        reply = page.do("form_input", query="Languages", value="German")
        assert page.text("#chosen") == "German"
        assert "href" not in reply.get("content", "")


def test_outline_lists_what_a_datalist_suggests(at: At) -> None:
    """Without the disabled options, which browsers do not suggest."""
    page = at("datalist.html")
    assert [line.partition("] ")[2] for line in page.lines("Maker")] == ["options: Jaguar / Audi"]


@pytest.mark.parametrize(
    ("field", "option", "value"),
    [
        ("Maker", "Audi", "maker=Audi"),
        ("Maker", "big cat", "maker=Jaguar"),
        ("Volume", "loud", "volume=100"),
    ],
)
def test_suggestion_of_a_datalist_is_selected(at: At, field: str, option: str, value: str) -> None:
    """By its value or by its label; its list is the browser's own and cannot be clicked."""
    page = at("datalist.html")
    page.do("interact", query=field, action="select", value=option)
    page.do("interact", selector="#off", action="focus")
    assert page.text("#said") == f"{value};"


@pytest.mark.parametrize(
    ("option", "code"), [("Tata", "option_not_found"), ("Saab", "not_enabled")]
)
def test_only_suggestions_of_a_datalist_are_selected(at: At, option: str, code: str) -> None:
    page = at("datalist.html")
    reply = page.call("interact", query="Maker", action="select", value=option, timeout_ms=2000)
    assert (reply.code, option in reply.error["message"]) == (code, True)
    assert page.js("maker.value") == ""


def test_text_area_that_suggests_takes_any_text(at: At) -> None:
    """Nothing has to open, and the dialog around it stays."""
    page = at("suggesting-text.html")
    page.do("form_input", query="Summary", value="two\nlines")
    assert page.js("summary.value.split('\\n').join('|')") == "two|lines"
    page.do("interact", query="Summary", action="type", value=" more")
    assert page.js("summary.value.split('\\n').join('|')") == "two|lines more"


def test_list_that_is_drawn_around_its_native_one_is_told_once(at: At) -> None:
    """What is chosen in the native list, which nobody sees, would not show."""
    page = at("choices.html")
    outline = str(page.do("read_page")["content"])
    assert outline.count('combobox "Timezone"') == 1
    page.do("form_input", query="Timezone", value="Oslo")
    assert (page.js("zone.value"), page.text(".item span")) == ("Oslo", "Oslo")


def test_field_drawn_in_a_box_called_so_takes_what_is_typed(at: At) -> None:
    page = at("choices.html")
    assert str(page.do("read_page")["content"]).count('"Mail Optional"') == 1
    page.do("form_input", query="Mail", value="bob@example.org")
    assert page.js("[...mail.selectedOptions].map((one) => one.value).join()") == "bob@example.org"


def test_list_of_one_value_whose_choice_can_be_removed(at: At) -> None:
    """The list within says what was chosen; the button beside it is a part of no value."""
    page = at("choices.html")
    for value in ("Sails", "Oars"):
        assert page.do("form_input", query="Track", value=value)["value"] == value
        assert page.js("track.value") == value
    page.do("interact", query="Track", action="select", value="none")
    assert page.js("track.value") == ""
