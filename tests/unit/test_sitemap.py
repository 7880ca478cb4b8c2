"""Sitemap formats, and documents that are refused."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocd.crawl.sitemap import looks_like_sitemap, parse

NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def _urlset(*urls: str) -> bytes:
    entries = "".join(f"<url><loc> {url}\n</loc><lastmod>2026</lastmod></url>" for url in urls)
    return f'<?xml version="1.0"?>\n<urlset {NS}>{entries}</urlset>'.encode()


def test_url_sets_and_indexes_are_parsed() -> None:
    assert list(parse(_urlset("http://x/a", "http://x/b?c=1&amp;d=2"))) == [
        ("page", "http://x/a"),
        ("page", "http://x/b?c=1&d=2"),
    ]
    entry = "<s:sitemap><s:loc>http://x/m</s:loc></s:sitemap>"
    index = f"<s:sitemapindex xmlns:s='x'>{entry}</s:sitemapindex>"
    assert list(parse(index.encode())) == [("sitemap", "http://x/m")]


def test_feeds_stand_for_sitemaps() -> None:
    """RSS 2.0 and 1.0, and Atom: the link of each item or entry, not that of the feed."""
    item = "<item><link> http://x/a?b=1&amp;c=2 </link></item>"
    rss = f"<rss version='2.0'><channel><link>http://x/</link>{item}</channel></rss>"
    atom = (
        "<feed xmlns='http://www.w3.org/2005/Atom'><link href='http://x/'/><entry>"
        "<link rel='edit' href='http://x/e'/><link href=' /a '/>"
        "<link rel='alternate' href='http://x/b'/></entry></feed>"
    )
    rdf = f"<rdf:RDF xmlns:rdf='r'><channel><link>http://x/</link></channel>{item}</rdf:RDF>"
    for feed in (rss, rdf):
        assert list(parse(feed.encode())) == [("page", "http://x/a?b=1&c=2")]
    assert list(parse(atom.encode())) == [("page", "/a"), ("page", "http://x/b")]


def test_bare_ampersands_are_no_error() -> None:
    """Wherever a chunk ends; in CDATA sections they are as they should be."""
    urls = [f"http://x/{'p' * (number % 7)}?a={number}&b=2&amp;c&copy=3" for number in range(5_000)]
    expected = [("page", url.replace("&amp;", "&")) for url in urls]
    assert list(parse(_urlset(*urls))) == expected
    marked = _urlset(*(f"<![CDATA[{url.replace('&amp;', '&')}]]>" for url in urls))
    assert list(parse(marked)) == expected


def test_images_in_a_sitemap_are_not_pages() -> None:
    body = (
        b"<urlset xmlns:image='i'><url><loc>http://x/a</loc><image:image>"
        b"<image:loc>http://x/a.png</image:loc></image:image></url></urlset>"
    )
    assert list(parse(body)) == [("page", "http://x/a")]


@given(st.lists(st.integers(0, 10**9).map(lambda n: f"http://x/{n}"), max_size=50))
def test_gzip_and_plain_text_sitemaps(urls: list[str]) -> None:
    expected = [("page", url) for url in urls]
    assert list(parse(gzip.compress(_urlset(*urls)))) == expected
    assert list(parse("\r\n".join(urls).encode())) == expected


def test_large_text_is_read_in_pieces() -> None:
    urls = [f"http://x/{n}" for n in range(20_000)]
    assert [url for _, url in parse("\n".join(urls).encode())] == urls


def test_documents_with_entities_are_refused() -> None:
    bomb = (
        b'<!DOCTYPE l [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
        b"<urlset><url><loc>&b;</loc></url></urlset>"
    )
    with pytest.raises(ValueError, match="entities"):
        list(parse(bomb))


def test_broken_xml_keeps_what_was_read() -> None:
    found = []
    with pytest.raises(ValueError, match="broken XML"):  # noqa: PT012 - the loop is what is tested
        for one in parse(_urlset("http://x/a")[:-5]):
            found.append(one)
    assert found == [("page", "http://x/a")]


def test_joined_gzip_files_are_read_to_their_end() -> None:
    """As `cat one.gz two.gz` makes them; what follows the last one is not read."""
    joined = gzip.compress(b"http://h/1\n") + gzip.compress(b"http://h/2\n") + b"\0\0"
    assert list(parse(joined)) == [("page", "http://h/1"), ("page", "http://h/2")]


def test_a_gzip_file_that_breaks_off_is_a_problem() -> None:
    """What was there is kept."""
    lines = b"".join(b"http://h/%d\n" % (number * 7919) for number in range(20_000))
    found = []
    with pytest.raises(ValueError, match="breaks off"):  # noqa: PT012 - the loop is what is tested
        for entry in parse(gzip.compress(lines)[:30_000]):
            found.append(entry)
    assert ("page", "http://h/7919") in found
    assert len(found) < 20_000


def test_a_gzip_bomb_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ocd.crawl.sitemap.MAX_SITEMAP_BYTES", 1_000_000)
    bomb = gzip.compress(b"<urlset>" + b" " * 5_000_000)
    with pytest.raises(ValueError, match="more than"):
        list(parse(bomb))


@pytest.mark.parametrize(
    ("body", "is_one"),
    [
        (_urlset(), True),
        (b"\xef\xbb\xbf" + _urlset(), True),
        (b"http://x/a\nhttp://x/b", True),
        (b"<?xml version='1.0'?><rss version='2.0'>", True),
        (b"<feed xmlns='http://www.w3.org/2005/Atom'>", True),
        (b"<feedback>", False),
        (gzip.compress(_urlset(), mtime=0), True),
        (b"<!doctype html><p>Not found", False),
        (b"\x1f\x8bnonsense", False),
        (b"", False),
    ],
)
def test_sitemaps_are_recognised(body: bytes, is_one: bool) -> None:
    assert looks_like_sitemap(body) is is_one
