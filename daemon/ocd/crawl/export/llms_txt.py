"""A crawl as llms.txt (https://llmstxt.org): a title and a list of links with descriptions."""

from collections.abc import Iterable, Iterator
from typing import Any

_ABOUT = 160


def lines(pages: Iterable[dict[str, Any]], title: str) -> Iterator[str]:
    """Yield the file's lines, with their ends."""
    yield f"# {_one_line(title)}\n\n## Pages\n\n"
    for record in pages:
        about = _first_words(str(record.get("content", "")), str(record.get("title", "")))
        name = _one_line(str(record.get("title") or record["url"]))
        yield f"- [{name}]({record['url']})" + (f": {about}" if about else "") + "\n"


def _one_line(text: str) -> str:
    return " ".join(text.replace("[", "(").replace("]", ")").split())


def _first_words(content: str, title: str) -> str:
    """Return the beginning of the first paragraph that is prose: no heading, link list or table."""
    for block in content[:20_000].split("\n\n"):
        words = " ".join(block.split())
        if words and words[0] not in "#|-*>`![<" and words != title and not words[0].isdigit():
            return words if len(words) <= _ABOUT else words[:_ABOUT].rsplit(" ", 1)[0] + " …"
    return ""
