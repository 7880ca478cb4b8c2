"""Calendars that open under a field."""

from __future__ import annotations

import re
from calendar import month_name

from field.miniwob.episode import Episode, Line
from field.miniwob.policies import policy

_MONTHS = "|".join(month_name[1:])


def choose_day(page: Episode, field: Line, date: str) -> None:
    """Choose MM/DD/YYYY in the calendar of a field that cannot be typed into."""
    month, day, year = map(int, date.split("/"))
    page.click(field)
    while (left := (year * 12 + month) - _shown(page)) != 0:
        page.click(page.called("Next" if left > 0 else "Prev"))
    page.click(page.called(str(day), "link"))


def _shown(page: Episode) -> int:
    title = page.first(
        line for line in page.lines() if re.fullmatch(rf"({_MONTHS}) \d+", line.text)
    )
    name, year = title.text.split()
    return int(year) * 12 + list(month_name).index(name)


@policy("choose-date", "choose-date-easy", "choose-date-medium", "choose-date-nodelay")
def choose_the_date(page: Episode) -> None:
    choose_day(page, page.those("textbox")[0], page.asked(r"([\d/]+) as"))
    page.submit()


@policy("book-flight", "book-flight-nodelay")
def book_the_flight(page: Episode) -> None:
    found = re.search(r"the (\w+) one-way flight from: (.*) to: (.*) on ([\d/]+)", page.instruction)
    assert found, page.instruction
    wanted, origin, destination, date = found.groups()
    for label, place in (("From:", origin), ("To:", destination)):
        _take_airport(page, page.called(label, "textbox", "combobox"), place)
    choose_day(page, page.those("textbox")[-1], date)
    page.click("Search")
    page.click(_best(page, wanted))


def _take_airport(page: Episode, field: Line, place: str) -> None:
    page.act(field, "type", value=place, wait_after=600)
    page.click(page.first(
        line for line in page.those("menuitem", "option", "listitem", "clickable")
        if place in line.text
    ))  # fmt: skip


def _best(page: Episode, wanted: str) -> Line:
    """Return the button of the flight that is the cheapest or the shortest."""
    minutes = 0
    offers: list[tuple[int, Line]] = []
    for line in page.lines():
        duration = re.search(r"(?:(\d+)h )?(\d+)m\b", line.text)
        price = re.search(r"Book flight for \$(\d+)", line.text)
        if price and line.ref:
            offers.append((int(price[1]) if wanted == "cheapest" else minutes, line))
        elif duration:
            minutes = int(duration[1] or 0) * 60 + int(duration[2])
    assert offers, page.outline()
    return min(offers, key=lambda offer: offer[0])[1]


@policy("buy-ticket")
def buy_the_ticket(page: Episode) -> None:
    key = page.asked(r"with the (.*)\.")
    minutes = 0
    offers: list[tuple[int, Line]] = []
    for line in page.lines()[1:]:
        duration = re.fullmatch(r"(\d+)h (\d+)m", line.text)
        price = re.search(r"\$(\d+)", line.text)
        if duration:
            minutes = int(duration[1]) * 60 + int(duration[2])
        elif price and line.ref:
            offers.append((minutes if "duration" in key else int(price[1]), line))
    offers.sort(key=lambda offer: offer[0])
    page.click(offers[-1 if re.search("longest|most|highest", key) else 0][1])
