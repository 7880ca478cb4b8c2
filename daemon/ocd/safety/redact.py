"""Redaction: masks secrets in everything that is stored (journal, summaries, recordings, logs).

A secret is recognised by its name (in any spelling, at any depth, also in JSON or form data inside
strings and in `{"name", "value"}` pairs) or by its own form (tokens of known issuers, JWTs, private
keys). When in doubt, a value is masked. Not masked on purpose:

- names whose last word says that the value is about a secret, not the secret itself:
  `max_tokens`, `token_type`, `password_field`, `cookie_policy`, `secret_name`;
- paging cursors: `next_page_token`, `page_token`, `continuation_token`, `sync_token`;
- true, false and null, and numbers under plural names (`cookies: 12`);
- `session`, our own term for a set of tabs (`session_id` is masked).
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any
from urllib.parse import quote, unquote, unquote_plus

import msgspec

from ocd.safety import secrets
from ocd.safety.token_patterns import SCHEMES, without_credentials, without_tokens

MASK = "[redacted]"
URL_MASK = "redacted"
_MAX_JSON = 1 << 20
MAX_DEPTH = 100
# URLs inside parameters of URLs: each level costs another pass over the rest.
_MAX_NESTED = 8


def _set(text: str, separator: str | None = None) -> frozenset[str]:
    return frozenset(text.split(separator))


_SECRET_WORDS = _set(
    "password passwords passwd passwds pwd passphrase passcode passkey pass secret secrets"
    " credential credentials creds authorization authentication auth authcode authkey authtoken"
    " cookie cookies cookie2 setcookie otp totp hotp mfa 2fa cvv cvv2 cvc cvc2 csc ssn jwt bearer"
    " token accesstoken refreshtoken idtoken apitoken csrftoken apikey apikeys accesskey secretkey"
    " privatekey sessionid sessid sid phpsessid jsessionid csrf xsrf pincode userpass"
)
_SECRET_PAIRS = _set(
    "api key|api keys|access key|private key|secret key|encryption key|signing key|master key"
    "|session key|session id|session ids|security code|auth code|verification code|recovery code"
    "|recovery codes|backup code|backup codes|one time|card number|code verifier|client assertion"
    "|pin code|pass word|auth key|shared key|account key|sas key",
    "|",
)
_PLURALS = _set("tokens cookies secrets credentials passwords")
_ABOUT = _set(
    "count type types limit limits length size url uri href policy policies selector label name"
    " names enabled disabled required expires expiry expiration ttl field fields path file"
    " placeholder hint strength reset visible manager mode page endpoint present changed valid"
    " format error errors banner consent usage budget method domain at audit status"
)
_PAGING = _set("page next continuation sync cursor resume previous prev")
_AMOUNTS = _set("max min num number total prompt completion input output used count")
# Names that secrets have in other languages, found anywhere in a label.
_FOREIGN = re.compile(
    "passwor[td]|passwort|kennwort|contrase[nñ]a|mot ?de ?passe|senha|wachtwoord|пароль|密码|密碼"
    "|口令|パスワード|비밀번호|암호|인증번호|보안코드"
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+[a-z]*|[^\W\d_a-zA-Z]+")
_URL_ONLY = _set("sig signature xamzsignature xamzcredential awsaccesskeyid")
_LONG_IN_URL = _set("key code session sess ticket samlresponse k")
_LONG = 16


@lru_cache(4096)
def is_secret_name(name: str) -> bool:
    """Return whether the value of this key, header, field or parameter is a secret."""
    words = _words(name)
    if not words or words[-1] in _ABOUT:
        return False
    if words[-1] in ("token", "tokens") and len(words) > 1:
        before = set(words[:-1])
        if before & (_PAGING | _AMOUNTS if words[-1] == "tokens" else _PAGING):
            return False
    if words[-1] == "tokens" or not _SECRET_WORDS.isdisjoint(words):
        return True
    pairs = {f"{first} {second}" for first, second in pairwise(words)}
    return not _SECRET_PAIRS.isdisjoint(pairs) or bool(_FOREIGN.search(name.lower()))


def _words(name: str) -> list[str]:
    # "X-API-KEY", "apiKey", "api_key" and "API key" are the same two last words.
    decoded = name if "%" not in name else unquote_plus(unquote_plus(name))
    words = [word.lower() for word in _WORDS.findall(decoded[:200])]
    joined = "".join(words)
    return [*words, joined] if len(words) <= 3 and joined in _SECRET_WORDS else words


def _is_plural(name: str) -> bool:
    return not _PLURALS.isdisjoint(_words(name)[-1:])


# The keys of an object that hold the name of its own "value".
_NAME_KEYS = (
    "name", "key", "label", "field", "header", "id", "selector", "query", "placeholder", "type",
    "autocomplete",
)  # fmt: skip
_VALUE_KEYS = frozenset(("value", "values", "text", "content", "newvalue", "oldvalue"))


def without_header_values(params: Any, depth: int = 0) -> Any:  # noqa: ANN401 - any JSON value
    """Return parameters, nested ones too, with the values of request headers masked.

    Any header may be a key: a caller's own ones have names that nobody knows.
    """
    if depth > MAX_DEPTH:
        return MASK
    if isinstance(params, Mapping):
        return {
            name: dict.fromkeys(value, MASK)
            if name == "headers" and isinstance(value, Mapping)
            else without_header_values(value, depth + 1)
            for name, value in params.items()
        }
    if isinstance(params, list | tuple):
        return [without_header_values(item, depth + 1) for item in params]
    return params


def redact(value: object) -> Any:  # noqa: ANN401 - a copy of any JSON value
    """Return a deep copy of a JSON-like value with every secret replaced by `[redacted]`."""
    return _redact(value, 0)


def _redact(value: object, depth: int) -> object:
    if depth > MAX_DEPTH:
        return MASK
    if isinstance(value, str):
        return _redact_string(secrets.current().mask_text(value), depth)
    if isinstance(value, Mapping):
        return _redact_object(value, depth)
    if isinstance(value, list | tuple | set | frozenset):
        items = list(value)
        if len(items) == 2 and isinstance(items[0], str) and is_secret_name(items[0]):
            return [items[0], _mask_field(items[0], items[1])]  # a header as a pair
        return [_redact(item, depth + 1) for item in items]
    return value


def _redact_object(value: Mapping[Any, object], depth: int) -> dict[Any, object]:
    names = {key: str(key) for key in value}
    lowered = {name.lower(): value[key] for key, name in names.items()}
    named = (lowered.get(key) for key in _NAME_KEYS)
    hides_value = any(isinstance(name, str) and is_secret_name(name) for name in named)
    result: dict[Any, object] = {}
    for key, item in value.items():
        name = names[key]
        if is_secret_name(name) or (hides_value and name.lower() in _VALUE_KEYS):
            result[key] = _mask_field(name, item)
        else:
            result[key] = _redact(item, depth + 1)
    return result


def _mask_field(name: str, value: object) -> object:
    if value is None or isinstance(value, bool) or value in ("", [], {}):
        return value
    if isinstance(value, str) and secrets.is_place(masked := secrets.current().mask_text(value)):
        return masked
    if isinstance(value, int | float) and _is_plural(name):
        return value
    return MASK


# The keys of an object under which a caller names the element that takes the object's value.
_LOCATOR_KEYS = ("ref", "selector", "query", "label")


def mask_values(value: Any, hidden: Callable[[set[str]], bool]) -> Any:  # noqa: ANN401 - any JSON
    """Return JSON with `[redacted]` for the value of every object that names an element so.

    hidden: returns whether the value for an element of these names (refs, selectors, words; none:
    the focused element) is a secret.
    """
    if isinstance(value, list):
        return [mask_values(item, hidden) for item in value]
    if not isinstance(value, dict):
        return value
    names = {one for key in _LOCATOR_KEYS if isinstance(one := value.get(key), str)}
    masks_value = hidden(names)
    return {
        key: _mask_field(key, item)
        if masks_value and key.lower() in _VALUE_KEYS
        else mask_values(item, hidden)
        for key, item in value.items()
    }


_JSON_ENDS = {("{", "}"), ("[", "]"), ('"', '"')}


def _redact_string(text: str, depth: int) -> str:
    stripped = text.strip()
    if (stripped[:1], stripped[-1:]) in _JSON_ENDS and len(text) <= _MAX_JSON:
        try:
            decoded = msgspec.json.decode(stripped)
        except (msgspec.DecodeError, RecursionError):
            return redact_text(text)
        clean = _redact(decoded, depth + 1)
        return text if clean == decoded else msgspec.json.encode(clean).decode()
    return redact_text(text)


_URL = re.compile(r"\b[a-z][a-z0-9+.\-]{1,20}://[^\s\"'<>`]+", re.IGNORECASE)
_HEADER = re.compile(
    r"\b((?:proxy-)?authorization|(?:set-)?cookie2?|x-(?:api-key|auth-token|csrf-token))(\s*:\s*)"
    r"([^\r\n\"']+)",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"(?P<name>(?<![\w%.\-\[\]])[\w%.\-\[\]]{2,80}+)(?P<between>[\"']?\s{0,3}[=:]\s{0,3})"
    r"(?P<value>\"(?:[^\"\\]|\\.){1,4096}\"|'(?:[^'\\]|\\.){1,4096}'|[^\s&;,\"'<>(){}]+)"
)
# Longer values are not searched again.
_INNER = 200
# Each such header has one of these in its name.
_HEADER_WORDS = ("authorization", "cookie", "x-")


def redact_text(text: str, *, pairs: bool = True) -> str:
    """Return the text with tokens, secret headers, URL secrets and secret `pairs` masked (a=b)."""
    return _redact_text(text, 0, pairs=pairs)


def _redact_text(text: str, level: int, *, pairs: bool = True) -> str:
    text = secrets.current().mask_text(text)
    if "://" in text:
        text = _URL.sub(lambda match: _redact_url(match[0], level), text)
    lowered = text.lower()
    if any(word in lowered for word in _HEADER_WORDS):
        text = _HEADER.sub(rf"\1\2{MASK}", text)
    text = without_credentials(without_tokens(text, MASK), lowered, MASK)
    return _without_pairs(text) if pairs and ("=" in text or ":" in text) else text


def _without_pairs(text: str) -> str:
    """Return the text with the values of secret names masked."""
    parts: list[str] = []
    done = at = 0
    while match := _PAIR.search(text, at):
        masked = _mask_pair(match)
        at = match.end()
        if masked != match[0]:
            parts += (text[done : match.start()], masked)
            done = at
        elif len(match["value"]) <= _INNER:
            # "failed: password=…": a value that is no secret may begin with a secret's name.
            at = match.start("value")
    return "".join((*parts, text[done:]))


def _mask_pair(match: re.Match[str]) -> str:
    value = match["value"]
    if not is_secret_name(match["name"]) or value in ("true", "false", "null", "None", URL_MASK):
        return match[0]
    placed = value == "$" and secrets.begins(match.string, match.start("value"))
    if placed or (match.start() > 1 and secrets.begins(match.string, match.start() - 2)):
        return match[0]  # masked already, and with its name
    if value.lower() in SCHEMES or value.startswith("//"):
        return match[0]  # "Authorization: Bearer [redacted]" is done already
    quotation = value[0] if value[0] in "\"'" else ""
    return f"{match['name']}{match['between']}{quotation}{MASK}{quotation}"


_AUTHORITY = re.compile(r"([a-z][a-z0-9+.\-]*:)?([/\\]{2,})([^/\\?#]*)", re.IGNORECASE)
# A name is matched only from its first character: a long word without "=" is read once.
_PARAMETER = re.compile(r"(?<![^=&;?#/])([^=&;?#/]++)=([^&;?#]*)")


def redact_url(url: str) -> str:
    """Return the URL with userinfo and the values of secret parameters masked.

    Parameters count in the query, in the fragment and after `;` in the path, whatever their
    encoding, and so do values of secrets anywhere. Everything else stays as it was, byte for byte.
    """
    return _redact_url(url, 0)


def _redact_url(url: str, level: int) -> str:
    url = secrets.current().mask_text(url)
    match = _AUTHORITY.match(url)
    start = ""
    rest = url
    if match:
        userinfo, at, host = match[3].rpartition("@")
        start = f"{match[1] or ''}{match[2]}{URL_MASK if userinfo else ''}{at}{host}"
        rest = url[match.end() :]
    return start + _PARAMETER.sub(lambda match: _mask_parameter(match, level), rest)


def _mask_parameter(match: re.Match[str], level: int) -> str:
    name, value = match[1], match[2]
    if not value:
        return match[0]
    compact = "".join(_words(name))
    if (
        is_secret_name(unquote(name))
        or compact in _URL_ONLY
        or (compact in _LONG_IN_URL and len(value) >= _LONG)
    ):
        return f"{name}={URL_MASK}"
    return f"{name}={_redact_nested(value, level)}"


def _redact_nested(value: str, level: int) -> str:
    # A URL or JSON inside a parameter ("?next=https%3A%2F%2F…token%3D…").
    decoded = unquote(value)
    clean = decoded
    if decoded != value and ("=" in decoded or ":" in decoded):
        if level >= _MAX_NESTED:
            return URL_MASK
        clean = _redact_text(decoded, level + 1)
    return without_tokens(value, URL_MASK) if clean == decoded else quote(clean, safe="")
