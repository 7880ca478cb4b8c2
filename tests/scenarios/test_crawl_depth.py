"""How far a page is from the start does not depend on which page answers first."""

import pytest

from support.daemon import Daemon
from support.site import Site


@pytest.mark.parametrize("engine", ["static", "browser"])
def test_depth_is_the_shortest_path(daemon: Daemon, site: Site, engine: str) -> None:
    """A page behind a slow page of depth 1 has depth 2; its links are inside max_depth 3."""
    result = daemon.do("crawl", url=site.url("detour/start"), max_depth=3, engine=engine)
    depths = {page["title"]: page["depth"] for page in result["pages"]}
    assert depths == {"Start": 0, "Late": 1, "Quick": 1, "Step": 2, "Goal": 2, "Beyond": 3}
