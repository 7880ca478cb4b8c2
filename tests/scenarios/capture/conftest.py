"""`at("console.html")` goes to a page of fixtures/site/capture."""

from collections.abc import Callable

import pytest

from support.daemon import Daemon
from support.pages import Page
from support.site import Site


@pytest.fixture
def at(daemon: Daemon, site: Site) -> Callable[[str], Page]:
    """Go to a page of fixtures/site/capture."""

    def go(page: str) -> Page:
        daemon.do("navigate", url=site.url(f"capture/{page}"))
        return Page(daemon, site)

    return go
