"""Stepping through a paged viewer: capture each page, then go to the next, until the end."""

import time
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.ledger.cancellation import TaskStopped
from ocd.ledger.task_handle import TaskHandle
from ocd.workflows.viewer_capture import PaginationPlan, ViewerCapture

# How long a page that has changed may take to become idle.
_IDLE_MS = 2000
_CLICK_MS = 5000
_MAX_FAILURES = 3
# Errors of the click on the next button that mean there is no next page.
_NO_NEXT = frozenset({"element_not_found", "not_enabled", "not_visible", "detached", "covered"})
# It runs among the page's own scripts, which may have replaced array methods.
_PRINT = """(() => {
  const of = (name) => Reflect.get(Document.prototype, name, document);
  let text = (of('body')?.innerText ?? '') + location.href + PLACE;
  const images = of('images');
  for (let i = 0; i < images.length; i++) text += ',' + (images[i].currentSrc || images[i].src);
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
  return `${hash}:${text.length}`;
})()"""


@dataclass(slots=True)
class PaginationRun:
    """One run through a viewer.

    next_button: the next button as the outline shows it; scroll_y: how far it has scrolled.
    """

    work: TaskHandle
    plan: PaginationPlan
    viewer: ViewerCapture
    captured: int = 0
    failed: int = 0
    seen: set[str] = field(default_factory=set)
    last: str = ""
    next_button: str = ""
    scroll_y: float = 0
    started: float = field(default_factory=time.monotonic)

    async def run(self) -> dict[str, Any]:
        """Go through the pages and return a summary; the pages are the task's units.

        Raises the error of the first page if that cannot be captured.
        """
        self.viewer.is_cumulative = self.plan.strategy == "scroll"
        try:
            ended_by = await self._capture_all()
        except TaskStopped:
            ended_by = "cancelled"
        plan = self.plan
        return {
            "tab_id": plan.tab_id,
            "strategy": plan.strategy,
            "capture_mode": plan.capture,
            "total_captured": self.captured,
            "total_failed": self.failed,
            "ended_by": ended_by,
            "duration_ms": round((time.monotonic() - self.started) * 1000),
            "summary": f"{self.captured} pages captured, {self.failed} failed; ended: {ended_by}",
        }

    async def _capture_all(self) -> str:
        for index in range(self.plan.count):
            if self.work.stopping:
                return "cancelled"
            number = self.plan.start + index
            try:
                end = await self._next_page(index, number) or await self._capture(number)
            except OcdError as error:
                if not self.captured and (self.plan.strategy != "url" or index):
                    raise
                end = self._fail(number, error)
            if end:
                return end
            self.work.progress(index + 1, self.plan.total, f"page {number}")
        return "total_pages" if self.plan.count == self.plan.total else "limit"

    def _fail(self, number: int, error: OcdError) -> str:
        """Record a page that failed; only strategy url can continue after it."""
        self.failed += 1
        page = {"page_number": number, "error": {"code": error.code, "message": error.message}}
        self.work.add(msgspec.json.encode(page))
        if self.plan.strategy == "url" and self.failed < _MAX_FAILURES:
            return ""
        return "error"

    # --- the next page ---------------------------------------------------------------------------

    async def _next_page(self, index: int, number: int) -> str:
        """Go to the page; return why there is none, or an empty string."""
        if self.plan.strategy == "url":
            return await self._visit(index, number)
        if index == 0:
            return ""
        if self.plan.strategy == "scroll":
            return await self._scroll()
        keyboard = self.plan.strategy == "keyboard"
        changed = await self._change_expression("scrollX + ',' + scrollY" if keyboard else "''")
        if keyboard:
            await self.viewer.call("computer", action="key", text=self.plan.key)
        elif end := await self._turn(changed):
            return end
        await self._wait_for_change(changed)
        return ""

    async def _turn(self, changed: str) -> str:
        """Click; if the reply was late, click again only if the page has not changed."""
        try:
            return await self._click()
        except OcdError as error:
            if error.code != "timeout":
                raise
        await self.viewer.call("javascript_tool", code="1")  # a click on its way comes before it
        return "" if await self._wait_for_change(changed) else await self._click()

    async def _visit(self, index: int, number: int) -> str:
        offset = (number - 1) * self.plan.page_size
        url = self.plan.url_template
        for name, value in (("page", number), ("N", number), ("offset", offset)):
            url = url.replace(f"{{{name}}}", str(value))
        status = (await self.viewer.call("navigate", url=url)).data.get("status")
        if isinstance(status, int) and status >= 400:
            if self.plan.total is None and index:
                return f"http_{status}"
            raise OcdError("http_error", f"{url} returned HTTP {status}", url=url, status=status)
        await self._wait_for_idle()
        return ""

    async def _click(self) -> str:
        target: dict[str, Any] = dict(self.plan.target)
        verb = "interact"
        if not target:
            if self.viewer.next_page_call is None:
                return "no_next"
            verb, target = (
                self.viewer.next_page_call["verb"],
                dict(self.viewer.next_page_call["arguments"]),
            )
        if verb == "interact":
            target["timeout_ms"] = _CLICK_MS
        try:
            await self._press(verb, target)
        except OcdError as error:
            if error.code in _NO_NEXT:
                return "no_next"
            raise
        return ""

    async def _press(self, verb: str, target: dict[str, Any]) -> None:
        try:
            answer = await self.viewer.call(verb, **target)
        except OcdError as error:
            # A ref does not outlive its page; the button's line does.
            if error.code != "stale_ref" or not self.next_button:
                raise
            answer = await self.viewer.call(verb, query=self.next_button, timeout_ms=_CLICK_MS)
        target_data = answer.data.get("target") if isinstance(answer.data, dict) else None
        if isinstance(target_data, dict) and target_data.get("name"):
            self.next_button = (
                f"{target_data['role']} {msgspec.json.encode(target_data['name']).decode()}"
            )

    async def _scroll(self) -> str:
        height = (await self.viewer.call("javascript_tool", code="innerHeight")).content or "800"
        amount = max(round(float(height) * self.plan.screens), 1)
        within = {"selector": self.plan.selector} if self.plan.selector else {}
        for again in (False, True):
            # Asked before scrolling: what loads right after it is a change, too.
            changed = await self._change_expression("''")
            there = await self.viewer.call("lightweight_scroll", amount=amount, **within)
            before, self.scroll_y = self.scroll_y, float(there.data["position"]["y"])
            if self.scroll_y > before:
                return ""
            # At the end: more may load, once.
            if again or not await self._wait_for_change(changed):
                break
        return "end"

    async def _change_expression(self, place: str) -> str:
        """Return an expression that becomes true when the page differs from now."""
        expression = _PRINT.replace("PLACE", place)
        before = (await self.viewer.call("javascript_tool", code=expression)).content
        return f"{expression} !== {msgspec.json.encode(before).decode()}"

    async def _wait_for_change(self, expression: str) -> bool:
        """Wait for the page to change, then to become idle; False if it stays the same."""
        try:
            await self.viewer.call(
                "wait_for", type="function", value=expression, timeout_ms=self.plan.wait_ms
            )
        except OcdError as error:
            if error.code != "timeout":
                raise
            return False
        await self._wait_for_idle()
        return True

    async def _wait_for_idle(self) -> None:
        try:
            await self.viewer.call("wait_for", type="idle", timeout_ms=_IDLE_MS)
        except OcdError as error:
            if error.code != "timeout":
                raise

    # --- capturing -------------------------------------------------------------------------------

    async def _capture(self, number: int) -> str:
        """Store what the page shows; return why it is the end if it was seen before."""
        page, mark = await self.viewer.capture_page(number)
        if self.viewer.is_cumulative and self.plan.capture != "screenshot":
            if not self.viewer.keep_new_lines(page):
                return "" if self.plan.strategy == "scroll" else "no_change"
        elif mark == self.last and self.plan.strategy != "url":
            return "no_change"
        elif mark in self.seen:
            return "repeated"
        self.last = mark
        self.seen.add(mark)
        self.captured += 1
        self.work.add(msgspec.json.encode(page))
        return ""
