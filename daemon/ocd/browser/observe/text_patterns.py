"""Patterns for URLs of requests and for texts, as callers write them.

A glob here matches any part, because it is used where a substring may be: log filters, interception
rules, `wait_for`. The other dialects are named in `crawl/url_globs`.
"""

from collections.abc import Callable

from ocd.safety.regex import compile_pattern

Test = Callable[[str], bool]


def is_regex(pattern: str) -> bool:
    """Whether the pattern is written as a /regular expression/."""
    return len(pattern) > 2 and pattern[0] == pattern[-1] == "/"


def text_test(pattern: str, parameter: str = "value") -> Test:
    """Return a test of a text by a /regular expression/, a glob with *, or a substring.

    In a glob only `*` is special; a glob may match anywhere in the text. Raises invalid_argument
    for an invalid expression.
    """
    if is_regex(pattern):
        regex = compile_pattern(pattern[1:-1], parameter)
        return lambda text: regex.search(text) is not None
    if "*" in pattern:
        pieces = [piece for piece in pattern.split("*") if piece]
        return lambda text: _contains_in_order(pieces, text)
    return lambda text: pattern in text


def _contains_in_order(pieces: list[str], text: str) -> bool:
    position = 0
    for piece in pieces:
        position = text.find(piece, position)
        if position < 0:
            return False
        position += len(piece)
    return True
