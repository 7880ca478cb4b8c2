"""read_page's other modes: semantic, css, filters, deltas, and pagination."""

import re
from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site

PAGE = "reading/paged.html"


@pytest.fixture
def page(daemon: Daemon, site: Site) -> Daemon:
    daemon.do("navigate", url=site.url(PAGE))
    return daemon


def body(daemon: Daemon, html: str) -> None:
    daemon.do("javascript_tool", code=f"document.body.innerHTML = {html!r}")


def test_semantic_summarises_the_page(page: Daemon) -> None:
    """Description, landmarks, headings, forms with refs, tables and the main content."""
    text = page.do("read_page", mode="semantic")["content"]
    assert text.startswith("title: Cheeses, page 2\ndescription: All cheeses of the shop\n")
    for words in (
        "language: en\n", '  navigation "Main"\n', "  main\n", "  1 Cheeses\n    2 Shipping\n",
        'form "Search cheeses"\n', '"Prices": 3 rows, 2 columns\n', "We ship every cheese",
    ):  # fmt: skip
        assert words in text, words
    assert "Imprint" not in text
    ref = re.search(r'textbox "Name" \[ref=(e\d+)\]', text)
    assert ref
    page.do("form_input", ref=ref[1], value="Brie")
    said = page.do("javascript_tool", code="document.querySelector('input').value")
    assert "Brie" in str(said)


def test_css_describes_the_styles(page: Daemon) -> None:
    """Custom properties, and what groups of elements set that is not the default."""
    text = page.do("read_page", mode="css")["content"]
    assert "  --accent: rgb(10, 120, 60)\n" in text
    card = next(line for line in text.splitlines() if line.strip().startswith("div.card"))
    assert "\u00d73 ::before" in card
    assert "border-radius: 6px" in card
    assert "padding: 12px" in card
    part = page.do("read_page", mode="css", selector="form")["content"]
    assert "button.btn-primary \u00d71" in part
    assert "div.card" not in part
    assert "elements: 4\n" in part


def test_css_changes_nothing_in_the_page(page: Daemon) -> None:
    """The report is made without touching the document."""
    code = (
        "globalThis.seen = 0; new MutationObserver(() => seen++).observe(document,"
        " { subtree: true, childList: true, attributes: true }); 1"
    )
    page.do("javascript_tool", code=code)
    page.do("read_page", mode="css")
    page.do("read_page", mode="semantic")
    assert page.do("javascript_tool", code="globalThis.seen")["content"].strip() == "0"


def test_main_content_says_how_much_it_leaves_out(page: Daemon) -> None:
    """Nothing is dropped silently, whether visible or hidden."""
    result = page.do("read_page", mode="markdown", only_main_content=True)
    assert "We ship every cheese" in result["content"]
    assert "Imprint" not in result["content"]
    assert result["left_out_chars"] > 20
    assert result["hidden_chars"] == 5
    assert "left_out_chars" not in page.do("read_page", mode="markdown")


def test_prune_drops_menus_and_counts_them(page: Daemon) -> None:
    result = page.do("read_page", mode="markdown", content_filter="prune")
    assert "We ship every cheese" in result["content"]
    assert "Comté" in result["content"]
    assert "[Wine]" not in result["content"]
    facts = result["filter"]
    assert facts["type"] == "prune"
    assert facts["sections_kept"] < facts["sections_seen"]
    assert facts["fit_chars"] == len(result["content"]) < facts["raw_chars"]


def test_bm25_keeps_relevant_text(page: Daemon) -> None:
    """camelCase names, as in other versions of OpenChrome, mean the same."""
    result = page.do(
        "read_page", mode="markdown", contentFilter="bm25", query="shipping cost",
        filterOptions={"maxSections": 1},
    )  # fmt: skip
    assert result["content"].startswith("# Cheeses\n\n## Shipping\n\nWe ship every cheese")
    assert "ripen" not in result["content"]
    assert (result["filter"]["sections_kept"], result["filter"]["query"]) == (1, "shipping cost")


