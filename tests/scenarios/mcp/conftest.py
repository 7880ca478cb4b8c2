"""A daemon that also speaks HTTP, shared by the tests of one module."""

from collections.abc import Iterator

import pytest

from support.daemon import Daemon
from support.mcp import Http


@pytest.fixture(scope="module")
def serving() -> Iterator[Daemon]:
    with Daemon("--http", "0") as daemon:
        yield daemon


@pytest.fixture
def http(serving: Daemon) -> Http:
    return Http(serving)
