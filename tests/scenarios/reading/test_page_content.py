"""page_content: the page's HTML, cleaned and in pages."""

import pytest

from support.daemon import Daemon
from support.site import Site


def test_whole_page_is_html_with_its_title(daemon: Daemon, site: Site) -> None:
    """Doctype, title and body; `selector` is null, lengths are of the complete HTML."""
    daemon.do("navigate", url=site.url("product.html"))
    result = daemon.do("page_content")
    assert result["content"].startswith("<!doctype html>")
    assert "<title>Kettle</title>" in result["content"]
    assert '<h1 class="name">Copper kettle</h1>' in result["content"]
    assert "ld+json" not in result["content"]
    assert (result["action"], result["selector"]) == ("page_content", None)
    assert result["content_length"] == result["total"] == len(result["content"])


def test_element_with_and_without_its_own_tag(daemon: Daemon, site: Site) -> None:
    """outer_html=false omits the tag of the element; it may be named by ref."""
    daemon.do("navigate", url=site.url("product.html"))
    outer = daemon.do("page_content", selector=".review")["content"]
    inner = daemon.do("page_content", selector=".review", outerHtml=False)["content"]
    assert outer == f'<li class="review">{inner}</li>'
    ref = daemon.do("query_dom", selector=".review")["element"]["ref"]
    assert daemon.do("page_content", ref=ref)["content"] == outer


def test_hidden_text_is_left_out_and_counted(daemon: Daemon, site: Site) -> None:
    """Hidden text, comments, scripts and typed passwords are not there; joiners of emoji are."""
    daemon.do("navigate", url=site.url("reading/tricks.html"))
    result = daemon.do("page_content")
    assert "Trick " not in result["content"].replace("Trick aria-hidden", "")
    assert result["hidden_chars"] > 0
    daemon.do("navigate", url=site.url("form.html"))
    daemon.do(
        "javascript_tool",
        code="""document.body.innerHTML = '<!-- note --><input type=password value=geheim>'
        + '<input type=hidden value=token123><b onclick="x()">a\u200bb 👩‍👩‍👧</b>'""",
    )
    html = daemon.do("page_content")["content"]
    for gone in ("geheim", "note", "token123", "onclick", "\u200b"):
        assert gone not in html, gone
    assert "<b>ab 👩‍👩‍👧</b>" in html


def test_a_megabyte_is_returned_in_pages(daemon: Daemon, site: Site) -> None:
    """A megabyte of text: 20,000 characters first, the rest by next_step; nothing is lost."""
    daemon.do("navigate", url=site.url("big?kb=1000"))
    first = daemon.do("page_content")
    assert len(first["content"]) == 20_000
    assert first["next_offset"] == 20_000
    step = first["next_step"]
    second = daemon.do(step["verb"], **{**step["arguments"], "limit": 2_000_000})
    assert second["next_offset"] is None
    assert len(first["content"] + second["content"]) == first["content_length"] > 1_000_000


def test_frames_and_shadow_trees_are_included_in_place(daemon: Daemon, site: Site) -> None:
    """Frames of both origins and closed shadow trees are part of the HTML."""
    daemon.do("navigate", url=site.url("reading/frames.html"))
    html = daemon.do("page_content")["content"]
    assert html.count("Inner text") == 2
    assert html.index("Sandboxed") < html.index("After the frames")
    daemon.do("navigate", url=site.url("closed-shadow.html"))
    assert "Closed text" in daemon.do("page_content")["content"]


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"selector": "#none"}, "element_not_found"),
        ({"selector": "a["}, "invalid_argument"),
        ({"ref": "e99999"}, "stale_ref"),
        ({"ref": "nonsense"}, "invalid_argument"),
        ({"offset": -1}, "invalid_argument"),
        ({"tab_id": "t999"}, "tab_not_found"),
    ],
)
def test_each_invalid_call_has_its_code(
    daemon: Daemon, site: Site, params: dict[str, object], code: str
) -> None:
    """Missing elements, bad selectors, unknown refs and unknown tabs have different codes."""
    daemon.do("navigate", url=site.url("product.html"))
    assert daemon.call("page_content", **params).code == code
