"""inspect: the page's state in about 2 KB, focused by a query."""

import re

import pytest

from support.daemon import Daemon
from support.site import Site


def write(daemon: Daemon, site: Site, html: str) -> None:
    daemon.do("navigate", url=site.url("index.html"))
    daemon.do("javascript_tool", code=f"document.body.innerHTML = {html!r}; 1")


def said(daemon: Daemon, **params: object) -> str:
    text: str = daemon.do("inspect", **params)["content"]
    return text


def sections(text: str) -> list[str]:
    return re.findall(r"^\[(\w+)\]", text, re.MULTILINE)


def test_fields_have_states_and_never_passwords(daemon: Daemon, site: Site) -> None:
    """Fields come by form, with value and state; a password only says that it is filled."""
    write(
        daemon,
        site,
        "<form aria-label='Sign in'><input aria-label=Mail required value=a@b.c>"
        "<input type=password aria-label=Word value=geheim><button disabled>Go</button></form>",
    )
    text = said(daemon, query="login form")
    assert re.search(r'form Sign in:\n- textbox "Mail" \[ref=e\d+\] required value="a@b.c"', text)
    assert re.search(r'textbox "Word" \[ref=e\d+\] filled', text)
    assert re.search(r'button "Go" \[ref=e\d+\] disabled', text)
    assert "geheim" not in text
    assert "partial match" not in said(daemon)


def test_dialogs_and_errors_come_first(daemon: Daemon, site: Site) -> None:
    """An open dialog with its buttons, then errors, whatever the query is."""
    write(
        daemon,
        site,
        "<h1>Shop</h1><div class='form-error'>Card was refused</div>"
        "<input aria-label=Zip aria-invalid=true aria-describedby=why><i id=why>Five digits</i>"
        "<input aria-label=Age aria-invalid=true aria-errormessage=wrong title=Years>"
        "<p id=wrong hidden>Too young</p>"
        "<div role=dialog aria-label=Cookies>We use them <button>Accept</button></div>",
    )
    text = said(daemon, query="headings")
    assert sections(text)[:3] == ["Page", "Dialogs", "Errors"]
    assert re.search(r'dialog "Cookies" .*"Accept" \[ref=e\d+\]', text)
    assert "Card was refused" in text
    assert re.search(r'textbox "Zip" .*invalid.*Five digits', text)
    assert re.search(r'textbox "Age" .*invalid.*Too young', text)


def test_query_enlarges_its_section(daemon: Daemon, site: Site) -> None:
    """The requested section has more lines; an empty one says so."""
    links = "".join(f"<a href=/{n}>Link {n}</a> " for n in range(20))
    write(daemon, site, f"<h1>Top</h1>{links}")
    assert "[Links] 3 of 20" in said(daemon)
    assert "[Links] 12 of 20" in said(daemon, query="which links are there")
    assert "[Tables] none" in said(daemon, query="tables")


def test_other_words_find_elements(daemon: Daemon, site: Site) -> None:
    """Words that name no section are searched for, and the refs work."""
    daemon.do("navigate", url=site.url("acting/rows.html"))
    found = re.search(
        r"\[Matches\]\n- button \"Delete\" \[ref=(e\d+)\]", said(daemon, query="delete bob")
    )
    assert found
    daemon.do("interact", ref=found[1])
    output = daemon.do("javascript_tool", code="document.querySelector('output').textContent")
    assert "deleted Bob" in str(output)


def test_large_table_is_one_line(daemon: Daemon, site: Site) -> None:
    """3,000 rows are one line: their number, the headers, and how to page."""
    rows = "".join(f"<tr><td>{n}<td>x<td>y<td><a href=/{n}>open</a>" for n in range(3000))
    write(
        daemon,
        site,
        f"<table><caption>Orders</caption><tr><th>No<th>A<th>B<th>C</tr>{rows}</table>"
        "<nav><a href='?p=1'>« Previous</a> <a href='?p=2' aria-current=page>2</a>"
        " <a href='?p=3'>Next »</a></nav>",
    )
    result = daemon.do("inspect", query="table")
    assert re.search(
        r'table "Orders" \[ref=e\d+\] 3001 rows . 4 columns: No \| A', result["content"]
    )
    assert re.search(r'\[Pagination\]\n- link "« Previous"', result["content"])
    assert result["counts"]["links"] == 3000
    assert len(result["content"].encode()) <= 2048


@pytest.mark.parametrize("scope", ["interactive", "all", "visible"])
def test_report_stays_within_two_kilobytes(daemon: Daemon, site: Site, scope: str) -> None:
    """2,000 long controls in any script do not make it longer; what is left out is counted."""
    buttons = "".join(
        f"<button>{'שלום 世界 👩‍👩‍👧 ' * 8}{n}</button><h2>{n} {'長い' * 60}</h2>"
        for n in range(1000)
    )
    write(daemon, site, f"<p>{'text ' * 200_000}</p>{buttons}")
    result = daemon.do("inspect", query="buttons and headings", scope=scope)
    assert len(result["content"].encode()) <= 2048
    assert result["counts"]["buttons"] == 1000
    assert "👩‍👩‍👧" in result["content"]


def test_visible_scope_puts_visible_elements_first(daemon: Daemon, site: Site) -> None:
    """After scrolling, buttons in view come before those above; `all` keeps the page order."""
    write(
        daemon,
        site,
        "<button>Above</button><div style='height:4000px'></div><button>Below</button>",
    )
    daemon.do("javascript_tool", code="scrollTo(0, 9999); 1")
    text = said(daemon)
    assert text.index('"Below"') < text.index('"Above"')
    assert re.search(r"scrolled \d+ of \d+ px \(100 %\)", text)
    text = said(daemon, scope="all")
    assert text.index('"Above"') < text.index('"Below"')


def test_frames_of_both_origins_and_closed_shadow_trees(daemon: Daemon, site: Site) -> None:
    """What stands in frames and shadow trees is reported with the rest."""
    daemon.do("navigate", url=site.url("acting/frames.html"))
    text = said(daemon, query="buttons")
    assert "Press near" in text
    assert "Press far" in text
    daemon.do("navigate", url=site.url("closed-shadow.html"))
    assert '"Closed button"' in said(daemon)


def test_page_that_never_becomes_idle_is_reported(daemon: Daemon, site: Site) -> None:
    """A page that changes with every frame is read all the same."""
    write(daemon, site, "<button>Stay</button><ul id=u></ul>")
    daemon.do(
        "javascript_tool",
        code="(function f() { u.innerHTML = '<li>' + Math.random();"
        " requestAnimationFrame(f) })(); 1",
    )
    assert '"Stay"' in said(daemon)


def test_unknown_scope_is_an_error(daemon: Daemon, site: Site) -> None:
    """An unknown scope is invalid_argument."""
    daemon.do("navigate", url=site.url("index.html"))
    assert daemon.call("inspect", scope="everything").code == "invalid_argument"


@pytest.mark.parametrize("verb", ["inspect", "read_page"])
def test_page_that_shows_nothing_yet_is_waited_for(daemon: Daemon, site: Site, verb: str) -> None:
    """It is loaded, and its scripts still ask for all of it."""
    daemon.do("navigate", url=site.url("acting/fetches-all.html"))
    assert "Add a pool" in daemon.do(verb)["content"]
