"""RFC 9111 for a private cache: what is stored, how long it is fresh, what fits which request."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from ocd.api.errors import OcdError
from ocd.crawl.fetch import http_cache
from ocd.crawl.fetch.cache_rules import CachePolicy, HttpExchange, policy_of, update_headers

RECEIVED_AT = 1_800_000_000.0
DATE = "Fri, 15 Jan 2027 08:00:00 GMT"  # the same moment


def judged(*fields: tuple[str, str], **rest: Any) -> CachePolicy | None:  # noqa: ANN401
    given = {
        "status": 200,
        "request": (),
        "sent_at": RECEIVED_AT,
        "received_at": RECEIVED_AT,
        **rest,
    }
    return policy_of(HttpExchange(headers=fields, **given))


@pytest.mark.parametrize(
    ("fields", "fresh_for"),
    [
        ([("Cache-Control", "max-age=60")], 60),
        ([("Cache-Control", "public, Max-Age=60, must-revalidate")], 60),
        ([("Cache-Control", "max-age=60, max-age=5")], 60),
        ([("Cache-Control", "s-maxage=5"), ("Cache-Control", "private, max-age=60")], 60),
        ([("Cache-Control", "max-age=60"), ("Age", "20")], 40),
        ([("Cache-Control", "max-age=60"), ("Date", "Fri, 15 Jan 2027 07:59:30 GMT")], 30),
        ([("Cache-Control", "max-age=60"), ("Expires", "Fri, 15 Jan 2027 09:00:00 GMT")], 60),
        ([("Date", DATE), ("Expires", "Fri, 15 Jan 2027 08:02:00 GMT")], 120),
    ],
)
def test_freshness_lifetime(fields: list[tuple[str, str]], fresh_for: float) -> None:
    policy = judged(*fields)
    assert policy is not None
    assert policy.is_fresh(RECEIVED_AT + fresh_for - 1)
    assert not policy.is_fresh(RECEIVED_AT + fresh_for)


@pytest.mark.parametrize(
    "fields",
    [
        [("Cache-Control", "no-cache, max-age=60")],
        [("Cache-Control", "max-age=soon")],
        [("Cache-Control", "max-age=0")],
        [("Date", DATE), ("Expires", "0")],
        [("Expires", "Fri, 15 Jan 2027 09:00:00 GMT")],
        [("Last-Modified", "Mon, 05 Jan 2026 08:00:00 GMT")],  # no guess at a lifetime
    ],
)
def test_responses_that_are_always_revalidated(fields: list[tuple[str, str]]) -> None:
    """They are only worth storing with a validator."""
    policy = judged(*fields, ("ETag", '"1"'))
    assert policy is not None
    assert not policy.is_fresh(RECEIVED_AT)
    has_validator = any(name == "Last-Modified" for name, _ in fields)
    assert (judged(*fields) is None) is not has_validator


def test_responses_that_are_not_stored() -> None:
    fresh = ("Cache-Control", "max-age=60")
    assert judged(fresh, ("Cache-Control", "no-store")) is None
    assert judged(fresh, ("Vary", "Accept, *")) is None
    assert judged(fresh, ("Set-Cookie", "a=1")) is None
    assert judged(fresh, status=206) is None
    assert judged() is None


def test_vary_decides_which_requests_a_response_fits() -> None:
    request = (("Accept-Language", "en"), ("User-Agent", "x"))
    varied = ("Vary", "accept-language,  X-No")
    policy = judged(("Cache-Control", "max-age=9"), varied, request=request)
    assert policy is not None
    assert policy.fits({"accept-language": "en", "user-agent": "y"})
    assert not policy.fits({"accept-language": "eo"})
    assert not policy.fits({"accept-language": "en", "x-no": "1"})


def test_a_revalidated_response_has_the_new_headers() -> None:
    stored, fresh = (("ETag", '"1"'), ("Age", "9"), ("Via", "x")), ("Cache-Control", "max-age=5")
    new = update_headers(stored, (("age", "0"), fresh, ("Content-Length", "0")))
    assert new == (("ETag", '"1"'), ("Via", "x"), ("age", "0"), fresh)


def test_only_an_invalid_database_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not one that another crawl is writing, nor one that the disk fails to read."""
    path = tmp_path / "http.db"
    path.write_bytes(b"no database" * 100)
    cache = http_cache.HttpCache(path)
    assert cache.find("http://x/") is None
    with sqlite3.connect(path, isolation_level=None) as other:
        cache.close()
        other.execute("PRAGMA user_version = 0")
        other.execute("BEGIN EXCLUSIVE")
        monkeypatch.setattr(http_cache, "_BUSY_S", 0)
        before = path.stat().st_ino
        with pytest.raises(OcdError) as raised:
            http_cache.HttpCache(path).find("http://x/")
        other.execute("COMMIT")
    assert (raised.value.code, path.stat().st_ino) == ("storage_failed", before)
    other.close()
