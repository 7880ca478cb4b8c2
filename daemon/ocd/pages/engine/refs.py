"""Refs: numbers of elements, valid while the element is in the page, never reused."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple, Self

from ocd.api.bounded_dict import BoundedDict
from ocd.api.errors import OcdError
from ocd.browser.tabs import evaluate
from ocd.browser.tabs.frames import Frame, frames_to_call
from ocd.browser.tabs.tab import Tab
from ocd.pages.engine import engine

_REF = re.compile(r"\s*(?:\[?ref=)?@?e?(\d{1,9})\]?\s*", re.IGNORECASE)
# As outlines write it.
_REF_IN_LINE = re.compile(r"\[ref=(e\d{1,9})\]")


class _RefRange(NamedTuple):
    """Numbers assigned by one reading: `first` to `following` - 1, in one document of a frame."""

    first: int
    following: int
    frame_id: str
    nonce: str


_SESSIONS = 1000
# The highest number of a session's tabs: a ref of one tab means nothing in another.
_highest = BoundedDict[str, int](_SESSIONS)


class RefRegistry:
    """Maps numbers to the documents of a tab; only the page knows the elements."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._runs: list[_RefRange] = []
        # Frames with a call that was never answered, which may have numbered elements all the same.
        self._unanswered: set[str] = set()

    @property
    def next(self) -> int:
        """The number from which the next reading counts."""
        return _highest.get(self._session, 0) + 1

    def numbering(self, frame_id: str) -> dict[str, Any]:
        """Return the options by which the engine of a frame numbers elements.

        `next` is the first number. After a call that was not answered, `recorded` are the ranges of
        numbers that the frame may keep; it forgets the others, which another frame may have been
        given.
        """
        if frame_id not in self._unanswered:
            return {"next": self.next}
        ranges = [(run.first, run.following) for run in self._runs if run.frame_id == frame_id]
        return {"next": self.next, "recorded": ranges}

    @contextmanager
    def asking(self, frame_id: str) -> Iterator[dict[str, Any]]:
        """Yield the options for a call of a frame's engine, and notice if its answer is lost."""
        try:
            yield self.numbering(frame_id)
        except BaseException:
            self._unanswered.add(frame_id)
            raise

    def record(self, frame_id: str, reply: dict[str, Any]) -> None:
        """Record the numbers that the engine's reply says it assigned."""
        if reply["forgot"]:
            self._unanswered.discard(frame_id)
        first, following = int(reply["first"]), int(reply["next"])
        if following > first:
            self._runs.append(_RefRange(first, following, frame_id, str(reply["nonce"])))
            self._runs.sort(
                key=lambda ref_range: ref_range.first
            )  # another tab's reading may come between
            # The session that has not read for the longest time is forgotten first.
            highest = max(_highest.get(self._session, 0), following - 1)
            _highest[self._session] = highest

    def find(self, number: int) -> _RefRange | None:
        """Return the range of the number, None if it is not one of this tab."""
        place = bisect_right(self._runs, number, key=lambda ref_range: ref_range.first) - 1
        if place < 0 or number >= self._runs[place].following:
            return None
        return self._runs[place]

    def __repr__(self) -> str:
        return f"RefRegistry(next=e{self.next}, runs={len(self._runs)})"


def refs_of(tab: Tab) -> RefRegistry:
    """Return the tab's registry; it lives as long as the tab."""
    return tab.state(RefRegistry) or tab.set_state(RefRegistry(tab.session_name))


def parse_ref(text: str) -> int:
    """Return the number of `e12`, `@e12` or `[ref=e12]`; invalid_argument for anything else."""
    match = _REF.fullmatch(text)
    if match is None:
        raise OcdError(
            "invalid_argument", f"Not a ref: {text!r}; refs look like e12.",
            hint="Read the page: its outline shows refs as [ref=e12].", parameter="ref",
        )  # fmt: skip
    return int(match[1])


def ref_in_line(text: str) -> str | None:
    """Return the ref of a line of an outline, such as `button "Save" [ref=e12]`; None without one.

    A line with several refs, as of a row, names none.
    """
    found = set(_REF_IN_LINE.findall(text))
    return found.pop() if len(found) == 1 else None


@dataclass(slots=True)
class Element:
    """One element of a page, held in its frame's isolated world; `async with` releases it."""

    tab: Tab
    frame: Frame
    object_id: str

    async def call(self, function: str, *args: object, await_promise: bool = True) -> Any:  # noqa: ANN401
        """Call a JavaScript function with `this` as the element; return its JSON value."""
        self.tab.check_usable()
        params = {
            "functionDeclaration": function,
            "objectId": self.object_id,
            "arguments": [{"value": arg} for arg in args],
            "awaitPromise": await_promise,
            "returnByValue": True,
        }
        try:
            return evaluate.value_of(await self.frame.cdp.send("Runtime.callFunctionOn", params))
        except OcdError as error:
            raise evaluate.script_error(error) from None

    def release(self) -> None:
        """Release the element in the page."""
        self.frame.cdp.send_nowait("Runtime.releaseObject", {"objectId": self.object_id})

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.release()


