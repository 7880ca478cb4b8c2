"""URL parameters that do not change the page: of sessions, campaigns, and named ones."""

import re
from collections.abc import Iterable

from ocd.crawl.urls import key_of

_SESSIONS = (
    "phpsessid",
    "jsessionid",
    "asp.net_sessionid",
    "cfid",
    "cftoken",
    "sessionid",
    "session_id",
)
_CAMPAIGNS = (
    "fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "twclid",
    "ttclid", "li_fat_id", "igshid", "mc_cid", "mc_eid", "_ga", "_gl", "_hsenc", "_hsmi",
    "mkt_tok", "vero_id", "oly_anon_id", "oly_enc_id", "ref_src", "ref_url",
)  # fmt: skip
_PREFIXES = ("utm_", "aspsessionid")
# Short names that mean a session only with a value of this form.
_MAYBE_SESSIONS = ("sid", "s", "session", "osid", "zenid", "oscsid")
_SESSION_VALUE = re.compile(r"[0-9a-fA-F]{16,64}")
# Java servlets append it to the path.
_IN_PATH = re.compile(r";jsessionid=[^/?#;]*", re.IGNORECASE)


class IgnoredParameters:
    """The ignored parameters of one crawl. names: further ones; a final `*` matches any rest."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        lower = [name.lower() for name in names]
        self._names = {*_SESSIONS, *_CAMPAIGNS, *(name for name in lower if not name.endswith("*"))}
        self._prefixes = (*_PREFIXES, *(name[:-1] for name in lower if name.endswith("*")))

    def key_of(self, url: str) -> str:
        """Return the URL's key (urls.key_of) without the parameters that do not change the page."""
        if "?" not in url and ";" not in url:
            return key_of(url)
        document, mark, fragment = url.partition("#")
        return key_of(self._strip(document) + mark + fragment)

    def _strip(self, url: str) -> str:
        start, mark, query = url.partition("?")
        if ";" in start:
            start = _IN_PATH.sub("", start)
        if not mark:
            return start
        left = "&".join(pair for pair in query.split("&") if not self._is_ignored(pair))
        return f"{start}?{left}" if left else start

    def _is_ignored(self, pair: str) -> bool:
        name, _, value = pair.partition("=")
        name = name.lower()
        if name in _MAYBE_SESSIONS and _SESSION_VALUE.fullmatch(value):
            return True
        return name in self._names or name.startswith(self._prefixes)
