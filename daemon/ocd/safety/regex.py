"""Regular expressions in linear time (RE2), for callers' patterns and untrusted texts."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ocd.api.errors import OcdError

_SYNTAX = "Syntax: https://github.com/google/re2/wiki/Syntax (no look-around, no \\1)."


def compile_re2(
    pattern: str | bytes,
    *,
    latin1: bool = False,
    never_nl: bool = False,
    case_sensitive: bool = True,
    max_mem: int | None = None,
) -> Any:  # noqa: ANN401 - google-re2 has no types
    """Compile one of our own patterns.

    Args:
        pattern: text for text, bytes for bytes.
        latin1: bytes are any bytes, not UTF-8.
        never_nl: no match reaches beyond its line.
        case_sensitive: whether upper and lower case differ.
        max_mem: bytes that the compiled pattern may take; None: RE2's own limit, 8 MiB.

    Raises:
        re2.error: not a valid pattern, or one that needs more memory.
    """
    import re2  # lazy: an idle daemon never needs it

    options = re2.Options()
    options.log_errors = False
    options.never_nl = never_nl
    options.case_sensitive = case_sensitive
    if latin1:
        options.encoding = re2.Options.Encoding.LATIN1
    if max_mem is not None:
        options.max_mem = max_mem
    return re2.compile(pattern, options)


@lru_cache(256)
def compile_pattern(
    pattern: str, parameter: str, *, lines_of_bytes: bool = False, max_length: int | None = None
) -> Any:  # noqa: ANN401 - google-re2 has no types
    """Compile a caller's pattern.

    Args:
        pattern: what the caller wrote.
        parameter: where, for the error: a parameter's name or a place inside one.
        lines_of_bytes: it is matched against UTF-8 bytes, ^ and $ at lines, never beyond a line.
        max_length: how many characters it may have.

    Raises:
        OcdError: invalid_argument, with RE2's reason.
    """
    import re2

    try:
        if max_length is not None and len(pattern) > max_length:
            reason = f"longer than {max_length} characters"
        elif not lines_of_bytes:
            return compile_re2(pattern)
        else:
            encoded = pattern.encode()
            compile_re2(encoded, never_nl=True)  # alone: the reason is about what was written
            return compile_re2(b"(?m)" + encoded, never_nl=True)
    except re2.error as error:
        detail = error.args[0]
        reason = detail.decode(errors="replace") if isinstance(detail, bytes) else str(detail)
    except UnicodeEncodeError:
        reason = "lone surrogates"
    raise OcdError(
        "invalid_argument", f"{parameter}: not a valid regular expression (RE2): {reason}",
        hint=_SYNTAX, parameter=parameter, expected="a regular expression of RE2",
    )  # fmt: skip


def compile_set(patterns: Sequence[str]) -> Any:  # noqa: ANN401 - google-re2 has no types
    """Return a set whose `Match(data)` gives the indices of all the patterns found in UTF-8 bytes.

    None if there is none. The text is read once, however many patterns there are.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    found = re2.Set.SearchSet(options)
    for pattern in patterns:
        found.Add(pattern)
    found.Compile()
    return found