@pytest.mark.parametrize(
    ("params", "parameter"),
    [
        ({"mode": "markdown", "content_filter": "bm25"}, "query"),
        ({"content_filter": "prune"}, "content_filter"),
        ({"mode": "markdown", "content_filter": "prune", "filter_options": {"x": 1}},
         "filter_options"),
        ({"mode": "semantic", "selector": "p"}, "selector"),
        ({"mode": "picture"}, "mode"),
    ],
)  # fmt: skip
def test_incompatible_parameters_are_named(
    page: Daemon, params: dict[str, Any], parameter: str
) -> None:
    reply = page.call("read_page", **params)
    assert reply.code == "invalid_argument"
    assert reply.error["parameter"] == parameter


def test_delta_reports_added_removed_and_changed_lines(page: Daemon, site: Site) -> None:
    """The first reading is complete; the next one has the lines that differ, with new refs."""
    page.do("tabs_create", url=site.url(PAGE))  # a tab that nobody has read
    first = page.do("read_page", compression="delta")
    assert first["delta"] == {"full": True, "reason": "first_reading"}
    assert 'heading "Cheeses"' in first["content"]
    code = (
        "document.querySelector('h2').remove(); document.querySelector('.card').textContent='Uno';"
        "document.querySelector('form button').disabled = true;"
        "document.querySelector('main').insertAdjacentHTML('beforeend',"
        " '<button>Brand new</button>')"
    )
    page.do("javascript_tool", code=code)
    second = page.do("read_page", compression="delta")
    lines = second["content"].splitlines()
    assert '- heading "Shipping" [level=2]' in lines
    assert any(re.fullmatch(r'~ button "Find" \[ref=e\d+\] → button "Find" .* disabled', line)
               for line in lines), lines  # fmt: skip
    (ref,) = second["delta"]["refs"]
    assert f'+ button "Brand new" [ref={ref}]' in lines
    assert (second["delta"]["full"], second["delta"]["changed"]) == (False, 1)
    assert second["delta"]["unchanged"] > 10
    page.do("interact", ref=ref)
    third = page.do("read_page", compression="delta")
    assert third["delta"]["added"] + third["delta"]["removed"] == 0


def test_delta_after_a_plain_reading_and_on_another_page(page: Daemon, site: Site) -> None:
    """The last reading of the same kind is compared with, unless it is of another page."""
    page.do("read_page", mode="text")
    same = page.do("read_page", mode="text", compression="delta")
    assert (same["content"], same["delta"]["full"]) == ("", False)
    other = page.do("read_page", mode="markdown", compression="delta")
    assert other["delta"] == {"full": True, "reason": "read_differently"}
    page.do("navigate", url=site.url("reading/structure.html"))
    moved = page.do("read_page", mode="markdown", compression="delta")
    assert moved["delta"] == {"full": True, "reason": "other_page"}


def test_delta_on_another_page_of_the_site_has_only_its_new_parts(page: Daemon, site: Site) -> None:
    """The common menu is one line; on going back, the first page is known, too."""
    page.do("tabs_create", url=site.url("reading/menu_one.html"))
    page.do("read_page", compression="delta")
    page.do("interact", query="Second")
    second = page.do("read_page", compression="delta")
    facts = second["delta"]
    assert (facts["full"], facts["like"]) == (False, site.url("reading/menu_one.html"))
    lines = second["content"].splitlines()
    assert lines[1] == (
        "- as before: as on /reading/menu_one.html, with new refs: act on it by words"
    )
    assert 'navigation "Main" to link "Imprint" (8 lines)' in lines[2]
    assert re.fullmatch(r'  - textbox "Quantity" \[ref=e\d+\]', lines[-1]), lines
    assert len(lines) == facts["added"] + 3
    page.do("interact", query="First")
    again = page.do("read_page", compression="delta")
    assert (again["delta"]["added"], again["delta"]["full"]) == (0, False), again
    page.do("interact", query="Imprint")  # by words, as the reading says
    assert "#imprint" in str(page.do("javascript_tool", code="location.hash"))


def test_delta_leaves_out_a_menu_among_much_new_content(page: Daemon, site: Site) -> None:
    """Even a seventh of the page is left out."""
    page.do("tabs_create", url=site.url("reading/menu_one.html"))
    page.do("read_page", compression="delta")
    page.do("interact", query="Second")
    new = "".join(
        f"<p>Delivered on the morning of day {day} of the month.</p>" for day in range(15)
    )
    body_of = "document.querySelector('main').insertAdjacentHTML('beforeend', {!r})"
    page.do("javascript_tool", code=body_of.format(new))
    second = page.do("read_page", compression="delta")
    assert not second["delta"]["full"], second["delta"]
    assert 'navigation "Main" to link "Imprint" (8 lines)' in second["content"]


