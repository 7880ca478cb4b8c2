"""query_dom: selectors and paths through frames and shadow trees, cleaned."""

from support.daemon import Daemon
from support.site import Site


def write(daemon: Daemon, site: Site, html: str) -> None:
    daemon.do("navigate", url=site.url("index.html"))
    daemon.do("javascript_tool", code=f"document.body.innerHTML = {html!r}; 1")


def test_closed_shadow_trees_are_searched(daemon: Daemon, site: Site) -> None:
    """By selector and by path; the ref can be acted on."""
    daemon.do("navigate", url=site.url("closed-shadow.html"))
    button = daemon.do("query_dom", selector="button")["element"]
    for path in ("//button", "self::button", "//p/following-sibling::button"):
        (same,) = daemon.do("query_dom", xpath=path, multiple=True)["elements"]
        assert same["ref"] == button["ref"], path
    assert button["text_content"] == "Closed button"
    daemon.do("interact", ref=button["ref"])
    assert "pressed" in str(daemon.do("javascript_tool", code="document.title"))


def test_only_the_first_match_is_returned(daemon: Daemon, site: Site) -> None:
    """`element` is null if nothing matches; method and selector are repeated."""
    daemon.do("navigate", url=site.url("acting/rows.html"))
    one = daemon.do("query_dom", method="css", selector="tbody button", multiple=False)
    assert (one["method"], one["selector"], one["multiple"]) == ("css", "tbody button", False)
    assert one["element"]["text_content"] == "Delete"
    assert "elements" not in one
    assert daemon.do("query_dom", selector="#none")["element"] is None


def test_elements_have_the_names_of_the_dom(daemon: Daemon, site: Site) -> None:
    """tag_name, id, class, text_content, is_visible and a bounding_box with four names."""
    write(daemon, site, "<p id=a class='b c' style='width:90px'>Hi</p>")
    element = daemon.do("query_dom", method="css", selector="p")["element"]
    assert (element["tag_name"], element["id"], element["class"]) == ("p", "a", "b c")
    assert (element["text_content"], element["is_visible"]) == ("Hi", True)
    assert element["bounding_box"].keys() == {"x", "y", "width", "height"}
    assert element["bounding_box"]["width"] == 90


def test_limit_asks_for_all(daemon: Daemon, site: Site) -> None:
    """Without `multiple` the first match is returned, with a limit that many."""
    daemon.do("navigate", url=site.url("acting/rows.html"))
    assert daemon.do("query_dom", selector="tbody button")["count"] == 1
    assert daemon.do("query_dom", selector="tbody button", limit=2)["count"] == 2
    assert daemon.do("query_dom", selector="tbody button", multiple=True)["count"] == 3


def test_text_and_attributes_pass_the_sanitiser(daemon: Daemon, site: Site) -> None:
    """Invisible characters go, and a field says so; scripts of the world stay as they are."""
    write(daemon, site, "<p title='a\u202eb'>x\u200by 日本語 עברית 👩\u200d👩\u200d👧</p>")
    result = daemon.do("query_dom", selector="p")
    assert result["element"]["text_content"] == "xy 日本語 עברית 👩\u200d👩\u200d👧"
    assert result["element"]["attributes"]["title"] == "ab"
    assert result["sanitized"]["removed"] == 1  # and a zero-width space without a word


def test_nested_frames_are_searched_once(daemon: Daemon, site: Site) -> None:
    """500 frames and shadow trees: each element once, whatever it stands in."""
    inner = "&lt;iframe srcdoc=&quot;&lt;b&gt;in&lt;/b&gt;&quot;&gt;&lt;/iframe&gt;"
    write(
        daemon,
        site,
        f"<iframe srcdoc='<b>out</b>{inner}'></iframe>" * 20 + "<div class=host></div>" * 460,
    )
    daemon.do(
        "javascript_tool",
        code="""for (const host of document.querySelectorAll('.host'))
        host.attachShadow({mode: 'open'}).innerHTML = '<b>deep</b>'; 1""",
    )
    daemon.do(
        "wait_for",
        type="function",
        value="Array.from(document.querySelectorAll('iframe')).every((one) => one.contentDocument"
        "?.querySelector('iframe')?.contentDocument?.querySelector('b'))",
    )
    result = daemon.do("query_dom", selector="b", multiple=True, limit=1000)
    assert result["total"] == result["count"] == 500
    assert len({element["ref"] for element in result["elements"]}) == 500
