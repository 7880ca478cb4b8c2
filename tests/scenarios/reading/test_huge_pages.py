"""Huge pages: every reading ends within its deadline, with a result or an error."""

from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site

DEADLINE_MS = 1_500
NODES = "document.body.innerHTML = '<p>x</p>'.repeat(500000); 1"  # 1,000,000 nodes
DEEP = """let at = document.body;
for (let depth = 0; depth < 500; depth++) at = at.appendChild(document.createElement('div'));
at.textContent = 'the deepest'; 1"""
TEXT = "document.body.replaceChildren('word '.repeat(1000000) + 'the last'); 1"  # 5 MB in one node
FIELDS = """document.body.innerHTML = '<form>' + Array.from({length: 10_000},
  (_, n) => `<p>Field ${n}</p><input name=n${n}>`).join('') + '</form>'; 1"""
# Very many of a kind that once cost as much as all of them, each: HTML, its outline's least length.
MANY = {
    "told to people alone": ("'<p><span aria-hidden=true>word</span></p>'.repeat(15_000)", 300_000),
    "told by their fields": (
        """Array.from({length: 8_000}, (_, n) => `<div><p aria-hidden=true>Field ${n}</p>
        <input aria-label="Field ${n}"></div>`).join('')""",
        160_000,
    ),
    "head cells of one row": ("'<table><tr>' + '<th>h'.repeat(30_000)", 90_000),
    "items with fields": ("`<ul>${'<li><input> word'.repeat(8_000)}</ul>`", 200_000),
    "fields side by side": ("'<input><i></i>'.repeat(15_000)", 200_000),
    "fields in a grid": (
        """`<div role=grid><div role=row><div role=columnheader>A</div></div>${
        '<div role=row><div role=gridcell><input></div></div>'.repeat(8_000)}</div>`""",
        200_000,
    ),
    "dialogs over each other": ("'<dialog open><button>b</button></dialog>'.repeat(3_000)", 60_000),
    "image maps": (
        """Array.from({length: 3_000}, (_, n) => `<img usemap=#m${n} alt=x><map name=m${n}>
        <area href=/x${n} alt=y shape=rect coords=0,0,9,9></map>`).join('')""",
        100_000,
    ),
    "buttons that own each other": (
        """Array.from({length: 1_500}, (_, n) =>
        `<div role=button id=s${n} aria-owns=s${n + 1}>w${n}</div>`).join('')""",
        100_000,
    ),
}
READINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    *(
        ("read_page", {"mode": mode})
        for mode in ("outline", "semantic", "dom", "css", "markdown", "text")
    ),
    ("find", {"query": "x"}),
    ("query_dom", {"selector": "*", "multiple": True}),
    ("inspect", {"query": "what is here"}),
    ("oc_observe", {"scope": "document"}),
    ("page_content", {}),
    ("extract_data", {"schema": {"type": "object", "properties": {"price": {}, "name": {}}}}),
    ("page_screenshot", {}),
)
# What may be said instead of a result, and is clear.
CODES = ("timeout", "not_found", "element_not_found", "page_too_large")


@pytest.fixture(params=[NODES, DEEP, TEXT], ids=["nodes", "deep", "text"])
def page(request: pytest.FixtureRequest, daemon: Daemon, site: Site) -> Daemon:
    daemon.do("navigate", url=site.url("article.html"))
    daemon.do("javascript_tool", code=request.param, timeout_ms=120_000)
    return daemon


@pytest.mark.timeout(600)
def test_every_reading_of_a_huge_page_ends(page: Daemon, site: Site) -> None:
    """1,000,000 nodes, 500 levels, 5 MB in one node; afterwards another page is read as ever."""
    for verb, params in READINGS:
        reply = page.call(verb, **params, timeout_ms=DEADLINE_MS)
        assert reply.status == 200 or reply.code in CODES, (verb, params, reply.raw[:500])
    page.do("navigate", url=site.url("article.html"), timeout_ms=120_000)
    assert page.do("read_page", mode="text", timeout_ms=120_000)["content"]


