"""The domain policy: which URLs may be opened, in whatever notation."""

# ruff: noqa: RUF001 - look-alike letters are what is tested here
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocd.api.errors import OcdError
from ocd.config.loader import load
from ocd.safety.domain_policy import DomainPolicy, parse_url_argument, resolve_in_page


def code(policy, url):
    try:
        policy.check(url)
    except OcdError as error:
        return error.code
    return "ok"


@pytest.mark.parametrize(
    ("glob", "covered", "free"),
    [
        ("*.x.com", ["https://x.com/", "http://a.x.com", "https://a.b.x.com:8/"],
         ["https://xx.com", "https://x.com.evil.org", "https://nx.com"]),
        ("x.com", ["https://X.COM./p", "https://u:p@x.com"], ["https://a.x.com"]),
        ("*bank*", ["https://my-bank.example"], ["https://example.org"]),
        ("x.com:8080", ["http://x.com:8080/"], ["http://x.com/", "https://x.com:8081"]),
        ("x.com:443", ["https://x.com/", "wss://x.com"], ["http://x.com"]),
        ("bücher.de", ["https://xn--bcher-kva.de", "https://BÜCHER.de/"], ["https://bucher.de"]),
        ("*.bücher.de", ["https://a.xn--bcher-kva.de"], ["https://bucher.de"]),
        ("127.0.0.1", ["http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1", "http://127.1",
                       "http://[::ffff:127.0.0.1]/", "http://１２７.0.0.1/"], ["http://127.0.0.2"]),
        ("[::1]", ["http://[::1]:8080/", "http://[0:0:0:0:0:0:0:1]"], ["http://[::2]"]),
        ("::1", ["http://[::1]/"], []),
        ("https://x.com/", ["http://x.com"], ["https://y.com"]),
        ("localhost:8080", ["http://localhost:8080/x", "http://LOCALHOST.:8080"],
         ["http://localhost/", "http://localhost:8081"]),
        ("*.example.com:8443", ["https://example.com:8443", "https://a.b.example.com:8443/"],
         ["https://a.example.com", "https://xexample.com:8443"]),
        ("*.EXAMPLE.com.", ["https://Example.COM./", "https://a.example.com"], ["https://b.com"]),
        (".example.com", ["https://example.com", "https://a.example.com"], ["https://xexample.com"]),
        ("EXAMPLE.com.:443", ["https://example.com"], ["http://example.com"]),
        ("*:8080", ["http://a.org:8080", "http://[::1]:8080"], ["http://a.org"]),
        ("x.com:*", ["http://x.com:8080", "https://x.com"], ["https://y.com"]),
        ("[::1]:8080", ["http://[0::1]:8080/"], ["http://[::1]/", "http://[::2]:8080"]),
        ("[0:0::1]", ["http://[::1]/"], ["http://[::2]"]),
        ("*.BÜCHER.de:8080", ["http://a.xn--bcher-kva.de:8080"], ["http://a.bücher.de"]),
        ("bücher。de", ["http://bücher.de"], ["http://bucher.de"]),
        ("XN--BCHER-KVA.de", ["http://bücher.de"], ["http://bucher.de"]),
        ("host?.x.com", ["http://host1.x.com"], ["http://host12.x.com", "http://host"]),
        ("10.0.*", ["http://10.0.3.4", "http://10.0.3.4:99"], ["http://10.1.0.1"]),
        ("my_host.local", ["http://my_host.local"], ["http://myhost.local"]),
        ("evil.com", ["https://good.com@evil.com", "https:evil.com", "https:///evil.com",
                      "https:\\\\evil.com", "ht\ntps://evil.com", " https://evil.com",
                      "https://%65vil.com", "https://evil。com", "https://ｅvil.com",
                      "blob:https://evil.com/uuid", "https://e\u00advil.com"],
         ["https://evil.com.good.com", "https://good.com/evil.com", "https://good.com\\@evil.com",
          "https://good.com#@evil.com", "https://good.com?@evil.com"]),
    ],
)  # fmt: skip
def test_globs_block_and_allow_what_they_cover(glob, covered, free):
    block, allow = DomainPolicy(block=(glob,)), DomainPolicy(allow=(glob,))
    for url in covered:
        assert (code(block, url), code(allow, url)) == ("domain_blocked", "ok"), url
    for url in free:
        assert (code(block, url), code(allow, url)) == ("ok", "domain_blocked"), url


