"""The shared daemon's MCP port."""

import pytest

from support.daemon import Daemon
from support.mcp import Http


@pytest.fixture
def http(serving: Daemon) -> Http:
    return Http(serving)
