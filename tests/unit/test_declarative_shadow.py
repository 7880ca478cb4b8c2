"""Declarative shadow DOM: where its content goes, and what happens to the host's children."""

import pytest

from ocd.content import html_text
from ocd.content.declarative_shadow import compose

OPEN = "<template shadowrootmode=open>"
END = "</template>"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f"<x-a>{OPEN}<b>in</b>{END}</x-a>", "<b>in</b>"),
        (f"<x-a>{OPEN}[<slot></slot>]{END}a<i>b</i></x-a>", "[a<i>b</i>]"),
        (f"<x-a>{OPEN}<slot name=n>own</slot>{END}lost</x-a>", '<slot name="n">own</slot>'),
        (
            f"<x-a>{OPEN}<slot></slot>-<slot name=n></slot>{END}<i slot=n>n</i>d</x-a>",
            'd-<i slot="n">n</i>',
        ),
        (f"<x-a>{OPEN}1{END}{OPEN}2{END}</x-a>", "1"),
        # A slot handed on, and a host among the children of another one.
        (
            (
                f"<x-a>{OPEN}<x-b>{OPEN}B[<slot></slot>]{END}for <slot></slot></x-b>{END}"
                f"me <x-c>{OPEN}C<slot></slot>{END}!</x-c></x-a>"
            ),
            "<x-b>B[for me <x-c>C!</x-c>]</x-b>",
        ),
    ],
)
def test_shadow_content_is_where_it_is_shown(html: str, text: str) -> None:
    whole = compose(html)
    inner = whole.partition("<x-a>")[2].rpartition("</x-a>")[0]
    assert inner == text


def test_pages_without_shadow_trees_are_untouched() -> None:
    html = "<template><b>x</b></template><slot>y</slot>"
    assert compose(html) is html


def test_links_and_text_of_shadow_trees_count() -> None:
    html = f"<p>a</p><x-a>{OPEN}<style>i{{}}</style><a href=/in>in</a>{END}</x-a>"
    assert html_text.Document(html).raw_links() == [("/in", "in")]
    assert html_text.to_markdown(html, "http://e.com/") == "a\n\n[in](http://e.com/in)\n"


def test_many_and_deep_shadow_trees_take_linear_time() -> None:
    deep = compose(f"<x-a>{OPEN}" * 300 + "hi")
    assert "hi" not in html_text.to_text(deep)  # deeper than anybody nests them
    many = compose(f"<x-a>{OPEN}<p>h<slot></slot></p>{END}i</x-a>" * 2000)
    assert many.count("<p>hi</p>") == 2000
