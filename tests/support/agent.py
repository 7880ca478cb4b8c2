"""An agent that does tasks through verbs and counts its calls."""

from typing import Any

from support.daemon import Daemon
from support.site import Site
from support.task_sites import SiteRecords


class Agent:
    """Somebody with a task and nothing but verbs."""

    def __init__(self, daemon: Daemon, site: Site) -> None:
        self.daemon = daemon
        self.site = site
        self.calls = 0

    @property
    def records(self) -> SiteRecords:
        """What the sites have recorded."""
        return self.site.records

    def do(self, verb: str, **params: object) -> Any:  # noqa: ANN401 - any JSON value
        """Make one call, which must succeed."""
        self.calls += 1
        return self.daemon.do(verb, **params)

    def fail(self, verb: str, **params: object) -> dict[str, Any]:
        """Make a call that fails; return its error."""
        self.calls += 1
        return self.daemon.call(verb, **params).error

    def go(self, path: str) -> Any:  # noqa: ANN401
        """Go to a page of the site."""
        return self.do("navigate", url=self.site.url(path))
