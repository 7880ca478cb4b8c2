"""The page loads of a tab's main frame: lifecycle events reached, HTTP status, errors."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from msgspec import Raw

from ocd.api.bounded_dict import BoundedDict
from ocd.browser.cdp.connection import CdpSession, Event
from ocd.browser.cdp.messages import decode_params

_MAX_LOADS = 16
# The beginning of a request's event, and what marks one for a document.
_FIRST = b'{"requestId":"'
_DOCUMENT = b'"type":"Document"'


@dataclass(slots=True)
class PageLoad:
    """One load of the main frame; `reached` has CDP's lifecycle names (load, networkIdle, ...).

    unreachable: the address in whose place Chromium shows an error page.
    """

    loader_id: str
    url: str = ""
    reached: set[str] = field(default_factory=set)
    status: int | None = None
    mime_type: str = ""
    redirects: int = 0
    error: str = ""
    unreachable: str = ""
    committed: bool = False
    ended: bool = False

    def has_reached(self, event: str) -> bool:
        """Return whether the load has reached this event, or has ended without it.

        That is the case if the response broke off, or the page called window.stop().
        """
        return event in self.reached or (self.ended and "load" not in self.reached)

    @property
    def is_idle(self) -> bool:
        """Whether the page has had no request for half a second since it was loaded."""
        return self.has_reached("networkIdle")

    @property
    def broken_off(self) -> str:
        """Why the current page is incomplete; empty if it is complete, or is still loading."""
        if not self.committed or not self.ended or "load" in self.reached:
            return ""
        return self.error.removeprefix("net::") or "the page stopped its loading"


class PageLoads:
    """Follows the main frame by loader ids, so that events of different loads are not mixed up."""

    def __init__(self, cdp: CdpSession) -> None:
        self._cdp = cdp
        self._frame_id = cdp.target_id
        self._known = BoundedDict[str, PageLoad](_MAX_LOADS)
        self._handlers = {
            "Network.requestWillBeSent": self._on_request,
            "Network.responseReceived": self._on_response,
            "Network.responseReceivedExtraInfo": self._on_extra_info,
            "Network.loadingFailed": self._on_failed,
        }
        self._waiting: set[asyncio.Future[Any]] = set()
        self.current = PageLoad("")
        # Counts the ends of navigations: a commit, a same-document navigation, a failure.
        self.navigation_count = 0
        self.failed: PageLoad | None = None
        # Counts the navigations that the page itself has requested.
        self.own_requests = 0

    def start(self) -> None:
        """Listen; the domains are enabled by the tab."""
        self._cdp.on("Page.lifecycleEvent", self._on_lifecycle)
        self._cdp.on("Page.frameRequestedNavigation", self._on_requested)
        self._cdp.on("Page.frameNavigated", self._on_navigated)
        self._cdp.on("Page.frameStoppedLoading", self._on_stopped)
        self._cdp.on("Page.navigatedWithinDocument", self._on_navigated_within_document)
        self._cdp.tap(self._on_network_event, self._handlers)

    def _on_network_event(self, method: str, params: Raw) -> None:
        # Most requests are not for documents, which is detected before decoding.
        data = bytes(params)
        if _DOCUMENT in data or self._is_known_request(data):
            self._handlers[method](decode_params(data))

    def _is_known_request(self, data: bytes) -> bool:
        if not data.startswith(_FIRST):
            return True
        return data[len(_FIRST) : data.find(b'"', len(_FIRST))].decode() in self._known

    def of(self, loader_id: str) -> PageLoad:
        """Return the page load with that loader id, created if new."""
        document = self._known.get(loader_id)
        if document is None:
            document = self._known[loader_id] = PageLoad(loader_id)
        return document

    async def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait until `condition()` holds; it is checked after every event of the main frame."""
        while not condition():
            future = self._cdp.create_future()
            self._waiting.add(future)
            try:
                await future
            finally:
                self._waiting.discard(future)

    def _wake(self) -> None:
        for future in self._waiting:
            if not future.done():
                future.set_result(None)

    def _on_lifecycle(self, event: Event) -> None:
        if event["frameId"] == self._frame_id:
            document = self.of(event["loaderId"])
            document.reached.add(event["name"])
            if not self.current.loader_id:
                # The blank page of a new tab: nothing else is reported of it.
                self.current = document
            self._wake()

    def _on_requested(self, event: Event) -> None:
        if event["frameId"] == self._frame_id and event["disposition"] == "currentTab":
            self.own_requests += 1

    def _on_navigated(self, event: Event) -> None:
        frame = event["frame"]
        if frame["id"] == self._frame_id:
            self.current = self.of(frame["loaderId"])
            self.current.url = frame["url"]
            self.current.committed = True
            self.current.mime_type = frame.get("mimeType", "")
            self.current.unreachable = frame.get("unreachableUrl", "")
            if self.current.unreachable and not self.current.error:
                self.current.error = "net::ERR_FAILED"
            self.navigation_count += 1
            self._wake()

    def _on_stopped(self, event: Event) -> None:
        # It follows the load event; if a load breaks off, it is the only event.
        if event["frameId"] == self._frame_id and self.current.committed:
            self.current.ended = True
            self._wake()

    def _on_navigated_within_document(self, event: Event) -> None:
        if event["frameId"] == self._frame_id:
            self.current.url = event["url"]
            self.navigation_count += 1
            self._wake()

    def _on_request(self, event: Event) -> None:
        if self._is_main(event) and "redirectResponse" in event:
            self.of(event["requestId"]).redirects += 1

    def _on_response(self, event: Event) -> None:
        if self._is_main(event):
            document = self.of(event["requestId"])
            answer = event["response"]
            # Schemes without a server (data:, file:, blob:) are reported as 0 or 200.
            if answer["url"].startswith("http"):
                document.status = answer["status"] or None
            document.mime_type = answer.get("mimeType", "")

    def _on_extra_info(self, event: Event) -> None:
        # A response without a document (204, a download) is reported only here.
        document = self._known.get(event["requestId"])
        if document is not None and document.status is None:
            document.status = event["statusCode"]

    def _on_failed(self, event: Event) -> None:
        document = self._known.get(event["requestId"])
        if document is not None and event.get("type") == "Document":
            document.error = event["errorText"]
            document.reached.add("failed")
            if not document.committed:
                self.failed = document
                self.navigation_count += 1
                self._wake()

    def _is_main(self, event: Event) -> bool:
        if event.get("frameId") != self._frame_id or event.get("type") != "Document":
            return False
        self.of(event["requestId"])
        return bool(event["requestId"] == event["loaderId"])
