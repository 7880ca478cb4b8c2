"""Secrets recognised by their form: tokens of known issuers, JWTs, keys.

A text is first searched for what each pattern needs, which costs a tenth of the patterns.
"""

import re
from functools import cache
from typing import Any

from ocd.safety.regex import compile_re2

# For RE2: with `re`, each beginning of a token without an end would cost a search of the rest.
_SHAPES = (
    r"(?s)\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*"  # JWT
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)"
    r"|\b(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}\b"  # AWS
    r"|\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bxox[abeprs]-[A-Za-z0-9-]{10,}|\b[srp]k_(?:live|test)_[A-Za-z0-9]{10,}"
    r"|\bsk-[A-Za-z0-9_-]{20,}|\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bnpm_[A-Za-z0-9]{30,}"
    r"|\bpypi-[\w-]{30,}|\bhf_[A-Za-z0-9]{30,}|\bSG\.[\w-]{16,}\.[\w-]{16,}"
)
# Each token contains one of these.
MARKS = (
    "eyJ", "PRIVATE KEY-----", "AKIA", "ASIA", "AROA", "AIDA", "ghp_", "gho_", "ghu_", "ghs_",
    "ghr_", "github_pat_", "glpat-", "xox", "k_live_", "k_test_", "sk-", "AIza", "ya29.", "npm_",
    "pypi-", "hf_", "SG.",
)  # fmt: skip
_SCHEME = re.compile(
    r"\b((?i:Bearer|Basic|Digest|Negotiate|Token))(\s+)"
    r"(?=[^\s,;\"']*(?:[0-9=]|[a-z][A-Z]))([A-Za-z0-9._~+/=-]{8,})",
)
SCHEMES = frozenset(("bearer", "basic", "digest", "negotiate", "token"))


def without_tokens(text: str, mask: str) -> str:
    """Return the text with `mask` in place of everything that has a secret's form."""
    if not any(mark in text for mark in MARKS):
        return text
    data = text.encode("utf-8", "surrogatepass")
    shapes = _shapes()
    if shapes.search(data) is None:
        return text
    masked: bytes = shapes.sub(mask.encode(), data)
    return masked.decode("utf-8", "surrogatepass")


@cache
def _shapes() -> Any:  # noqa: ANN401 - re2 has no types
    return compile_re2(_SHAPES.encode(), latin1=True)


def without_credentials(text: str, lowered: str, mask: str) -> str:
    """Return the text with `mask` for what follows a scheme's name: Bearer …, Basic …"""
    if any(scheme in lowered for scheme in SCHEMES):
        return _SCHEME.sub(rf"\1\2{mask}", text)
    return text
