"""The one Chromium of the daemon: started on first need, started again after its death."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ocd.browser.cdp import Connection
from ocd.safety.domains import DomainPolicy

Spawn = Callable[[Coroutine[Any, Any, None]], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChromiumOptions:
    """What the daemon was told about its browser.

    run_dir holds chromium.json (who runs), log_dir chromium.log; idle_minutes 0 = never idle.
    """

    profile: Path
    run_dir: Path
    log_dir: Path | None = None
    browser_path: str | None = None
    browser_url: str | None = None
    headed: bool = False
    isolated: bool = False
    extra_args: tuple[str, ...] = ()
    idle_minutes: float = 30
    policy: DomainPolicy


class Chromium:
    """A part of the daemon: the browser process and the connection to it."""

    def __init__(self, options: ChromiumOptions, spawn: Spawn) -> None:
        self.options = options
        self.generation = 0
        self.state: Literal["stopped", "starting", "running", "gone"] = "stopped"
        self.pid: int | None = None
        self.version = ""

    async def ensure(self) -> Connection:
        """Return the live connection, starting Chromium if none runs; raises browser_*."""
        raise NotImplementedError

    @property
    def connection(self) -> Connection:
        """The live connection; browser_gone if there is none."""
        raise NotImplementedError

    async def close(self) -> None:
        """End Chromium (a foreign one is only left); `ensure` starts it again."""
        raise NotImplementedError

    def memory_bytes(self) -> int:
        """Return the memory of Chromium's process tree in bytes (blocking, some ms)."""
        raise NotImplementedError
