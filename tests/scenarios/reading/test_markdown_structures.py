"""Markdown of a page's structures, the same from a tab and from a crawl."""

from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site

URL = "reading/markdown.html"
FORMULAS = [
    "$a^2*b*$, for \\$5 or \\$6, `$HOME`, [a link](",
    r"Markup $x = \frac{- b \pm \sqrt{b^2 - 4 a c}}{2 a}$ alone.",
    "\n\n$$\\sum_{i = 0}^{\\infty} a_i \\begin{pmatrix} 1 & 0 \\\\ 0 & 1 \\end{pmatrix}$$\n\n",
    "Drawn twice $x_1$.\n\n$$y_1$$\n\n",
    "With a script $e^{i\\pi}$ and\n\n$$f_{10}$$\n\n",
    "For listeners $k_B$, in a container $g_{2}$.",
    "A picture $E=mc^{2}$.",
    r"Undrawn $\alpha_0$, $\beta_0$, $\gamma_0$.",
    "\n\n$$\\begin{split}p \\\\ q\\end{split}$$\n\n",
    r"| Size | $\vert v \vert$ |",
    "Hidden .",
    "```\nkept   \n as it is  \n\n```\n",
]
FORMS = {
    "escapes": r"Use \*\* and \_\_init\_\_ for snake_case_names, 2\*3\*4, a * b and \`ticks\`.",
    "language of a wrapper, whole": "```python\nimport os\n\n\nprint(a*b, __name__)\n```\n",
    "language of a further wrapper": "```ruby\nputs 1\n```\n",
    "language of the code": "```c++\nint x;\n```\n",
    "no language": "```\nplain words\n```\n",
    "rule": "\n---\n",
    "definitions": "\nSloop\n: One mast\n\nKetch\n\nYawl\n: Two masts\n",
    "title": '[a link](http://e.com/a_b "The title") `a_b * c_`',
}


WAYS = pytest.mark.parametrize("way", ["tab", "static", "browser"])


def _markdown(daemon: Daemon, url: str, way: str) -> Any:  # noqa: ANN401
    if way == "tab":
        daemon.do("navigate", url=url)
        return daemon.do("read_page", mode="markdown")["content"]
    crawled = daemon.do("crawl", url=url, max_pages=1, engine=way)
    return crawled["pages"][0]["content"]


@WAYS
def test_every_structure_of_the_page_has_its_markdown(daemon: Daemon, site: Site, way: str) -> None:
    markdown = _markdown(daemon, site.url(URL), way)
    missing = {name: form for name, form in FORMS.items() if form not in markdown}
    assert not missing, markdown


@WAYS
def test_formulas_are_latex_between_dollar_signs(daemon: Daemon, site: Site, way: str) -> None:
    """MathML, KaTeX, MathJax 2 to 4, MediaWiki and sources that are not drawn yet."""
    markdown = _markdown(daemon, site.url("reading/formulas.html"), way)
    assert [form for form in FORMULAS if form not in markdown] == [], markdown
    assert "secret" not in markdown


def test_columns_are_aligned_as_displayed(daemon: Daemon, site: Site) -> None:
    """By the style sheet too, where a browser knows it."""
    daemon.do("navigate", url=site.url(URL))
    text = daemon.do("read_page", mode="markdown")["content"]
    assert "| Boat | Length | Flag |\n| --- | --: | :-: |\n| Ada | 12 | NO |" in text
