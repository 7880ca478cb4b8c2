"""Tasks that are done with clicks alone."""

from __future__ import annotations

import re

from field.miniwob.episode import Episode, Line, NeedsEyesError
from field.miniwob.policies import policy

_REPLY_MS = 100  # what two calls take
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_WIDGETS = {"text": "textbox", "textarea": "textbox", "checkbox": "checkbox", "radio": "radio",
            "button": "button"}  # fmt: skip


def ordinal(text: str) -> int:
    """Return the number of "the 3rd" in a text."""
    found = _ORDINAL.search(text)
    assert found, text
    return int(found[1])


@policy("click-test", "click-test-2", "click-test-transfer", "click-button", "unicode-test")
def press_the_button(page: Episode) -> None:
    names = page.quoted() or re.findall(r"button ([A-Z]+)\.", page.instruction)
    page.click(page.called(names[0], "button") if names else page.those("button")[0])


@policy("click-button-sequence", "button-delay")
def press_in_order(page: Episode) -> None:
    one, two = page.those("button")
    pause = re.search(r"wait (\d+) second", page.instruction)
    page.click(one)
    if pause:
        page.wait(int(pause[1]) * 1000 - _REPLY_MS)
    page.click(two)


@policy("click-link")
def click_the_words(page: Episode) -> None:
    page.click(page.called(page.quoted()[0], "clickable", "link"))


@policy("click-dialog", "click-dialog-2")
def answer_the_dialog(page: Episode) -> None:
    name = page.quoted()[0]
    page.click(page.called("Close" if name == "x" else name, "button"))


@policy("click-widget")
def click_a_kind_of_widget(page: Episode) -> None:
    kind = page.quoted()[0]
    widgets = page.those(_WIDGETS[kind])
    if kind in {"text", "textarea"}:
        widgets = [one for one in widgets if ("multiline" in one.rest) == (kind == "textarea")]
    page.click(widgets[0])


@policy("click-tab")
def choose_the_tab(page: Episode) -> None:
    page.click(page.called(page.asked(r"(Tab #\d)"), "tab"))


@policy("click-collapsible", "click-collapsible-nodelay")
def unfold_and_submit(page: Episode) -> None:
    page.click(page.those("tab")[0])
    page.submit()


@policy(
    "click-collapsible-2", "click-collapsible-2-nodelay", "click-tab-2", "click-tab-2-easy",
    "click-tab-2-medium", "click-tab-2-hard",
)  # fmt: skip
def search_behind_tabs(page: Episode) -> None:
    words = page.quoted()[0]
    for tab in [None, *page.those("tab")]:
        if tab is not None:
            page.click(tab)
        for line in page.those("clickable", "link"):
            if line.is_called(words):
                page.click(line)
                return
    raise AssertionError(f"{words} is behind no tab")


@policy(
    "click-checkboxes", "click-checkboxes-large", "click-checkboxes-transfer", "click-option",
    "click-scroll-list", "choose-list",
)  # fmt: skip
def choose_and_submit(page: Episode) -> None:
    names = page.asked(r"Select (.*?)(?: from the (?:scroll )?list)? and click Submit").split(", ")
    lists = page.those("listbox", "combobox")
    if lists:
        page.fill(lists[0], names if lists[0].role == "listbox" else names[0])
    else:
        for name in names:
            if name != "nothing":
                page.fill(page.called(name, "checkbox", "radio"), value=True)
    page.submit()


# What an agent knows of words.
_SYNONYMS = (
    "big large huge enormous gigantic", "small tiny little mini petite",
    "red scarlet crimson vermillion", "happy cheerful joyful gleeful delighted",
    "sad unhappy sorrowful miserable tragic", "angry mad furious irritated",
    "evil wicked immoral sinful corrupt depraved", "wrong incorrect mistaken erroneous",
    "real genuine actual", "strange odd peculiar unusual weird", "stop cease halt end finish",
    "scared terrified panicked fearful frightened afraid", "quiet calm peaceful serene mild",
    "old aged archaic", "love like adore favor", "kill murder assassinate",
    "keep retain preserve sustain maintain", "hide conceal camouflage",
    "hate despise loathe detest dislike", "funny humorous amusing comical laughable",
    "fat fleshy plump chubby", "stupid dumb dull unwise",
    "delicious savory delectable appetizing", "cut slice carve chop", "brave courageous fearless",
    "begin start initiate launch", "answer reply response", "television televisions tv tvs",
    "house home houses homes", "fire flame fires flames", "pig pork swine",
    "rabbit rabbits bunny bunnies", "car cars automobile automobiles vehicle vehicles",
)  # fmt: skip


