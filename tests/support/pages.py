"""A tab on one of the pages of fixtures/site/acting."""

from typing import Any

from support.daemon import Daemon
from support.site import Site


class Page:
    """A tab of the shared daemon, and what its page says."""

    def __init__(self, daemon: Daemon, site: Site) -> None:
        self.daemon = daemon
        self.site = site
        self.do = daemon.do
        self.call = daemon.call

    def goto(self, page: str) -> "Page":
        self.daemon.do("navigate", url=self.site.url(f"acting/{page}"))
        return self

    def js(self, code: str) -> Any:  # noqa: ANN401 - any JSON value
        result = self.do("javascript_tool", code=code)
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
