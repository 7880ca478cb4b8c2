"""The domain policy inside the browser: checks every request of every page before it is sent."""

from collections.abc import Iterator

from ocd.api.errors import OcdError
from ocd.browser.cdp.connection import Connection, Event
from ocd.safety.domain_policy import DomainPolicy


class RequestGuard:
    """Blocks requests that the policy forbids before they leave the browser.

    It works at the level of the browser, so redirects, frames, workers and pop-ups are covered,
    too. While there is no domain rule, it only intercepts requests for files, and only from the
    first page from a file on: no other page can read files. What it does not see (such as
    WebSockets) is left to network_rules, which do not apply to a foreign browser, or one with the
    user's own proxy.
    """

    def __init__(self, policy: DomainPolicy) -> None:
        self.policy = policy
        self._connection: Connection | None = None
        self._watches_files = False
        self._has_network_rules = True

    async def check(self, url: str) -> None:
        """Raise what DomainPolicy.check raises if `url` may not be opened."""
        self.policy.check(url)
        if not self._watches_files and url.lstrip()[:5].lower() == "file:":
            self._watches_files = True
            if self._connection is not None and not self._connection.closed:
                await self._apply()

    async def start(self, connection: Connection, *, has_network_rules: bool) -> None:
        """Watch the requests of a freshly started browser, or of one that is already running."""
        self._connection = connection
        self._has_network_rules = has_network_rules
        connection.on("Fetch.requestPaused", self._on_request_paused)
        await self._apply()

    async def set_policy(self, policy: DomainPolicy) -> None:
        """Obey another policy from now on."""
        self.policy = policy
        if self._connection is not None and not self._connection.closed:
            await self._apply()

    async def _apply(self) -> None:
        assert self._connection
        watched = list(self._watched())
        if not watched:
            await self._connection.send("Fetch.disable")
            return
        patterns = [{"urlPattern": pattern, "requestStage": "Request"} for pattern in watched]
        await self._connection.send("Fetch.enable", {"patterns": patterns})

    def _watched(self) -> Iterator[str]:
        if not self.policy.empty:
            yield "*"
            return
        if self._watches_files:
            yield "file://*"
        if not self._has_network_rules:
            for port in sorted(self.policy.servers.ports):
                yield "http://*" if port == 80 else f"*://*:{port}/*"

    def allows(self, url: str) -> bool:
        """Whether the policy lets a page load `url` by itself."""
        scheme = url.partition(":")[0].lower()
        if scheme in ("data", "blob", "about"):
            return True
        try:
            self.policy.check(url)
        except OcdError:
            return False
        return True

    def _on_request_paused(self, event: Event) -> None:
        assert self._connection
        number = {"requestId": event["requestId"]}
        if self.allows(event["request"]["url"]):
            self._connection.send_nowait("Fetch.continueRequest", number)
        else:
            refusal = {**number, "errorReason": "BlockedByClient"}
            self._connection.send_nowait("Fetch.failRequest", refusal)
