"""The domain policy inside the browser: every request of every page is asked about first."""

from ocd.api.errors import OcdError
from ocd.browser.cdp import Connection, Event
from ocd.safety.domains import DomainPolicy


class Guard:
    """Stops what the policy forbids before it leaves the browser; idle while the policy is empty.

    It works at the browser's level, so redirects, frames, workers and pop-ups are seen, too.
    """

    def __init__(self, policy: DomainPolicy) -> None:
        self.policy = policy
        self._connection: Connection | None = None

    async def start(self, connection: Connection) -> None:
        """Watch the requests of a freshly started browser."""
        self._connection = connection
        connection.on("Fetch.requestPaused", self._asked)
        await self._apply()

    async def set_policy(self, policy: DomainPolicy) -> None:
        """Obey another policy from now on."""
        self.policy = policy
        if self._connection is not None and not self._connection.closed:
            await self._apply()

    async def _apply(self) -> None:
        assert self._connection
        if self.policy.empty:
            await self._connection.send("Fetch.disable")
        else:
            patterns = [{"urlPattern": "*", "requestStage": "Request"}]
            await self._connection.send("Fetch.enable", {"patterns": patterns})

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

    def _asked(self, event: Event) -> None:
        assert self._connection
        number = {"requestId": event["requestId"]}
        if self.allows(event["request"]["url"]):
            self._connection.tell("Fetch.continueRequest", number)
        else:
            refusal = {**number, "errorReason": "BlockedByClient"}
            self._connection.tell("Fetch.failRequest", refusal)
