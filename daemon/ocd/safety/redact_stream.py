"""Redaction of long texts, searched closely only where a secret's name may be.

`redact_text` needs 50 ms for a million characters, without a pause; this module works in pieces,
so that a megabyte takes some milliseconds and no other thread waits for long.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from ocd.safety.redact import redact, redact_text
from ocd.safety.regex import compile_re2

# JSON up to this length is parsed as such.
SHORT = 32_768
_PIECE = 4096
_MAX_ITEMS = 16 * _PIECE
# A piece ends after one of these, this far from anything that may be a secret's name: so a name and
# its value, a header and its line, a key and its end stay together.
_END = re.compile(r"[\n,;}\s]")
_AWAY = 2048
_BEFORE = 100
# Names are searched in blocks, with what follows each: one without an end there is not a name.
_BLOCK = 1024
_MAX_HINTED = 1024
# Each name that `redact` knows as a secret's has one of these (a dot: whatever parts words), and so
# has each shape of a token.
_HINTS = (
    "pass pwd secret cred auth cookie otp mfa 2fa cvv cvc csc ssn jwt token api.?key access.?key "
    "private.?key encryption.?key signing.?key master.?key shared.?key account.?key sas.?key sess "
    r"(?:\b|_)sid (?-i:[a-z]Sid) csrf xsrf pin.?code security.?code verif recovery.?code "
    "backup.?code one.?time card.?number assertion contrase kennwort senha wachtwoord пароль 密码 "
    r"密碼 口令 パスワード 비밀번호 암호 인증번호 bearer basic\s digest\s negotiate\s eyJ AKIA "
    r"ASIA AROA AIDA gh[pousr]_ github_pat_ glpat- xox[abeprs]- k_live_ k_test_ sk- AIza ya29\. "
    r"npm_ pypi- hf_ SG\. [?&;#](sig|signature|code|key|k|ticket|samlresponse|x-amz)[-=] "
    r"://[^/\s]*@ %[0-9a-f]{2}"
)


def redact_long(text: str) -> str:
    """Return the text with what looks like a secret masked; as `redact` does, if it is short."""
    if len(text) <= SHORT:
        masked: str = redact(text)
        return masked
    hints = _hints()
    return "".join(redact_text(piece) if hints.search(piece) else piece for piece in _pieces(text))


@cache
def _hints() -> Any:  # noqa: ANN401 - re2 has no types
    return compile_re2(f"(?i){'|'.join(_HINTS.split())}")


def _pieces(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        stop = _stop(text, at)
        yield text[at:stop]
        at = stop


def _stop(text: str, at: int) -> int:
    """Return where the piece that begins there ends."""
    last = min(at + _MAX_ITEMS, len(text))
    free = at + _PIECE - _AWAY  # no hint is nearer before a place in the text, as far as was looked
    sought = 0  # no end is between free + _AWAY and here
    for block in range(free, last, _BLOCK):
        hinted = _hints().search(text[block : block + _BLOCK + _MAX_HINTED])
        until = max(0, (block if hinted else block + _BLOCK) - _BEFORE)
        if end := _END.search(text, max(free + _AWAY, sought), until):
            return end.end()
        sought = until
        if hinted:
            free = block + _BLOCK
    return last
