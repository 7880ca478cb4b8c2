"""Ordinals at the beginning of words: "the second Delete button" is one of equal elements."""

import re

_NTH = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
)  # fmt: skip
# "First name" and "last name" are names of fields, not the first and the last of several names.
_ORDINAL = re.compile(
    rf"^(?:the\s+)?(?:(?!(?:first|last)\s+names?\b)({'|'.join(_NTH)}|last)|"
    r"0*([1-9]\d{0,4})(?:st|nd|rd|th)|(?:number|#)\s*0*([1-9]\d{0,4}))\s+(?=\S)",
    re.IGNORECASE,
)


def split_ordinal(words: str) -> tuple[int | None, str]:
    """Return which of several elements the words mean, and the words for each of these.

    From 1; -1 for the last, None if they do not begin with an ordinal.
    """
    found = _ORDINAL.match(words)
    if found is None:
        return None, words
    word, digits, number = found.groups()
    rest = words[found.end() :]
    if word is None:
        return int(digits or number), rest
    return (-1 if word.lower() == "last" else _NTH.index(word.lower()) + 1), rest
