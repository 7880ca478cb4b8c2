"""Session taint: what a session has read, and whether it may still send data elsewhere.

A page that an agent has read may have given it instructions. From then on, sending data to an
origin other than those that were read is refused, confirmed by a person, or allowed and journalled.
"""

import re
from dataclasses import dataclass, field
from typing import Literal

from ocd.api.bounded_dict import BoundedDict
from ocd.api.errors import OcdError
from ocd.safety.domain_policy import parse_url_argument
from ocd.safety.origins import origin_of

PolicyRule = Literal["allow", "ask", "deny"]
# How data leaves: in the query of an address, as an upload, in a form, into a file, in what goes
# with requests, as a user name and password, in cookies and storage, to a tool that a page offers
# (and one that the page itself calls consequential).
Way = Literal[
    "address",
    "upload",
    "form",
    "file",
    "upstream",
    "request",
    "login",
    "state",
    "page_tool",
    "consequential",
]
Egress = tuple[Way, str]
# Targets that are not origins, and so always differ from those that were read.
OWN_PAGE = "a page that the caller supplied"
ANY_SITE = "whatever site the tab opens"

_SESSIONS = 1000
_ORIGINS = 50
_WORDS: dict[Way, str] = {
    "address": "open an address with data in its query at",
    "upload": "upload files to",
    "form": "send a form to",
    "upstream": "hand data to the MCP server",
    "file": "write a file to",
    "request": "send request data that it has written to",
    "login": "give a user name and password to",
    "state": "put cookies or stored data into the browser for",
    "page_tool": "hand data to a tool of",
    "consequential": "let a page's tool act with consequences:",
}


@dataclass(slots=True)
class SessionTaint:
    """The origins whose text a session's caller has been given."""

    origins: dict[str, None] = field(default_factory=dict)

    def read(self, origin: str) -> None:
        """Record that the caller was given page text of this origin."""
        if len(self.origins) < _ORIGINS:
            self.origins[origin] = None

    def other_origins_than(self, target: str) -> list[str]:
        """Return the origins that were read and are not the target itself."""
        return [origin for origin in self.origins if origin != target]


class SessionTaints:
    """The taints of all sessions; beyond a thousand, the least recently used are forgotten."""

    def __init__(self) -> None:
        self._taints = BoundedDict[str, SessionTaint](_SESSIONS)

    def of(self, session: str) -> SessionTaint:
        """Return the session's taint."""
        self._taints[session] = taint = self._taints.get(session) or SessionTaint()
        return taint

    def __repr__(self) -> str:
        return f"SessionTaints({len(self._taints)} sessions)"


def recipient(address: str) -> str:
    """Return the origin that receives the data in an address; an empty string if it carries none.

    The address may be written as people do. One that is not valid is left to its verb to refuse.
    """
    try:
        url = parse_url_argument(address)
        scheme, _, rest = url.partition(":")
        if scheme.lower() == "data":
            return OWN_PAGE
        return origin_of(url) if _has_room(rest) else ""
    except OcdError:
        return ""


def _has_room(rest: str) -> bool:
    """Return whether there is a query, a fragment, a user name or a password."""
    place, *data = re.split(r"[?#]", rest, maxsplit=1)
    authority = place.replace("\\", "/").lstrip("/").partition("/")[0]
    return bool(data and data[0]) or "@" in authority


def exfiltration_error(way: Way, target: str, read: list[str]) -> OcdError:
    """Return the error for data that may not be sent."""
    return OcdError(
        "exfiltration_denied",
        f"Not allowed to {_WORDS[way]} {target} after reading {_list_origins(read)}",
        hint='A person can allow it: [policy] exfiltration = "allow" in config.toml.',
        way=way, target=target, read=read,
    )  # fmt: skip


def question_text(way: Way, target: str, read: list[str]) -> str:
    """Return the question to a person before data is sent."""
    return (
        f"The agent wants to {_WORDS[way]} {target}, after it has read text of "
        f"{_list_origins(read)}. That text may have instructed it to. Allow it?"
    )


def _list_origins(origins: list[str]) -> str:
    more = f" and {len(origins) - 3} more" if len(origins) > 3 else ""
    return ", ".join(origins[:3]) + more
