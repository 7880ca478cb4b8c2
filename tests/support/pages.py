"""A tab on one of the pages of fixtures/site/acting."""

from typing import Any

from support.daemon import Daemon
from support.site import Site
from support.wire import Reply

# From what a quiet machine needs to what one needs that stands still for seconds.
LIMITS_MS = (800, 8000, 60_000)


class Page:
    """A tab of the shared daemon, and what its page says."""

    def __init__(self, daemon: Daemon, site: Site) -> None:
        self.daemon = daemon
        self.site = site
        self.do = daemon.do
        self.call = daemon.call

    def goto(self, page: str) -> "Page":
        url = self.site.url(f"acting/{page}")
        self.daemon.do("navigate", url=url, timeout_ms=120_000)
        return self

    def call_in_short(self, verb: str, /, **params: object) -> Reply:
        """Make a call that reports what it found when its time is over, with a short time.

        On a machine that stood still meanwhile all it can say is `timeout`: then it gets more.
        """
        for limit in LIMITS_MS:
            reply = self.call(verb, **params, timeout_ms=limit)
            if reply.status != 504:
                break
        return reply

    def js(self, code: str) -> Any:  # noqa: ANN401 - any JSON value
        result = self.do("javascript_tool", code=code, timeout_ms=120_000)
        return result.get("content", result.get("value"))

    def text(self, selector: str) -> str:
        return str(self.js(f"document.querySelector('{selector}').textContent"))

    def refs(self, query: str) -> list[str]:
        refs: list[str] = self.do("find", query=query)["refs"]
        return refs

    def ref(self, query: str) -> str:
        return self.refs(query)[0]

    def lines(self, query: str) -> list[str]:
        return str(self.do("find", query=query).get("content", "")).splitlines()
