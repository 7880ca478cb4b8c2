"""Widgets in the shapes that component libraries give them: the page's own handlers tell."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


@pytest.fixture
def built(at: At) -> Callable[..., Page]:
    """Return a function that fills the page; `heard` lists what its elements say of themselves."""

    def build(body: str, script: str = "") -> Page:
        page = at("parts.html")
        page.js(
            f"document.body.innerHTML = {body!r}; window.heard = [];"
            "for (const one of document.querySelectorAll('[data-say]'))"
            f" one.addEventListener('click', () => heard.push(one.dataset.say)); {script}; 1"
        )
        return page

    return build


def heard(page: Page) -> str:
    return page.js("heard.join()")


_PAGES = (
    "<style>li { display: inline-block; padding: 4px }</style><p>Pages</p><ul>"
    "<li title='Previous Page' tabindex=0 data-say=previous>"
    "<button tabindex=-1><svg width=9 height=9></svg></button></li>"
    "<li tabindex=0 data-say=1><a>1</a></li><li tabindex=0 data-say=3><a>3</a></li>"
    "<li title='Next Page' tabindex=0 data-say=next>"
    "<button tabindex=-1><svg width=9 height=9></svg></button></li></ul>"
)


def test_words_of_other_entries_name_no_entry(built: Callable[..., Page]) -> None:
    """'page 3' is not 'Next Page' in a list that has a 3."""
    page = built(_PAGES)
    reply = page.call("interact", query="page 3")
    assert reply.code == "element_not_found"
    assert heard(page) == ""


_ROWS = (
    "<table><tr><td><input type=checkbox aria-label='Select row' data-say=ada></td>"
    "<td>Ada</td></tr><tr><td><div role=checkbox aria-label='Row 2'>"
    "<input type=checkbox aria-label='Row 2' data-say=bob></div></td><td>Bob</td></tr>"
    "<tr><td>Cem</td><td><label><input type=checkbox data-say=active> Active</label></td></tr>"
    "</table><div role=tree><div role=treeitem><span role=checkbox tabindex=0 data-say=leaf"
    " aria-checked=false aria-label='Select Leaf'>□</span><i style='cursor: pointer'>Leaf</i></div>"
)


def test_the_only_box_of_a_row_is_ticked_by_the_words_of_the_row(
    built: Callable[..., Page],
) -> None:
    """Whatever name only assistive software is told; not by words where its own are seen."""
    page = built(
        _ROWS,
        "document.querySelector('[data-say=leaf]').onclick = (event) =>"
        " event.target.setAttribute('aria-checked', 'true')",
    )
    for words in ("Ada", "Bob", "Leaf"):
        page.do("interact", query=words, action="check")
    assert heard(page) == "ada,bob,leaf"
    assert page.call("interact", query="Cem", action="check").code != ""
    assert heard(page) == "ada,bob,leaf"


_DROPDOWN = (
    "<div style='height: 2000px'></div><label for=city>City</label>"
    "<div id=drop style='border: 1px solid; width: 200px; position: relative'>"
    "<div style='position: absolute; top: -22px; width: 1px; height: 1px; overflow: hidden;"
    " clip: rect(0, 0, 0, 0)'><input id=city readonly aria-haspopup=listbox></div>"
    "<span id=shown style='display: block; height: 20px'>&nbsp;</span></div>"
    "<ul id=list role=listbox hidden><li role=option>Rome</li><li role=option>Oslo</li></ul>"
)
_OPENS = """
drop.onclick = () => { list.hidden = false; };
list.onclick = (event) => { shown.textContent = event.target.textContent; list.hidden = true; }"""


def test_a_list_is_opened_by_the_box_around_a_field_for_the_keyboard(
    built: Callable[..., Page],
) -> None:
    """A click on its label would only focus it."""
    page = built(_DROPDOWN, _OPENS)
    page.do("form_input", query="City", value="Oslo")
    assert page.text("#shown") == "Oslo"


def test_a_field_with_a_calendar_takes_typed_dates(built: Callable[..., Page]) -> None:
    """`inputmode=none` keeps the screen's keyboard away, not the keys."""
    page = built(
        "<label for=day>Day</label><input id=day role=combobox aria-haspopup=dialog"
        " aria-expanded=false inputmode=none data-say=day>",
        "day.onchange = () => heard.push(day.value)",
    )
    page.do("form_input", query="Day", value="05/04/2027")
    assert page.js("day.value") == "05/04/2027"


