"""Virtual lists, which render only visible rows: scrolling to a row by words."""

import re
from collections.abc import Callable

from support.pages import Page

At = Callable[[str], Page]


def test_list_is_scrolled_until_words_show(at: At) -> None:
    """The row's line has a ref that works; words outside the list do not count."""
    page = at("virtual.html")
    result = page.do("lightweight_scroll", query="People grid", until="Row 200", timeout_ms=120_000)
    assert '"Row 200" [ref=' in result["content"]
    assert page.js("list.scrollTop") != "0"
    page.do("interact", query="delete row 200")
    assert page.text("#said") == "deleted Row 200"
    up = {"direction": "up", "until": "Row 3", "timeout_ms": 120_000}
    page.do("lightweight_scroll", selector="#list", **up)
    page.do("interact", query="delete row 3")
    assert page.text("#said") == "deleted Row 3"


def test_list_in_the_middle_of_the_window_is_meant(at: At) -> None:
    """Without an element, the list in the middle scrolls, or else the page."""
    page = at("virtual.html")
    page.js("list.style.cssText = 'position:fixed;inset:0;height:auto;width:auto'; 1")
    result = page.do("lightweight_scroll", until="Row 60")
    assert '"Row 60" [ref=' in result["content"]


def test_the_one_list_of_a_page_that_does_not_scroll_is_meant(at: At) -> None:
    """Wherever it is, because the page itself cannot scroll."""
    page = at("virtual.html")
    result = page.do("lightweight_scroll", until="Row 70")
    assert '"Row 70" [ref=' in result["content"]
    before = int(page.js("list.scrollTop"))
    page.do("lightweight_scroll", direction="down", amount=300)
    assert int(page.js("list.scrollTop")) == before + 300


def test_a_number_matches_only_as_a_whole(at: At) -> None:
    """Rows that can be clicked as a whole are told by all their words."""
    page = at("virtual.html")
    page.js("for (const row of rows) row.tabIndex = 0; list.scrollTop = 1740; 1")
    page.do("wait_for", type="function", value="list.textContent.includes('Row 59')")
    result = page.do("lightweight_scroll", selector="#list", direction="up", until="Row 5")
    assert '"Row 5" [ref=' in result["content"]


def test_words_that_never_appear_are_not_found(at: At) -> None:
    """At the end of the list: `element_not_found`, with the scroll position."""
    page = at("virtual.html")
    page.js("list.scrollTop = 59000; 1")
    reply = page.call("lightweight_scroll", selector="#list", until="Row 5000")
    assert reply.code == "element_not_found"
    assert reply.error["at_end"] is True


def test_refs_survive_scrolling(at: At) -> None:
    """The list's ref, and that of a row still in view; not that of a row rendered again."""
    page = at("virtual.html")
    # One of several of its kind, that say something else.
    page.js("const copy = list.cloneNode(true); copy.id = 'copy'; list.after(copy); 1")
    box = page.do("query_dom", selector="#list")["element"]["ref"]
    rows = page.do("query_dom", selector="#list [role=row]", limit=12)["elements"]
    refs = {row["text_content"].split(" Delete")[0].strip(): row["ref"] for row in rows}
    for top in (120, 240):
        page.js(f"list.scrollTop = {top}; 1")
        page.do("wait_for", type="function", value="rows[0].textContent.includes('Row 13')")
        page.do("lightweight_scroll", ref=box, amount=1)
    page.do("interact", ref=refs["Row 10"], action="hover")
    assert page.call("interact", ref=refs["Row 1"], action="hover").code == "stale_ref"


def test_a_ref_stays_with_its_row(at: At) -> None:
    """An element that shows another row gets another ref; a row that returns has its old one."""
    page = at("virtual.html")

    def buttons(first: int) -> dict[str, str]:
        page.js(f"list.scrollTop = {(first - 1) * 30}; 1")
        shown = f"rows.some((row) => row.ariaRowIndex === '{first}')"
        page.do(
            "wait_for",
            type="function",
            value=f"{shown} && {shown.replace(str(first), str(first + 11))}",
        )
        lines = page.do("read_page")["content"]
        return dict(re.findall(r"(Row \d+) .*button \"Delete\" \[ref=(e\d+)\]", lines))

    start = buttons(1)
    later = buttons(9)
    assert {row: later[row] for row in ("Row 9", "Row 12")} == {
        row: start[row] for row in ("Row 9", "Row 12")
    }
    assert not set(start.values()) & {later["Row 13"], later["Row 20"]}
    assert page.call("interact", ref=start["Row 1"]).code == "stale_ref"
    page.do("interact", ref=later["Row 13"])
    assert page.text("#said") == "deleted Row 13"
    assert buttons(1)["Row 2"] == start["Row 2"]
    page.do("interact", ref=start["Row 2"])
    assert page.text("#said") == "deleted Row 2"


def test_list_whose_rows_are_all_replaced_is_scrolled_to_its_end(at: At) -> None:
    """It is the same list all the way, whatever is under the mouse by then."""
    page = at("things.html")
    page.js("""
        document.body.innerHTML = '<div id=list><div id=rows></div></div>';
        list.style.cssText = 'margin-top:250px;height:250px;overflow:auto';
        const draw = () => {
          const first = Math.floor(list.scrollTop / 40);
          rows.style.cssText = `padding-top:${list.scrollTop}px;height:${12000 - list.scrollTop}px`;
          rows.replaceChildren(...[...Array(8).keys()].map((n) => {
            const row = document.createElement('div');
            row.style.cssText = 'height:40px;overflow:hidden';
            row.textContent = `Entry ${first + n}`;
            return row;
          }));
        };
        list.onscroll = draw;
        draw();
        1
    """)
    result = page.do("lightweight_scroll", until="Entry 250", timeout_ms=120_000)
    assert "Entry 250" in result["content"]
    assert page.js("list.scrollTop > 9000") == "true"
