"""A small handbook of interlinked pages with enough text to be worth storing.

The pages are made from a fixed word list and the page number alone, so that every run, and every
machine, sees the same bytes.
"""

import random

COUNT = 40
_WORDS = [
    "harbour", "lantern", "ledger", "meadow", "copper", "signal", "thread", "window",
    "anchor", "bridge", "candle", "drawer", "engine", "feather", "garden", "hammer",
    "island", "journal", "kettle", "ladder", "mirror", "needle", "orchard", "parcel",
    "quarry", "ribbon", "saddle", "timber", "umbrella", "valley", "wagon", "yarrow",
    "zephyr", "amber", "basket", "cellar", "dial", "ember", "ferry", "gravel",
]  # fmt: skip


def links(number: int) -> list[int]:
    """Return the pages that a page links to: its neighbours and two further on."""
    return sorted({n for n in (number - 1, number + 1, number * 2, number + 7) if 1 <= n <= COUNT})


def page(number: int, href: str = "{}.html") -> str:
    """Return one page's HTML: a heading, 6 to 18 KB of paragraphs, a table and links."""
    chance = random.Random(number)  # noqa: S311 - the same pages on every machine
    paragraphs = "\n".join(
        f"<p>{_sentence(chance)} {_sentence(chance)} {_sentence(chance)}</p>"
        for _ in range(20 + number % 40)
    )
    anchors = "\n".join(
        f'<li><a href="{href.format(n)}">Chapter {n}</a></li>' for n in links(number)
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Chapter {number}</title></head>
<body><main><h1>Chapter {number}</h1>
{paragraphs}
<table><tr><th>thing</th><th>count</th></tr>
<tr><td>{chance.choice(_WORDS)}</td><td>{number}</td></tr></table>
</main><nav><ul>
{anchors}
</ul></nav></body></html>
"""


def _sentence(chance: random.Random) -> str:
    words = [chance.choice(_WORDS) for _ in range(chance.randint(9, 18))]
    return " ".join(words).capitalize() + "."
