"""Evidence of a live page: what a contract or a bundle needs to know of it, and no more.

What cannot be had (a dialog is open, the page hangs or has crashed) is no error: the reason stands
under `unavailable`, by the part's name.
"""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.observe.requests import NetworkRequest
from ocd.browser.tabs.tab import Tab
from ocd.pages.engine import engine
from ocd.pages.locate import locators
from ocd.pages.read import reader

_TAB_ENDED = ("tab_gone", "browser_gone")


@dataclass(frozen=True, slots=True)
class CaptureRequest:
    """Parts by name (url, network, console, performance, screenshot, dialog, html, outline).

    texts, counts: CSS selectors; "" among the texts is the whole page's. patience_s: how long all
    of it may take; what the page has not told by then is unavailable.
    """

    parts: frozenset[str]
    texts: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    patience_s: float = 10


@dataclass(slots=True)
class _Capture:
    tab: Tab
    wanted: CaptureRequest
    found: dict[str, Any] = field(default_factory=dict)
    unavailable: dict[str, str] = field(default_factory=dict)
    end: float = field(init=False)

    def __post_init__(self) -> None:
        self.end = asyncio.get_running_loop().time() + self.wanted.patience_s

    async def ask(self, name: str, question: Callable[[], Awaitable[None]]) -> None:
        try:
            async with asyncio.timeout_at(self.end):
                await question()
        except TimeoutError:
            self.unavailable[name] = f"the page did not answer in {self.wanted.patience_s:g} s"
        except OcdError as error:
            if error.code in _TAB_ENDED or error.code == "invalid_argument":
                raise
            self.unavailable[name] = error.message

    async def run(self) -> dict[str, Any]:
        tab, parts = self.tab, self.wanted.parts
        self.found["url"] = tab.url
        await self.ask("title", self._title)
        if self.wanted.texts or self.wanted.counts:
            await self.ask("dom_text", self._texts)
        for name, question in (
            ("performance", self._performance), ("html", self._html), ("outline", self._outline),
            ("screenshot", self._screenshot),
        ):  # fmt: skip
            if name in parts:
                await self.ask(name, question)
        if "network" in parts:
            self.found |= requests_of(tab)
        if "console" in parts:
            self.found |= messages_of(tab)
        # Last: a dialog that came meanwhile counts.
        dialog = tab.opened_dialog
        self.found["has_open_dialog"] = dialog is not None
        if dialog is not None:
            self.found["dialog"] = {"type": dialog.kind, "message": dialog.message}
        if "dom_text" in self.unavailable:
            self.unavailable["dom_count"] = self.unavailable["dom_text"]
        return {**self.found, "unavailable": self.unavailable}

    async def _title(self) -> None:
        self.found["title"] = await self.tab.title()

    async def _texts(self) -> None:
        self.tab.check_usable()
        texts: dict[str, str | None] = {}
        counts: dict[str, int] = {}
        selectors = [selector for selector in self.wanted.texts if selector]

        def take(result: dict[str, Any]) -> bool:
            for selector, count in result["counts"].items():
                counts[selector] = counts.get(selector, 0) + int(count)
            for selector, text in result["texts"].items():
                before = texts.get(selector)
                texts[selector] = text if before is None else f"{before}\n{text or ''}".rstrip("\n")
            for selector in result["long"]:
                self.unavailable["dom_text"] = f"the text of {selector} is too long"
            return False

        options = {"texts": selectors, "counts": list(self.wanted.counts)}
        try:
            await locators.call_in_frames(self.tab, "evidence", options, take)
        except OcdError as error:
            raise _name_selector(error, (*selectors, *self.wanted.counts)) from None
        if "" in self.wanted.texts:
            texts[""] = (await reader.read(self.tab, mode="text")).text
        self.found |= {"dom_text": texts, "dom_count": counts}

    async def _performance(self) -> None:
        self.tab.check_usable()
        self.found["viewport"] = await engine.call(self.tab, self.tab.main_frame, "viewport")
        self.found["performance"] = await self.tab.evaluate(
            "() => openchrome.tookSoFar()", args=(), isolated=True
        )

    async def _html(self) -> None:
        self.found["html"] = (await reader.read(self.tab, mode="html")).text

    async def _outline(self) -> None:
        self.found["outline"] = (await reader.read(self.tab, mode="outline")).text

    async def _screenshot(self) -> None:
        picture = await self.tab.screenshot()
        self.found["screenshot_png_base64"] = base64.b64encode(picture).decode()


def _name_selector(error: OcdError, selectors: Iterable[str]) -> OcdError:
    # The page says which selector it does not understand.
    if error.code != "invalid_argument":
        return error
    cause = error.__context__
    said = str(cause) if cause is not None else ""
    wrong = next((selector for selector in selectors if f"'{selector}'" in said), None)
    message = f"Not a CSS selector: {wrong!r}." if wrong else "One of the selectors is not CSS."
    return OcdError("invalid_argument", message, parameter="contract", selector=wrong)


async def capture_evidence(tab: Tab, wanted: CaptureRequest) -> dict[str, Any]:
    """Return a snapshot of the page; see ocd.contracts.snapshot for its keys.

    Raises tab_gone, browser_gone, and invalid_argument for a selector that is none.
    """
    return await _Capture(tab, wanted).run()


def requests_of(tab: Tab) -> dict[str, Any]:
    """Return the tab's requests since its creation; at_ms counts from 1970."""
    found = [_request(one) for one in tab.request_log.requests()]
    return {"network": found, "network_dropped": tab.request_log.dropped}


def _request(one: NetworkRequest) -> dict[str, Any]:
    facts = {
        "url": one.url, "method": one.method, "status": one.status, "type": one.type.lower(),
        "at_ms": round(one.started * 1000, 1) if one.started else None,
    }  # fmt: skip
    return facts | ({"error": one.error} if one.error else {})


def messages_of(tab: Tab) -> dict[str, Any]:
    """Return what the tab's pages said to their console since its creation."""
    messages, dropped = tab.console.everything()
    found = [
        {
            "level": one.type, "source": one.source, "text": one.text,
            "at_ms": round(one.at, 1), **({"location": one.location} if one.location else {}),
        }
        for one in messages
    ]  # fmt: skip
    return {"console": found, "console_dropped": dropped}
