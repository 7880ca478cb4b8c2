"""What the scenarios of this room share."""

import pytest

from support.daemon import Daemon
from support.orders import Order
from support.site import Site


@pytest.fixture
def order(daemon: Daemon, site: Site) -> Order:
    return Order(daemon, site)
