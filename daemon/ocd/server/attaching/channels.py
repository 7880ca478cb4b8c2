"""The CDP sessions of an attached program: on the browser, tabs, frames and workers.

A flat channel's messages carry its id. Messages of a nested channel, which older clients use, are
wrapped in messages of the channel by which it was attached.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ocd.browser.cdp.connection import CdpSession
from ocd.browser.tabs.tab import Tab
from ocd.server.attaching.messages import Outgoing, encode

# A stand-in for the target that newer clients expect around a page: `tab:` and the page's id.
TAB_PREFIX = "tab:"


@dataclass(eq=False, slots=True)
class Channel:
    """One session, as the program knows it.

    cdp: Chromium's session behind it; None for the stand-in of a tab. tab: what it works on; None:
    the browser. nests: whether what is attached by it is nested. waiting: how many of its calls
    wait for a person, one after another (turn).
    """

    id: str
    send: Callable[[bytes], None]
    parent: Channel | None = None
    cdp: CdpSession | None = None
    tab: Tab | None = None
    nested: bool = False
    nests: bool = False
    waiting: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def target_id(self) -> str:
        """The id of the target that it is attached to."""
        if self.cdp is not None:
            return self.cdp.target_id
        return TAB_PREFIX + self.tab.target_id if self.tab is not None else ""

    def write(self, message: Outgoing) -> None:
        """Send an answer or an event to the program."""
        if self.nested and self.parent is not None:
            inner = encode(message).decode()
            about = {"sessionId": self.id, "targetId": self.target_id, "message": inner}
            self.parent.emit("Target.receivedMessageFromTarget", about)
            return
        message.session = self.id
        self.send(encode(message))

    def emit(self, method: str, params: dict[str, Any]) -> None:
        """Send the program an event that does not come from Chromium."""
        self.write(Outgoing(method=method, params=params))


def filter_allows(rules: object, kind: str) -> bool:
    """Return whether CDP's TargetFilter lets targets of this type through; None is its default."""
    if not isinstance(rules, list):
        return kind not in ("browser", "tab")
    for rule in rules:
        if isinstance(rule, dict) and rule.get("type") in (None, kind):
            return not rule.get("exclude", False)
    return False
