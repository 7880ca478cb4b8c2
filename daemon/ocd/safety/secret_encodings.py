"""Every encoding of a secret's value, as one google-re2 pattern. Pure.

A character may appear in either case and in both Unicode normal forms, or escaped: percent-encoded
(also repeatedly), as an HTML entity, as a JSON, JavaScript or Python escape, or in
quoted-printable. The whole value may also be in base64 or hex, at any of the offsets that it can
have in longer text.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import escape
from html.entities import codepoint2name
from unicodedata import normalize
from urllib.parse import quote, quote_plus

# A percent sign, a backslash and so on, as outer encodings spell them.
_PERCENT = "%(?:25)*"
_ESCAPED = rf"(?:\\|{_PERCENT}5c)+"
_QUOTED = rf"(?:\\|{_PERCENT}5c)*"
_END = f"(?:;|{_PERCENT}3b)?"
_AMPERSAND = rf"(?:&|{_PERCENT}26|{_ESCAPED}u0026)(?:(?:amp|(?:#|{_PERCENT}23)38){_END})*"
_NUMBER = rf"{_AMPERSAND}(?:#|{_PERCENT}23)0*"
_HEX_NUMBER = rf"{_AMPERSAND}(?:#|{_PERCENT}23)x0*"
_OPEN, _CLOSE = rf"(?:\{{|{_PERCENT}7b)0*", rf"(?:\}}|{_PERCENT}7d)"
# How the two base64 alphabets, URLs and JSON write its last characters.
_SIGNS = {"+": rf"(?:\+|-|{_PERCENT}2b)", "/": rf"(?:\\*/|_|{_PERCENT}2f)"}


def pattern(value: str, min_chars: int) -> str:
    """Return a pattern of every encoding of the value; base64 and hex from `min_chars` on.

    It is meant for matching without regard to letter case.
    """
    texts = dict.fromkeys((value, normalize("NFC", value)))
    spelt = ["".join(map(_character, text)) for text in texts]
    plain = dict.fromkeys(_bytes_of(value))
    encoded = {form for data in plain for form in _encodings_of(data, 2 * min_chars)}
    long_first = sorted(encoded, key=len, reverse=True)
    return "|".join((*spelt, *map(_signs, long_first), *map(_hex, plain)))


# --- one character ------------------------------------------------------------------------------


@lru_cache(4096)
def _character(sign: str) -> str:
    """Return a pattern of one character in any case and encoding."""
    cases = {sign, sign.lower(), sign.upper(), sign.casefold()}
    forms = dict.fromkeys((*cases, *(normalize("NFD", case) for case in cases)))
    single = [form for form in forms if len(form) == 1]
    parts = [*_literals(single), *_escapes(single)]
    # One character may be several in another case or normal form: ß, é, ﬁ.
    parts += ["".join(map(_one, form)) for form in forms if len(form) > 1]
    # Punctuation may be quoted for JSON, a shell or a regular expression, in any encoding.
    return f"{'' if sign.isalnum() else _QUOTED}(?:{'|'.join(parts)})"


@lru_cache(4096)
def _one(sign: str) -> str:
    return f"(?:{'|'.join((*_literals([sign]), *_escapes([sign])))})"


def _literals(signs: list[str]) -> Iterator[str]:
    for sign in signs:
        if sign == "\\":
            yield _ESCAPED
        elif sign.isspace():
            yield rf"{re.escape(sign)}|\s|\xa0|\+|{_ESCAPED}[tnr]|{_AMPERSAND}nbsp{_END}"
        else:
            yield re.escape(sign)


def _escapes(signs: list[str]) -> Iterator[str]:
    points = [ord(sign) for sign in signs]
    yield _NUMBER + _any(f"{point}" for point in points) + _END
    yield _HEX_NUMBER + _any(f"{point:x}" for point in points) + _END
    names = [codepoint2name[point] for point in points if point in codepoint2name]
    names += ["apos"] if 0x27 in points else []
    if names:
        yield _AMPERSAND + _any(names) + _END
    yield "|".join(_bytewise(sign) for sign in signs)
    yield _ESCAPED + _any(_unicode_escapes(points))
    yield f"{_PERCENT}u{_any(f'{point:04x}' for point in points)}"
    if latin := [f"{point:02x}" for point in points if 0x80 <= point < 0x100]:
        yield f"{_PERCENT}{_any(latin)}"


def _any(forms: Iterable[str]) -> str:
    return f"(?:{'|'.join(forms)})"


def _bytewise(sign: str) -> str:
    """Return a pattern of its UTF-8 bytes, each escaped on its own: %c3%a9, \\xc3\\xa9, =c3=a9."""
    mark = rf"(?:{_PERCENT}|{_ESCAPED}x|=|{_PERCENT}3d)"
    return "".join(f"{mark}{byte:02x}" for byte in sign.encode())


def _unicode_escapes(points: list[int]) -> Iterator[str]:
    for point in points:
        yield f"u{_OPEN}{point:x}{_CLOSE}"
        yield f"u{point:08x}"
        if point < 0x10000:
            yield f"u{point:04x}"
        else:
            high, low = divmod(point - 0x10000, 0x400)
            yield f"u{0xD800 + high:04x}{_ESCAPED}u{0xDC00 + low:04x}"


# --- the whole ----------------------------------------------------------------------------------


def _bytes_of(value: str) -> Iterator[bytes]:
    """Return what may be put into base64: the value as other encodings leave it."""
    texts = {
        *(normalize(form, value) for form in ("NFC", "NFD")),
        value, value.lower(), value.upper(),
        json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1],
        quote(value, safe=""), quote(value), quote_plus(value), escape(value),
    }  # fmt: skip
    for text in sorted(texts):
        yield text.encode()
    if not value.isascii() and all(ord(sign) < 0x100 for sign in value):
        yield value.encode("latin-1")  # what btoa() takes
    yield value.encode("utf-16-le")


def _encodings_of(data: bytes, min_chars: int) -> Iterator[str]:
    for core in _base64(data, min_chars):
        yield core
        yield from _base64(core.encode(), min_chars)


def _base64(data: bytes, min_chars: int) -> Iterator[str]:
    # Inside a longer text the value is at one of three offsets; its outer characters then
    # mix with its neighbours and are left out.
    for shift in range(3):
        encoded = b64encode(b"\0" * shift + data).decode().rstrip("=")
        start = (0, 2, 3)[shift]
        end = len(encoded) - ((len(data) + shift) % 3 != 0)
        if end - start >= min_chars:
            yield encoded[start:end]


def _signs(encoded: str) -> str:
    return "".join(_SIGNS.get(sign, sign) for sign in encoded)


def _hex(data: bytes) -> str:
    return r"[ :\-]?".join(f"{byte:02x}" for byte in data)
