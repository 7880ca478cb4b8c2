"""A crawl as llms.txt: its title, and the description of each page."""

from typing import Any

from ocd.crawl.export import llms_txt

_STORY = "The ferry of the island sails at seven, and on Sundays it does not sail at all."

_LINKED = "[The ferry](/f) sails at seven in the morning."


def _lines(*pages: dict[str, Any]) -> list[str]:
    records = [
        {"url": f"http://a.test/{place}", "title": f"Page {place}", "depth": min(place, 1)} | page
        for place, page in enumerate(pages)
    ]
    return "".join(llms_txt.lines(records, "http://a.test/")).splitlines()


def test_the_title_is_that_of_the_start_page() -> None:
    head = _lines({"title": "Island", "description": "All about ferries."})
    assert head[:5] == ["# Island", "", "> All about ferries.", "", "## Pages"]
    assert _lines({"depth": 3})[:3] == ["# http://a.test/", "", "## Pages"]
    assert _lines() == ["# http://a.test/", "", "## Pages", ""]


def test_a_page_has_its_own_description() -> None:
    """Its meta description, unless the whole site has the same; else its first sentence."""
    found = _lines(
        {"description": "All about ferries."},
        {"description": "All about ferries.", "content": f"Search`K`\n\n# Times\n\n{_STORY}\n"},
        {"content": f"[Home](/)\n\nMenu\n\n- a list of what there is in the menu\n\n{_STORY}\n"},
        {"content": f"Menu of the site, a long one.\n\n# A\n\n1. {_STORY}\n\n{_LINKED}"},
        {"content": "Menu of the site that is long", "formats": {"main": f"![x](y)\n\n{_STORY}"}},
        {"content": "# \u6e21\n\n\u83dc\u5355\n\n" + "\u6e21\u8f6e" * 8},
        {"content": "# Nothing\n\n| a | b |\n\nOn this page\n"},
        {"description": "Long " * 50},
    )[5:]  # fmt: skip
    abouts = [line.partition("): ")[2] for line in found if line]
    assert abouts == [
        "All about ferries.", _STORY, _STORY, _LINKED.replace("[", "").replace("](/f)", ""), _STORY,
        "\u6e21\u8f6e" * 8, "", "Long " * 32 + "…",
    ]  # fmt: skip
