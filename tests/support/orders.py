"""A tab on the order page of fixtures/site/records."""

from typing import Any

from support.daemon import Daemon
from support.site import Site


class Order:
    """The order page in a tab of the shared daemon."""

    def __init__(self, daemon: Daemon, site: Site) -> None:
        self.daemon = daemon
        self.site = site
        self.do = daemon.do
        self.call = daemon.call
        daemon.do("navigate", url=site.url("records/order.html"))

    def click(self, name: str) -> None:
        self.do("interact", selector=f"#{name}")

    def assert_report(self, contract: object, **params: object) -> dict[str, Any]:
        found: dict[str, Any] = self.do("oc_assert", contract=contract, **params)
        return found

    def report_in_time(self, contract: object) -> dict[str, Any]:
        """Return the report within a short time, or a longer one on a machine that stood still."""
        for limit in (300, 3000, 30_000):
            reply = self.call("oc_assert", contract=contract, timeout_ms=limit)
            if reply.status != 504:
                break
        found: dict[str, Any] = reply.result
        return found

    def verdict(self, contract: object, **params: object) -> str:
        return str(self.assert_report(contract, **params)["verdict"])

    def bundle(self, **params: object) -> dict[str, Any]:
        found: dict[str, Any] = self.do("oc_evidence_bundle", **params)
        return found
