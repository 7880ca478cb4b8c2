"""Tasks that fill in fields."""

from __future__ import annotations

import operator
import re

from field.miniwob.clicks import ordinal
from field.miniwob.episode import Episode, Line
from field.miniwob.policies import policy

_FIELDS = ("textbox", "searchbox", "combobox", "spinbutton", "date", "time")
_SIGNS = {"+": operator.add, "-": operator.sub, "x": operator.mul,
          "/": operator.floordiv}  # fmt: skip


def fields_of(page: Episode) -> list[Line]:
    return page.those(*_FIELDS)


@policy("enter-text", "enter-text-dynamic")
def enter_the_text(page: Episode) -> None:
    page.fill(fields_of(page)[0], page.quoted()[0])
    page.submit()


@policy("enter-text-2")
def enter_in_other_case(page: Episode) -> None:
    text = page.quoted()[0]
    page.fill(fields_of(page)[0], text.upper() if "upper" in page.instruction else text.lower())
    page.submit()


@policy("text-transform")
def enter_the_letters(page: Episode) -> None:
    letters = [line.text for line in page.lines()[1:] if line.role == "text"]
    page.fill(fields_of(page)[0], "".join(letters).replace(" ", ""))
    page.submit()


@policy("enter-password")
def enter_the_password_twice(page: Episode) -> None:
    for field in fields_of(page):
        page.fill(field, page.quoted()[0])
    page.submit()


@policy("enter-date")
def enter_the_date(page: Episode) -> None:
    month, day, year = page.asked(r"([\d/]+)").split("/")
    page.fill(fields_of(page)[0], f"{year}-{month}-{day}")
    page.submit()


@policy("enter-time")
def enter_the_time(page: Episode) -> None:
    hour, minute = page.asked(r"(\d+:\d+)").split(":")
    later = 12 if "PM" in page.instruction else 0
    page.fill(fields_of(page)[0], f"{int(hour) % 12 + later:02}:{minute}")
    page.submit()


@policy("login-user", "login-user-popup")
def log_in(page: Episode) -> None:
    user, password = page.quoted()
    for words, value in (("Username", user), ("Password", password)):
        page.click(words)  # may bring something up over the form
        for line in page.lines():
            if line.is_called("Cancel") and line.ref:
                page.click(line)
        page.fill(words, value)
    page.click(page.those("button")[0])


@policy("form-sequence")
def slide_and_check(page: Episode) -> None:
    slide(page, 0, int(page.asked(r"Select (-?\d+)")))
    page.fill(page.those("checkbox")[ordinal(page.instruction) - 1], value=True)
    page.submit()


@policy("form-sequence-2")
def choose_and_enter(page: Episode) -> None:
    radio, box = page.instruction.split(" and ")
    page.fill(page.those("radio")[ordinal(radio) - 1], value=True)
    page.fill(page.those("textbox")[ordinal(box) - 1], page.quoted()[0])
    page.submit()


@policy("form-sequence-3")
def drop_down_and_press(page: Episode) -> None:
    page.click(page.those("clickable")[0])
    page.click(page.asked(r"Choose (.*) from"))
    page.submit(page.quoted()[0])


@policy("multi-layouts", "multi-orderings")
def fill_by_labels(page: Episode) -> None:
    genre = page.asked(r"for ([\w-]+) movies")
    director = page.asked(r"directed by (\w+)")
    year = page.asked(r"year (\d+)")
    labels = [line.text for line in page.lines()[1:] if line.text]
    date = next(label for label in labels if re.search("Year|Date", label))
    page.fill_all({"Genre": genre, "Director": director, date: year})
    names = [line for line in page.those("button", "clickable") if line.role != "text"]
    page.click(names[0])


@policy("read-table", "read-table-2")
def copy_from_the_table(page: Episode) -> None:
    cells = [line.text for line in page.lines()[1:]]
    named = re.search(r"value of (.+) into", page.instruction)
    keys = [named[1]] if named else [one[:-1] for one in cells if one.endswith(":")]
    for key, field in zip(keys, fields_of(page), strict=True):
        page.fill(field, cells[cells.index(key) + 1])
    page.submit()


