"""Redaction: secrets are masked, and nothing else."""

import copy
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocd.safety.param_redaction import RedactedParams
from ocd.safety.redact import MASK, is_secret_name, redact, redact_text, redact_url

SECRET = "Xk29-hunter2-9zQ"


@pytest.mark.parametrize(
    "name",
    [
        "password", "Password", "PASSWORD", "passwd", "pwd", "newPassword", "user_password",
        "confirm-password", "passwordHash", "secret", "client_secret", "token", "accessToken",
        "refresh_token", "id_token", "api_key", "apiKey", "APIKEY", "x-api-key", "X-API-KEY",
        "Authorization", "proxy-authorization", "cookie", "Set-Cookie", "cookies", "otp",
        "totpCode",
        "one_time_code", "sessionId", "session_id", "JSESSIONID", "PHPSESSID", "cvv", "cardNumber",
        "card cvc", "security code", "private_key", "AWS_SECRET_ACCESS_KEY", "auth", "x-auth-token",
        "csrfToken", "credentials", "비밀번호", "Passwort", "Mot de passe", "contraseña",
        "user[password]",
        "pass%77ord", "X-Amz-Security-Token", "code_verifier", "#password", "2fa", "tokens",
    ],
)  # fmt: skip
def test_names_of_secrets_are_recognised(name):
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "max_tokens", "maxTokens", "total_tokens", "next_page_token", "nextPageToken", "page_token",
        "secretary", "tokenizer", "tokenize", "author", "authority", "token_type", "passage",
        "compass", "session", "session_name", "cookie_policy", "passwordField", "key", "keyboard",
        "monkey", "value", "code", "url", "pin", "username", "id", "task_id", "authorized",
        "continuation_token", "password_path", "secret_name", "bypass", "",
    ],
)  # fmt: skip
def test_other_names_are_not_secrets(name):
    assert not is_secret_name(name)


def test_secrets_are_masked_at_any_depth_in_a_copy():
    value = {
        "verb": "fill_form",
        "fields": {"Email": "a@b.c", "Your password": SECRET},
        "headers": [["Cookie", f"a={SECRET}"], ["Accept", "*/*"]],
        "pairs": [{"name": "Authorization", "value": SECRET}, {"name": "q", "value": "cats"}],
        "deep": [[{"x": {"API-Key": [SECRET]}}]],
        "body": json.dumps({"user": "a", "nested": json.dumps({"pwd": SECRET})}),
        "form": f"user=a&password={SECRET}",
        "url": f"https://u:{SECRET}@h/p?access_token={SECRET}&page=2",
        "max_tokens": 512,
        "otp": 123456,
        "cookies": 12,
        "password": None,
        "session": "default",
    }
    before = copy.deepcopy(value)
    result = redact(value)
    assert value == before
    assert SECRET not in json.dumps(result)
    assert result["fields"]["Email"] == "a@b.c"
    assert result["headers"][1] == ["Accept", "*/*"]
    assert result["pairs"][1] == {"name": "q", "value": "cats"}
    assert json.loads(result["body"])["user"] == "a"
    assert result["form"] == f"user=a&password={MASK}"
    assert result["url"] == "https://redacted@h/p?access_token=redacted&page=2"
    assert (result["max_tokens"], result["cookies"], result["password"]) == (512, 12, None)
    assert result["otp"] == MASK
    assert result["session"] == "default"


def test_an_input_that_names_a_password_field_hides_its_value():
    for hint in ({"type": "password"}, {"label": "Passwort"}, {"selector": "input#user-password"}):
        assert redact({**hint, "value": SECRET})["value"] == MASK


_spellings = st.sampled_from(
    ["password", "passwd", "api_key", "apiKey", "x-api-key", "access_token", "Set-Cookie", "secret"]
).flatmap(lambda name: st.sampled_from([name, name.upper(), name.title(), name.capitalize()]))
_wrappings = st.lists(st.sampled_from(["list", "dict", "json", "tuple"]), max_size=12)


@given(_spellings, _wrappings)
def test_no_depth_and_no_spelling_bypasses_redaction(name, wrappings):
    value = {name: SECRET, "kept": "plain"}
    for wrapping in wrappings:
        value = {
            "list": lambda v: [v],
            "dict": lambda v: {"x": v},
            "json": json.dumps,
            "tuple": lambda v: (1, v),
        }[wrapping](value)
    text = json.dumps(redact(value))
    assert SECRET not in text
    assert "plain" in text


_names = st.sampled_from(["password", "api_key", "access_token", "Secret", "sessionid"])


@given(_names, st.lists(st.booleans(), min_size=15, max_size=15), st.sampled_from("?&#;"))
def test_percent_encoded_parameter_names_are_recognised(name, encoded, sign):
    spelled = "".join(
        f"%{ord(letter):02x}" if hidden else letter
        for letter, hidden in zip(name, encoded, strict=False)
    )
    start = {"?": "https://h/p?", "&": "https://h/p?x=%20y&", "#": "https://h/p#", ";": "/p;"}[sign]
    assert redact_url(f"{start}{spelled}={SECRET}") == f"{start}{spelled}=redacted"


