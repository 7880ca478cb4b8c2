"""only_main_content on pages whose authors did not say where it is."""

import pytest

from support.daemon import Daemon
from support.site import Site

BESIDE = (
    "World news", "Tell a friend", "Post it", "A lighthouse for sale", "smaller than the article",
    "Storm closes", "Herring", "Imprint", "rights reserved",
)  # fmt: skip
STORY = (
    "# The ferry that never sailed", "By Ada Lund", "by the autumn everybody", "ordered them in",
    "## Related quarrels", "kept his potatoes in the hold", "is in the church today",
)  # fmt: skip


def test_the_story_is_found_by_its_prose(daemon: Daemon, site: Site) -> None:
    """Menus, sidebars, related stories and comments are left out; every sentence is kept."""
    daemon.do("navigate", url=site.url("reading/story.html"))
    for mode in ("markdown", "text"):
        result = daemon.do("read_page", mode=mode, only_main_content=True)
        for words in STORY:
            assert words.lstrip("# ") in result["content"], (mode, words)
        for words in BESIDE:
            assert words not in result["content"], (mode, words)
        assert result["left_out_chars"] > 300
    assert "smaller than the article" in daemon.do("read_page", mode="markdown")["content"]


@pytest.mark.parametrize("engine", ["static", "browser"])
def test_a_crawl_finds_the_same_story(daemon: Daemon, site: Site, engine: str) -> None:
    result = daemon.do(
        "crawl", url=site.url("reading/story.html"), max_pages=1, engine=engine,
        only_main_content=True,
    )  # fmt: skip
    (page,) = result["pages"]
    for words in STORY:
        assert words in page["content"], words
    for words in BESIDE:
        assert words not in page["content"], words


def test_comments_are_the_main_content_of_a_discussion(daemon: Daemon, site: Site) -> None:
    daemon.do("navigate", url=site.url("reading/thread.html"))
    text = daemon.do("read_page", mode="markdown", only_main_content=True)["content"]
    for words in ("Which glue?", "salt water", "Resorcinol", "Epoxy"):
        assert words in text, words
    for words in ("Forum", "Rules of"):
        assert words not in text, words


def test_teasers_after_an_article_are_left_out(daemon: Daemon, site: Site) -> None:
    """Teasers and boxes of links go, whatever they are called; the article's own links stay."""
    daemon.do("navigate", url=site.url("reading/stream.html"))
    for mode, include_links in (("markdown", True), ("markdown", False), ("text", True)):
        text = daemon.do(
            "read_page", mode=mode, only_main_content=True, include_links=include_links
        )["content"]
        assert ("](" in text) == (mode == "markdown" and include_links)
        for words in ("dug by hand", "sold in Leith", "Sources", "map of 1903"):
            assert words in text, (mode, words)
        for words in (
            "Keys",
            "Steam ships",
            "Ropes",
            "Bridge closed",
            "take the ferry",
            "Lighthouse",
        ):
            assert words not in text, (mode, words)


def test_a_page_of_teasers_is_read_as_a_whole(daemon: Daemon, site: Site) -> None:
    daemon.do("navigate", url=site.url("reading/front.html"))
    text = daemon.do("read_page", mode="markdown", only_main_content=True)["content"]
    for words in ("coast today", "Bridge closed", "Bells that were sold", "Boys who ran"):
        assert words in text, words


def test_an_aside_is_left_out_whatever_its_length(daemon: Daemon, site: Site) -> None:
    daemon.do("navigate", url=site.url("reading/live.html"))
    text = daemon.do("read_page", mode="markdown", only_main_content=True)["content"]
    assert "read from it in the church" in text
    assert "council" not in text


def test_a_notice_above_a_short_article_is_left_out(daemon: Daemon, site: Site) -> None:
    daemon.do("navigate", url=site.url("reading/notice.html"))
    text = daemon.do("read_page", mode="text", only_main_content=True)["content"]
    assert "bell of the ferry" in text
    assert "brass plate" in text
    for words in ("browser is five years old", "Markets", "Return to the start"):
        assert words not in text, words


_VEIL = """
const style = document.createElement('style');
style.textContent = '%s h1 + * { display: none } h2 { font-size: 0 }';
document.head.append(style); 1
"""


@pytest.mark.parametrize("veil", [
    "body { visibility: hidden }", "body { display: none }", "body { opacity: 0 }",
    "html { display: none }", "html { opacity: 0 }",
])  # fmt: skip
def test_main_content_of_a_page_that_hides_its_body_until_ready(
    daemon: Daemon, site: Site, veil: str
) -> None:
    """Its main content is read as it will show, as in crawls; other readings skip it."""
    daemon.do("navigate", url=site.url("reading/story.html"))
    daemon.do("javascript_tool", code=_VEIL % veil)
    text = daemon.do("read_page", mode="text", only_main_content=True)["content"]
    for words in ("The ferry that never sailed", "ordered them in", "kept his potatoes"):
        assert words in text, words
    for words in ("By Ada Lund", "Related quarrels", "World news"):
        assert words not in text, words
    for mode in ("text", "outline"):
        assert "ordered them in" not in daemon.do("read_page", mode=mode)["content"], mode
