"""Named secrets: filled in on the way in, masked in every encoding on the way out."""

import html
import json
import logging
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unicodedata import normalize
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ocd.api.errors import OcdError
from ocd.cli.logfile import _formatter
from ocd.safety import secrets
from ocd.safety.param_redaction import truncate
from ocd.safety.redact import redact, redact_text
from ocd.safety.secrets import NONE, Secrets, read_file

VALUE = 'S3cr/t+"<pä ss>&'
SPELLINGS = [
    VALUE,
    VALUE.upper(),
    VALUE.lower(),
    json.dumps(VALUE)[1:-1],
    json.dumps(VALUE, ensure_ascii=False)[1:-1],
    quote(VALUE, safe=""),
    quote(VALUE, safe="").lower(),
    quote_plus(VALUE),
    html.escape(VALUE),
    VALUE.encode().hex(),
    b64encode(VALUE.encode()).decode().rstrip("=")[:-1],
    b64encode(f"user:{VALUE}".encode()).decode(),
    b64encode(f"me:{VALUE}!".encode()).decode(),
    b64encode(f"x{VALUE}yz".encode()).decode(),
]


@pytest.fixture
def used() -> Iterator[Secrets]:
    known = Secrets({"PW": VALUE, "PIN": "4711"})
    secrets.use(known)
    yield known
    secrets.use(NONE)


def test_placeholders_are_filled_in_at_any_depth() -> None:
    known = Secrets({"PW": VALUE})
    raw = {"fields": [{"value": "${SECRET:PW}"}], "n": 1, "t": ("a ${SECRET:PW} b",)}
    assert known.fill(raw) == {"fields": [{"value": VALUE}], "n": 1, "t": (f"a {VALUE} b",)}
    with pytest.raises(OcdError) as caught:
        known.fill({"x": "${SECRET:NONE}"})
    assert caught.value.code == "secret_not_found"
    assert "PW" in caught.value.hint


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_encoding_is_masked(spelling: str) -> None:
    known = Secrets({"PW": VALUE})
    shown = known.mask_text(f"<a {spelling} z>")
    assert "${SECRET:PW}" in shown
    assert VALUE not in shown


def test_characters_beyond_16_bits_are_masked_as_surrogate_pairs() -> None:
    """JSON and JavaScript write such a character as two escapes."""
    value = "pass\U0001f511word"
    known = Secrets({"PW": value})
    assert known.mask_text(json.dumps({"typed": value})) == '{"typed": "${SECRET:PW}"}'
    assert known.mask_text(rf"pass\ud83d\udd11word and {value}") == "${SECRET:PW} and ${SECRET:PW}"


# What is neither part of a spelling of the value nor of a placeholder's name.
_AROUND = st.text(alphabet="äß漢 .,;", max_size=8)
_JSON = st.recursive(
    st.tuples(_AROUND, st.sampled_from(SPELLINGS), _AROUND).map("".join),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_AROUND, inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(_JSON)
def test_no_nesting_hides_a_value(value: Any) -> None:  # noqa: ANN401 - any JSON value
    """Whatever the nesting, letter case and encoding, nothing of the value is left."""
    shown = json.dumps(Secrets({"PW": VALUE}).mask(value), ensure_ascii=False).lower()
    for spelling in SPELLINGS[:11]:
        assert spelling.lower() not in shown


# How one character may be written, whatever its neighbours are.
_SIGN: list[Callable[[str], str]] = [
    str, str.upper, str.lower,
    lambda sign: "".join(f"%{byte:02X}" for byte in sign.encode()),
    lambda sign: "".join(f"%25{byte:02x}" for byte in sign.encode()),
    lambda sign: f"&#{ord(sign)};",
    lambda sign: f"&#x{ord(sign):04X};",
    html.escape,
    lambda sign: json.dumps(sign)[1:-1],
    lambda sign: f"\\u{ord(sign):04X}",
    lambda sign: f"\\u{{{ord(sign):x}}}",
    lambda sign: "".join(f"\\x{byte:02x}" for byte in sign.encode()),
    lambda sign: normalize("NFD", sign),
]  # fmt: skip
# What may then happen to the text that it stands in, again and again.
_TEXT: list[Callable[[str], str]] = [
    str.swapcase, json.dumps, quote, html.escape, lambda text: quote(text, safe=""),
    lambda text: json.dumps({"a": [text]}, ensure_ascii=False),
]  # fmt: skip
_WHOLE: list[Callable[[bytes], str]] = [
    bytes.hex, lambda data: data.hex(":").upper(),
    lambda data: b64encode(data).decode(), lambda data: urlsafe_b64encode(data).decode(),
    lambda data: quote(b64encode(data), safe=""), lambda data: json.dumps(b64encode(data).decode()),
    lambda data: b64encode(b64encode(data)).decode(),
]  # fmt: skip


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(_SIGN), min_size=len(VALUE), max_size=len(VALUE)),
    st.lists(st.sampled_from(_TEXT), max_size=2), _AROUND,
)  # fmt: skip
def test_no_mixture_of_encodings_hides_a_value(
    signs: list[Callable[[str], str]], outer: list[Callable[[str], str]], around: str
) -> None:
    """Each character is escaped differently, and all of it is nested in further texts."""
    text = f"{around}{''.join(how(sign) for how, sign in zip(signs, VALUE, strict=True))}{around}"
    for wrap in outer:
        text = wrap(text)
    assert "${SECRET:PW}" in Secrets({"PW": VALUE}).mask_text(text), text


