"""HTML as Markdown, text, links and titles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocd.content import html_text
from ocd.content.depth_limit import flatten
from ocd.content.html_text import Document

PAGE = """<html><head><title> A
 page </title><base href="/b/"></head><body>
<nav><a href="n">Menu</a></nav>
<main><h1>Hi <a href="x?a=b c">there</a></h1>
<p hidden>h1</p><p style="color:red;display : none">h2</p><p style="opacity:0">h3</p>
<div hidden><span hidden>h4</span></div><template>h5</template><script>h6</script><!-- h7 -->
<dialog>h8</dialog><input type="hidden" value="h9"><noscript>h10</noscript>
<p>5 &lt;!-- shown --&gt; <code>&lt;!-- code --&gt;</code></p>
<table><tr><th>A<th>B|<tr><td>1<td>2</table>
<a href="javascript:alert(1)">script</a> <a href="">empty</a>
<a href="//cdn.example.com/y"><img src="i.png" alt="picture"></a>
<img src="data:image/png;base64,AAAA" alt="dot"><svg><title>drawing</title><path d=""/></svg>
</main></body></html>"""


def test_markdown_has_visible_text_and_absolute_links():
    text = html_text.to_markdown(PAGE, "https://e.com/d/p")
    assert "# Hi [there](https://e.com/b/x?a=b%20c)" in text
    assert "| A | B\\| |\n| --- | --- |\n| 1 | 2 |" in text
    assert "5 \\<!-- shown --> `<!-- code -->`" in text
    assert "drawing" in text
    assert "dot" in text
    assert "javascript:" not in text
    assert "base64" not in text
    for number in range(1, 11):
        assert f"h{number}" not in text


def test_markdown_without_links_keeps_their_words():
    text = html_text.to_markdown(PAGE, "https://e.com/d/p", include_links=False)
    assert "# Hi there" in text
    assert "](https://e.com/b/x" not in text


def test_text_has_words_only():
    text = html_text.to_text(PAGE)
    assert text.startswith("Menu\n\nHi there\n")
    assert "5 <!-- shown -->" in text


def test_title_and_links():
    page = Document(PAGE, "https://e.com/d/p")
    assert page.title() == "A page"
    assert Document("<svg><title>drawing</title></svg>").title() == ""
    assert Document("<meta property='og:title' content='Open'>").title() == "Open"
    assert page.base == "https://e.com/b/"
    assert Document("<base href='http://[bad'>", "https://e.com/d/p").base == "http://[bad"
    assert page.raw_links() == [
        ("n", "Menu"),
        ("x?a=b c", "there"),
        ("//cdn.example.com/y", "picture"),
    ]
    assert Document("<a href='/x'>a</a><a href='http://[bad'>b</a>").raw_links() == [
        ("/x", "a"),
        ("http://[bad", "b"),
    ]


def test_main_content_drops_navigation_but_never_the_page():
    words = "word " * 60
    page = f"<body><nav>Menu</nav><main><p>{words}</p></main><footer>Foot</footer></body>"
    text = html_text.to_markdown(page, only_main_content=True)
    assert "Menu" not in text
    assert "Foot" not in text
    assert text.count("word") == 60
    without = f"<body><nav>Menu</nav><p>{words}</p></body>"
    assert "Menu" not in html_text.to_text(without, only_main_content=True)
    assert "word" in html_text.to_text(without, only_main_content=True)
    only_nav = f"<body><nav>{words}</nav><main>x</main></body>"
    assert "word" in html_text.to_text(only_nav, only_main_content=True)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("<div>", "</div>"), ("<div>", ""), ("<section><a href=/x>", "</a></section>"), ("<b>", ""),
        ("<table><tr><td>", "</table>"), ("<ul><li>", ""), ("<blockquote>", "</blockquote>"),
        ("<span>x</div>", "</span>"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("depth", [150, 3000])
def test_deep_nesting_loses_no_text_and_takes_no_time(start, end, depth):
    html = start * depth + "innermost" + end * depth + "<p>afterwards</p>"
    for text in (html_text.to_markdown(html), html_text.to_text(html)):
        assert "innermost" in text
        assert "afterwards" in text


def test_paragraphs_and_items_without_end_tags_are_not_deep():
    html = "<ul>" + "<li><b>item</b>" * 3000 + "</ul>" + "<p>text<br><img>" * 3000
    assert flatten(html) == html


def test_script_text_does_not_count_as_nesting():
    html = "<script>" + '"<div>"' * 1000 + "</script><div>" * 2 + "x"
    assert flatten(html) == html


_soup = st.lists(
    st.sampled_from(
        ["<div>", "</div>", "<p>", "<a href='x'>", "</a>", "<table>", "<td>", "<b>", "</b>", "<!--",
         "-->", "<script>", "</script>", "<title>", "<svg>", "</svg>", "text ", "&lt;", "<", ">",
         "'", '"', "<ul><li>", "<pre>", "`", "<template>", "<frameset>", "\x00", "\ud800"]
    ),
    max_size=60,
).map("".join)  # fmt: skip


@given(_soup | st.text())
def test_any_tag_soup_is_converted(html):
    html = html.encode("utf-8", "replace").decode()
    for convert in (
        html_text.to_markdown,
        html_text.to_text,
        html_text.main_content,
    ):
        assert isinstance(convert(html), str)
    page = Document(html, "https://e.com")
    assert isinstance(page.title(), str)
    page.raw_links()
    assert "<!--" not in page.visible()


_PROSE = (
    "Everybody in the town knew the name of the ferry, though nobody had been aboard of it yet. "
    * 3
)


@pytest.mark.parametrize(
    "extra",
    [
        "<div class='side-bar sidebar'>{}</div>", "<div id=nav>{}</div>", "<footer>{}</footer>",
        "<div role=navigation>{}</div>", "<div class=relatedPosts>{}</div>", "<aside>{}</aside>",
        "<td class='menu'>{}",
    ],
)  # fmt: skip
def test_extras_are_recognised_by_element_role_and_name(extra):
    page = f"<body><table><tr>{extra.format('Elsewhere')}<td><p>{_PROSE}</p></table>"
    if "td" not in extra:
        page = f"<body>{extra.format('Elsewhere')}<div><p>{_PROSE}</p></div>"
    text = html_text.to_text(page, only_main_content=True)
    assert "Elsewhere" not in text
    assert "knew the name" in text


@pytest.mark.parametrize(
    "part",
    [
        "<section id=related-functions><h2>{}</h2></section>", "<th class=header>{}</th>",
        "<div class=section id=comments><h2>{}</h2></div>", "<header><h1>{}</h1></header>",
        "<ul><li><a href=x>{}</a></ul>", "<aside class=footnote>{}</aside>",
        "<div id=how-to-share-data-with-others>{}</div>", "<h2 class=menu>{}</h2>",
    ],
)  # fmt: skip
def test_parts_of_the_content_stay_whatever_they_are_called(part):
    page = f"<body><article><p>{_PROSE}</p>{part.format('Belongs here')}</article><nav>Menu</nav>"
    text = html_text.to_text(page, only_main_content=True)
    assert "Belongs here" in text
    assert "Menu" not in text


def test_links_are_removed_after_menus_were_recognised_by_them():
    """Without `include_links`, neither links of menus nor addresses of empty links are left."""
    menu = "<a href=/a>A topic of which many speak</a> " * 9
    page = f"<body><div>{menu}</div><div><p>{_PROSE}<a href=/b title='A &lt;bell'></a></div>"
    text = html_text.to_markdown(page, only_main_content=True, include_links=False)
    assert "A topic" not in text
    assert "](" not in text
    assert "A <bell" in text
    assert "A topic" in html_text.to_markdown(page, include_links=False)


def test_chinese_text_counts_as_prose():
    """A sentence of twenty signs says as much as one of sixty letters."""
    told = "".join(
        f"<p>{one}</p>"
        for one in (
            "港口是村民用双手挖出来的、一共花了四个夏天才完工。",
            "记账的人每天写下运来了多少桶鱼、又送走了多少桶鱼。",
            "第三年夏天、北边的墙塌了、他们用教堂的石头重新修好。",
            "第一艘轮船到来的时候、岸上没有一根能系住它的绳子。",
            "船长后来说、从来没有人这样热情地欢迎过他和他的船。",
            "他丢下的锚现在立在学校门前、孩子们不可以爬上去玩。",
        )
    )
    page = f"<body><div>首页<p>新闻<p>天气</div><div><h1>港口</h1>{told}</div><div>联系我们</div>"
    text = html_text.to_text(page, only_main_content=True)
    assert "绳子" in text
    assert "天气" not in text
    assert "联系" not in text


def test_a_short_main_part_is_enough_where_the_page_declares_it():
    page = "<body><div>Skip to content</div><main><h1>Short</h1><p>A line.</main><div>Built by X"
    assert html_text.to_text(page, only_main_content=True) == "Short\n\nA line.\n"
    index = "<body><h1>Topics</h1><ul>" + "<li><a href=x>A topic</a>" * 30 + "</ul>"
    assert html_text.to_text(index, only_main_content=True).count("A topic") == 30


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<div class='highlight-pycon'><div class=highlight><pre>x", "pycon"),
        ("<body class='language-js'><div><p><div><div><div><pre>x", "js"),
        ("<html lang=en class='lang-en'><pre>x", ""),
        ("<pre class='brush: php; gutter: false'>x", "php"),
        ("<pre class='prettyprint lang-config'>x", "config"),
        ("<pre class='sourceCode haskell'><code class='sourceCode haskell'>x", "haskell"),
        ("<pre><code class='hljs ini'>x", "ini"),
        ("<pre class='rust rust-example-rendered'><code>x", "rust"),
        ("<pre class='screen'>x", ""),
        ("<div class='highlight highlight-source-shell'><pre>x", "shell"),
        ("<div class='highlight-none'><pre>x", ""),
        ("<div class='highlight-default'><pre><span></span><span class=k>x</span>", "python"),
        ("<pre data-lang=lua>x", "lua"),
        ("<div class=lang-toggle><pre>x", ""),
    ],
)  # fmt: skip
def test_language_of_code_blocks(html, language):
    assert html_text.to_markdown(html) == f"```{language}\nx\n```\n"


def test_code_blocks_inherit_the_language_of_their_container():
    page = (
        "<body class=language-js><div class=lang-lua><pre>a</pre><pre class=language-c>b</pre>"
        "<pre>c</pre></div><div><pre>d</pre></div>"
    )
    fences = [
        f"```{name}\n{text}\n```"
        for name, text in zip(("lua", "c", "lua", "js"), "abcd", strict=True)
    ]
    assert html_text.to_markdown(page) == "\n\n".join(fences) + "\n"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>*a* _b_ a_b a__b 2*3 a * b C:\\d_e", r"\*a\* \_b\_ a_b a\_\_b 2\*3 a * b C:\d_e"),
        ("<p>`x` <code>a`b_</code>", r"\`x\` ``a`b_``"),
        (r"<p>a_b <code>a\_b</code>", r"a_b `a\_b`"),
        ("<pre>a\\_b\n\n\n`*_\n&lt;!-- x</pre><p>a_b &lt;!-- y",
         "```\na\\_b\n\n\n`*_\n<!-- x\n```\n\na_b \\<!-- y"),
        ("<dl><dt>T<dd>d<dd><p>e<dd><pre>c</pre></dl>", "T\n: d\n: e\n\n```\nc\n```"),
        ("<ul><li>x<dl><dt>T<dd>d</dl></ul>", "- x\n\n  T\n  : d"),
        ("<table><tr><th>A<th>B<tr><td align=right>1<td style='text-align: center'>2</table>",
         "| A | B |\n| --: | :-: |\n| 1 | 2 |"),
        ("<table><tr><th colspan=2 align=right>A<tr><td>1<td>2</table>",
         "| A | |\n| --- | --- |\n| 1 | 2 |"),
        ("<p>\ufdd3\ufdd4x", "x"),
        ("<p>from <code><span>a</span>\n<span>b</span></code>", "from `a b`"),
        ("<pre>see <a href=x>this</a></pre>", "```\nsee this\n```"),
    ],
)  # fmt: skip
def test_text_and_code_keep_special_characters(html, markdown):
    assert html_text.to_markdown(html) == markdown + "\n"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>between 0 and\n255. Or more</p>", "between 0 and 255. Or more"),
        ("<p>a\n  - b\n# c\n---\nd\n&gt; e</p>", "a - b # c ---\nd > e"),
        ("<ul><li>a\n+ b\nc</li></ul>", "- a + b\n  c"),
        ("<pre>a\n- b</pre><p>c\n- d</p><pre>\n1. e</pre>",
         "```\na\n- b\n```\n\nc - d\n\n```\n1. e\n```"),
        ("<textarea>a\n- b</textarea>", "a\n- b"),
    ],
)  # fmt: skip
def test_lines_of_a_text_begin_no_lists_headings_or_quotes(html, markdown):
    """A browser shows a line break in a text as a space; code keeps its lines."""
    assert html_text.to_markdown(html) == f"{markdown}\n"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<ol><li>a</ol>b", "> 1. a\n>\n> b"),
        ("<ul><li>a\nb</ul><p>c", "> - a\n>   b\n>\n> c"),
        ("<p>a<ul><li>b<ul><li>c</ul></ul><p>d", "> a\n>\n> - b\n>   - c\n>\n> d"),
        ("<table><tr><th>a<tr><td>b</table>c", "> | a |\n> | --- |\n> | b |\n>\n> c"),
        ("<ul><li>a</ul><h2>b</h2><p>c", "> - a\n>\n> ## b\n> c"),
        ("<pre>- a\nb</pre><p>c", "> ```\n> - a\n> b\n> ```\n>\n> c"),
        ("<blockquote><ul><li>a</ul>b</blockquote>", "> > - a\n> >\n> > b"),
        ("a</blockquote> <blockquote>b", "> a\n\n> b"),
        ("<blockquote>a</blockquote><blockquote>b</blockquote>", "> > a\n>\n> > b"),
    ],
)  # fmt: skip
def test_blocks_in_quotes_end_where_the_next_begins(html, markdown):
    """Else a paragraph would belong to the item or the row above it, or two quotes be one."""
    text = html_text.to_markdown(f"<blockquote>{html}</blockquote>")
    assert text == f"{markdown}\n"


def test_a_link_behind_an_exclamation_mark_is_no_picture():
    html = "<p>Hello!<a href=/x>World</a> <code>!<a href=/y>z</a></code></p>"
    text = html_text.to_markdown(html, "https://e.com")
    assert text == r"Hello\![World](https://e.com/x) `!`[`z`](https://e.com/y)" + "\n"


def test_descriptions_and_titles_of_several_lines_stand_on_one():
    html = "<p><img alt='a\n  b' src=/i.png> <a href=/x title='c\n\n d'>e</a></p>"
    text = html_text.to_markdown(html, "https://e.com")
    assert text == '![a b](https://e.com/i.png) [e](https://e.com/x "c d")\n'


def test_thousands_of_less_than_signs_take_linear_time():
    """The converter would take quadratic time for them; the text between them stays."""
    page = "<p>\u00abx\u00bb <a href='/q\u00b7' title='\u00b7a'>k\u00b7</a> <code>\u00b7z</code>"
    few, many = (
        html_text.to_markdown(page + "\u00b7\u00b0 " * n, "http://a.b/") for n in (1, 5000)
    )
    assert many.startswith(few.strip())
    assert (many.count("\u00b0"), len(many) - len(few)) == (5000, 4999 * 3)
    assert html_text.to_text("<p>" + "\u00a0x\u00ad" * 5000).count("x\u00ad") == 5000


def test_thousands_of_ampersands_take_linear_time():
    """The converter would take quadratic time for them; addresses and code keep theirs."""
    page = "<p>a &amp; &amp;lt; <a href='/q?a=1&amp;b=2'>k&amp;</a> <code>&amp;amp; x</code> "
    few, many = (html_text.to_markdown(page + "&amp;, " * n, "http://a.b/") for n in (1, 5000))
    assert "[k&](http://a.b/q?a=1&b=2) `&amp; x`" in few
    assert many.startswith(few.strip())
    assert (many.count("&, "), len(many) - len(few)) == (4999, 4999 * 3)
    assert html_text.to_text("<p>" + "&nbsp;&amp;" * 5000).count("&") == 5000


def test_drawings_and_labels_of_captions_are_apart_from_what_follows():
    drawn = html_text.to_text("<p>Go<svg><title>home</title></svg>now</p>")
    assert drawn == "Go home now\n"
    caption = "<span>Credit</span>Ann Lee, <span>i</span>Phone, <span>Mac</span>Book"
    assert html_text.to_text(f"<figure><figcaption>{caption}</figcaption></figure>") == (
        "Credit Ann Lee, iPhone, MacBook\n"
    )
    assert html_text.to_text("<p><span>Java</span>Script</p>") == "JavaScript\n"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<ul><li>a</ul><ul><li>b<li>c</ul>", "- a\n\n* b\n* c"),
        ("<ul><li>a</ul><ul><li>b</ul><ul><li>c</ul>", "- a\n\n* b\n\n- c"),
        ("<ul><li>a</ul><ul></ul> <ul><li>b</ul>", "- a\n\n* b"),
        ("<nav title='=>\"'><ul><li>a</ul></nav><p></p><menu><li>b</menu>", "- a\n\n* b"),
        ("<ul><li>a</ul><ul><li>b</ul><p>c<ul><li>d</ul>", "- a\n\n* b\n\nc\n\n- d"),
        ("<ul><li>x<ul><li>a</ul><ul><li>b</ul><li>y</ul>", "- x\n  - a\n  * b\n- y"),
        ("<ul><li><ul><li>a</ul><ul><li>b<ul><li>c</ul></ul></ul>", "- - a\n  * b\n    - c"),
        ("<ul><li>a</ul><ul><li><pre>- b\n\n- c</pre><li></ul>",
         "- a\n\n* ```\n  - b\n\n  - c\n  ```\n\n*"),
        ("<blockquote><ul><li>a</ul><ul><li>b</ul>c</blockquote>", "> - a\n>\n> * b\n>\n> c"),
        ("<table><tr><td>h<tr><td><ul><li>a</ul><ul><li>b</ul></table>", "| h |\n| --- |\n| a b |"),
        ("<ul><li>a</ul>b<ul><li>c</ul>", "- a\n\nb\n\n- c"),
        ("<ul><li>a</ul><hr><ul><li>c</ul>", "- a\n\n---\n\n- c"),
        ("<ol><li>a</ol><ol><li>b</ol>", "1. a\n\n1) b"),
    ],
)  # fmt: skip
def test_lists_that_follow_each_other_have_bullets_of_their_own(html, markdown):
    """Markdown joins lists with the same bullets; other bullets leave no line of their own."""
    assert html_text.to_markdown(html) == f"{markdown}\n"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<ul><li>a<div>b.\n\n    c</div></ul>", "- a\n\n  b.\n  c"),
        ("<ul><li>a<ul><li>b\n \n<p>c</ul></ul>", "- a\n  - b\n\n    c"),
        ("<p>a\n\n<code>b\n\nc</code>\n\n- d", "a `b c` - d"),
        ("<pre>a\n\n    b\n\n- c</pre><p>d\n\ne", "```\na\n\n    b\n\n- c\n```\n\nd\ne"),
        ("<p>a</p>\n\n<p>b</p>\n\n<p>c</p>", "a\n\nb\n\nc"),
    ],
)
def test_empty_lines_in_a_text_do_not_part_it(html, markdown):
    """What follows them in a list would even be taken for code; lines stay lines."""
    assert html_text.to_markdown(html) == f"{markdown}\n"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("cast[T](0) of ![a](b)", r"cast[T\](0) of ![a\](b)"),
        ("<code>[T](0)</code> <a href='x](y'>[a](b)</a>", r"`[T](0)` [\[a\](b)](x%5D\(y)"),
        ("<pre>[a](b)\n[c]: d</pre>", "```\n[a](b)\n[c]: d\n```"),
        ("<p>[1]: http://a.example/<ul><li>[^b]: c</ul>",
         "[1\\]: http://a.example/\n\n- [^b\\]: c"),
        ("a[0]: b", "a[0]: b"),
    ],
)  # fmt: skip
def test_brackets_of_a_text_make_no_links(html, markdown):
    """Words in brackets stay words, and a line like `[a]: b` is shown."""
    assert html_text.to_markdown(html) == f"{markdown}\n"


def test_an_empty_definition_takes_nothing_from_what_follows():
    """The heading behind it stays one."""
    html = "<dl><dt>a<dd></dd><dt>b<dd class=x> </dd></dl><h3>c</h3>"
    assert html_text.to_markdown(html) == "a\n\nb\n\n### c\n"


def test_parting_lists_takes_linear_time():
    """Also where no list ends: 10,000 wrappers after each other, and 10,000 nested lists."""
    assert html_text.to_markdown("<ul><li>a</ul>" + "<div>" * 10_000) == "- a\n"
    text = html_text.to_markdown("<ul><li>a</ul>" * 10_000)
    assert text.startswith("- a\n\n* a\n\n- a")
    assert text.count("a") == 10_000


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ('<h2>Use<a class=headerlink href="#use" title="Link to this">¶</a></h2>', "## Use"),
        ("<h2>Use <a href='#use' aria-label='Permalink'>\u200b</a></h2>", "## Use"),
        ("<h2><a href='#use'><svg><path d=''/></svg></a>Use</h2>", "## Use"),
        ("<h2><a href='#use'>\uf0c1</a> Use</h2>", "## Use"),
        ("<h2><a class=header href='#use'>Use</a></h2>", "## Use"),
        ("<h2><span><a href='#top'>Use</a></span><a href='#use'>§</a></h2>", "## Use"),
        ("<dl><dt>use()<a href='#use'>¶</a><dd>It</dl>", "use()\n: It"),
        ("<h2>Use <a href='#x'>this</a></h2>", "## Use [this](#x)"),
        ("<h2><a href='use.html'>Use</a></h2>", "## [Use](use.html)"),
        ("<p>Operators: <a href='#plus'>+</a>", "Operators: [+](#plus)"),
        ("<p><a href='#x'><img src=i.png alt=sign></a>", "[![sign](i.png)](#x)"),
    ],
)
def test_heading_permalinks_are_removed(html, markdown):
    assert html_text.to_markdown(html) == markdown + "\n"


def test_members_of_a_class_are_not_teasers():
    """API references list names with a link and a sentence each, as sites list their stories."""
    story = "<p>" + "A button can be pressed, and does something when it is. " * 30 + "</p>"
    entry = "<div><h6><a href='{0}.html'>{0}</a></h6><div><p>Does what {0} says.</p></div></div>"

    def main_of(names):
        entries = "".join(map(entry.format, names))
        page = f"<main><h1>Button</h1>{story}<h4>More</h4><div>{entries}</div></main>"
        return html_text.to_markdown(page, only_main_content=True)

    assert "Does what get_child says" in main_of(["get_child", "Button:label", "setLabel"])
    assert "Does what" not in main_of(["Bridge closed", "Bells sold", "Boys who ran"])
