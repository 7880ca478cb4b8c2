"""Texts as search terms, for search and ranking by words."""

import re
from collections.abc import Callable, Iterable
from functools import cache, lru_cache

_WORD = re.compile(r"[^\W_]+")
# Scripts without spaces between words.
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")


def terms(text: str, about: Iterable[str] | None = None) -> list[str]:
    """Return the words of a text as case-folded English stems, in order.

    "Costs" and "costing" are both `cost`; of scripts without spaces, every pair of letters is a
    term.

    Args:
        text: any text.
        about: the terms that matter, if only some do: a word that cannot be one of them is not
            stemmed, which is most of the work in a long text.
    """
    initials = None if about is None else {term[:1] for term in about}  # stems keep their first
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if word.isascii():
            stemmed = initials is None or word[0] in initials
            found.append(_stem(word) if stemmed else word)
        elif _UNSPACED.search(word) and len(word) > 1:
            found += [word[at : at + 2] for at in range(len(word) - 1)]
        else:
            found.append(word)
    return found


@lru_cache(50_000)
def _stem(word: str) -> str:
    # Nothing longer is a word; and a stemmer in Python need not read a base64 blob.
    return _stemmer()(word) if len(word) <= 40 else word


@cache
def _stemmer() -> Callable[[str], str]:
    from snowballstemmer import stemmer  # 3 MB, for the first text that is searched by words

    stem: Callable[[str], str] = stemmer("english").stemWord
    return stem
