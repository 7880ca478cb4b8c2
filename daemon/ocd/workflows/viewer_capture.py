"""Capturing the pages of a viewer: text, HTML, screenshot, and new content."""

import asyncio
import hashlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ocd.ledger.cancellation import stoppable
from ocd.ledger.task_handle import TaskHandle
from ocd.storage.files import make_dir, write_unsynced
from ocd.verb_api.nested_calls import NestedCalls, NestedReply

Strategy = Literal["auto", "click", "keyboard", "url", "scroll"]
Capture = Literal["text", "markdown", "dom", "screenshot", "both"]

MAX_PAGE_CHARS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PaginationPlan:
    """How a viewer is stepped through.

    total: number of pages to capture (None: until the end, at most `max_pages`). target: ref,
    selector or query of the next button. url_template: a URL with {page}, {N} or {offset}.
    selector: of the part to capture. wait_ms: the longest wait for a page to change.
    """

    tab_id: str
    strategy: Strategy
    capture: Capture
    total: int | None
    start: int
    max_pages: int
    target: dict[str, str]
    url_template: str
    page_size: int
    key: str
    screens: float
    selector: str
    wait_ms: int

    @property
    def count(self) -> int:
        """The most pages that are captured."""
        return self.max_pages if self.total is None else min(self.total, self.max_pages)


@dataclass(slots=True)
class ViewerCapture:
    """Captures the pages of one run; `folder` is where screenshots go.

    next_page_call: the call that leads to the next page, from the last reading. is_cumulative:
    pages repeat the content before them, so only new lines are kept.
    """

    calls: NestedCalls
    work: TaskHandle
    plan: PaginationPlan
    folder: Path
    lines: Counter[str] = field(default_factory=Counter)
    next_page_call: dict[str, Any] | None = None
    is_cumulative: bool = False

    async def call(self, verb: str, **args: Any) -> NestedReply:  # noqa: ANN401 - JSON values
        """Call a verb on the viewer's tab; raises TaskStopped if the task is stopped."""
        arguments = {"tab_id": self.plan.tab_id, **args}
        return await stoppable(
            self.work, self.calls.run(verb, arguments, session=self.work.session, lent=True)
        )

    async def capture_page(self, number: int) -> tuple[dict[str, Any], str]:
        """Return the page as it is kept, and a mark that equal pages share."""
        page: dict[str, Any] = {"page_number": number}
        marks: list[str] = []
        if self.plan.capture != "screenshot" or self.plan.strategy == "auto":
            text = await self._read(page)
            marks += [] if self.plan.capture == "screenshot" else [text]
        if self.plan.capture in ("screenshot", "both"):
            marks.append(await self._picture(page, number))
        return page, hashlib.sha256("\0".join(marks).encode()).hexdigest()

    async def _read(self, page: dict[str, Any]) -> str:
        part = {"selector": self.plan.selector} if self.plan.selector else {}
        if self.plan.capture == "dom":
            answer = await self.call("page_content", limit=MAX_PAGE_CHARS, **part)
        else:
            mode = "markdown" if self.plan.capture == "markdown" else "text"
            answer = await self.call("read_page", mode=mode, limit=MAX_PAGE_CHARS, **part)
        if self.plan.strategy == "auto":
            self.next_page_call = await self._find_next_page_call(answer.data)
        text = answer.content or ""
        if self.plan.capture != "screenshot":
            page["url"] = answer.data.get("url", answer.origin)
            page["dom" if self.plan.capture == "dom" else "text"] = text
        if answer.data.get("next_offset") is not None:
            page |= {"total": answer.data.get("total"), "next_offset": answer.data["next_offset"]}
        return text

    async def _find_next_page_call(self, data: dict[str, Any]) -> dict[str, Any] | None:
        """Return the call that leads to the next page, as a reading names it; None without one."""
        hint = data.get("pagination")
        if hint is None and (self.plan.selector or self.plan.capture == "dom"):
            hint = (await self.call("read_page", mode="text", limit=1)).data.get("pagination")
        if not isinstance(hint, dict):
            return None
        if hint.get("last") is not None and hint.get("current") == hint.get("last"):
            return None
        self.is_cumulative = hint.get("type") in ("infinite_scroll", "load_more")
        step = hint.get("next_step")
        return step if isinstance(step, dict) else None

    def keep_new_lines(self, page: dict[str, Any]) -> bool:
        """Keep only the lines that were not there before the scroll; False if there are none."""
        key = "dom" if "dom" in page else "text"
        lines = page[key].split("\n")
        left = Counter(self.lines)
        fresh = []
        for line in lines:
            if left[line] > 0:
                left[line] -= 1
            else:
                fresh.append(line)
        self.lines |= Counter(lines)
        page[key] = "\n".join(fresh)
        return bool(page[key].strip())

    async def _picture(self, page: dict[str, Any], number: int) -> str:
        part = {"selector": self.plan.selector} if self.plan.selector else {}
        image = (await self.call("page_screenshot", **part)).image
        assert image is not None, "a screenshot without path is a picture"
        data, page["screenshot_mime_type"] = image
        path = self.folder / f"page-{number:04}.png"
        await asyncio.to_thread(_write, path, data)
        page["screenshot"] = str(path)
        return hashlib.sha256(data).hexdigest()


def _write(path: Path, data: bytes) -> None:
    make_dir(path.parent)
    write_unsynced(path, data)
