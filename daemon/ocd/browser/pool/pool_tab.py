"""A hidden tab of a crawl: loads a page, returns it as data, and is reused."""

import asyncio
import base64
import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.browser.cdp.connection import CdpSession, Event
from ocd.browser.injected import load
from ocd.browser.pool.loaded_page import LoadedPage, page_of
from ocd.browser.pool.page_files import print_pdf, take_picture
from ocd.browser.pool.pool_options import DEFAULT_OPTIONS, PoolOptions
from ocd.browser.pool.request_rules import RequestRules
from ocd.browser.process.targets import Targets
from ocd.browser.tabs import evaluate
from ocd.browser.tabs.frames import Frame
from ocd.browser.tabs.navigation import load_error, raise_if_unreachable
from ocd.browser.tabs.page_loads import PageLoads
from ocd.browser.tabs.page_tools import PageTool, PageTools, unsupported_error

# How often a page may redirect by script before that counts as endless.
MAX_SCRIPT_REDIRECTS = 10
# A document that was left without a navigation: XSLT puts another in its place.
_REPLACED_S = 1
MAX_PAGES = 500
MAX_HEAP = 256 << 20
# Documents that a tab has left accumulate in Chromium: after so many pages it is checked.
_PAGES_BETWEEN_COLLECTIONS = 20
_FILES = {"screenshot": take_picture, "pdf": print_pdf}
_ANY_CERTIFICATE = ("Security.setIgnoreCertificateErrors", {"ignore": True})
_HTML_TYPES = ("text/html", "application/xhtml+xml")
_METRICS = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}


@dataclass(frozen=True, slots=True)
class BrowserPlace:
    """Where a tab is opened: a browser context (None: the user's own), and its proxy's login."""

    context_id: str | None = None
    proxy_login: str = ""


USERS_OWN = BrowserPlace()


class _Snapshot(msgspec.Struct):
    """The result of pool_read.js."""

    url: str
    status: int
    type: str
    title: str
    links: list[str]
    html: str
    frames: list[tuple[str, str]]
    refresh: bool
    heap: float


# Read at import, because the loop must not wait for a disk.
_SHIM = load("pool/pool_shim")
_LOOKING = (
    "elements/documents", "elements/composed_tree", "visibility/legibility",
    "visibility/page_effects", "visibility/element_view", "visibility/visibility",
    "visibility/shut_boxes", "visibility/covered_elements", "pool/plain_styles", "pool/mark_hidden",
)  # fmt: skip
_READ = "\n".join(["(() => {'use strict';", *map(load, _LOOKING), load("pool/pool_read"), "})()"])


