"""Evidence of a live page: the parts that a contract or a bundle needs.

A part that cannot be captured (a dialog is open, the page hangs or has crashed) is not an error:
the reason is in `unavailable`, by the part's name.
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

    texts, counts: CSS selectors; "" in `texts` is the whole page. patience_s: the time limit for
    all parts; those that the page has not delivered by then are unavailable.
    """

    parts: frozenset[str]
    texts: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    patience_s: float = 10


@dataclass(slots=True)
class _Capture:
    tab: Tab
    request: CaptureRequest
    result: dict[str, Any] = field(default_factory=dict)
    unavailable: dict[str, str] = field(default_factory=dict)
    end: float = field(init=False)

    def __post_init__(self) -> None:
        self.end = asyncio.get_running_loop().time() + self.request.patience_s

    async def ask(self, name: str, question: Callable[[], Awaitable[None]]) -> None:
        try:
            async with asyncio.timeout_at(self.end):
                await question()
        except TimeoutError:
            self.unavailable[name] = f"the page did not answer in {self.request.patience_s:g} s"
        except OcdError as error:
            if error.code in _TAB_ENDED or error.code == "invalid_argument":
                raise
            self.unavailable[name] = error.message

    async def run(self) -> dict[str, Any]:
        tab, parts = self.tab, self.request.parts
        self.result["url"] = tab.url
        await self.ask("title", self._title)
        if self.request.texts or self.request.counts:
            await self.ask("dom_text", self._texts)
        for name, question in (
            ("performance", self._performance), ("html", self._html), ("outline", self._outline),
            ("screenshot", self._screenshot),
        ):  # fmt: skip
            if name in parts:
                await self.ask(name, question)
        if "network" in parts:
            self.result |= requests_of(tab)
        if "console" in parts:
            self.result |= messages_of(tab)
        # Last, so that a dialog which opened meanwhile counts.
        dialog = tab.opened_dialog
        self.result["has_open_dialog"] = dialog is not None
        if dialog is not None:
            self.result["dialog"] = {"type": dialog.kind, "message": dialog.message}
        if "dom_text" in self.unavailable:
            self.unavailable["dom_count"] = self.unavailable["dom_text"]
        return {**self.result, "unavailable": self.unavailable}

    async def _title(self) -> None:
        self.result["title"] = await self.tab.title()

    async def _texts(self) -> None:
        self.tab.check_usable()
        texts: dict[str, str | None] = {}
        counts: dict[str, int] = {}
        selectors = [selector for selector in self.request.texts if selector]

        def take(result: dict[str, Any]) -> bool:
            for selector, count in result["counts"].items():
                counts[selector] = counts.get(selector, 0) + int(count)
            for selector, text in result["texts"].items():
                before = texts.get(selector)
                texts[selector] = text if before is None else f"{before}\n{text or ''}".rstrip("\n")
            for selector in result["long"]:
                self.unavailable["dom_text"] = f"the text of {selector} is too long"
            return False

        options = {"texts": selectors, "counts": list(self.request.counts)}
        try:
            await locators.call_in_frames(self.tab, "evidence", options, take)
        except OcdError as error:
            raise _name_selector(error, (*selectors, *self.request.counts)) from None
        if "" in self.request.texts:
            texts[""] = (await reader.read(self.tab, mode="text")).text
        self.result |= {"dom_text": texts, "dom_count": counts}

    async def _performance(self) -> None:
        self.tab.check_usable()
        self.result["viewport"] = await engine.call(self.tab, self.tab.main_frame, "viewport")
        self.result["performance"] = await self.tab.evaluate(
            "() => openchrome.performanceMetrics()", args=(), isolated=True
        )

    async def _html(self) -> None:
        self.result["html"] = (await reader.read(self.tab, mode="html")).text

    async def _outline(self) -> None:
        self.result["outline"] = (await reader.read(self.tab, mode="outline")).text

    async def _screenshot(self) -> None:
        picture = await self.tab.screenshot()
        self.result["screenshot_png_base64"] = base64.b64encode(picture).decode()


def _name_selector(error: OcdError, selectors: Iterable[str]) -> OcdError:
    # The page reports which selector is invalid.
    if error.code != "invalid_argument":
        return error
    cause = error.__context__
    cause_text = str(cause) if cause is not None else ""
    wrong = next((selector for selector in selectors if f"'{selector}'" in cause_text), None)
    message = f"Not a CSS selector: {wrong!r}." if wrong else "One of the selectors is not CSS."
    return OcdError("invalid_argument", message, parameter="contract", selector=wrong)


async def capture_evidence(tab: Tab, request: CaptureRequest) -> dict[str, Any]:
    """Return a snapshot of the page; see ocd.contracts.snapshot for its keys.

    Raises tab_gone, browser_gone, and invalid_argument for an invalid selector.
    """
    return await _Capture(tab, request).run()


def requests_of(tab: Tab) -> dict[str, Any]:
    """Return the tab's requests since its creation; at_ms counts from 1970."""
    requests = [_request(request) for request in tab.request_log.requests()]
    return {"network": requests, "network_dropped": tab.request_log.dropped}


def _request(one: NetworkRequest) -> dict[str, Any]:
    facts = {
        "url": one.url, "method": one.method, "status": one.status, "type": one.type.lower(),
        "at_ms": round(one.started * 1000, 1) if one.started else None,
    }  # fmt: skip
    return facts | ({"error": one.error} if one.error else {})


def messages_of(tab: Tab) -> dict[str, Any]:
    """Return the console messages of the tab's pages since its creation."""
    messages, dropped = tab.console.all_messages()
    found = [
        {
            "level": message.type, "source": message.source, "text": message.text,
            "at_ms": round(message.at, 1),
            **({"location": message.location} if message.location else {}),
        }
        for message in messages
    ]  # fmt: skip
    return {"console": found, "console_dropped": dropped}
