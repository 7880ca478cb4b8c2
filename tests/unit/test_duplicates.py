"""Duplicate pages: recognised by their text, not by the menu that they share."""

from ocd.crawl.duplicates import Duplicates, fingerprint

_MENU = "".join(f"- [Chapter {n} of the manual](http://a.test/manual/{n})\n" for n in range(90))
_STORY = " ".join(f"On day {n} the ferry sailed {n * 7 % 31} minutes late." for n in range(40))


def _found(*contents: str) -> list[str]:
    known = Duplicates()
    return [known.find(str(at), *fingerprint(content)) for at, content in enumerate(contents)]


def test_pages_that_share_a_menu_are_not_duplicates() -> None:
    """Also short pages, and lists with the same introduction."""
    short = [f"{_MENU}\n# {word}\n\nThe {word} is a tool. One {word} a day is enough.\n"
             for word in ("hammer", "anvil", "ladder")]  # fmt: skip
    assert _found(*short) == ["", "", ""]
    lists = [
        "Here are the stories of the month, the latest first, as they were told on the ferry.\n"
        + "".join(f"- [Story {month}.{n}](http://a.test/{month}/{n})\n" for n in range(30))
        for month in (1, 2, 3)
    ]
    assert _found(*lists) == ["", "", ""]


def test_a_page_with_another_date_is_a_near_duplicate() -> None:
    assert _found(
        f"{_MENU}\n{_STORY}\nPrinted on Monday.", f"{_MENU}\n{_STORY}\nPrinted on Friday.", _MENU,
        _MENU.replace("Chapter 7 ", "Part 7 "), "Too short to be like anything.",
        "Too short to be like something.",
    ) == ["", "0", "", "2", "", ""]  # fmt: skip
