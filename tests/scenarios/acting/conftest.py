"""`at("rows.html")` goes to a page of fixtures/site/acting."""

from collections.abc import Callable

import pytest

from support.daemon import Daemon
from support.pages import Page
from support.site import Site


@pytest.fixture
def daemon(one_tab_daemon: Daemon) -> Daemon:
    """The shared daemon, with one tab for all tests."""
    return one_tab_daemon


@pytest.fixture
def at(daemon: Daemon, site: Site) -> Callable[[str], Page]:
    """Go to a page of fixtures/site/acting."""
    return lambda page: Page(daemon, site).goto(page)