_FACE = (
    "<div style='position: relative; width: 90px'><input type=checkbox data-say=tick style='"
    "position: absolute; inset: 0; width: 100%; height: 100%; opacity: 0; margin: 0; z-index: 1'>"
    "<div style='cursor: pointer; padding: 5px'>Unlocked</div></div>"
)


def test_words_under_a_box_that_is_not_drawn_tick_it(built: Callable[..., Page]) -> None:
    page = built(_FACE)
    page.do("interact", query="Unlocked")
    assert heard(page) == "tick"


_SEGMENT = """
for (const name of ["Map", "Listing"]) {
  const host = document.createElement("x-segment");
  host.style.cssText = "display: inline-block; padding: 5px";
  host.attachShadow({ mode: "open" }).innerHTML =
    `<button role=tab style="pointer-events: none">${name}</button>`;
  host.onclick = () => heard.push(name);
  bar.append(host);
}"""


def test_a_control_that_its_custom_element_takes_the_clicks_of_is_clicked(
    built: Callable[..., Page],
) -> None:
    page = built("<div id=bar role=tablist></div>", _SEGMENT)
    page.do("interact", query="Listing")
    assert heard(page) == "Listing"


_CHECKED_MENU = """
pets.onclick = () => { list.hidden = false; pets.setAttribute("aria-expanded", "true"); };
list.onclick = (event) => {
  const on = event.target.getAttribute("aria-checked") !== "true";
  event.target.setAttribute("aria-checked", on);
  heard = [...list.querySelectorAll("[aria-checked=true]")].map((one) => one.textContent);
  pets.textContent = heard.join(", ") || "None";
}"""


def test_a_list_of_items_to_tick_takes_several(built: Callable[..., Page]) -> None:
    page = built(
        "<button id=pets role=combobox aria-label=Pets aria-haspopup=menu aria-controls=list"
        " aria-expanded=false>None</button><div id=list role=menu hidden>"
        + "".join(
            f"<div role=menuitemcheckbox aria-checked=false>{name}</div>"
            for name in ("Cow", "Pig", "Hen")
        )
        + "</div>",
        _CHECKED_MENU,
    )
    page.do("form_input", query="Pets", value=["Cow", "Hen"])
    assert heard(page) == "Cow,Hen"


def test_items_of_a_tree_are_no_label_of_the_field_below(built: Callable[..., Page]) -> None:
    page = built(
        "<div role=tree><div role=treeitem tabindex=0 data-say=branch>Branch</div></div>"
        "<input type=search placeholder='Search here'>"
    )
    page.do("interact", query="Branch")
    assert heard(page) == "branch"


def test_a_whole_phrase_is_meant_before_its_words_elsewhere(built: Callable[..., Page]) -> None:
    """Words such as 'of' count where a name has all that is asked for, one after the other."""
    page = built(
        "<div><button data-say=none>Rate 0 of 5</button>"
        "<button data-say=four>Rate 4 of 5 Rate 4 of 5</button></div>"
    )
    page.do("interact", query="Rate 4 of 5")
    assert heard(page) == "four"


def test_a_field_is_found_by_its_label_whatever_it_is_named(built: Callable[..., Page]) -> None:
    page = built("<label for=day>Birthday</label><input id=day aria-label='Choose date'>")
    page.do("form_input", query="Birthday", value="today")
    assert page.js("day.value") == "today"