def test_deep_and_long_text_is_read_completely(daemon: Daemon, site: Site) -> None:
    """The text below 500 elements, and the last words of 5 MB."""
    daemon.do("navigate", url=site.url("article.html"))
    for code, words in ((DEEP, "the deepest"), (TEXT, "the last")):
        daemon.do("javascript_tool", code="document.body.replaceChildren(); " + code)
        found = daemon.do("page_content", output_mode="inline", limit=6_000_000)
        assert words in found["content"]


def test_only_the_first_of_very_many_attributes_are_listed(daemon: Daemon, site: Site) -> None:
    """Chromium takes linear time to look up each attribute of an element."""
    daemon.do("navigate", url=site.url("article.html"))
    code = "for (let n = 0; n < 1500; n++) document.querySelector('h1').setAttribute(`a${n}`, n); 1"
    daemon.do("javascript_tool", code=code)
    told = daemon.do("read_page", mode="dom", selector="h1")["content"]
    assert 'a999="999"' in told
    assert "a1000" not in told
    assert "(1500 attributes)" in told
    found = daemon.do("query_dom", selector="h1")
    assert "a999" in str(found)


def test_a_form_of_very_many_fields_is_read(daemon: Daemon, site: Site) -> None:
    """form.elements and labels are asked for once: each question takes linear time."""
    daemon.do("navigate", url=site.url("article.html"))
    daemon.do("javascript_tool", code=FIELDS)
    assert daemon.do("read_page", timeout_ms=60_000)["total"] > 10_000 * 20


@pytest.mark.parametrize("kind", MANY)
def test_very_many_similar_elements_are_read(daemon: Daemon, site: Site, kind: str) -> None:
    """What they share is computed once, not for each of them."""
    code, least = MANY[kind]
    daemon.do("navigate", url=site.url("article.html"))
    daemon.do("javascript_tool", code=f"document.body.innerHTML = {code}; 1", timeout_ms=60_000)
    assert daemon.do("read_page", timeout_ms=60_000)["total"] > least


def test_very_many_image_maps_are_observed(daemon: Daemon, site: Site) -> None:
    """Which picture an area lies on is worked out once for all of them."""
    daemon.do("navigate", url=site.url("article.html"))
    code = f"document.body.innerHTML = {MANY['image maps'][0]}; 1"
    daemon.do("javascript_tool", code=code, timeout_ms=60_000)
    seen = daemon.do("oc_observe", scope="document", timeout_ms=60_000)
    assert seen["total"] == 3_000


def test_elements_that_own_each_other_in_a_circle_are_read(daemon: Daemon, site: Site) -> None:
    """aria-owns in a circle ends at the last element."""
    daemon.do("navigate", url=site.url("article.html"))
    code = """document.body.innerHTML = Array.from({length: 3}, (_, n) =>
      `<div role=group aria-label=g${n} id=s${n} aria-owns=s${(n + 1) % 3}>w${n}</div>`
    ).join(''); 1"""
    daemon.do("javascript_tool", code=code)
    content = daemon.do("read_page")["content"]
    groups = '- group "g0"\n  - text: w0\n  - group "g1"\n    - text: w1\n    - group "g2": w2\n'
    assert content.endswith(groups)


def test_very_many_closed_shadow_trees_are_searched(daemon: Daemon, site: Site) -> None:
    """They are revealed in rounds, each twice as large as the one before."""
    daemon.do("navigate", url=site.url("article.html"))
    code = """for (let n = 0; n < 1500; n++) {
      const host = document.body.appendChild(document.createElement('div'));
      host.attachShadow({mode: 'closed'}).innerHTML = `<button>Tree ${n}</button>`;
    } 1"""
    daemon.do("javascript_tool", code=code)
    found = daemon.do("find", query="Tree 1499", wait_for_ms=0, timeout_ms=60_000)
    assert found["content"].startswith('- button "Tree 1499" [ref=')
