"""Scopes and globs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocd.crawl.scope import CrawlScope, is_same_site, registrable_domain
from ocd.crawl.url_globs import glob_test

START = "http://docs.example.co.uk/guide/intro"


@pytest.mark.parametrize(
    ("scope", "url", "inside"),
    [
        ("origin", "http://docs.example.co.uk/x", True),
        ("origin", "http://DOCS.example.co.uk:80/x", True),
        ("origin", "https://docs.example.co.uk/x", False),
        ("origin", "http://docs.example.co.uk:8080/x", False),
        ("origin", "http://docs.example.co.uk.evil.org/x", False),
        ("domain", "https://www.example.co.uk:8443/x", True),
        ("domain", "http://other.co.uk/", False),
        ("domain", "http://notexample.co.uk/", False),
        ("path", "http://docs.example.co.uk/guide/intro", True),
        ("path", "http://docs.example.co.uk/guide/intro/more?x", True),
        ("path", "http://docs.example.co.uk/guide/introduction", False),
        ("path", "http://docs.example.co.uk/", False),
        ("any", "ftp://whatever", True),
        ("http://*.example.co.uk/guide/**", "http://a.example.co.uk/guide/x/y", True),
        ("http://*.example.co.uk/guide/**", "http://a.example.co.uk/blog", False),
    ],
)
def test_a_scope_contains_the_urls_that_it_names(scope: str, url: str, inside: bool) -> None:
    assert (CrawlScope(scope, [START]).reject(url) is None) is inside


def test_a_route_belongs_where_its_document_does() -> None:
    """It is in scope and included like its document, and may be excluded by itself."""
    scope = CrawlScope("origin", ["http://x.org/"], ["*/app"], ["**#/admin**"])
    assert scope.reject("http://x.org/app#/users") is None
    assert scope.reject("http://x.org/app#/admin/1") == "excluded"
    assert scope.reject("http://x.org/other#/app") == "not_included"
    assert scope.reject("http://y.org/app#/users") == "out_of_scope"


def test_scope_of_a_file_is_its_folder() -> None:
    scope = CrawlScope("path", ["http://x.org/docs/index.html"])
    assert scope.reject("http://x.org/docs/a/b") is None
    assert scope.reject("http://x.org/blog/") == "out_of_scope"


@pytest.mark.parametrize(
    ("glob", "url", "matches"),
    [
        ("/docs/**", "http://x.org/docs/a/b", True),
        ("/docs/*", "http://x.org/docs/a/b", False),
        ("/docs/*", "http://x.org/docs/a?x=1", True),
        ("*.pdf", "http://x.org/a/b.pdf", True),
        ("*.pdf", "http://x.org/a/b.pdf?dl=1", True),
        ("*.pdf", "http://x.org/a/b.pdfx", False),
        ("docs/**", "http://x.org/v1/docs/a", True),
        ("docs/**", "http://x.org/mydocs/a", False),
        ("*guide*", "http://x.org/a/user-guide/b/", True),
        ("*guide*", "http://guide.org/a", False),
        ("*/docs/*", "http://x.org/v1/docs/a", True),
        ("*/docs/*", "http://x.org/v1/docs/a/b", False),
        ("/a?b=*", "http://x.org/a?b=1", True),
        ("/a?b", "http://x.org/axb", False),
        ("http://x.org/**", "http://x.org/", True),
        ("**/private/**", "http://x.org/a/private/b", True),
        ("/a.b", "http://x.org/aXb", False),
        ("/a[1]", "http://x.org/a[1]", True),
    ],
)
def test_globs_match_urls_and_paths(glob: str, url: str, matches: bool) -> None:
    assert glob_test(glob)(url) is matches


@given(st.text("ab*?/.[(", max_size=20), st.text("ab?/.[(", max_size=20))
def test_any_text_is_a_valid_glob(glob: str, path: str) -> None:
    glob_test(glob)(f"http://x.org/{path}")
    assert glob_test(f"/{path}")(f"http://x.org/{path}")


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("a.b.example.co.uk", "example.co.uk"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("::1", "::1"),
        ("user.github.io", "user.github.io"),
    ],
)
def test_registrable_domains_follow_the_public_suffix_list(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain


@pytest.mark.parametrize(
    ("url", "target", "same"),
    [
        ("http://x.org/a", "https://x.org/b", True),
        ("http://x.org/", "https://www.x.org/", True),
        ("https://www.x.org/", "https://x.org/", True),
        ("https://x.org/", "http://x.org/", False),
        ("http://x.org/", "http://www.x.org/", True),
        ("http://x.org/", "https://y.org/", False),
        ("http://x.org:81/", "https://x.org/", False),
        ("http://x.org/", "https://x.org:444/", False),
        ("file:///a", "https://x.org/", False),
    ],
)
def test_a_site_may_move_to_https_or_its_www_name(url: str, target: str, same: bool) -> None:
    assert is_same_site(url, target) is same
