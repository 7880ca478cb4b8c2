"""Filtering content by relevance to a query."""

import pytest

from ocd.api.errors import OcdError
from ocd.content.content_filter import filter_blocks

PAGE = """\
# Shop

- [Home](/)
- [Cart](/cart)
- [About us](/about)

## Shipping

We ship to all of Europe within three days; shipping costs five euros for every order.

| Country | Price |
|---|---|
| France | 5 |

## Returns

You may send anything back within thirty days, and you get your money back at once.

```
## no heading

code
```

[Imprint](/i) [Privacy](/p) [Jobs](/j) [Press](/x) [Blog](/b) [Help](/h)
"""


def test_prune_keeps_prose_and_drops_menus() -> None:
    fitted = filter_blocks(PAGE, "prune", None, None)
    assert "We ship to all" in fitted.text
    assert "| France | 5 |" in fitted.text
    assert "## no heading\n\ncode" in fitted.text
    assert "[Home]" not in fitted.text
    assert "[Imprint]" not in fitted.text
    assert fitted.text.startswith("# Shop\n\n## Shipping\n")
    assert (fitted.facts["sections_seen"], fitted.facts["sections_kept"]) == (6, 4)
    assert fitted.facts["raw_chars"] == len(PAGE)
    assert fitted.facts["fit_chars"] == len(fitted.text)


def test_bm25_keeps_relevant_sections_with_their_headings() -> None:
    fitted = filter_blocks(PAGE, "bm25", "shipping cost", None)
    assert fitted.text.startswith("# Shop\n\n## Shipping\n\nWe ship")
    assert "send anything back" not in fitted.text
    assert fitted.facts["query"] == "shipping cost"
    assert filter_blocks(PAGE, "bm25", "xylophone", None).text == ""


def test_languages_without_spaces_are_matched_by_character_pairs() -> None:
    text = (
        "# 안내\n\n배송비는 오천원입니다 모든주문에 해당합니다\n\n"
        "반품은 삼십일 안에 하시면 됩니다\n"
    )
    assert "배송비" in filter_blocks(text, "bm25", "배송비", None).text
    assert "반품" not in filter_blocks(text, "bm25", "배송비", None).text


def test_options_limit_the_result() -> None:
    assert filter_blocks(PAGE, "prune", None, {"max_sections": 1}).facts["sections_kept"] == 1
    assert filter_blocks(PAGE, "prune", None, {"maxSections": 0}).text == ""
    assert (
        "[Home]" in filter_blocks(PAGE, "prune", None, {"prune_threshold": 0, "min_words": 0}).text
    )


def test_invalid_options_are_named() -> None:
    with pytest.raises(OcdError) as caught:
        filter_blocks(PAGE, "bm25", " ", None)
    assert caught.value.details["parameter"] == "query"
    with pytest.raises(OcdError) as caught:
        filter_blocks(PAGE, "prune", None, {"depth": 1})
    assert caught.value.details["parameter"] == "filter_options"


def test_an_empty_page_stays_empty() -> None:
    assert filter_blocks("", "prune", None, None).text == ""
