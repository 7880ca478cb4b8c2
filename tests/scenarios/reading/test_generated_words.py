"""Words that nobody typed: counters, quotation marks, formulas, the browser's own summary."""

import re

import pytest

from ocd.browser.tabs.tab import Tab
from ocd.pages.read.reader import read
from support.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def outline_of(tab: Tab, site: Site, body: str) -> str:
    await tab.navigate(site.url("article.html"))
    await tab.evaluate(f"document.documentElement.lang = 'en'; document.body.innerHTML = {body!r}")
    return re.sub(r" \[ref=e\d+\]", "", (await read(tab)).text)


async def test_counters_are_told_in_text_and_names(tab: Tab, site: Site) -> None:
    """Nested lists, parts of chapters, a counter that begins elsewhere, its own numerals."""
    text = await outline_of(
        tab,
        site,
        "<style>ol { counter-reset: item; list-style: none }"
        " li::before { counter-increment: item; content: counters(item, '.') ' ' }"
        " section { counter-reset: part } h2 { counter-increment: chapter; counter-reset: part }"
        " h2::before { content: 'Chapter ' counter(chapter, upper-roman) ': ' }"
        " h3 { counter-increment: part }"
        " h3::before { content: counter(chapter) '.' counter(part) ' ' }"
        " button::after { counter-increment: step -1; content: counter(step, lower-alpha) }"
        " .gone { display: none; counter-increment: step 9 }</style>"
        "<ol><li>a<ol><li>b<li>c</ol><li>d</ol>"
        "<h2>One</h2><h3>first</h3><h3>second</h3><h2>Two</h2><h3>third</h3>"
        "<p style='counter-reset: step 30'><button>Go </button><i class=gone></i>"
        "<button>On </button></p>",
    )
    assert text == (
        "- list\n  - listitem: 1 a\n    - list: 1.1 b | 1.2 c\n  - listitem: 2 d\n"
        '- heading "Chapter I: One" [level=2]\n- heading "1.1 first" [level=3]\n'
        '- heading "1.2 second" [level=3]\n- heading "Chapter II: Two" [level=2]\n'
        '- heading "2.1 third" [level=3]\n- button "Go ac"\n- button "On ab"\n'
    )


async def test_numbers_of_lines_are_left_out(tab: Tab, site: Site) -> None:
    text = await outline_of(
        tab,
        site,
        "<style>pre span::before { counter-increment: line; content: counter(line) }</style>"
        "<pre><span>let a</span>\n<span>let b</span></pre>",
    )
    assert text == "- text: let a\n- text: let b\n"


async def test_quotations_have_their_marks(tab: Tab, site: Site) -> None:
    text = await outline_of(
        tab,
        site,
        "<style>.own { quotes: '«' '»' } .bare { quotes: none }</style>"
        "<p>She said <q>yes <q>or</q> no</q>.</p><button>Say <q>hi</q></button>"
        "<p><q class=own>oui</q> <q class=bare>none</q></p>",
    )
    assert (
        text
        == '- text: She said “yes \u2018or\u2019 no”.\n- button "Say “hi”"\n- text: «oui» none\n'
    )


_FRACTION = "<mfrac><mn>1</mn><mn>2</mn></mfrac>"
_ROOT = (
    "<mfrac><mrow><mo>-</mo><mi>b</mi><mo>±</mo><msqrt><msup><mi>b</mi><mn>2</mn></msup><mo>-</mo>"
    "<mn>4</mn><mi>a</mi><mo>&InvisibleTimes;</mo><mi>c</mi></msqrt></mrow>"
    "<mrow><mn>2</mn><mi>a</mi></mrow></mfrac>"
)
_SUM = (
    "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>"
    "<msub><mi>x</mi><mi>i</mi></msub>"
)
_WITH_SOURCE = (
    "<semantics><mi>x</mi><annotation encoding='application/x-tex'>\\\\chi</annotation></semantics>"
)
_MATRIX = (
    "<mo>[</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr>"
    "<mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable><mo>]</mo>"
)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (_FRACTION, "1/2"),
        (f"<mn>3</mn>{_FRACTION}", "3 1/2"),
        (_ROOT, "(-b±√(b^2-4ac))/(2a)"),
        (_SUM, "∑_(i=1)^n x_i"),
        (_MATRIX, "[1, 2; 3, 4]"),
        ("<mi>sin</mi><mo>&ApplyFunction;</mo><mi>x</mi>", "sin x"),
        ("<mover><mi>v</mi><mo>→</mo></mover>", "v→"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", "3√x"),
        ('<mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac>', "(n over k)"),
        (_WITH_SOURCE, "x"),
        ("<mi>x</mi><mphantom><mi>y</mi></mphantom>", "x"),
    ],
)
async def test_formulas_are_lines_of_text(tab: Tab, site: Site, formula: str, text: str) -> None:
    body = f"<p>It is <math>{formula}</math>.</p><button>Take <math>{formula}</math></button>"
    assert await outline_of(tab, site, body) == f'- text: It is {text}.\n- button "Take {text}"\n'


async def test_what_acts_in_a_formula_keeps_its_line(tab: Tab, site: Site) -> None:
    body = "<math><mi>x</mi><mo>=</mo><mtext><input aria-label=Answer></mtext></math>"
    assert await outline_of(tab, site, body) == '- text: x=\n- textbox "Answer"\n'


async def test_a_drawn_formula_is_told_by_the_one_beside_it(tab: Tab, site: Site) -> None:
    """As scripts draw them: boxes that are `aria-hidden`, and MathML that is not seen."""
    formula = f"<math><mi>x</mi><mo>=</mo>{_FRACTION}</math>"
    away = "position: absolute; clip: rect(1px, 1px, 1px, 1px); width: 1px; height: 1px"
    box = 'style="display: inline-block"'
    text = await outline_of(
        tab,
        site,
        f'<p>Then <span><span style="{away}">{formula}</span><span aria-hidden=true>'
        f"<b {box}>x=</b><b {box}>2</b><b {box}>1</b></span></span> holds.</p>",
    )
    assert text == "- text: Then x=1/2 holds.\n"


async def test_formulas_of_mathjax_are_text(tab: Tab, site: Site) -> None:
    """They take the focus for a menu; version 3 keeps MathML, version 4 only the source."""
    drawn = "<mjx-math aria-hidden=true><mjx-c></mjx-c></mjx-math>"
    kept = "<mjx-assistive-mml style='position: absolute; clip: rect(1px, 1px, 1px, 1px)'>"
    third = f"{drawn}{kept}<math>{_FRACTION}</math></mjx-assistive-mml>"
    fourth = "<mjx-math data-latex='1/2'><mjx-c>1</mjx-c><mjx-c>2</mjx-c></mjx-math>"
    for inner, told in ((third, "1/2"), (fourth, "$1/2$")):
        formula = f"<mjx-container tabindex=0>{inner}</mjx-container>"
        text = await outline_of(tab, site, f"<p>Is {formula}.</p><button>Take {formula}</button>")
        assert text == f'- text: Is {told}.\n- button "Take {told}"\n'


async def test_words_before_boxes_that_assistive_software_is_not_told_of(
    tab: Tab, site: Site
) -> None:
    """They were lost where the boxes took lines of their own."""
    text = await outline_of(
        tab,
        site,
        "<p>Before <span aria-hidden=true><b style='display: inline-block'>one</b> "
        "<b style='display: inline-block'>two</b></span> after</p>",
    )
    assert text.startswith("- text: Before\n")
