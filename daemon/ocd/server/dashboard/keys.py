"""Who may watch and who may act: links that work once, and the cookies they are exchanged for."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from secrets import token_urlsafe

from ocd.api.bounded_dict import BoundedDict
from ocd.api.errors import OcdError
from ocd.server.one_time_keys import OneTimeKeys, digest

LINK_S = 600.0
# The oldest one goes when there is one more.
MAX_VIEWERS = 64


@dataclass(frozen=True, slots=True)
class Link:
    """What a link's key stands for: whether its browser may act, too, and what it shows first."""

    control: bool
    path: str


@dataclass(frozen=True, slots=True)
class Entry:
    """The result of redeeming a key: a cookie, and the path to show first."""

    cookie: str
    path: str


@dataclass(eq=False, slots=True)
class Viewer:
    """One browser that was admitted.

    Args:
        name: What the journal calls it.
        control: Whether it may act, too.
        pages: How many of its pages are connected.
    """

    name: str
    control: bool
    pages: int = 0

    def check_control(self) -> None:
        """Raise `forbidden` if the viewer may only watch."""
        if not self.control:
            hint = "For a link that can also act: oc dashboard"
            raise OcdError("forbidden", "This link is for viewing only", hint=hint)

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Count one more page as connected."""
        self.pages += 1
        try:
            yield
        finally:
            self.pages -= 1


class Keys:
    """The keys of one daemon's life, stored in memory as digests only."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._links: OneTimeKeys[Link] = OneTimeKeys(clock)
        self._viewers = BoundedDict[bytes, Viewer](MAX_VIEWERS)
        self._count = 0

    @property
    def pages(self) -> int:
        """How many pages are connected."""
        return sum(viewer.pages for viewer in self._viewers.values())

    def new_link_key(self, *, control: bool, path: str = "/") -> str:
        """Return a key that lets one browser in, once, within ten minutes."""
        return self._links.new(Link(control, path), LINK_S)

    def redeem(self, key: str) -> Entry | None:
        """Redeem the key; None if it is unknown, used or too old."""
        link = self._links.redeem(key)
        if link is None:
            return None
        cookie = token_urlsafe(32)
        self._count += 1
        self._viewers[digest(cookie)] = Viewer(f"viewer {self._count}", link.control)
        return Entry(cookie, link.path)

    def viewer(self, cookie: str) -> Viewer | None:
        """Return the viewer who has this cookie, or None."""
        return self._viewers.get(digest(cookie))

    def __repr__(self) -> str:
        return f"Keys({len(self._links)} links, {len(self._viewers)} viewers)"