def test_a_box_is_ticked_though_a_button_is_called_so(built: Callable[..., Page]) -> None:
    """Such as the chip of a value that was chosen."""
    page = built(
        "<div role=button tabindex=0>blue</div>"
        "<label><input type=radio name=colour data-say=radio>Blue</label>"
    )
    page.do("interact", query="Blue", action="check")
    assert heard(page) == "radio"


_TABS = (
    "<ul id=bar role=tablist><li role=tab tabindex=0 title='One: /one.txt'><span>One</span>"
    "<i class=tabCloseIcon title='Close One' style='display: inline-block; padding: 8px'></i></li>"
    "<li role=tab tabindex=-1><span>Two</span><i class=tabCloseIcon title='Close Two'"
    " style='display: inline-block; padding: 8px'></i></li></ul>"
)


def test_the_cross_of_a_tab_is_clicked_by_its_own_words(built: Callable[..., Page]) -> None:
    """The bar listens for all of its tabs, and a click on the middle of one only shows it."""
    page = built(
        _TABS, "bar.onclick = ({target}) => heard.push((target.title || 'show').split(':')[0])"
    )
    page.do("interact", query="Close Two")
    page.do("interact", query="Two")
    assert heard(page) == "Close Two,show"


_INTERNALS = """
const define = (tag, role, inside = '', press = null) => customElements.define(tag,
  class extends HTMLElement {
    static formAssociated = true;
    constructor() {
      super();
      this.own = this.attachInternals();
      if (role) this.own.role = role;
      this.attachShadow({mode: 'open'}).innerHTML = inside || '<slot></slot>';
      if (press) this.addEventListener('click', () => press(this));
    }
  });
const toggle = (one, state) =>
  one.own.states.has(state) ? one.own.states.delete(state) : one.own.states.add(state);
define('x-check', 'checkbox', '', (one) => {
  toggle(one, 'checked');
  heard.push(one.id + one.own.states.has('checked'));
});
define('x-option', 'option', '', (one) => {
  colour.firstElementChild.textContent = one.textContent;
  list.hidden = true;
});
define('x-text', '', '<label hidden for=inner><slot></slot></label><div><input id=inner></div>');
define('x-pick', '', '<slot></slot>');
document.body.innerHTML = `<style>x-check, x-option { display: block; cursor: pointer }</style>
  <div><x-text id=a></x-text><label for=a>Full name</label></div>
  <div><x-text id=b></x-text><label for=b>Notes</label></div>
  <label for=ok>Agree</label><x-check id=ok tabindex=0>&nbsp;</x-check>
  <label for=colour>Colour</label>
  <x-pick id=colour><button role=combobox aria-haspopup=listbox>Choose</button>
  <div id=list hidden><x-option>Red</x-option><x-option>Green</x-option></div></x-pick>`;
colour.firstElementChild.onclick = () => { list.hidden = false; };
"""


def test_roles_and_labels_that_elements_give_themselves_are_known(
    built: Callable[..., Page],
) -> None:
    """No attribute says that one is a checkbox or an option, and no label is the inner field's."""
    page = built("", _INTERNALS)
    lines = page.do("read_page")["content"].splitlines()[1:]
    assert [line.split(" [ref=")[0] for line in lines] == [
        '- textbox "Full name"', '- textbox "Notes"', '- checkbox "Agree"',
        '- combobox "Colour"',
    ], lines  # fmt: skip
    page.do("form_input", query="Full name", value="Ada")
    page.do("form_input", query="Notes", value="None")
    values = "[a, b].map((one) => one.shadowRoot.querySelector('input').value).join()"
    assert page.js(values) == "Ada,None"
    for action in ("check", "check", "uncheck"):
        page.do("interact", query="Agree", action=action)
    assert heard(page) == "oktrue,okfalse"
    page.do("form_input", query="Colour", value="Green")
    assert page.text("#colour button") == "Green"


_SCALE = (
    "<label>Volume</label><div><span>0</span><div role=presentation tabindex=-1"
    " style='width: 200px; height: 20px; cursor: pointer'>"
    "<i id=thumb role=slider tabindex=0 aria-valuenow=10 aria-valuemin=0 aria-valuemax=100"
    " style='display: block; width: 20px; height: 20px'></i></div><span>100</span></div>"
)


