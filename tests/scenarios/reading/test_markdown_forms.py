"""What a page's forms become in Markdown, read from a tab and crawled alike."""

from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site

URL = "reading/markdown.html"
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


@pytest.fixture(params=["tab", "static", "browser"])
def markdown(request: pytest.FixtureRequest, daemon: Daemon, site: Site) -> Any:  # noqa: ANN401
    """The page's Markdown, by each of the ways to it."""
    if request.param == "tab":
        daemon.do("navigate", url=site.url(URL))
        return daemon.do("read_page", mode="markdown")["content"]
    crawled = daemon.do("crawl", url=site.url(URL), max_pages=1, engine=request.param)
    return crawled["pages"][0]["content"]


def test_every_form_of_the_page_has_its_markdown(markdown: str) -> None:
    missing = {name: form for name, form in FORMS.items() if form not in markdown}
    assert not missing, markdown


def test_columns_are_aligned_as_they_look(daemon: Daemon, site: Site) -> None:
    """By the style sheet too, where a browser knows it."""
    daemon.do("navigate", url=site.url(URL))
    text = daemon.do("read_page", mode="markdown")["content"]
    assert "| Boat | Length | Flag |\n| --- | --: | :-: |\n| Ada | 12 | NO |" in text
