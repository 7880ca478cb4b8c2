"""The approved tools of other MCP servers: a hash of each tool's declaration.

One file, `upstream/pins.json`. A tool that is not in it as it now is may not be called.
"""

import threading
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import msgspec

from ocd.api.timestamps import now
from ocd.storage.files import make_dir, read_document, write_whole


class PinnedTools(msgspec.Struct, frozen=True, kw_only=True):
    """The approved tools of one server: each tool's hash by its own name.

    declarations: as they were approved, to compare later ones with; earlier versions kept none.
    """

    tools: dict[str, str]
    declarations: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict, name="said")
    approved_at: str = ""


class _PinFile(msgspec.Struct, frozen=True, kw_only=True):
    """The file as it is on disk."""

    format: Literal["upstream_pins"] = "upstream_pins"
    version: Literal[1] = 1
    servers: dict[str, PinnedTools] = {}


def digest(declaration: dict[str, Any]) -> str:
    """Return the hash of a tool's whole declaration; the order of keys does not matter."""
    ordered = msgspec.json.encode(declaration, order="deterministic")
    return blake2b(ordered, digest_size=16).hexdigest()


class PinStore:
    """The file. Every method blocks for some milliseconds."""

    def __init__(self, home: Path) -> None:
        self._path = home / "upstream" / "pins.json"
        self._lock = threading.Lock()

    def of(self, server: str) -> PinnedTools | None:
        """Return the approved tools of a server, None if it is unknown; unreadable_file."""
        return self._read().servers.get(server)

    def keep(
        self,
        server: str,
        tools: dict[str, str],
        declarations: dict[str, dict[str, Any]],
        at: str = "",
    ) -> PinnedTools:
        """Record these tools (name, hash and texts) as approved, and no others.

        at: when that was; now, unless it is given.
        """
        pinned = PinnedTools(tools=tools, declarations=declarations, approved_at=at or now())
        with self._lock:
            pins = _PinFile(servers={**self._read().servers, server: pinned})
            make_dir(self._path.parent)
            encoded = msgspec.json.format(msgspec.json.encode(pins), indent=1)
            write_whole(self._path, encoded + b"\n")
        return pinned

    def _read(self) -> _PinFile:
        return read_document(self._path, _PinFile) or _PinFile()

    def __repr__(self) -> str:
        return f"PinStore({str(self._path)!r})"