def test_the_ends_of_a_scale_name_no_slider(built: Callable[..., Page]) -> None:
    page = built(
        _SCALE,
        "thumb.onkeydown = ({key}) => thumb.setAttribute('aria-valuenow',"
        " Number(thumb.getAttribute('aria-valuenow')) + (key === 'ArrowRight' ? 1 : 0))",
    )
    assert "- clickable" not in page.do("read_page")["content"]
    page.do("form_input", query="Volume", value="12")
    assert page.js("thumb.getAttribute('aria-valuenow')") == "12"


_MENU = """
customElements.define('x-menu-item', class extends HTMLElement {
  connectedCallback() {
    this.setAttribute('role', 'menuitem');
    this.attachShadow({mode: 'open'}).innerHTML = '<button><slot></slot></button>';
    this.onclick = () => heard.push(this.textContent);
  }
});
document.body.innerHTML = '<div role=menu><x-menu-item>Rename</x-menu-item>'
  + '<x-menu-item>Archive</x-menu-item></div>';
"""


def test_an_item_and_the_button_in_its_shadow_tree_are_one_match(
    built: Callable[..., Page],
) -> None:
    """The text in the button is its host's: what is hit there is the button all the same."""
    page = built("", _MENU)
    page.do("interact", query="Archive")
    assert heard(page) == "Archive"


_RESTING = """
customElements.define('x-field', class extends HTMLElement {
  connectedCallback() {
    this.attachShadow({mode: 'open'}).innerHTML = '<div><span><span>Full name</span></span>'
      + '<div id=content style="opacity: 0"><slot></slot></div></div>';
    const content = this.shadowRoot.getElementById('content');
    this.onfocusin = () => { content.style.opacity = 1; };
  }
});
document.body.innerHTML = '<x-field><p><input aria-label="Full name" style="width: 200px"></p>'
  + '</x-field><div><b>Bait</b><div style="opacity: 0"><input name=bait tabindex=-1></div></div>';
"""


def test_a_field_that_is_transparent_until_it_is_clicked_is_a_field(
    built: Callable[..., Page],
) -> None:
    """Its label stands in its place; a field that the keyboard does not reach is none."""
    page = built("", _RESTING)
    assert "(bait)" not in page.do("read_page")["content"]
    page.do("form_input", query="Full name", value="Ada")
    assert page.js("document.querySelector('input').value") == "Ada"


_CHIP_RADIO = """
customElements.define('x-radio', class extends HTMLElement {
  constructor() {
    super();
    this.own = this.attachInternals();
    this.own.role = 'radio';
    this.own.ariaChecked = 'false';
    this.attachShadow({mode: 'open'}).innerHTML = '<slot></slot>';
    this.onclick = () => { this.own.ariaChecked = 'true'; heard.push(this.id); };
  }
});
customElements.define('x-range', class extends HTMLElement {
  constructor() {
    super();
    this.own = this.attachInternals();
    Object.assign(this.own, {role: 'slider', ariaLabel: '', ariaValueMin: 0, ariaValueMax: 9});
    this.own.ariaValueNow = 4;
    this.onkeydown = ({key}) => {
      this.own.ariaValueNow -= key === 'ArrowLeft' ? 1 : key === 'ArrowRight' ? -1 : 0;
    };
  }
});
document.body.innerHTML = '<x-radio id=pro tabindex=0>Pro</x-radio>'
  + '<x-range id=level tabindex=0 aria-label=Level style="display: block; height: 20px"></x-range>';
"""


