"""Patterns of addresses and texts, as callers write them."""

from collections.abc import Callable

from ocd.api.errors import OcdError

Test = Callable[[str], bool]


def is_regex(pattern: str) -> bool:
    """Whether the pattern is written as a /regular expression/."""
    return len(pattern) > 2 and pattern[0] == pattern[-1] == "/"


def text_test(pattern: str, parameter: str = "value") -> Test:
    """Return the test of a text: a /regular expression/, a glob with *, or a part of it.

    In a glob only `*` is special; it may fit any part. Raises invalid_argument for an expression
    that is none.
    """
    if is_regex(pattern):
        return _regex_test(pattern[1:-1], parameter)
    if "*" in pattern:
        pieces = [piece for piece in pattern.split("*") if piece]
        return lambda text: _contains_in_order(pieces, text)
    return lambda text: pattern in text


def _contains_in_order(pieces: list[str], text: str) -> bool:
    at = 0
    for piece in pieces:
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


def _regex_test(pattern: str, parameter: str) -> Test:
    import re2  # linear time, whatever the pattern: the loop stands still while it is matched

    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError) as error:
        said = error.args[0] if isinstance(error, re2.error) else "lone surrogates"
        reason = said.decode(errors="replace") if isinstance(said, bytes) else said
        raise OcdError(
            "invalid_argument",
            f"'{parameter}' is not a regular expression of RE2: {reason}",
            hint="Syntax: https://github.com/google/re2/wiki/Syntax (no look-around, no \\1).",
            parameter=parameter,
        ) from None
    return lambda text: compiled.search(text) is not None
