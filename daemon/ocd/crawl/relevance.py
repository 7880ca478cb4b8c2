"""Ranking of links by relevance to the query (strategy best_first)."""

from collections import Counter
from collections.abc import Callable
from urllib.parse import unquote

from ocd.content.tokens import terms

# BM25's saturation: the tenth mention of a word adds little to the third.
_K = 1.2
_ANCHOR, _URL, _PAGE = 0.5, 0.3, 0.2
_PER_DEPTH = 0.02
_READ_CHARS = 20_000
# Scores a link by its URL and its text.
LinkScore = Callable[[str, str], float]


class RelevanceScorer:
    """Scores of links and pages against the words of a query, from 0 (nothing) to 1."""

    def __init__(self, query: str) -> None:
        self._terms = sorted(set(terms(query)))

    def page(self, title: str, content: str) -> float:
        """Return how much a page is about the query; the title counts like four mentions."""
        counts = Counter(terms(content[:_READ_CHARS], self._terms))
        for word in terms(title, self._terms):
            counts[word] += 4
        return self._score(counts)

    def link(self, url: str, text: str, page_score: float, depth: int) -> float:
        """Return the score of a link, from its words, those of its URL, and its page's score."""
        if not self._terms:
            return 0.0
        promise = (
            _ANCHOR * self._score(Counter(terms(text, self._terms)))
            + _URL * self._score(Counter(terms(unquote(url.partition("://")[2]), self._terms)))
            + _PAGE * page_score
        )
        return max(0.0, promise - _PER_DEPTH * depth)

    def of_links(self, title: str, content: str, depth: int, noted: dict[str, float]) -> LinkScore:
        """Return the scorer of a page's links at this depth; it records the scores in `noted`."""
        if not self._terms:
            return lambda _url, _text: 0.0
        page_score = self.page(title, content)

        def score(url: str, text: str) -> float:
            noted[url] = self.link(url, text, page_score, depth)
            return noted[url]

        return score

    def _score(self, counts: Counter[str]) -> float:
        if not self._terms:
            return 0.0
        found = sum(counts[term] * (_K + 1) / (counts[term] + _K) for term in self._terms)
        return found / (len(self._terms) * (_K + 1))
