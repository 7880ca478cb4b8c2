"""A feature that is not found in a document's source is not in its tree."""

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocd.content import html_text
from ocd.content.html_text import Document
from ocd.content.page_features import ALL_FEATURES, find_features

PIECES = (
    "<p>text", "<P HIDDEN>secret</P>", "<p hidden=until-found>secret</p>", "<b\thidden>secret</b>",
    "<div data-openchrome-unseen>secret</div>", "<DIV Data-OpenChrome-Unseen=1>secret</div>",
    "<script>secret</script>", "<SCRIPT>secret</SCRIPT>", "<style>p{color:red}</style>",
    "<template>secret</template>", "<noscript>secret</noscript>", "<noembed>secret</noembed>",
    "<noframes>secret</noframes>", "<datalist><option>secret</datalist>", "<dialog>secret</dialog>",
    "<input type=hidden value=secret>", '<input type="hi&#100;den" value=secret>',
    '<p style="display:none">secret</p>', "<p STYLE = 'DISPLAY&colon;NONE'>secret</p>",
    "<p style=opacity&#58;0>secret</p>", "<p style>shown</p>",
    '<a href="javascript:go()">go</a>', "<a href=&#106;avascript:go()>go</a>",
    "<a href = 'java&#000000000000000000000000115;cript:go()'>go</a>",
    "<a href=JavaScript:go()>go</a>",
    '<a href="//user:secret@host/">to</a>', "<a href='//user:secret&commat;host/'>to</a>",
    "<a href=//user:secret&#x40;host/>to</a>",
    "<svg><title>drawing</title></svg>", "<SVG><a href='#x'>¶</a></SVG>",
    "<h2>Title<a href='#t'>¶</a></h2>", "<h2>Title<a href = &#35;t>#</a></h2>",
    "<h2><a HREF=&num;t>Title</a></h2>",
    "<figure><figcaption><span>Figure</span>Name</figcaption></figure>",
    "<dl><dt>word<dd>meaning<DD class=x>another</dl>", "<pre class='lang-c'>a\n\n</pre>",
    "<PRE><code class=language-rust>b<a href=/c>c</a></code></PRE>",
    "<table><tr><th ALIGN=right>a<th>b<tr><td>1<td>2</table>",
    "<table><tr><th style='text&#45;align: center'>a<th>b<tr><td>1<td>2</table>",
    "<table><tr><th style=text-align&colon;left>a<th>b<tr><td>1<td>2</table>",
    "<base href=/other/>", "<BASE\nhref=/other/>", "<a href=next rel=nofollow>next</a>",
    "<a href=next REL='no&#102;ollow'>next</a>", "<math><mi>x</mi></math>",
    "<script type='math/tex'>x^2</script>", "<span class=katex>x</span>", "<!-- comment -->",
    "<x-y><template shadowrootmode=open><p hidden>secret</p>shown<slot></slot></template>a</x-y>",
    "\ud800", "<scr\ufdd0ipt>secret</scr\ufdd0ipt>", "\0", "&", "@", '"', "'", "<", ">", " =",
)  # fmt: skip


def _everything(html: str) -> tuple[object, ...]:
    first, second, third = (Document(html, "http://host/page") for _ in range(3))
    return (
        *(first.base, first.title(), first.raw_links(), first.signals((), "openchrome")),
        *(first.to_markdown(), second.to_text(), third.visible()),
    )


def _assert_that_nothing_is_missed(html: str) -> None:
    with mock.patch.object(html_text, "find_features", return_value=ALL_FEATURES):
        expected = _everything(html)
    assert _everything(html) == expected


@pytest.mark.parametrize("piece", PIECES)
def test_a_page_with_one_feature_is_read_as_if_it_might_have_all(piece: str):
    _assert_that_nothing_is_missed(f"<html><body><main>{piece}</main></body></html>")


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_any_page_is_read_as_if_it_might_have_all_features(html: str):
    _assert_that_nothing_is_missed(html)


def test_a_plain_page_has_no_features():
    assert find_features("<h1>Title</h1><p>Some <b>text</b> &amp; a <a href=/x>link</a>") == set()
