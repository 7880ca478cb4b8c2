"""Recordings in tests: a visit to the shop of fixtures/site/records, and what the shop saw."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote

from support.daemon import Daemon
from support.site import Site

WORD = "sesame-opens-4711"


@contextmanager
def recorded(daemon: Daemon, session: str | None = None, **options: object) -> Iterator[str]:
    """Record the actions of the block; yields the recording's id."""
    started = daemon.do("oc_recording_start", session, **options)
    try:
        yield started["recording_id"]
    finally:
        daemon.call("oc_recording_stop", session)


def actions(daemon: Daemon, recording_id: str) -> list[dict[str, Any]]:
    """Return the actions of a recording."""
    found = daemon.do("oc_recording_export", recording_id=recording_id)
    listed: list[dict[str, Any]] = found["actions"]
    return listed


def shop(daemon: Daemon, site: Site, page: str = "shop.html") -> None:
    daemon.do("navigate", url=site.url(f"records/{page}"))


def order(daemon: Daemon) -> None:
    """Fill the shop's form in several ways, order, and remove a row by its ref."""
    daemon.do("form_input", query="Full name", value="Kim 민수")
    field = daemon.do("find", query="password field")["refs"][0]
    daemon.do("form_input", ref=field, value=WORD)
    daemon.do("interact", query="Size", action="select", value="Large")
    daemon.do("interact", query="Gift wrap", action="check")
    daemon.do("interact", query="Place order")
    row = daemon.do("find", query="remove kettle")["refs"][0]
    daemon.do("interact", ref=row)


def site_messages(site: Site) -> list[str]:
    """Return what the shop's page has sent to its server."""
    return [unquote(r.query.removeprefix("what=")) for r in site.seen("records/log")]


ORDERED = f"ordered Kim 민수 {len(WORD)} l true"
EVERYTHING = [ORDERED, "removed Kettle"]
