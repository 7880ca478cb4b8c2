"""Sessions: names that own tabs."""

from ocd.browser.chromium import Chromium
from ocd.browser.tab import Tab


class Session:
    """A caller's name and its tabs, oldest first."""

    name: str
    tabs: list[Tab]
    seen_generation: int
    sessions: "Sessions"

    async def new_tab(self, url: str | None = None, *, background: bool = False) -> Tab:
        """Open a tab (at `url`); limit_reached beyond the session's tabs."""
        raise NotImplementedError

    def tab(self, tab_id: str | None = None) -> Tab:
        """Return the tab, or the most recent one; no_tab, tab_not_found."""
        raise NotImplementedError

    async def close_tab(self, tab_id: str | None = None) -> Tab:
        """Close a tab and return it."""
        raise NotImplementedError

    async def close(self) -> None:
        """Close all its tabs and forget the session."""
        raise NotImplementedError


class Sessions:
    """All sessions (a part of the daemon)."""

    def __init__(self, chromium: Chromium, *, max_sessions: int = 100, max_tabs: int = 20) -> None:
        self.chromium = chromium

    def get(self, name: str) -> Session:
        """Return the session, created if need be; limit_reached."""
        raise NotImplementedError

    def names(self) -> list[str]:
        """Return the names of the sessions there are."""
        raise NotImplementedError

    @property
    def tab_count(self) -> int:
        """Return the number of open tabs of all sessions."""
        raise NotImplementedError

    async def close_all(self) -> None:
        """Close every session's tabs."""
        raise NotImplementedError