@pytest.mark.parametrize(
    "glob",
    ["x.com/admin", "https://x.com/a", "10.0.0.0/8", "x.com/", "a.com,b.com", "a.com b.com", "",
     "x.com:99999", "x.com:0", "x.com:", "x.com:http", "[::1", "[::1]:x", "u@x.com", "*..x.com",
     "bü*.de", "300.1.1.1", "[ab]*.com", "x.com#a", "a\\b.com", "https://", "*.exa<mple.com"],
)  # fmt: skip
def test_a_glob_that_would_silently_do_nothing_is_refused(glob, tmp_path):
    environ = {"OPENCHROME_HOME": str(tmp_path)}
    for key, flag in (("allow_domain", "--allow-domain"), ("block_domain", "--block-domain")):
        with pytest.raises(OcdError) as caught:
            load({key: ["fine.org", glob]}, environ)
        assert caught.value.code == "config_invalid"
        assert caught.value.message.startswith(flag)
        assert "*.example.com" in caught.value.hint


def test_a_block_wins_and_the_hint_names_the_flag():
    policy = DomainPolicy(allow=("*.x.com",), block=("bad.x.com",))
    assert code(policy, "https://x.com") == "ok"
    with pytest.raises(OcdError) as caught:
        policy.check("https://bad.x.com/")
    assert "--block-domain" in caught.value.hint
    with pytest.raises(OcdError) as caught:
        policy.check("https://y.com/")
    assert "--allow-domain" in caught.value.hint
    assert not policy.empty
    assert DomainPolicy().empty


@pytest.mark.parametrize(
    "url",
    [
        "chrome://version", "CHROME://settings", "devtools://x", "view-source:https://x.com",
        "javascript:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)", "about:version",
        "filesystem:https://x.com/temporary/a", "chrome-extension://abc/x", "edge://flags",
    ],
)  # fmt: skip
def test_internal_pages_of_the_browser_are_always_refused(url):
    assert code(DomainPolicy(), url) == "domain_blocked"
    assert code(DomainPolicy(allow=("*",)), url) == "domain_blocked"


def test_only_http_and_local_schemes_can_be_opened():
    assert code(DomainPolicy(block=("x.com",)), "about:blank") == "ok"
    assert code(DomainPolicy(allow=("x.com",)), "about:blank#a") == "ok"
    assert code(DomainPolicy(), "data:text/html,hi") == "ok"
    assert code(DomainPolicy(allow=("x.com",)), "data:text/html,hi") == "domain_blocked"
    assert code(DomainPolicy(allow=("x.com",)), "blob:null/1234") == "invalid_url"
    assert code(DomainPolicy(), "mailto:a@b.c") == "invalid_url"
    assert code(DomainPolicy(), "http://localhost:3000/") == "ok"
    assert code(DomainPolicy(), "http://10.0.0.1/") == "ok"


@pytest.mark.parametrize(
    "url", ["", "no scheme", "http://", "http://?x", "http://a b/", "http://[::1", "http://a:99999/",
            "http://1.2.3.4.5/", "http://300.1.1.1/", "http://exa<mple.com", "https://:80/"],
)  # fmt: skip
def test_malformed_urls_are_invalid(url):
    assert code(DomainPolicy(block=("zz",)), url) == "invalid_url"


