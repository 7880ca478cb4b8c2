"""The frames of a page, in whichever processes they are rendered."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ocd.browser.cdp.connection import CdpSession, Event, Result

_ATTACH = {
    "autoAttach": True,
    "waitForDebuggerOnStart": True,
    "flatten": True,
    # Pop-ups are attached by the browser's own session; see targets.
    "filter": [{"type": "page", "exclude": True}, {"type": "tab", "exclude": True}, {}],
}


@dataclass(eq=False, slots=True)
class Frame:
    """One frame; `cdp` is the session of the target that renders it.

    Attributes:
        origin: CDP's security origin ("://" for opaque ones).
        failed: whether it shows the browser's error page.
        world: the isolated world's context in the current document, if there is one.
        engine_parts: how much of the page engine was sent there.
    """

    frame_id: str
    cdp: CdpSession
    parent_id: str | None = None
    url: str = ""
    origin: str = ""
    name: str = ""
    loader_id: str = ""
    mime_type: str = ""
    failed: bool = False
    world: int | None = field(default=None, repr=False)
    engine_parts: int = field(default=0, repr=False)


class FrameTree:
    """Follows one tab's frames through navigations and process swaps, from CDP's events."""

    def __init__(
        self,
        main: CdpSession,
        prepare: Callable[[CdpSession], None],
        prepare_worker: Callable[[CdpSession], None],
    ) -> None:
        self._main = main
        self._prepare = prepare
        self._prepare_worker = prepare_worker
        self._frames: dict[str, Frame] = {}
        self.sessions: list[CdpSession] = []

    def start(self) -> list[Result]:
        """Watch the tab's own session; return the pending calls that fetch the tree."""
        self.frame(self._main.target_id, self._main)
        return self._watch(self._main)

    @property
    def main(self) -> Frame:
        """The top frame; its id is the target's."""
        return self._frames[self._main.target_id]

    def get(self, frame_id: str) -> Frame | None:
        """Return the frame with that id, if it still exists."""
        return self._frames.get(frame_id)

    def frame(self, frame_id: str, cdp: CdpSession) -> Frame:
        """Return the frame with that id, created if new."""
        return self._frames.setdefault(frame_id, Frame(frame_id, cdp))

    def all(self) -> list[Frame]:
        """Return all frames: the main one first, parents before children."""
        frames = list(self._frames.values())
        ordered: list[Frame] = [self.main]
        for parent in ordered:
            ordered += [frame for frame in frames if frame.parent_id == parent.frame_id]
        return ordered

    def _watch(self, cdp: CdpSession) -> list[Result]:
        self.sessions.append(cdp)
        cdp.on("Page.frameAttached", lambda event: self._on_attached(cdp, event))
        cdp.on("Page.frameNavigated", lambda event: self._on_new_document(cdp, event))
        cdp.on("Page.navigatedWithinDocument", self._on_navigated_within_document)
        cdp.on("Page.frameDetached", self._on_detached)
        cdp.on("Target.attachedToTarget", lambda event: self._child(cdp, event))
        cdp.on("disconnected", lambda: self._on_session_ended(cdp))
        enabled = [cdp.send("Page.enable"), cdp.send("Target.setAutoAttach", _ATTACH)]
        tree = cdp.send("Page.getFrameTree")
        self._take_tree(cdp, tree)
        self._prepare(cdp)
        resumed = cdp.send("Runtime.runIfWaitingForDebugger")
        return [*enabled, tree, resumed]

    def _take_tree(self, cdp: CdpSession, tree: Result) -> None:
        tree.add_done_callback(lambda reply: self._tree(cdp, reply))

    def _tree(self, cdp: CdpSession, reply: asyncio.Future[dict[str, Any]]) -> None:
        if not reply.cancelled() and reply.exception() is None:
            self._walk(cdp, reply.result()["frameTree"])

    def _walk(self, cdp: CdpSession, tree: dict[str, Any]) -> None:
        frame = self._frames.get(tree["frame"]["id"])
        # Events since then are newer than this answer.
        if frame is None or not frame.loader_id:
            self._on_navigated(cdp, tree["frame"])
        for child in tree.get("childFrames", ()):
            self._walk(cdp, child)

    def _on_attached(self, cdp: CdpSession, event: Event) -> None:
        frame = self.frame(event["frameId"], cdp)
        frame.parent_id = event["parentFrameId"]

    def _on_new_document(self, cdp: CdpSession, event: Event) -> None:
        info = event["frame"]
        frame = self._frames.get(info["id"])
        if frame is not None and frame.loader_id not in ("", info["loaderId"]):
            # Chromium does not report frames that vanish when a document changes its process.
            self._forget_children(info["id"])
        self._on_navigated(cdp, info)
        if event.get("type") == "BackForwardCacheRestore":
            self._take_tree(cdp, cdp.send("Page.getFrameTree"))

    def _on_navigated(self, cdp: CdpSession, info: dict[str, Any]) -> None:
        frame = self.frame(info["id"], cdp)
        if frame.loader_id != info["loaderId"] or frame.cdp is not cdp:
            frame.world = None
        frame.cdp = cdp
        frame.loader_id = info["loaderId"]
        # The fragment is a separate field, and an error page has the URL that failed.
        frame.url = (info.get("unreachableUrl") or info["url"]) + info.get("urlFragment", "")
        frame.failed = "unreachableUrl" in info
        frame.origin = info.get("securityOrigin", "")
        frame.name = info.get("name", frame.name)
        frame.mime_type = info.get("mimeType", "")
        frame.parent_id = info.get("parentId", frame.parent_id)

    def _on_navigated_within_document(self, event: Event) -> None:
        frame = self._frames.get(event["frameId"])
        if frame is not None:
            frame.url = event["url"]

    def _on_detached(self, event: Event) -> None:
        # "swap": the frame lives on in another process.
        if event.get("reason") != "swap":
            self._forget(event["frameId"])

    def _forget(self, frame_id: str) -> None:
        if frame_id == self._main.target_id:
            return
        self._frames.pop(frame_id, None)
        self._forget_children(frame_id)

    def _forget_children(self, frame_id: str) -> None:
        for child in [f.frame_id for f in self._frames.values() if f.parent_id == frame_id]:
            self._forget(child)

    def _child(self, parent: CdpSession, event: Event) -> None:
        child = parent.connection.session(event["sessionId"])
        if child.kind != "iframe":
            self._work(child)
            return
        frame = self.frame(child.target_id, child)
        self._forget_children(child.target_id)
        frame.parent_id = frame.parent_id or child.target.get("parentFrameId")
        frame.cdp = child
        frame.world = None
        frame.loader_id = ""
        self._watch(child)

    def _work(self, cdp: CdpSession) -> None:
        # A worker may have workers of its own.
        cdp.on("Target.attachedToTarget", lambda event: self._child(cdp, event))
        cdp.send_nowait("Target.setAutoAttach", _ATTACH)
        self._prepare_worker(cdp)
        cdp.send_nowait("Runtime.runIfWaitingForDebugger")

    def _on_session_ended(self, cdp: CdpSession) -> None:
        if cdp in self.sessions:
            self.sessions.remove(cdp)
        for frame in self._frames.values():
            if frame.cdp is cdp:
                frame.world = None
                # Back in the parent's process, or about to be detached.
                frame.cdp = cdp.parent or self._main


def frames_to_call(frames: list[Frame]) -> list[Frame]:
    """Return the frames that must be called separately: others can be read through their parent.

    A document has access to the frames of its own origin and process.
    """
    by_id = {frame.frame_id: frame for frame in frames}

    def through_parent(frame: Frame) -> bool:
        parent = by_id.get(frame.parent_id or "")
        return (
            parent is not None
            and parent.cdp is frame.cdp
            and parent.origin == frame.origin
            and frame.origin.startswith("http")
        )

    return [frame for frame in frames if not through_parent(frame)]