def test_states_that_only_assistive_software_is_told_are_known(
    built: Callable[..., Page],
) -> None:
    """Neither an attribute nor a style says whether it is ticked, or where the slider stands."""
    page = built("", _CHIP_RADIO)
    assert [
        line.split(" [ref=")[0] + line.split("]", 1)[1]
        for line in page.do("read_page")["content"].splitlines()[1:]
    ] == ['- radio "Pro"', '- slider "Level" value="4"']
    page.do("interact", query="Pro", action="check")
    page.do("interact", query="Pro", action="check")
    assert heard(page) == "pro"
    page.do("form_input", query="Level", value="7")
    assert page.js("level.own.ariaValueNow") == "7"
    told = page.do("read_page")["content"]
    assert told.count(" checked") == 1
    assert 'value="7"' in told


_ITEMS = """
customElements.define('x-item', class extends HTMLElement {
  connectedCallback() {
    this.attachShadow({mode: 'open'}).innerHTML = '<div role=option><slot></slot></div>';
    this.onclick = () => { heard.push(this.textContent); this.parentElement.close(); };
  }
});
customElements.define('x-select', class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({mode: 'open'});
    root.innerHTML = '<div role=combobox tabindex=0 aria-label=Colour aria-haspopup=listbox'
      + ' aria-expanded=false>Choose</div><div id=list hidden><slot></slot></div>';
    root.firstChild.onclick = () => { root.lastChild.hidden = false; };
  }
  close() {
    this.shadowRoot.lastChild.hidden = true;
    this.shadowRoot.firstChild.textContent = heard.at(-1);
  }
});
document.body.innerHTML = '<x-select><x-item>Red</x-item><x-item>Green</x-item></x-select>';
"""


def test_options_in_a_shadow_tree_each_are_chosen(built: Callable[..., Page]) -> None:
    page = built("", _ITEMS)
    page.do("form_input", query="Colour", value="Green")
    assert heard(page) == "Green"


_CLOSES = (
    "<div id=tags role=combobox tabindex=0 aria-label=Tags aria-haspopup=listbox"
    " aria-expanded=false>none</div><ul id=list role=listbox hidden>"
    "<li id=red role=option aria-selected=true>Red</li></ul>"
)


def test_a_list_that_gives_an_option_up_and_closes_for_good_is_an_error(
    built: Callable[..., Page],
) -> None:
    page = built(
        _CLOSES,
        "let opens = true; tags.onclick = () => { list.hidden = !opens; };"
        "red.onclick = () => { red.setAttribute('aria-selected', 'false');"
        " list.hidden = true; opens = false; }",
    )
    reply = page.call("form_input", query="Tags", value="Red")
    assert reply.code == "wrong_value", reply.raw


_TWINS = (
    "<label id=beds_label for=beds>Beds</label> <span><input id=shown role=spinbutton"
    " aria-labelledby=beds_label value=2.00><input id=beds style='display: none' value=2></span>"
)
_SWAPS = """
shown.onfocus = () => setTimeout(() => {
  shown.style.display = 'none';
  beds.style.display = '';
  beds.focus();
}, late);
beds.onblur = () => {
  shown.value = Number(beds.value).toFixed(2);
  shown.style.display = '';
  beds.style.display = 'none';
}"""


def test_a_field_that_another_one_replaces_once_it_has_the_focus(
    built: Callable[..., Page],
) -> None:
    """What is typed into the first is lost, and only the first is told: the label is its name."""
    page = built(_TWINS + "<button>Next</button>", "window.late = 0;" + _SWAPS)
    assert page.do("read_page")["content"].count('"Beds"') == 1
    page.do("form_input", query="Beds", value="5")
    page.do("interact", query="Next")
    assert page.js("[beds.value, shown.value].join()") == "5,5.00"
    page.js("late = 100; 1")
    reply = page.call("form_input", query="Beds", value="7")
    page.do("interact", query="Next")
    assert (reply.code, page.js("beds.value")) in (("value_differs", "5"), ("", "7")), reply.raw


