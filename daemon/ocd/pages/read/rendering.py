"""How long a young page that shows nothing yet is given to render."""

import asyncio

from ocd.browser.tabs.tab import Tab

# Seconds for a page without requests, and for one that fetches what it shows; between two readings.
_IDLE_S = 1.0
_FETCHING_S = 3.0
_LOOK_AGAIN_S = 0.1


class RenderingWait:
    """The time that a page is given from the first reading on."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._began = asyncio.get_running_loop().time()

    @property
    def is_over(self) -> bool:
        """Whether the page has had its time."""
        passed = asyncio.get_running_loop().time() - self._began
        return passed >= (_IDLE_S if self._tab.page_loads.current.is_idle else _FETCHING_S)

    async def look_again(self) -> None:
        """Wait until the page is worth another reading."""
        await asyncio.sleep(_LOOK_AGAIN_S)
