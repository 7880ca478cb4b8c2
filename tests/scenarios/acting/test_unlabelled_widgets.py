"""Fields and widgets whose markup says little: the page's own handlers tell what came of it."""

from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

import pytest

from support.daemon import Daemon
from support.pages import Page

At = Callable[[str], Page]


@pytest.fixture
def built(at: At) -> Callable[..., Page]:
    """Return a function that fills the page; scripts write into `heard`."""

    def build(body: str, script: str = "") -> Page:
        page = at("parts.html")
        page.js(f"document.body.innerHTML = {body!r}; window.heard = []; {script}; 1")
        return page

    return build


def heard(page: Page) -> str:
    return page.js("heard.join()")


def deep(label: str, field: str) -> str:
    """A field six boxes below what its label, which belongs to no field, stands beside."""
    boxes = "<div>" * 6 + field + "</div>" * 6
    return f"<div><div><label>{label}</label></div>{boxes}</div>"


_FORM = deep("Beds", "<button>-</button><input id=beds placeholder='Please type'>") + deep(
    "Town", "<input id=town placeholder='Please type'>"
)


def test_a_label_of_no_field_names_the_field_far_below_it(built: Callable[..., Page]) -> None:
    """Whatever its placeholder says, and with a button to count down before it."""
    page = built(_FORM)
    page.do("form_input", query="Beds", value="4")
    page.do("form_input", query="Town", value="Oslo")
    assert page.js("[beds.value, town.value].join()") == "4,Oslo"
    assert page.call("form_input", query="Street", value="x").code == "element_not_found"


def test_a_read_only_field_in_a_select_box_is_chosen_from(built: Callable[..., Page]) -> None:
    page = built(
        "<div class=x-select><label for=hue>Hue</label><input id=hue readonly></div>"
        "<ul id=list hidden><li>Red</li><li>Blue</li></ul>",
        "hue.onclick = () => { list.hidden = false; };"
        "list.onclick = ({ target }) => { hue.value = target.textContent; list.hidden = true; }",
    )
    page.do("form_input", query="Hue", value="Blue")
    assert page.js("hue.value") == "Blue"


_CLOCK = (
    "<label for=alarm>Alarm</label><input id=alarm><div id=clock hidden style='position: absolute'>"
    + "".join(f"<span> {hour} </span>" for hour in range(9))
    + "<button id=ok>OK</button></div>"
)


def test_a_clock_that_asks_for_ok_gets_it(built: Callable[..., Page]) -> None:
    page = built(
        _CLOCK,
        "alarm.oninput = () => { clock.hidden = false; };"
        "ok.onclick = () => { heard.push(alarm.value); clock.hidden = true; }",
    )
    page.do("form_input", query="Alarm", value="07:45:00")
    assert heard(page) == "07:45:00"


_DATES = """born.onchange = () => {
  const [, month, day, year] = /^(\\d+)\\/(\\d+)\\/(\\d{4})$/.exec(born.value) ?? [];
  born.setAttribute('aria-invalid', String(!year));
  sent.value = year ? [year, month.padStart(2, 0), day.padStart(2, 0)].join('-') : '';
};
born.onkeyup = born.onchange"""


def test_a_date_is_written_as_its_field_takes_it(built: Callable[..., Page]) -> None:
    """What no form makes valid is an error, and the field is empty again."""
    page = built("<label for=born>Born</label><input id=born><input type=hidden id=sent>", _DATES)
    page.do("form_input", query="Born", value="1990-05-04")
    assert page.js("sent.value") == "1990-05-04"
    assert page.call("form_input", query="Born", value="1990-25-70").code == "wrong_value"


_TAGS = """tags.onkeydown = (event) => {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  const chip = document.createElement('span');
  chip.className = 'tag';
  chip.textContent = tags.textContent;
  heard.push(tags.textContent);
  tags.before(chip);
  tags.textContent = '';
}"""


def test_an_editable_element_takes_several_values_one_by_one(built: Callable[..., Page]) -> None:
    page = built(
        "<div><span id=tags contenteditable role=textbox aria-label=Tags"
        " style='display: inline-block; width: 99px; height: 20px'></span></div>",
        _TAGS,
    )
    page.do("form_input", query="Tags", value=["red", "blue"])
    assert heard(page) == "red,blue"


_PAGES = (
    "<div class=x-pagination><div><span>&lt;</span><ul class=x-pager><li>1</li>"
    "<li>2</li><li>3</li></ul><span>&gt;</span></div></div>"
)


@pytest.mark.parametrize(
    ("words", "clicked"),
    [("page 3", "3"), ("next page", ">"), ("previous page", "<")],
)
def test_pages_are_clicked_by_number_and_direction(
    built: Callable[..., Page], words: str, clicked: str
) -> None:
    page = built(_PAGES, "document.body.onclick = ({ target }) => heard.push(target.textContent)")
    assert page.call("interact", query="page 7").code == "element_not_found"
    page.do("interact", query=words)
    assert heard(page) == clicked


def test_files_go_where_they_are_to_be_dropped(built: Callable[..., Page], daemon: Daemon) -> None:
    """By what is written there, if the page has one input for files."""
    folder = Path(mkdtemp(dir=daemon.home.base / "tmp"))
    (folder / "a.txt").write_text("a")
    page = built("<div>Drop files here</div><input type=file hidden id=files>")
    files = [str(folder / "a.txt")]
    assert page.call("file_upload", query="Drop pictures here", file_paths=files).code != ""
    page.do("file_upload", query="Drop files here", file_paths=files)
    assert page.js("files.files[0].name") == "a.txt"


def test_the_only_search_field_is_meant_by_search(built: Callable[..., Page]) -> None:
    page = built("<input type=search id=box placeholder='Type a keyword...'><input id=other>")
    page.do("form_input", query="Search", value="oak")
    assert page.js("box.value + other.value") == "oak"


def test_a_field_is_filled_and_not_a_link_of_more_words(built: Callable[..., Page]) -> None:
    """The page's own name for it is all that says so."""
    page = built("<a href='#x'>Add comment</a><textarea name=comment id=box></textarea>")
    page.do("form_input", query="Comment", value="Fine")
    assert page.js("box.value") == "Fine"


def test_a_box_called_by_the_words_is_checked_before_others_of_its_row(
    built: Callable[..., Page],
) -> None:
    page = built(
        "<table><tr><td><input type=checkbox id=box></td><td><a href='#one'>kitchen</a></td>"
        "<td>nobody</td><td><input type=radio name=default id=other></td></tr></table>"
    )
    page.do("interact", query="kitchen", action="check")
    assert page.js("[box.checked, other.checked].join()") == "true,false"
