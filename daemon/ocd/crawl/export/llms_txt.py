"""A crawl as llms.txt (https://llmstxt.org): a title and a list of links with descriptions."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

_ABOUT = 160
# How much of a page's content is searched for its first sentence.
_LOOKED_AT = 20_000
_LINK = re.compile(r"!?\[([^\[\]]*+)\]\([^()\s]*+(?:\s\"[^\"]*+\")?\)")
# Headings, tables, lists, quotations, code, definitions.
_NO_PROSE = re.compile(r"\s*(?:[#|>`<:]|[-*+] |\d+[.)] )")
# Shorter texts are labels, not sentences; scripts without spaces say more in as many letters.
_LEAST_LETTERS, _LEAST_WIDE_LETTERS = 20, 10
_WIDE = "\u2e80"


def lines(pages: Iterable[dict[str, Any]], address: str) -> Iterator[str]:
    """Yield the file's lines, with line ends; its title is that of the start page."""
    known: set[int] = set()  # hashes of descriptions: one for the whole site is useless
    head = f"# {_one_line(address)}\n\n"
    for record in pages:
        title = _one_line(str(record.get("title") or ""))
        about = _one_line(str(record.get("description") or ""))
        if head and title and record.get("depth") == 0:
            head = f"# {title}\n\n" + (f"> {about}\n\n" if about else "")
        yield from _once(head)
        head = ""
        if not about or hash(about) in known:
            about = _first_sentences(record)
        known.add(hash(about))
        yield f"- [{title or record['url']}]({record['url']})"
        yield f": {_cut(about)}\n" if about else "\n"
    yield from _once(head)


def _once(head: str) -> Iterator[str]:
    if head:
        yield f"{head}## Pages\n\n"


def _one_line(text: str) -> str:
    return " ".join(text.replace("[", "(").replace("]", ")").split())


def _cut(text: str) -> str:
    return text if len(text) <= _ABOUT else text[:_ABOUT].rsplit(" ", 1)[0] + " …"


def _first_sentences(record: dict[str, Any]) -> str:
    """Return the first paragraph of prose below the page's headline."""
    content = str(record.get("formats", {}).get("main") or record.get("content", ""))
    headline = content.find("# ") if content.startswith("# ") else content.find("\n# ")
    for block in content[max(0, headline) :][:_LOOKED_AT].split("\n\n"):
        if not _NO_PROSE.match(block) and _is_sentence(_LINK.sub("", block)):
            return " ".join(_LINK.sub(r"\1", block).split())
    return ""


def _is_sentence(words: str) -> bool:
    letters = [word for word in words if word.isalpha()]
    wide = sum(letter >= _WIDE for letter in letters)
    return len(letters) >= _LEAST_LETTERS or wide >= _LEAST_WIDE_LETTERS