@policy("click-checkboxes-soft")
def choose_what_means_the_same(page: Episode) -> None:
    wanted = page.asked(r"similar to (.*) and click").lower().split(", ")
    alike = {word for group in _SYNONYMS for word in group.split()
             if set(group.split()) & set(wanted)}  # fmt: skip
    for box in page.those("checkbox"):
        if box.name.lower() in {*alike, *wanted}:
            page.fill(box, value=True)
    page.submit()


@policy("click-menu")
def follow_the_menu(page: Episode) -> None:
    *menus, last = page.asked(r"Select (.*)").split(">")
    for name in menus:
        page.act(page.called(name, "menuitem"), "hover", wait_after=500)
    page.click(page.called(last, "menuitem"))


@policy("click-menu-2")
def search_the_menu(page: Episode) -> None:
    page.click("Menu")
    names = page.quoted()[1:]
    if not names:
        raise NeedsEyesError("the item asked for is a picture in the instruction")
    if not any(line.is_called(names[0]) for line in page.lines()):
        page.act("Playback", "hover", wait_after=500)
    page.click(page.called(names[0], "menuitem"))


@policy("click-pie", "click-pie-nodelay")
def unfold_the_pie(page: Episode) -> None:
    name = page.quoted()[0]
    page.click(page.called("+", "clickable"))
    page.click(name)


@policy("navigate-tree")
def search_the_tree(page: Episode) -> None:
    name = page.quoted()[0]
    opened: set[str] = set()
    while not any(line.is_called(name) for line in page.lines()):
        items = page.those("clickable") or page.those("listitem", "treeitem")
        folded = [item for item in items if item.ref not in opened]
        assert folded, page.outline()
        opened.add(folded[0].ref)
        page.click(folded[0])
    page.click(page.find(name)[0])


@policy("ascending-numbers")
def click_in_ascending_order(page: Episode) -> None:
    numbers = [line.text for line in page.lines() if re.fullmatch(r"\d+", line.text)]
    # The others are covered up with the first click.
    places = [page.place(page.find(number)[0]) for number in sorted(numbers, key=int)]
    for place in places:
        page.mouse("left_click", coordinate=place)


@policy("focus-text", "focus-text-2")
def focus_a_field(page: Episode) -> None:
    number = ordinal(page.instruction) if _ORDINAL.search(page.instruction) else 1
    page.click(page.those("textbox")[number - 1])


@policy("odd-or-even")
def mark_odd_and_even(page: Episode) -> None:
    number = None
    odd: Line | None = None
    for line in page.lines():
        if line.is_called("Odd"):
            odd = line
        elif re.fullmatch(r"-?\d+", line.text):
            number = int(line.text)
        elif line.is_called("Even") and number is not None and odd is not None:
            page.click(odd if number % 2 else line)
    page.submit()


@policy("grid-coordinate")
def click_the_grid_point(page: Episode) -> None:
    # Five columns from left to right, each from top to bottom.
    x, y = map(int, page.asked(r"\((-?\d,-?\d)\)").split(","))
    page.click([one for one in page.lines() if one.hint == "point"][(x + 2) * 5 + 2 - y])


@policy("social-media", "social-media-all", "social-media-some")
def answer_posts(page: Episode) -> None:
    user = page.asked(r"(@\w+)")
    action = page.quoted()[0]
    count = re.search(r"on (\d+) post", page.instruction)
    left = int(count[1]) if count else 1000
    within = False
    for line in page.lines()[1:]:
        if line.role == "text" and re.search(r"@\w+$", line.text):
            within = line.text.endswith(f" {user}")
        elif within and left and line.hint.casefold() == action.casefold():
            page.click(line)
            left -= 1
        elif within and line.hint == "more" and "Submit" not in page.instruction:
            _choose_from_more(page, line, action)
    if "Submit" in page.instruction:
        page.submit()


def _choose_from_more(page: Episode, more: Line, action: str) -> None:
    page.click(more)
    for line in page.lines()[1:]:
        if line.role != "text" and line.text.startswith(action):
            page.click(line)
            return
    page.click(more)