@policy("find-word")
def enter_the_nth_word(page: Episode) -> None:
    words = " ".join(line.text for line in page.lines()[1:] if line.role == "text").split()
    page.fill(fields_of(page)[0], words[ordinal(page.instruction) - 1].strip(".,"))
    page.submit()


@policy("copy-paste", "copy-paste-2")
def copy_a_text(page: Episode) -> None:
    fields = fields_of(page)
    answer = next(field for field in fields if not field.value)
    texts = [field for field in fields if field != answer]
    page.press(texts[ordinal(page.instruction) - 1 if texts[1:] else 0], "Control+a Control+c")
    page.press(answer, "Control+v")
    page.submit()


@policy("scroll-text")
def enter_the_last_word(page: Episode) -> None:
    text, answer = fields_of(page)
    page.fill(answer, text.value.split()[-1].strip(".,"))
    page.submit()


@policy("simple-arithmetic")
def calculate(page: Episode) -> None:
    sum_ = page.first(line for line in page.lines() if re.match(r"-?\d+ \S -?\d+", line.text))
    left, sign, right = sum_.text.split()[:3]
    page.fill(fields_of(page)[0], str(_SIGNS[sign](int(left), int(right))))
    page.submit()


@policy("simple-algebra")
def solve(page: Episode) -> None:
    equation = page.first(line for line in page.lines()[1:] if " = " in line.text).text
    left, sign, right, _, result = equation.split()
    given = int(right if left == "x" else left)
    if sign == "+":
        answer = int(result) - given
    else:
        answer = int(result) + given if left == "x" else given - int(result)
    page.fill(fields_of(page)[0], str(answer))
    page.submit()


@policy("use-autocomplete", "use-autocomplete-nodelay")
def take_a_suggestion(page: Episode) -> None:
    begin, *end = page.quoted()
    field = fields_of(page)[0]
    page.act(field, "type", value=begin, wait_after=600)
    page.click(page.first(
        line for line in page.those("menuitem", "option", "listitem", "clickable")
        if line.text.startswith(begin) and line.text.endswith(end[0] if end else "")
    ))  # fmt: skip
    page.submit()


def slide(page: Episode, index: int, wanted: int) -> None:
    """Bring a slider to a value with the arrow keys, as its number shows."""

    def value() -> int:
        numbers = [line.text for line in page.lines()[1:] if re.fullmatch(r"-?\d+", line.text)]
        return int(numbers[index])

    handle = [line for line in page.lines() if line.role in {"slider", "clickable"}][index]
    while (left := wanted - value()) != 0:
        page.press(handle, "ArrowRight" if left > 0 else "ArrowLeft", abs(left))


@policy("use-slider")
def slide_one(page: Episode) -> None:
    slide(page, 0, int(page.asked(r"Select (-?\d+)")))
    page.submit()


@policy("use-slider-2")
def slide_three(page: Episode) -> None:
    for index, wanted in enumerate(page.asked(r"\[(.*)\]").split(",")):
        slide(page, index, int(wanted))
    page.submit()


@policy("use-spinner")
def spin(page: Episode) -> None:
    page.fill(page.those("spinbutton")[0], page.asked(r"Select (-?\d+)"))
    page.submit()


@policy("search-engine")
def search_and_choose(page: Episode) -> None:
    number = ordinal(page.instruction)
    page.fill(fields_of(page)[0], page.quoted()[0])
    page.click(page.called("Search", "button"))
    while number > (shown := len(_results(page))):
        number -= shown
        page.click(page.called(">", "link", "clickable"))
    page.click(_results(page)[number - 1])


def _results(page: Episode) -> list[Line]:
    """Return the titles of the results: links that are no page numbers."""
    links = page.those("link", "clickable")
    return [one for one in links if not re.fullmatch(r"[<>\d]+", one.text) and "." not in one.text]
