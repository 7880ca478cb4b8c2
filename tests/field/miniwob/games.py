"""Tasks in which the page answers: guessing, trading, a terminal, an order."""

from __future__ import annotations

import re

from field.miniwob.episode import Episode, Line
from field.miniwob.fields import fields_of
from field.miniwob.policies import policy


@policy("guess-number")
def guess(page: Episode) -> None:
    low, high = 0, 9
    while low <= high and page.reward() == _GOING_ON:
        middle = (low + high) // 2
        page.fill(fields_of(page)[0], middle)
        page.submit()
        says = " ".join(line.text for line in page.lines()[1:])
        if re.search(r"higher than", says):
            low = middle + 1
        elif re.search(r"lower than", says):
            high = middle - 1


_GOING_ON = -2.0


@policy("generate-number")
def generate(page: Episode) -> None:
    bound = re.search(r"(less|greater) than (\d+)", page.instruction)
    while True:
        page.click("Generate")
        shown = [line.text for line in page.lines()[1:] if re.fullmatch(r"\d+", line.text)]
        number = int(shown[0])
        if bound:
            fits = number < int(bound[2]) if bound[1] == "less" else number > int(bound[2])
        else:
            fits = number % 2 == ("odd" in page.instruction)
        if fits:
            break
    page.submit()


@policy("find-greatest")
def turn_the_cards(page: Episode) -> None:
    numbers: list[int] = []
    for index in range(3):
        page.click(_cards(page)[index])
        shown = [line.text for line in page.lines()[1:] if re.fullmatch(r"\d+", line.text)]
        numbers.append(int(shown[0]))
    page.click(_cards(page)[numbers.index(max(numbers))])
    page.submit()


def _cards(page: Episode) -> list[Line]:
    """Return the three cards; the one that is open is a number."""
    lines = page.lines()[1:]
    return [line for line in lines if line.role == "clickable" or re.fullmatch(r"\d+", line.text)]


@policy("order-food")
def order(page: Episode) -> None:
    kind = re.search(r"Order (\d+) items that are ([\w-]+)", page.instruction)
    wanted = [] if kind else page.asked(r"each item: (.*)").split(", ")
    adds = [line for line in page.find("+") if line.text == "+"]
    dish, index, left = "", 0, int(kind[1]) if kind else len(wanted)
    kinds: set[str] = set()
    for line in page.lines()[1:]:
        if line.role == "img":
            kinds.add(line.name)
        elif line.text == "+":
            if left and (dish in wanted or (kind and kind[2] in kinds)):
                page.click(adds[index])
                left -= 1
            index += 1
        elif line.role == "text" and line.text != "-":
            dish, kinds = line.text, set()
    page.click("Order!")


@policy("phone-book")
def look_up_a_contact(page: Episode) -> None:
    name = page.asked(r"Find (\w+) in")
    what = page.asked(r"on their (\w+)")
    while not any(line.role == "heading" and line.is_called(name) for line in page.lines()):
        page.click(page.called(">", "link"))
    lines = page.lines()
    label = next(i for i, line in enumerate(lines) if line.text.casefold() == f"{what}:")
    page.click(lines[label + 1])


@policy("stock-market")
def buy_when_cheap(page: Episode) -> None:
    limit = float(page.asked(r"\$([\d.]+\d)"))
    while True:
        texts = " ".join(line.text for line in page.lines()[1:])
        price = re.search(r"\$([\d.]+\d)", texts)
        if price and float(price[1]) <= limit:
            break
    page.click("Buy")


@policy("terminal")
def delete_a_file(page: Episode) -> None:
    _command(page, "ls")
    listed = [line.text for line in page.lines() if line.role in {"text", "generic"}]
    names = [name for text in listed for name in text.split()]
    ending = re.search(r"extension (\.\w+)", page.instruction)
    ends = (lambda name: name.endswith(ending[1])) if ending else (lambda name: "." not in name)
    after = names[len(names) - names[::-1].index("ls") :]
    _command(page, f"rm {next(name for name in after if ends(name))}")


def _command(page: Episode, text: str) -> None:
    terminal = page.those("textbox")[0]
    page.act(terminal, "type", value=text)
    page.press(terminal, "Enter")


@policy("sign-agreement")
def sign(page: Episode) -> None:
    names = page.quoted()
    if names:
        page.scroll(page.those("textbox")[0], "bottom")
        page.fill(page.called("Name", "textbox"), names[0])
    page.submit(names[-1] if names else "Cancel")
