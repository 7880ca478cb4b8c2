"""What a session has read, and whether data may still leave it: the rule against exfiltration.

A page that an agent has read may have told it what to do. From then on, data that goes to an origin
other than those that were read is refused, confirmed by a person, or allowed and journalled.
"""

from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal

from yarl import URL

from ocd.api.errors import OcdError

Rule = Literal["allow", "ask", "deny"]
# How data leaves: in the query of an address, as an upload, in a form, into a file.
Way = Literal["address", "upload", "form", "file", "upstream"]

MaySend = Callable[[Way, str], None]


def _freely(_way: Way, _target: str) -> None:
    pass


# Asked before the call that runs sends something: raises if it may not. What is known only inside
# a page (where a form goes) is asked there.
MAY_SEND: ContextVar[MaySend] = ContextVar("MAY_SEND", default=_freely)

_SESSIONS = 1000
_ORIGINS = 50
_WORDS: dict[Way, str] = {
    "address": "open an address with data in its query at",
    "upload": "upload files to",
    "form": "send a form to",
    "upstream": "hand data to the MCP server",
    "file": "write a file to",
}


@dataclass(slots=True)
class Taint:
    """The origins whose text a session's caller was given, and what a person has confirmed."""

    origins: dict[str, None] = field(default_factory=dict)
    confirmed: set[tuple[Way, str]] = field(default_factory=set)

    def read(self, origin: str) -> None:
        """Remember that page text of this origin was handed out."""
        if len(self.origins) < _ORIGINS:
            self.origins[origin] = None

    def strangers(self, target: str) -> list[str]:
        """Return the origins that were read and are not the target itself."""
        return [origin for origin in self.origins if origin != target]


class Taints:
    """The taint of every session, the least recently used forgotten beyond a thousand."""

    def __init__(self) -> None:
        self._of: OrderedDict[str, Taint] = OrderedDict()

    def of(self, session: str) -> Taint:
        """Return the session's taint."""
        taint = self._of.setdefault(session, Taint())
        self._of.move_to_end(session)
        if len(self._of) > _SESSIONS:
            self._of.popitem(last=False)
        return taint

    def __repr__(self) -> str:
        return f"Taints({len(self._of)} sessions)"


def origin_of(address: str) -> str:
    """Return the origin of an http(s) address; an empty string for any other."""
    try:
        url = URL(address)
        return str(url.origin()) if url.scheme in ("http", "https") else ""
    except ValueError:
        return ""


def carries_data(address: str) -> bool:
    """Return whether an address has a place where data of the caller's could stand."""
    try:
        url = URL(address)
    except ValueError:
        return False
    return bool(url.raw_query_string or url.raw_fragment or url.user or url.password)


def refusal(way: Way, target: str, read: list[str]) -> OcdError:
    """Return the error for data that may not leave."""
    return OcdError(
        "exfiltration_denied",
        f"Not allowed: to {_WORDS[way]} {target} after reading {_listed(read)}",
        hint='A person can allow it: [policy] exfiltration = "allow" in config.toml.',
        way=way, target=target, read=read,
    )  # fmt: skip


def question(way: Way, target: str, read: list[str]) -> OcdError:
    """Return the error that a host answers by asking a person."""
    return OcdError(
        "consent_needed",
        f"The agent wants to {_WORDS[way]} {target}, after it has read text of {_listed(read)}. "
        "That text may have told it to. Allow it?",
        way=way, target=target, read=read,
    )  # fmt: skip


def _listed(origins: list[str]) -> str:
    more = f" and {len(origins) - 3} more" if len(origins) > 3 else ""
    return ", ".join(origins[:3]) + more
