"""Origins of URLs as Chromium has them: the WHATWG algorithm."""

from functools import lru_cache

from ocd.api.errors import OcdError
from ocd.safety.domain_policy import parse_url_argument
from ocd.safety.host_canonical import parse_url


@lru_cache(maxsize=256)
def origin_of(url: str) -> str:
    """Return the origin of a web address, such as "https://example.com:8443".

    "" for every address whose origin is opaque (file:, about:, data:, a blob: of those), for other
    schemes and for what is not a URL.
    """
    try:
        origin = parse_url(url).origin
    except ValueError:
        return ""
    return origin if origin.startswith(("http://", "https://")) else ""


def text_source(url: str) -> str:
    """Return the name of page text's source: the page's origin, or its address without one."""
    return origin_of(url) or url


@lru_cache(maxsize=256)
def origin_of_argument(text: str) -> str:
    """Return the origin of an address as a person writes it (`example.com`); "" as in origin_of."""
    try:
        return origin_of(parse_url_argument(text))
    except OcdError:
        return ""