def _stale_error(ref: str, why: str) -> OcdError:
    return OcdError(
        "stale_ref", f"{ref} is no longer in the page: {why}.",
        hint="Call `read_page` again: refs are those of the latest reading.", ref=ref,
    )  # fmt: skip


def _foreign_ref_error(tab: Tab, number: int) -> OcdError:
    name, hint = f"e{number}", "Call `read_page`: refs belong to the tab that was read."
    for other in tab.all_tabs():
        registry = other.state(RefRegistry)
        if registry and other.session_name == tab.session_name and registry.find(number):
            hint = f"It belongs to tab {other.id}: pass tab_id={other.id}."
    return OcdError(
        "stale_ref", f"{name} does not come from a reading of tab {tab.id}.", hint=hint, ref=name
    )


def _place_of(tab: Tab, ref: str) -> tuple[Frame, int, str]:
    """Return the frame and the number of a ref, and the nonce of the document it was read in."""
    number = parse_ref(ref)
    ref_range = refs_of(tab).find(number)
    name = f"e{number}"
    if ref_range is None:
        raise _foreign_ref_error(tab, number)
    frame = next((frame for frame in tab.frames() if frame.frame_id == ref_range.frame_id), None)
    if frame is None:
        raise _stale_error(name, "its frame is gone")
    return frame, number, ref_range.nonce


async def locate_ref(tab: Tab, ref: str) -> tuple[Frame, int]:
    """Return the frame and the number of a ref whose document is still there; stale_ref."""
    frame, number, known = _place_of(tab, ref)
    nonce = f"{engine.INSTALLED} ? openchrome.nonce : null"
    if await tab.evaluate(nonce, isolated=True, frame=frame) != known:
        raise _stale_error(f"e{number}", "the page has loaded another document since")
    return frame, number


async def acquire_ref(tab: Tab, ref: str) -> Element | None:
    """Return a ref's element, or what has unambiguously replaced it; None if that is in doubt.

    Raises stale_ref for a ref of another tab or document.
    """
    frame, number, nonce = _place_of(tab, ref)
    same = f"openchrome.nonce === {json.dumps(nonce)}"
    try:
        object_id = await engine.handle(tab, frame, f"{same} ? openchrome.acquire({number}) : null")
    except OcdError as error:
        # The document has just been replaced, so the ref does not belong to the current one.
        if evaluate.script_error(error).details.get("begun") is not False:
            raise
        object_id = None
    if object_id is None:
        await locate_ref(tab, ref)
        return None
    return Element(tab, frame, object_id)


async def resolve_element(
    tab: Tab, *, ref: str | None = None, selector: str | None = None
) -> Element:
    """Return the element that a ref or a CSS selector names.

    A selector is looked up in the document, then in shadow trees and frames; the first match
    counts.

    Raises stale_ref, element_not_found, invalid_argument.
    """
    if ref is not None:
        return await _of_ref(tab, ref)
    if selector is not None:
        return await _of_selector(tab, selector)
    raise OcdError("invalid_argument", "Neither a ref nor a selector was given.", parameter="ref")


async def _of_ref(tab: Tab, ref: str) -> Element:
    frame, number = await locate_ref(tab, ref)
    object_id = await engine.handle(tab, frame, f"openchrome.element({number})")
    if object_id is None:
        raise _stale_error(f"e{number}", "the element was removed")
    return Element(tab, frame, object_id)


async def _of_selector(tab: Tab, selector: str) -> Element:
    for frame in frames_to_call(tab.frames()):
        if await matches(tab, frame, selector):
            quoted = f"openchrome.query({json.dumps(selector)})"
            object_id = await engine.handle(tab, frame, quoted)
            if object_id is not None:
                return Element(tab, frame, object_id)
    raise no_match_error(selector)


async def matches(tab: Tab, frame: Frame, selector: str) -> bool:
    """Return whether a CSS selector matches in the frame; invalid_argument if it is invalid."""
    try:
        return bool(await engine.call(tab, frame, "has", selector))
    except OcdError as error:
        if error.code == "script_error" and "valid selector" in error.message:
            raise OcdError(
                "invalid_argument", f"Not a CSS selector: {selector!r}.", parameter="selector"
            ) from None
        raise


def no_match_error(selector: str) -> OcdError:
    """Return the error for a selector that matches nothing."""
    return OcdError(
        "element_not_found", f"No element matches {selector!r}.",
        hint="`read_page` shows what is there; `wait_for` waits for the selector.",
        selector=selector,
    )  # fmt: skip