_CHIPS = (
    "<div id=chips role=listbox></div><input id=pick role=combobox aria-label=Toppings"
    " aria-controls=list aria-expanded=false autocomplete=off><ul id=list role=listbox"
    " aria-multiselectable=true hidden><li role=option>Cheese</li><li role=option>Olives</li></ul>"
)
_CLEARS = """
const open = (is) => { list.hidden = !is; pick.setAttribute('aria-expanded', is); };
pick.onclick = () => open(true);
pick.oninput = () => open(true);
list.onclick = ({target}) => {
  chips.innerHTML += `<span role=option aria-selected=true>${target.textContent}</span>`;
  target.remove();
  pick.value = '';
  pick.setAttribute('aria-expanded', 'false');
  setTimeout(() => open(false), 150);
};
pick.onkeydown = ({key}) => { if (key === 'Escape' && list.hidden) chips.innerHTML = ''; }"""


def test_a_list_that_closes_by_itself_gets_no_key(built: Callable[..., Page]) -> None:
    """Escape would take away what was chosen; its chip is an option, and not one of the list."""
    page = built(_CHIPS, _CLEARS)
    page.do("form_input", query="Toppings", value="Olives")
    assert page.text("#chips") == "Olives"


_SHEET = (
    "<div class=select-wrapper><button aria-haspopup=dialog aria-expanded=false id=fruit"
    " aria-label='Fruit, Pick'>&nbsp;</button></div><div id=sheet role=alertdialog aria-modal=true"
    " hidden><div role=radiogroup><button role=radio aria-checked=false><span>Apple</span></button>"
    "<button role=radio aria-checked=false><span>Pear</span></button></div>"
    "<button>Cancel</button><button id=ok>OK</button></div>"
)
_SHEET_SCRIPT = """let marked = '';
fruit.onclick = () => { sheet.hidden = false; fruit.setAttribute('aria-expanded', true); };
for (const one of document.querySelectorAll('[role=radio]'))
  one.onclick = () => { marked = one.textContent; one.setAttribute('aria-checked', true); };
ok.onclick = () => {
  sheet.hidden = true;
  fruit.setAttribute('aria-label', `Fruit, ${marked}`);
  heard.push(marked);
};
document.onkeydown = ({ key }) => {
  if (key !== 'Escape') return;
  sheet.hidden = true;
  fruit.setAttribute('aria-expanded', false);
}"""


def test_what_is_chosen_in_a_sheet_is_confirmed(built: Callable[..., Page]) -> None:
    """A button of a box that is called a select opens it; no option, nothing confirmed."""
    page = built(_SHEET, _SHEET_SCRIPT)
    assert page.call("form_input", query="Fruit", value="Cherry").code != ""
    assert heard(page) == ""
    page.do("form_input", query="Fruit", value="Pear")
    assert heard(page) == "Pear"


_COMBO = (
    "<label for=wood>Wood</label><div style='display: flex'><span id=chosen></span><input id=wood"
    " role=combobox aria-expanded=false aria-controls=list></div>"
    "<div id=list role=listbox aria-multiselectable=false hidden><div role=option>Oak</div>"
    "<div role=option>Pine</div></div>"
)
_COMBO_SCRIPT = """const options = [...list.children];
wood.oninput = () => {
  const fit = options.filter((one) => one.textContent.includes(wood.value));
  for (const one of options) {
    one.hidden = !fit.includes(one);
    one.setAttribute('aria-selected', one.textContent === wood.value);
  }
  list.hidden = !fit.length;
  chosen.textContent = wood.value;
  wood.setAttribute('aria-expanded', !list.hidden);
};
for (const one of options)
  one.onclick = () => { wood.value = one.textContent; one.ariaSelected = false; list.hidden = true;
    heard.push(wood.value); wood.setAttribute('aria-expanded', false); }"""


@pytest.mark.parametrize("text", ["Pine", "Ebony"])
def test_a_combobox_of_one_value_keeps_what_was_typed(
    built: Callable[..., Page], text: str
) -> None:
    """It marks the option as it is typed, and draws the text once more beside its input."""
    page = built(_COMBO, _COMBO_SCRIPT)
    page.do("form_input", query="Wood", value=text)
    assert page.js("wood.value") == text
