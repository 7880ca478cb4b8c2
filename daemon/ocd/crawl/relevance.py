"""Which link looks most like what was asked for (strategy best_first)."""

import re
from collections import Counter
from urllib.parse import unquote

_WORD = re.compile(r"[^\W_]+")
# BM25's saturation: the tenth mention of a word says little more than the third.
_K = 1.2
_ANCHOR, _URL, _PAGE = 0.5, 0.3, 0.2
_PER_DEPTH = 0.02
_READ_CHARS = 20_000


class RelevanceScorer:
    """Scores of links and pages against the words of a query, from 0 (nothing) to 1."""

    def __init__(self, query: str) -> None:
        self._terms = sorted(set(_words(query)))

    def page(self, title: str, content: str) -> float:
        """Return how much a page is about the query; the title counts like four mentions."""
        counts = Counter(_words(content[:_READ_CHARS]))
        for word in _words(title):
            counts[word] += 4
        return self._score(counts)

    def link(self, url: str, text: str, page_score: float, depth: int) -> float:
        """Return the promise of a link: its words, its URL's, and those of the page it is on."""
        if not self._terms:
            return 0.0
        promise = (
            _ANCHOR * self._score(Counter(_words(text)))
            + _URL * self._score(Counter(_words(unquote(url.partition("://")[2]))))
            + _PAGE * page_score
        )
        return max(0.0, promise - _PER_DEPTH * depth)

    def _score(self, counts: Counter[str]) -> float:
        if not self._terms:
            return 0.0
        found = sum(counts[term] * (_K + 1) / (counts[term] + _K) for term in self._terms)
        return found / (len(self._terms) * (_K + 1))


def _words(text: str) -> list[str]:
    # A plain plural is the same word: "robots" finds "robot".
    return [
        word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] != "s" else word
        for word in _WORD.findall(text.lower())
    ]
