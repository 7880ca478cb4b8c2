"""One page target: what a verb does with it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ocd.browser.cdp import CdpSession

Wait = Literal["load", "dom", "idle", "commit"]


@dataclass(frozen=True, slots=True)
class Navigation:
    """Where a navigation ended: status None where there is no HTTP answer (about:, data:, file:)."""

    url: str
    status: int | None
    title: str
    redirected: bool = False
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class Dialog:
    """An open alert, confirm or prompt."""

    kind: str
    message: str
    default: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of the page; `cdp` is the session of the target that renders it."""

    frame_id: str
    url: str
    origin: str
    parent_id: str | None
    name: str
    cdp: CdpSession


class Tab:
    """A page that belongs to a session."""

    id: str
    session_name: str
    target_id: str
    generation: int
    url: str
    cdp: CdpSession
    lock: asyncio.Lock
    opened_dialog: Dialog | None
    closed: bool

    async def title(self) -> str:
        """Return the document's title (from the browser, not the renderer)."""
        raise NotImplementedError

    def frames(self) -> list[Frame]:
        """Return all frames, the main one first."""
        raise NotImplementedError

    async def navigate(self, url: str, wait: Wait = "load") -> Navigation:
        """Go to `url` (already normalised); the caller bounds the time."""
        raise NotImplementedError

    async def reload(self, *, ignore_cache: bool = False, wait: Wait = "load") -> Navigation:
        """Load the page again; a crashed tab is usable afterwards."""
        raise NotImplementedError

    async def back(self, wait: Wait = "load") -> Navigation:
        """Go one entry back; navigation_failed if there is none."""
        raise NotImplementedError

    async def forward(self, wait: Wait = "load") -> Navigation:
        """Go one entry forward; navigation_failed if there is none."""
        raise NotImplementedError

    async def evaluate(
        self,
        expression: str,
        *,
        args: Sequence[object] | None = None,
        await_promise: bool = True,
        isolated: bool = False,
        frame: Frame | None = None,
        repl: bool = False,
    ) -> Any:  # noqa: ANN401 - any JSON value
        """Run `expression` and return its JSON value.

        With `args` it is a function and is called with them. isolated: in a world the page's
        scripts cannot touch. repl: top-level await and redeclarations, as in a console.
        """
        raise NotImplementedError

    async def screenshot(
        self,
        *,
        full_page: bool = False,
        clip: tuple[float, float, float, float] | None = None,
        selector: str | None = None,
        backend_node_id: int | None = None,
        format: Literal["png", "jpeg", "webp"] = "png",  # noqa: A002 - CDP's word
        quality: int | None = None,
    ) -> bytes:
        """Return a picture; clip is x, y, width, height in CSS pixels of the page."""
        raise NotImplementedError

    async def wait_for(self, kind: str, value: str = "", *, timeout_s: float = 30) -> Any:  # noqa: ANN401
        """Wait; kind selector, selector_hidden, function, navigation, url_match, load, idle, timeout."""
        raise NotImplementedError

    async def answer_dialog(self, *, accept: bool, text: str = "") -> Dialog:
        """Close the open dialog and return what it was."""
        raise NotImplementedError

    async def activate(self) -> None:
        """Bring the tab to the front."""
        raise NotImplementedError

    async def close(self) -> None:
        """Close the tab within two seconds, hung or not."""
        raise NotImplementedError

    @property
    def keyboard(self) -> Any:  # noqa: ANN401 - pyppeteer's Keyboard, imported on first use
        """Return pyppeteer's keyboard of this tab."""
        raise NotImplementedError

    @property
    def mouse(self) -> Any:  # noqa: ANN401 - pyppeteer's Mouse, imported on first use
        """Return pyppeteer's mouse of this tab."""
        raise NotImplementedError
