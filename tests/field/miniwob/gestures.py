"""Dragging, selecting, scrolling and styling."""

from __future__ import annotations

import re

from field.miniwob.clicks import ordinal
from field.miniwob.episode import Episode, Line, NeedsEyesError
from field.miniwob.policies import policy

_PLACES = {"top left": 0, "top center": 1, "top right": 2, "center left": 3, "center": 4,
           "center right": 5, "bottom left": 6, "bottom center": 7, "bottom right": 8}  # fmt: skip
_WAYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_FAR_PX = 30
_STEPS = {"up": -3, "down": 3, "left": -1, "right": 1}


def _place(page: Episode, name: str) -> Line:
    """Return the item with a ref to drag it by, which the outline of a plain list has not."""
    return page.first(line for line in page.find(name) if line.is_called(name))


def _items(page: Episode) -> list[str]:
    return [line.text for line in page.lines() if line.role == "listitem"]


@policy("drag-items")
def drag_in_a_list(page: Episode) -> None:
    name = page.asked(r"Drag (.*?) (?:to|up|down)\b")
    items = _items(page)
    at = items.index(name)
    if "position." in page.instruction and re.search(r"\d", page.instruction):
        to = ordinal(page.instruction) - 1
    elif "one" in page.instruction:
        to = at + (1 if "down" in page.instruction else -1)
    else:
        to = 0 if "top" in page.instruction else len(items) - 1
    page.drag(_place(page, name), _place(page, items[to]))


@policy("drag-items-grid")
def drag_in_a_grid(page: Episode) -> None:
    name = page.asked(r"Drag (.*?) (?:to|up|down|left|right)\b")
    items = _items(page)
    where = page.asked(r"((?:up|down|left|right) by one|(?<=to the ).*)\.")
    step = re.fullmatch(r"(\w+) by one", where)
    to = items.index(name) + _STEPS[step[1]] if step else _PLACES[where]
    page.drag(_place(page, name), _place(page, items[to]))


@policy("drag-sort-numbers")
def sort_by_dragging(page: Episode) -> None:
    for at in range(len(_items(page))):
        items = _items(page)
        least = min(items[at:], key=int)
        if items[at] != least:
            page.drag(_place(page, least), _place(page, items[at]))
    page.submit()


@policy("drag-box")
def drag_into_a_box(page: Episode) -> None:
    page.drag(page.called("s"), page.called("L"))
    page.submit()


@policy("drag-circle")
def drag_one_way(page: Episode) -> None:
    across, down = _WAYS[page.asked(r"(up|down|left|right)\b")]
    shape = page.those("clickable", "draggable")[0]
    x, y = page.place(shape)
    page.drag_to(shape, x + across * _FAR_PX, y + down * _FAR_PX)
    page.submit()


@policy("highlight-text", "highlight-text-2")
def select_a_paragraph(page: Episode) -> None:
    texts = [line.text for line in page.lines()[1:] if line.role == "text"]
    number = ordinal(page.instruction) if re.search(r"\d", page.instruction) else 1
    page.mouse("triple_click", ref=page.find(texts[number - 1])[0].ref)
    page.submit()


@policy("scroll-text-2")
def scroll_a_field(page: Episode) -> None:
    page.scroll(page.those("textbox")[0], page.asked(r"to the (top|bottom)"))
    page.submit()


@policy("text-editor")
def style_the_text(page: Episode) -> None:
    editor = page.those("textbox")[0]
    word = re.search(r"give the text (.*?) the (?:style|color)", page.instruction)
    _select(page, editor, word[1] if word else editor.value)
    style = re.search(r"(bold|italic|underline)", page.instruction)
    if style:
        page.click(page.hinted(style[1]))
    else:
        _colour(page, page.asked(r"color (\w+)"))
    page.submit()


def _select(page: Episode, editor: Line, words: str) -> None:
    """Select words of a one-line editor with the keyboard."""
    page.press(editor, "Control+Home")
    start = editor.value.index(words)
    page.press(editor, "ArrowRight", start)
    page.press(editor, "Shift+ArrowRight", len(words))


def _colour(page: Episode, name: str) -> None:
    page.click(page.hinted("picker-label"))
    raise NeedsEyesError(f"{name} is one of {len(page.lines())} colours without words")