def test_delta_of_a_replaced_page_is_the_whole_page(page: Daemon) -> None:
    page.do("read_page")
    body(page, "<h1>Sold out</h1><p>Come again</p>")
    result = page.do("read_page", compression="delta")
    assert (result["delta"]["full"], result["delta"]["reason"]) == (True, "too_much_changed")
    assert result["content"].splitlines()[1].startswith('- heading "Sold out"')


def test_a_long_delta_comes_in_pages(page: Daemon) -> None:
    """The second page is of the same difference, not of a new one."""
    rows = "".join(f"<p>Line {n}</p>" for n in range(300))
    body(page, rows)
    page.do("read_page")
    body(page, rows + "".join(f"<p>Fresh {n}</p>" for n in range(100)))
    first = page.do("read_page", compression="delta", limit=500)
    step = first["next_step"]["arguments"]
    rest = page.do("read_page", **{**step, "limit": 5000})
    lines = (first["content"] + rest["content"]).splitlines()
    assert lines == [f"+ text: Fresh {n}" for n in range(100)]


def test_pagination_is_reported_with_the_next_call(page: Daemon, site: Site) -> None:
    """The hint has type, position and next step; the step leads to the next page."""
    told = page.do("read_page")["pagination"]
    assert (told["type"], told["current"], told["last"]) == ("numbered", 2, 9)
    assert told["next_url"] == site.url(f"{PAGE}?page=3")
    assert told["next_step"]["verb"] == "interact"
    page.do("interact", **told["next_step"]["arguments"])
    assert page.do("read_page")["url"].endswith("?page=3")
    assert "pagination" not in page.do("read_page", include_pagination=False)


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("<p>Text</p><a href='?p=2' rel=next>Go on</a>", "next_button"),
        ("<p>Text</p><button>Load more</button>", "load_more"),
        ("<p>Text</p><button>더 보기</button>", "load_more"),
        ("<p>Text</p><a href='?cursor=abc'>Next</a>", "cursor"),
        ("<canvas></canvas><p>Page 3 of 12</p><button>Next page</button>", "viewer"),
        ("<div role=feed style='height:5000px'><article>A</article></div>", "infinite_scroll"),
    ],
)
def test_other_kinds_of_pagination(page: Daemon, html: str, kind: str) -> None:
    body(page, html)
    told = page.do("read_page")["pagination"]
    assert told["type"] == kind
    assert set(told["next_step"]) == {"verb", "arguments"}


def test_a_single_page_has_no_pagination_hint(page: Daemon) -> None:
    """Texts about the next thing, and disabled buttons, do not count as pagination."""
    body(page, "<h1>Next steps</h1><p>More about it</p><button disabled>Next</button>")
    assert "pagination" not in page.do("read_page")


def test_ax_is_the_outline(page: Daemon) -> None:
    assert page.do("read_page", mode="ax")["content"] == page.do("read_page")["content"]


def test_invisible_items_have_no_line(page: Daemon) -> None:
    """A picture counts as something, and numbered items keep their numbers."""
    body(
        page,
        "<ul><li>One</li><li><span style='visibility: hidden'>Two</span></li>"
        "<li><a href='/x'><i hidden>Three</i></a></li>"
        "<li><img src='/p.png' alt='Four' width=9 height=9></li></ul>"
        "<ol><li>First</li><li><span style='visibility: hidden'>Second</span></li>"
        "<li>Third</li></ol>",
    )
    lines = page.do("read_page", mode="markdown")["content"].splitlines()
    items = [line.split("(")[0] for line in lines if line.startswith("-")]
    assert items == ["- One", "- ![Four]"]
    assert "3. Third" in lines


def test_name_of_a_drawing_is_separate_from_adjacent_text(page: Daemon) -> None:
    body(page, "<p>Go<svg width=9 height=9><title>Home</title></svg>now</p>")
    assert page.do("read_page", mode="markdown")["content"].strip() == "Go Home now"