def test_file_urls_stay_inside_the_roots(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a b.html").write_text("x")
    (tmp_path / "out.html").write_text("x")
    (tmp_path / "in" / "link.html").symlink_to(tmp_path / "out.html")
    policy = DomainPolicy(file_roots=(tmp_path / "in",))
    assert code(policy, f"file://{tmp_path}/in/a%20b.html?q#f") == "ok"
    assert code(policy, f"file://localhost{tmp_path}/in/a%20b.html") == "ok"
    assert code(policy, f"FILE:{tmp_path}/in/a%20b.html") == "ok"
    for url in (
        f"file://{tmp_path}/out.html",
        f"file://{tmp_path}/in/link.html",
        f"file://{tmp_path}/in/../out.html",
        f"file://{tmp_path}/in/%2e%2e/out.html",
        f"file://{tmp_path}/in\\..\\out.html",
        f"file:////proc/self/root{tmp_path}/out.html",
    ):
        assert code(policy, url) == "path_outside_roots", url
    assert code(policy, f"file://{tmp_path}/in/.env") == "path_denied"
    assert code(policy, "file://server/share") == "invalid_url"
    assert code(policy, f"file://{tmp_path}/in/a%00b") == "invalid_url"
    assert code(DomainPolicy(), f"file://{tmp_path}/in/a%20b.html") == "path_outside_roots"


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("example.com", "https://example.com"),
        (" example.com/a?b=c d \n", "https://example.com/a?b=c d"),
        ("example.com:8080/x", "https://example.com:8080/x"),
        ("localhost", "http://localhost"),
        ("localhost:3000/app", "http://localhost:3000/app"),
        ("chrome:3000", "https://chrome:3000"),
        ("javascript:1", "javascript:1"),
        ("tel:112", "tel:112"),
        ("app.localhost:80", "http://app.localhost:80"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("[::1]:9/x", "http://[::1]:9/x"),
        ("localhost.example.com", "https://localhost.example.com"),
        ("127.0.0.1.example.com", "https://127.0.0.1.example.com"),
        ("//cdn.example.com/x", "https://cdn.example.com/x"),
        ("HTTP://Example.com", "HTTP://Example.com"),
        ("about:blank", "about:blank"),
        ("bücher.de", "https://bücher.de"),
        ("data:text/html,<p>a b", "data:text/html,<p>a b"),
    ],
)
def test_urls_without_a_scheme_are_completed(text, url):
    assert parse_url_argument(text) == url


def test_paths_become_file_urls(tmp_path):
    page = tmp_path / "a b.html"
    page.write_text("")
    assert parse_url_argument(str(page)) == f"file://{tmp_path}/a%20b.html"
    with pytest.raises(OcdError) as caught:
        parse_url_argument("/no/such/page.html")
    assert caught.value.code == "invalid_url"
    assert "/no/such/page.html" in caught.value.message


@pytest.mark.parametrize(
    "text", ["", "   ", "two words", "http://", "http://a b.com", "https://x:y"]
)
def test_words_are_not_urls(text):
    with pytest.raises(OcdError) as caught:
        parse_url_argument(text)
    assert caught.value.code == "invalid_url"


@given(st.text(max_size=40))
def test_any_text_is_decided(text):
    policy = DomainPolicy(allow=("x.com",))
    for url in (text, f"https://{text}", f"file:{text}"):
        assert code(policy, url) in (
            "ok",
            "domain_blocked",
            "invalid_url",
            "path_outside_roots",
            "path_denied",
        )
    try:
        parse_url_argument(text)
    except OcdError as error:
        assert error.code == "invalid_url"  # noqa: PT017 - any other error fails the test by itself


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("./next.html", "https://x.org/a/next.html"),
        (" ../b/?c#d ", "https://x.org/b/?c#d"),
        ("?page=2", "https://x.org/a/here?page=2"),
        ("#part", "https://x.org/a/here?q#part"),
        ("/no/such/page", "https://x.org/no/such/page"),
        ("../../../..//evil.com", "https://x.org//evil.com"),
        ("/", "/"),
        ("//evil.com", "//evil.com"),
        ("example.com/b", "example.com/b"),
    ],
)
def test_relative_urls_are_resolved_as_outlines_shorten_them(text, url):
    assert resolve_in_page(text, "https://x.org/a/here?q") == url
    assert resolve_in_page(text, "about:blank") == text