@given(st.text(alphabet="abcXYZ019-._~!$'()*,:@/?&=+%;# ", max_size=60))
def test_urls_without_secrets_stay_byte_for_byte(tail):
    for short in ("key", "code", "k"):
        tail = tail.replace(short, "x")
    url = f"https://example.com/{tail}"
    assert redact_url(url) == url


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://user:pw@h:8/x", "https://redacted@h:8/x"),
        ("https://h/cb#access_token=abc&state=1", "https://h/cb#access_token=redacted&state=1"),
        ("https://h/a;jsessionid=ABC?x=1", "https://h/a;jsessionid=redacted?x=1"),
        ("https://h/?X-Amz-Signature=ab12&x=1", "https://h/?X-Amz-Signature=redacted&x=1"),
        ("https://h/?key=AIzaSyA1234567890abcdef", "https://h/?key=redacted"),
        ("https://h/?key=name", "https://h/?key=name"),
        ("https://h/?next_page_token=abc", "https://h/?next_page_token=abc"),
        ("/relative?token=abc", "/relative?token=redacted"),
        ("https://h/?email=a@b.c", "https://h/?email=a@b.c"),
        ("https://h/?token=", "https://h/?token="),
    ],
)
def test_secrets_in_urls_are_masked_once(url, expected):
    assert redact_url(url) == expected
    assert redact_url(expected) == expected


def test_a_secret_in_a_url_inside_a_url_is_found():
    inner = quote(f"https://u:{SECRET}@b/?token={SECRET}", safe="")
    assert SECRET not in redact_url(f"https://a/?next={inner}&x=1")
    assert redact_url("https://a/?next=https%3a%2f%2fb%2f") == "https://a/?next=https%3a%2f%2fb%2f"


@pytest.mark.parametrize(
    "text",
    [
        f"Authorization: Bearer {SECRET}123",
        f"curl -H 'Cookie: sid={SECRET}; b=1'",
        f"Basic dXNlcjp{SECRET}",
        f"password={SECRET}",
        f"password: '{SECRET}'",
        f'{{"password": "{SECRET}", broken',
        f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{SECRET}",
        f"go to https://a:{SECRET}@h/ now",
        f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}\n-----END RSA PRIVATE KEY-----",
        f"API_KEY={SECRET} make",
        f"failed: password={SECRET}",
        f"at: ok=1&why: x: token={SECRET}",
    ],
)
def test_secrets_in_text_are_masked_once(text):
    once = redact_text(text)
    assert SECRET not in once
    assert redact_text(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "ghp_" + "a1" * 18, "AKIAABCDEFGHIJKLMNOP", "xoxb-1234567890-abc", "sk_live_abcdefghij12",
        "github_pat_" + "a" * 30, "glpat-" + "x" * 20, "AIza" + "b" * 35, "sk-" + "c" * 30,
        "ya29." + "d" * 30, "npm_" + "e" * 36, "pypi-" + "f" * 40, "hf_" + "g" * 34,
        f"SG.{'h' * 22}.{'i' * 43}", "rk_test_abcdefghij12", "eyJhbGciOiJI.eyJzdWIi.c2ln",
    ],
)  # fmt: skip
def test_tokens_of_known_formats_are_masked_anywhere(text):
    assert redact_text(f"see {text} there") == f"see {MASK} there"


@pytest.mark.parametrize(
    "text",
    [
        "Basic authentication is simple", "The token bucket fills", "time: 12:30", "a=b&c=d",
        "max_tokens=512", "bearer of bad news", "https://example.com/a?b=c#d",
    ],
)  # fmt: skip
def test_prose_is_not_masked(text):
    assert redact_text(text) == text


def test_deeply_nested_values_are_cut():
    value: object = "x"
    for _ in range(5000):
        value = [value]
    assert json.dumps(redact(value)).count("[") < 200
    assert redact("[" * 5000 + "]" * 5000)


def test_a_long_word_in_a_url_takes_linear_time() -> None:
    """A megabyte without a parameter takes milliseconds."""
    url = "https://example.com/?" + "word%20" * 150_000
    assert redact_url(url) == url
    assert redact_url(url + "&token=x") == url + "&token=redacted"


@pytest.mark.parametrize("error", ["element_not_found", "stale_ref", "covered", None])
def test_a_value_for_an_element_that_was_not_found_may_be_a_password(error: str | None) -> None:
    """Nothing is known of the element; in other calls without password fields the value stays."""
    params = {"query": "Log in", "value": "geheim", "timeout_ms": 5}
    stored = RedactedParams(params).written(None, error)
    unknown = error in ("element_not_found", "stale_ref")
    assert stored == {**params, "value": MASK if unknown else "geheim"}
