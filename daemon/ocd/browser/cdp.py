"""Chrome DevTools Protocol: one connection, flat sessions."""

from collections.abc import Awaitable, Callable
from typing import Any

Event = dict[str, Any]


class CdpSession:
    """One attached target; `send` starts the call at once and returns a future of its result."""

    def send(self, method: str, params: dict[str, Any] | None = None) -> Awaitable[dict[str, Any]]:
        """Call `method`; OcdError cdp_error, browser_gone, tab_gone, tab_crashed, dialog_open."""
        raise NotImplementedError

    def on(self, event: str, callback: Callable[[Event], object]) -> object:
        """Call `callback(params)` for every `event`."""
        raise NotImplementedError

    def off(self, event: str, callback: Callable[[Event], object]) -> None:
        """Undo `on`."""
        raise NotImplementedError


class Connection(CdpSession):
    """The browser's own session, and the way to all others."""
