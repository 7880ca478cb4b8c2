"""The key by which a URL is known, and how links become absolute."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocd.crawl.urls import join, key_of, origin_of, requestable
from ocd.safety.host_canonical import parse_url

_SEGMENT = st.text("abcXYZ019-._~%2f %C3%A9;=@", max_size=8).map(lambda s: s.replace("%", "%25"))
_URLS = st.builds(
    lambda scheme, host, port, path, query, fragment: (
        f"{scheme}://{host}{port}/{'/'.join(path)}{query}{fragment}"
    ),
    st.sampled_from(["http", "https", "HTTP"]),
    st.sampled_from(["example.com", "Example.COM", "127.0.0.1", "localhost", "[::1]"]),
    st.sampled_from(["", ":80", ":443", ":8080"]),
    st.lists(st.one_of(_SEGMENT, st.sampled_from([".", "..", "%2e", "a"])), max_size=5),
    st.sampled_from(["", "?", "?b=1&a=2", "?a=%7e&a=1", "?x"]),
    st.sampled_from(["", "#", "#top"]),
)


@given(_URLS)
def test_keys_are_idempotent(url: str) -> None:
    assert key_of(key_of(url)) == key_of(url)


@given(_URLS)
def test_key_has_no_fragment_and_keeps_the_origin(url: str) -> None:
    assert "#" not in key_of(url)
    assert origin_of(key_of(url)) == origin_of(url)


@given(_URLS)
def test_the_requested_url_has_the_same_key(url: str) -> None:
    url = url.strip(" ")  # blanks around a URL are not part of it
    assert key_of(requestable(url)) == key_of(url.replace(" ", "%20"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://example.com", "http://example.com/"),
        ("HTTP://Example.com:80/a", "http://example.com/a"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("http://example.com/a/./b/../c", "http://example.com/a/c"),
        ("http://example.com/a/..", "http://example.com/"),
        ("http://example.com/%7euser/%c3%a9", "http://example.com/~user/%C3%A9"),
        ("http://example.com/%2e%2e/a", "http://example.com/a"),
        ("http://example.com/?b=1&a=2", "http://example.com/?a=2&b=1"),
        ("http://example.com/a?", "http://example.com/a"),
        ("http://example.com/a#b", "http://example.com/a"),
        ("http://[::1]:80/", "http://[::1]/"),
        ("http://example.com:80/?b=1&a=2#/x", "http://example.com/?a=2&b=1#/x"),
    ],
)
def test_urls_of_one_page_have_one_key(one: str, other: str) -> None:
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://example.com/A", "http://example.com/a"),
        ("http://example.com/a/", "http://example.com/a"),
        ("http://example.com/a", "https://example.com/a"),
        ("http://example.com:81/", "http://example.com/"),
        ("http://example.com/?a=1&a=2", "http://example.com/?a=2&a=1"),
        ("http://example.com/a%2Fb", "http://example.com/a/b"),
        ("http://example.com/?utm_source=x", "http://example.com/"),
        ("http://www.example.com/", "http://example.com/"),
        ("http://example.com//a", "http://example.com/a"),
        ("http://example.com/#/x", "http://example.com/"),
        ("http://example.com/#!x", "http://example.com/#!y"),
    ],
)
def test_urls_of_different_pages_have_different_keys(one: str, other: str) -> None:
    assert key_of(one) != key_of(other)


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("/a", "http://x.org/a"),
        ("b", "http://x.org/d/b"),
        ("../b?c=1#d", "http://x.org/b?c=1"),
        ("//y.org", "http://y.org/"),
        (" /a\n", "http://x.org/a"),
        ("/é ü", "http://x.org/%C3%A9%20%C3%BC"),
        ("/%C3%A9", "http://x.org/%C3%A9"),
        ("?q=1", "http://x.org/d/e?q=1"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("/a/../b", "http://x.org/b"),
        (
            "/docs/getting-started/installation-guide#linux",
            "http://x.org/docs/getting-started/installation-guide",
        ),
        ("/" + "a" * 5000 + "#s", "http://x.org/" + "a" * 5000),
        ("/a//b", "http://x.org/a//b"),
        ("//y.org/a", "http://y.org/a"),
        ("#top", None),
        ("", None),
        ("mailto:a@b.c", None),
        ("javascript:void(0)", None),
        ("data:text/html,x", None),
        ("http://[bad", None),
        ("http://x.org:port/", None),
    ],
)
def test_links_become_absolute_urls(href: str, url: str | None) -> None:
    assert join("http://x.org/d/e", href) == url


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("#/a?b=1", "http://x.org/d/e#/a?b=1"),
        ("#!a", "http://x.org/d/e#!a"),
        ("f#/a", "http://x.org/d/f#/a"),
        ("/g#part", "http://x.org/g"),
        ("#part", None),
        ("mailto:a@b.c#/a", None),
    ],
)
def test_join_with_routes(href: str, url: str | None) -> None:
    """With routes=True a link's route stays, whatever the page's own; else it is dropped."""
    assert join("http://x.org/d/e#/at", href, routes=True) == url
    assert "#" not in (join("http://x.org/d/e", href) or "")


def test_links_of_files_become_file_urls() -> None:
    assert join("file:///r/a.html", "b/c.html") == "file:///r/b/c.html"


_HREF_SEGMENTS = st.sampled_from(
    ["a", "b.html", "..", ".", "x-y", "c%20d", "q:r", "", "~u", "é", "f;g", "(j)", "..k", ".l"]
)


@given(
    st.lists(_HREF_SEGMENTS, max_size=4), st.sampled_from(["", "?q=/a/b", "?x"]),
    st.sampled_from(["", "/", "../", "../../", "./", "//x/"]),
    st.lists(_HREF_SEGMENTS, min_size=1, max_size=4),
    st.sampled_from(["", "?q=1/2", "#f", "?a#b", "#a b", "?"]),
)  # fmt: skip
def test_links_resolve_as_the_url_standard_says(
    folders: list[str], query: str, start: str, segments: list[str], end: str
) -> None:
    base = parse_url(f"http://h:8080/{'/'.join(folders)}{query}").href
    href = start + "/".join(segments) + end
    try:
        parsed = parse_url(href, base)
    except ValueError:
        assert join(base, href) is None
        return
    if href and href[0] != "#" and parsed.protocol == "http:":
        assert join(base, href) == parsed.href.partition("#")[0]