class PoolTab:
    """A hidden page of a pool. `broken`: must be replaced rather than used again."""

    def __init__(
        self,
        targets: Targets,
        cdp: CdpSession,
        options: PoolOptions = DEFAULT_OPTIONS,
        place: BrowserPlace = USERS_OWN,
    ) -> None:
        self.cdp = cdp
        self.place = place
        self.site = ""
        self.pages = 0
        self.broken = False
        self.stale = False
        self._targets = targets
        self._options = options
        self._rules = RequestRules(cdp, options, place.proxy_login)
        self._documents = PageLoads(cdp)
        self._tools = PageTools(self._main_frame)
        self._leaving = False
        # Resolved once the document has been parsed; with the error if that will never happen.
        self._parsed = True
        self._cut_off: OcdError | None = None

    @classmethod
    async def open(
        cls, targets: Targets, place: "BrowserPlace", options: PoolOptions = DEFAULT_OPTIONS
    ) -> "PoolTab":
        """Open a tab at that place."""
        context = {"browserContextId": place.context_id} if place.context_id else {}
        if _FILES.keys() & options.keep:  # a hidden page is never drawn
            cdp = await targets.open(_close_popup, background=True, **context)
        else:
            cdp = await targets.open_hidden(_close_popup, **context)
        tab = cls(targets, cdp, options, place)
        for call in tab._start():
            await call
        return tab

    def _start(self) -> list[asyncio.Future[dict[str, Any]]]:
        cdp = self.cdp
        self._documents.start()
        cdp.on("Inspector.targetCrashed", self._on_crash)
        cdp.on("Page.javascriptDialogOpening", self._on_dialog)
        cdp.on("Page.frameRequestedNavigation", self._on_requested_navigation)
        cdp.on("Page.frameNavigated", self._on_navigated)
        cdp.on("Page.domContentEventFired", self._on_parsed)
        cdp.on("Page.frameStoppedLoading", self._on_stopped)
        cdp.on("disconnected", self._on_disconnect)
        agent = {"userAgent": self._options.user_agent}
        if self._options.tools:
            self._tools.watch(cdp)
        return [
            cdp.send("Page.enable"),
            cdp.send("Inspector.enable"),
            *([cdp.send("Emulation.setUserAgentOverride", agent)] if agent["userAgent"] else ()),
            *([cdp.send(*_ANY_CERTIFICATE)] if self._options.any_certificate else ()),
            # Otherwise the headless shell runs it at reading, on a page without scripts of its own.
            *([cdp.send("Runtime.enable")] if self._options.init_script else ()),
            *self._rules.start(),
            cdp.send("Emulation.setDeviceMetricsOverride", _METRICS),
            *(
                cdp.send("Page.addScriptToEvaluateOnNewDocument", {"source": source})
                for source in (_SHIM, self._options.init_script)
                if source
            ),
            cdp.send("Runtime.runIfWaitingForDebugger"),
        ]

    def _main_frame(self, frame_id: str) -> Frame | None:
        return Frame(frame_id, self.cdp) if frame_id == self.cdp.target_id else None

    def _on_crash(self, _: Event) -> None:
        self.broken = True
        self.cdp.halt(OcdError("tab_crashed", "The page's renderer crashed."))

    def _on_disconnect(self) -> None:
        self.broken = True

    def _on_dialog(self, event: Event) -> None:
        accept = event["type"] == "beforeunload"
        self.cdp.send_nowait("Page.handleJavaScriptDialog", {"accept": accept})

    def _on_requested_navigation(self, event: Event) -> None:
        if event["frameId"] == self.cdp.target_id and event.get("disposition") == "currentTab":
            self._leaving = True

    def _on_navigated(self, event: Event) -> None:
        if event["frame"]["id"] == self.cdp.target_id:
            self._leaving = self._parsed = False
            self._cut_off = None

    def _on_parsed(self, _: Event) -> None:
        self._parsed = True

    def _on_stopped(self, event: Event) -> None:
        if event["frameId"] != self.cdp.target_id or self._parsed or self._leaving:
            return
        # Also just before a crash is reported, when there is no response any more.
        answer = self.cdp.send("Runtime.evaluate", {"expression": "0"})
        answer.add_done_callback(partial(self._cut_off_at, self._documents.navigation_count))

    def _cut_off_at(self, navigation: int, answer: asyncio.Future[dict[str, Any]]) -> None:
        if answer.cancelled() or answer.exception() is not None:
            return
        if self._parsed or self._leaving or navigation != self._documents.navigation_count:
            return
        # Its parser waits forever, and so would a script that waits for the document.
        self._cut_off = OcdError("fetch_failed", "the response was cut off", cut_off=True)
        self.cdp.interrupt(self._cut_off)

    async def load(self, url: str, timeout_s: float) -> LoadedPage:
        """Load `url` and return the page; the caller limits the time. Raises as PagePool.load."""
        self.pages += 1
        self._leaving, self._parsed, self._cut_off = False, True, None
        self._rules.forget()
        end = asyncio.get_running_loop().time() + timeout_s
        if "#" in url:
            await self._go(
                "about:blank"
            )  # otherwise it might be a navigation within the current document
            self._parsed = True
        await self._go(url)
        failed = await self._act(url, end) if self._options.actions else []
        found = await self._read(url, end)
        if found["heap"] > MAX_HEAP or self.pages >= MAX_PAGES:
            self.stale = True
        files, not_kept = await self._files()
        if self.pages % _PAGES_BETWEEN_COLLECTIONS == 0:
            self.cdp.send_nowait("HeapProfiler.collectGarbage")
        answer = self._rules.answer
        page = replace(
            page_of(url, found),
            headers=answer.headers,
            redirects=tuple(answer.redirects),
            failed_actions=tuple(failed),
            tools=await self._offered(),
            raw=tuple(answer.raw),
            files=files,
            not_kept=tuple(not_kept),
        )
        return page if page.content_type in _HTML_TYPES else await self._raw_document(page)

    async def _files(self) -> tuple[dict[str, bytes], list[str]]:
        """Return the requested files of the page, and why others are missing."""
        files, not_kept = dict[str, bytes](), list[str]()
        for kind, make in _FILES.items():
            if kind not in self._options.keep:
                continue
            try:
                files[kind] = await make(self.cdp)
            except OcdError as error:
                if error.code not in ("cdp_error", "too_large"):
                    raise
                not_kept.append(f"{kind}: {error.message}")
        return files, not_kept

    async def _offered(self) -> tuple[PageTool, ...]:
        """Return the tools that the page offers; webmcp_unsupported where there can be none."""
        frame = Frame(self.cdp.target_id, self.cdp)
        if self._options.tools:
            await self._tools.ask_libraries((frame,))
        tools = tuple(self._tools.all())
        if self._options.tools and not tools and not await self._tools.is_possible(frame):
            raise unsupported_error()
        return tools

    async def _raw_document(self, page: LoadedPage) -> LoadedPage:
        # Chromium shows such documents in a viewer.
        params = {"frameId": self.cdp.target_id, "url": page.url}
        try:
            got = await self.cdp.send("Page.getResourceContent", params)
        except OcdError as error:
            if error.code != "cdp_error":
                raise
            return page
        text = got["content"]
        if got["base64Encoded"]:
            text = base64.b64decode(text).decode("utf-8", "replace")
        return replace(page, html=text, links=[], frames=[])

    async def _go(self, url: str) -> None:
        reply = await self.cdp.send("Page.navigate", {"url": url})
        if error := reply.get("errorText"):
            self.stale = self.stale or "loaderId" in reply
            raise load_error(url, error, None, aborted_is_download=True)
        if "loaderId" in reply:
            document = self._documents.of(reply["loaderId"])
            await self._documents.wait_until(lambda: document.committed)

    async def _read(self, url: str, end: float) -> dict[str, Any]:
        documents = self._documents
        for _ in range(MAX_SCRIPT_REDIRECTS):
            moves = documents.navigation_count
            found = await self._snapshot(end)
            if found is not None:
                raise_if_unreachable(documents.current)
            if found is not None and not (self._leaving or found["refresh"]):
                return found
            # The page has navigated by itself, or is about to: the next one counts.
            if (
                not await self._follow_redirects(moves, bounded=found is not None)
                and found is not None
            ):
                return found
        raise OcdError("too_many_redirects", f"{url} keeps redirecting.", url=url)

    async def _act(self, url: str, end: float) -> list[str]:
        """Perform the actions once the page has loaded; return those that were not possible."""
        await self._read(url, end)
        failed = []
        for number, action in enumerate(self._options.actions, 1):
            if why := await self._do(action, end):
                what = " ".join(f"{key} {action[key]}" for key in _ACTIONS if key in action)
                failed.append(f"{number}. {what}: {why}")
        return failed

    async def _do(self, action: Mapping[str, Any], end: float) -> str:
        loop = asyncio.get_running_loop()
        until = min(loop.time() + action["timeout_ms"] / 1000, end - _READING_S)
        while True:
            left = max(0, int((until - loop.time()) * 1000))
            frame = Frame(self.cdp.target_id, self.cdp)
            call = f"{_ACT}({json.dumps(dict(action))}, {left})"
            try:
                return str(await evaluate.evaluate_isolated(frame, call))
            except OcdError as error:
                if not error.details.get("navigated"):
                    raise
                if "click" in action:
                    return ""  # the action has led to another page
                if not left:
                    return "the page kept navigating"

    async def _follow_redirects(self, navigations: int, *, bounded: bool) -> bool:
        documents = self._documents
        try:
            async with asyncio.timeout(3 if bounded else _REPLACED_S):
                await documents.wait_until(lambda: documents.navigation_count > navigations)
        except TimeoutError:
            return False
        return True

    async def _snapshot(self, end: float) -> dict[str, Any] | None:
        if self._cut_off is not None:
            raise self._cut_off
        left = end - asyncio.get_running_loop().time()
        # Shortly before the time limit, a page whose images hang is read as it is.
        inside = max(left - max(0.25, left / 10), 0.05)
        scripted = json.dumps(bool(self._options.init_script))
        call = f"{_READ}({scripted}, {_round_to_ms(inside)})"
        try:
            found = await self._run(call)
        except OcdError as error:
            if error.details.get("navigated"):
                return None
            raise
        if found is None:
            raise OcdError("timeout", "The page did not load in time.")
        return dict(found)

    async def _run(self, call: str) -> Any:  # noqa: ANN401 - any JSON value
        frame = Frame(self.cdp.target_id, self.cdp)
        try:
            return _checked(await evaluate.evaluate(frame, call))
        except msgspec.ValidationError:
            pass
        except OcdError as error:
            if error.code != "script_error" or error.details.get("navigated"):
                raise
        # The page has replaced a function that the script uses.
        return await evaluate.evaluate(frame, call, context=await evaluate.isolated_context(frame))

    async def recover(self) -> None:
        """Make the tab usable after a failed load, or mark it broken; takes a second at most."""
        self.cdp.send_nowait("Page.stopLoading")
        try:
            async with asyncio.timeout(1):
                await self._go("about:blank")
                await self.cdp.send("Runtime.evaluate", {"expression": "1"})
        except (TimeoutError, OcdError):
            self.broken = True
        self.site = ""

    async def close(self) -> None:
        """Close the tab; a hung one is left to the browser."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                await self._targets.close(self.cdp.target_id)

    def __repr__(self) -> str:
        return f"PoolTab({self.site or 'fresh'}, {self.pages} pages)"


def _checked(snapshot: object) -> Any:  # noqa: ANN401 - any JSON value
    """Return the snapshot; msgspec.ValidationError if the page has tampered with its form."""
    msgspec.convert(snapshot, _Snapshot | None)
    return snapshot


_ACTIONS = ("wait_for", "click", "scroll")
_ACT = "\n".join(
    ["(() => {'use strict';", load("elements/documents"), load("pool/pool_actions"), "})()"]
)
# What is left for reading the page after its actions.
_READING_S = 1.0


def _round_to_ms(seconds: float) -> int:
    # The renderer compiles an identical script only once, which saves 2 ms a page.
    return int(seconds * 1000) if seconds < 2 else int(seconds) * 1000


def _close_popup(cdp: CdpSession) -> None:
    # Its opener is suspended until the pop-up runs, even if it is closed.
    cdp.send_nowait("Runtime.runIfWaitingForDebugger")
    cdp.connection.send_nowait("Target.closeTarget", {"targetId": cdp.target_id})
