"""`agent` does tasks through verbs and counts its calls."""

import pytest

from support.agent import Agent
from support.daemon import Daemon
from support.site import Site


@pytest.fixture
def agent(daemon: Daemon, site: Site) -> Agent:
    """An agent that has made no call yet."""
    return Agent(daemon, site)