@settings(deadline=None)
@given(st.sampled_from(_WHOLE), st.binary(max_size=4), st.binary(max_size=4), st.booleans())
def test_no_alignment_in_base64_or_hex_hides_a_value(
    encode: Callable[[bytes], str], before: bytes, after: bytes, quoted: bool
) -> None:
    """Whatever byte of a longer text it begins at."""
    inner = quote(VALUE, safe="") if quoted else VALUE
    text = encode(before + inner.encode() + after)
    assert "${SECRET:PW}" in Secrets({"PW": VALUE}).mask_text(text), text


@settings(deadline=None)
@given(st.text(min_size=4, max_size=30), _AROUND, _AROUND)
def test_any_value_is_masked_and_nothing_else_is_lost(value: str, left: str, right: str) -> None:
    shown = Secrets({"A": value}).mask_text(f"{left}{value}{right}")
    assert "${SECRET:A}" in shown
    if not set(value) & set(left + right):
        assert shown == f"{left}${{SECRET:A}}{right}"


def test_redaction_masks_values_and_keeps_placeholders(used: Secrets) -> None:
    """Journal, summaries, recordings and logs all use redact."""
    shown = redact({"note": f"typed {VALUE}", "password": VALUE, "pin": 4711, "code": "4711"})
    assert shown["note"] == "typed ${SECRET:PW}"
    assert shown["password"] == "${SECRET:PW}"
    assert redact({"password": "${SECRET:PW}"}) == {"password": "${SECRET:PW}"}
    assert VALUE not in redact_text(f"token={VALUE}")
    assert redact_text("password=${SECRET:PW}&x=1") == "password=${SECRET:PW}&x=1"
    assert used.names == ["PIN", "PW"]


def test_a_text_that_is_cut_shows_no_part_of_a_value(used: Secrets) -> None:
    """Stored text is masked before it is cut."""
    for most in range(1, 60):
        shown = redact(truncate(f"a note of {VALUE} and what follows it, at length", most))
        assert "S3cr" not in shown, most


def test_long_strings_are_cut_at_any_depth() -> None:
    """What is written down of a call is short before anything is redacted in it."""
    cut = truncate({"a": ["x" * 5000, "y"], "b": {"c": "z" * 5000}}, 10)
    short = {"a": ["x" * 10 + "… (5000 characters)", "y"]}
    assert cut == {**short, "b": {"c": "z" * 10 + "… (5000 characters)"}}


def test_log_lines_have_no_secrets(used: Secrets) -> None:
    """Neither values of the file nor what looks like a secret, also in tracebacks."""
    said = f"~/secrets: line 1 of https://h/?token=hunter2 ({VALUE})"
    failure = ValueError(f"Authorization: Bearer abcdefgh12345678 {quote(VALUE)}")
    record = logging.makeLogRecord({"msg": said, "exc_info": (ValueError, failure, None)})
    line = _formatter().format(record)
    assert "~/secrets: line 1" in line
    assert "hunter2" not in line
    assert "abcdefgh12345678" not in line
    assert line.count("${SECRET:PW}") >= 1
    assert quote(VALUE) not in line


def test_a_secrets_file_is_parsed(tmp_path: Path) -> None:
    file = tmp_path / "secrets"
    file.write_text("# mine\n\nexport A_1 = 'with space'\nB=plain=with=equals\n", encoding="utf-8")
    known = read_file(file)
    assert known.fill("${SECRET:A_1}|${SECRET:B}") == "with space|plain=with=equals"


@pytest.mark.parametrize("line", ["novalue", "A B=long enough", "A=abc", "1A=long enough"])
def test_an_invalid_line_is_named_without_its_value(tmp_path: Path, line: str) -> None:
    file = tmp_path / "secrets"
    file.write_text(f"OK=long enough\n{line}\n")
    with pytest.raises(OcdError) as caught:
        read_file(file)
    assert caught.value.code == "config_invalid"
    assert "line 2" in caught.value.message
    assert "long enough" not in caught.value.message


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OcdError) as caught:
        read_file(tmp_path / "none")
    assert caught.value.code == "config_invalid"


@given(
    st.lists(st.sampled_from([VALUE, VALUE.upper(), "x", "é", " "]), max_size=30),
    st.integers(1, 30),
)
def test_long_texts_are_masked_like_short_ones(parts, piece):
    """A value across the edge of two pieces is found."""
    known, text = Secrets({"A": VALUE}), "".join(parts)
    whole = known.mask_text(text)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(secrets, "_PIECE", piece)
        patched.setattr(secrets, "_OVERLAP", len(VALUE))
        assert known.mask_text(text) == whole
