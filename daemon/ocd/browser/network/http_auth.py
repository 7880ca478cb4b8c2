"""HTTP authentication: credentials for servers and proxies, by origin."""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ocd.api.bounded_dict import BoundedDict
from ocd.browser.cdp.connection import Event
from ocd.browser.observe.requests import NetworkRequest
from ocd.browser.observe.text_patterns import text_test
from ocd.safety.origins import origin_of

_MAX_CHALLENGES = 50
_CHALLENGE = re.compile(r'\s*([\w-]+)(?:[^\n]*?realm="?([^"\n,]*))?', re.IGNORECASE)


@dataclass(slots=True)
class Credentials:
    """A user name and password, and the origins (patterns) that they are for.

    Without origins they are bound to the first origin that challenges a document of the tab: the
    server of an image elsewhere does not get them, and neither does a proxy.
    """

    username: str
    password: str
    origins: list[str]

    def __repr__(self) -> str:
        return f"Credentials({self.username!r}, {self.origins})"


def challenge_of(requests: Sequence[NetworkRequest]) -> dict[str, str] | None:
    """Return the scheme and realm of the newest document with status 401; None without one."""
    for request in reversed(requests):
        if request.type == "Document" and request.status == 401:
            headers = {name.lower(): value for name, value in request.response_headers.items()}
            match = _CHALLENGE.match(headers.get("www-authenticate", ""))
            return {"scheme": match[1].lower(), "realm": match[2] or ""} if match else None
    return None


class HttpAuthChallenges:
    """The authentication challenges of a tab, and its responses."""

    def __init__(self) -> None:
        self.credentials: Credentials | None = None
        # Whether Chromium asks about every request, so that it shows no prompt of its own.
        self.answers_all = False
        self.seen: deque[dict[str, Any]] = deque(maxlen=_MAX_CHALLENGES)
        # A server that challenges the same request again has refused the credentials.
        self._answered = BoundedDict[str, None](_MAX_CHALLENGES)

    def answer(self, event: Event, tab_origin: str) -> dict[str, Any]:
        """Return CDP's answer to a challenge, and record the challenge in `seen`."""
        challenge = event["authChallenge"]
        again = event["requestId"] in self._answered
        credentials = self.credentials
        outcome = "no_credentials"
        answer: dict[str, Any] = {"response": "CancelAuth"}
        if again:
            outcome = "refused"
        elif credentials is not None and self._credentials_apply(credentials, event, tab_origin):
            outcome = "answered"
            self._answered[event["requestId"]] = None
            answer = {
                "response": "ProvideCredentials", "username": credentials.username,
                "password": credentials.password,
            }  # fmt: skip
        self.seen.append(
            {
                "origin": challenge["origin"], "scheme": challenge["scheme"],
                "realm": challenge["realm"], "outcome": outcome,
                "source": challenge.get("source", "Server").lower(),
            }
        )  # fmt: skip
        return answer

    def latest(self) -> dict[str, str]:
        """Return the scheme and realm of the newest challenge, nothing without one."""
        return {key: self.seen[-1][key] for key in ("scheme", "realm")} if self.seen else {}

    def _credentials_apply(self, credentials: Credentials, event: Event, tab_origin: str) -> bool:
        origin = event["authChallenge"]["origin"]
        if credentials.origins:
            return any(_covers(pattern, origin) for pattern in credentials.origins)
        if event["authChallenge"].get("source") == "Proxy":
            return False
        if event.get("resourceType") == "Document" or origin == tab_origin:
            credentials.origins = [origin]
            return True
        return False

    def patterns(self) -> Sequence[str]:
        """Return CDP's patterns of the requests that may be challenged."""
        credentials = self.credentials
        if self.answers_all:
            return ("*",)
        if credentials is None:
            return ()
        if not credentials.origins or any("*" in origin for origin in credentials.origins):
            return ("*",)
        return [
            f"{_normalise_origin(origin)}/*" if "://" in origin else "*"
            for origin in credentials.origins
        ]


def _normalise_origin(origin: str) -> str:
    """Return an origin as Chromium has it; a pattern, or a host alone, in lower case."""
    return origin_of(origin) or origin.rstrip("/").lower()


def _covers(pattern: str, origin: str) -> bool:
    normalised = _normalise_origin(pattern)
    if "*" in normalised:
        return text_test(normalised)(_normalise_origin(origin))
    return normalised in (_normalise_origin(origin), _normalise_origin(origin).partition("://")[2])
