"""From bytes to the fields of a record; which pages need their scripts; charsets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocd.crawl.fetch.charset import codec_of, decode
from ocd.crawl.fetch.js_detection import needs_browser_reason
from ocd.crawl.page_extractor import ExtractionJob, ExtractionResult, extract
from ocd.crawl.relevance import RelevanceScorer
from ocd.crawl.spec import Format

PAGE = """<!doctype html><title> A
 title </title><nav><a href="/n">Nav</a></nav><main><h1>Head</h1><p>Body text that is long enough
to be the main part of it, and then some more words, so that nobody doubts it: two hundred
characters are asked for, which is more than one would think when one has to write them.</p>
<a href="b#x">B</a><a href="b">B again</a><a href="mailto:x@y.z">Mail</a></main>"""


def _extract(html: str, wanted: Format = "markdown", *, main: bool = False) -> ExtractionResult:
    return extract(
        ExtractionJob("http://x.org/d/e", html.encode(), "utf-8", True, wanted, main, True, True)  # noqa: FBT003
    )


def test_a_page_becomes_title_markdown_and_links() -> None:
    found = _extract(PAGE)
    assert found.title == "A title"
    assert "# Head" in found.content
    assert "[B](http://x.org/d/b" in found.content
    assert found.links == [("http://x.org/n", "Nav"), ("http://x.org/d/b", "B")]
    assert found.needs_browser_reason == ""


def test_each_format_has_its_content() -> None:
    assert "# Head" not in _extract(PAGE, "text").content
    assert "<h1>Head</h1>" in _extract(PAGE, "html").content
    assert _extract(PAGE, "links").content == "- [Nav](http://x.org/n)\n- [B](http://x.org/d/b)\n"
    assert "Nav" not in _extract(PAGE, main=True).content


def test_links_are_resolved_against_the_base_element() -> None:
    found = _extract('<base href="/other/"><a href="a">A</a>')
    assert found.links == [("http://x.org/other/a", "A")]


def test_text_is_kept_as_it_is() -> None:
    job = ExtractionJob("http://x.org/", b'{"a": "<b>"}', "", False, "markdown", False, True, True)  # noqa: FBT003
    assert extract(job).content == '{"a": "<b>"}'


@given(st.binary(max_size=300))
def test_any_bytes_can_be_extracted(body: bytes) -> None:
    job = ExtractionJob("http://x.org/", body, "", True, "markdown", False, True, True)  # noqa: FBT003
    assert isinstance(extract(job).content, str)


LONG = "<p>" + "Words that say something. " * 40
PROSE = "A word or more. " * 30
BY_ID = "document.getElementById('c')"
DATA = f"<script type=application/json>[{chr(34)}{'A word or more. ' * 50}{chr(34)}]</script>"


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ('<div id="root"></div><script src="a.js"></script>', "empty application root"),
        ('<app-root>Loading…</app-root><script src="a.js"></script>' + LONG, "empty application"),
        (
            "<noscript>Please enable JavaScript to go on.</noscript><p>"
            + "x" * 200
            + "<script>1</script>",
            "noscript",
        ),
        ("<p>Loading<script>load()</script>", "7 characters of text"),
        ("<header>My shop</header><my-app></my-app><script>1</script>" + "x" * 200, "empty custom"),
        ("<my-icon></my-icon><p>" + "x" * 600 + "<script>1</script>", ""),
        (
            "<x-a><template shadowrootmode=open>" + LONG + "</template></x-a><script>1</script>",
            "",
        ),
        ("<p>{{ title }} " + "x" * 200 + "<script>1</script>", "unfilled template"),
        ('<meta http-equiv="Refresh" content="0; url=/x">', "meta refresh"),
        ("<p>Hi", ""),
        ("", ""),
        ('<p>Hi<script type="application/ld+json">{}</script>', ""),
        (LONG + '<script src="analytics.js"></script>', ""),
        ('<div id="app">' + LONG + "</div><script>1</script>", ""),
        ("<noscript>Enable JavaScript for comments</noscript>" + LONG + "<script>1</script>", ""),
        (f"<nav>{LONG}</nav><main></main><script>1</script>", "empty main content"),
        (f"<nav>{LONG}</nav><main><img src=a.png></main><script>1</script>", ""),
        (f"<nav>{LONG * 3}</nav><main><p>Chargement…</p></main><script>1</script>", "placeholder"),
        (
            f"<footer>{LONG}</footer><h1>A</h1><p class=x-skeleton-row></p><script>1</script>",
            "placeholder 'x-skeleton-row'",
        ),
        (f"<nav>{LONG}</nav><p aria-busy=true>Reading</p><script>1</script>", "placeholder"),
        (f"<div hidden>Loading…</div><p>{'x ' * 90}</p><script>1</script>", ""),
        (f"<p>Loading docks are places where goods {'x ' * 90}<script>1</script>", ""),
        (f"<h1>Loading plugins</h1><p>{'x ' * 90}</p><script>1</script>", ""),
        (f"<p>正在加载</p><p>{'x ' * 90}</p><script>1</script>", "placeholder '正在加载'"),
        (f"<p>Lädt Preise ...</p><p>{'x ' * 90}</p><script>1</script>", "placeholder 'Lädt"),
        (f"<main>{LONG}<p>Loading…</p></main><script>1</script>", ""),
        (f"<nav>{LONG}</nav><h1>Short</h1><script>1</script>{DATA}", "its data has more"),
        (f"<p>{'A word or more. ' * 20}<script>1</script>{DATA}", ""),
        (
            f"<nav>{LONG}</nav><p id=c>{PROSE}</p><script>{BY_ID}.textContent = new Date</script>",
            "a script replaces #c",
        ),
        (
            f"<main id=c>{PROSE}</main><script>let x = {BY_ID}; x.innerHTML = draw(x)</script>",
            "a script replaces #c",
        ),
        (
            f"<div id=c>{PROSE}</div><script>$('#c').load(); $('#c').html(made)</script>",
            "a script replaces #c",
        ),
        (f"<p id=c>{PROSE}</p><script>if ({BY_ID}.innerHTML == 1) {BY_ID}.text()</script>", ""),
        (f"<p id=c>{PROSE}</p><script>let x = {BY_ID}; y.innerHTML = 1</script>", ""),
        (f"<p>{PROSE}</p><b id=c>12:00</b><script>{BY_ID}.textContent = now()</script>", ""),
        (
            f"<p id=c>{PROSE}<script type=text/template>{BY_ID}.innerHTML = 1</script><script>",
            "",
        ),
        (f"<main><p id=c>{LONG * 3}</p></main><script>{BY_ID}.innerHTML = made</script>", ""),
    ],
)
def test_pages_that_need_a_browser_give_the_reason(html: str, reason: str) -> None:
    found = needs_browser_reason(html)
    assert found.startswith(reason)
    assert bool(found) is bool(reason)


@pytest.mark.parametrize(
    ("body", "label", "text"),
    [
        ("é".encode(), "", "é"),
        ("é".encode("latin-1"), "", "é"),
        ("“é”".encode("cp1252"), "iso-8859-1", "“é”"),
        ("é".encode(), "latin1", "Ã©"),
        (b"\xef\xbb\xbf" + "é".encode(), "latin-1", "é"),
        ("é".encode("utf-16"), "", "é"),
        (
            b'<meta charset="shift_jis">' + "日本".encode("cp932"),
            "",
            '<meta charset="shift_jis">日本',
        ),
        (
            b"<?xml version='1.0' encoding='koi8-r'?>" + "да".encode("koi8-r"),
            "",
            "<?xml version='1.0' encoding='koi8-r'?>да",
        ),
        (b"a\xff", "no-such", "aÿ"),
        (b"+AGE-", "utf-7", "+AGE-"),
        (b"6869", "hex", "6869"),
    ],
)
def test_bodies_are_decoded_as_browsers_do(body: bytes, label: str, text: str) -> None:
    assert decode(body, label) == text


@given(st.binary(max_size=100), st.text(max_size=20))
def test_any_body_and_label_decode_to_text(body: bytes, label: str) -> None:
    assert isinstance(decode(body, label), str)
    assert isinstance(codec_of(label), str)


def test_pages_and_links_are_scored_by_the_query() -> None:
    scorer = RelevanceScorer("robots sitemap")
    assert scorer.page("Robots", "about a sitemap") > scorer.page("Cats", "about a sitemap") > 0
    good = scorer.link("http://x/robots", "The robot's sitemap", 0.5, 1)
    assert 1 >= good > scorer.link("http://x/cats", "Cats", 0.5, 1) > 0
    assert RelevanceScorer("").link("http://x/a", "a", 1.0, 1) == 0.0
