"""Reading a tab: outline with refs, compact DOM, Markdown, text, HTML or styles, frames included.

A page is read in one call to the engine; each frame of another origin costs a few more, and so do
elements that may hide a closed shadow tree (once each). The result is complete: the
dispatcher pages and shortens it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, Literal

from ocd.api.errors import OcdError
from ocd.api.spelling import truncate
from ocd.browser.tabs.frames import Frame, frames_to_call
from ocd.browser.tabs.tab import Tab
from ocd.content.page_conversion import PageConversion
from ocd.conversion.documents import convert_document
from ocd.pages.engine import engine
from ocd.pages.engine.empty_elements import look_further
from ocd.pages.engine.refs import RefRegistry, locate_ref, matches, no_match_error, refs_of
from ocd.pages.read.rendering import RenderingWait

Mode = Literal["outline", "dom", "markdown", "text", "html", "css"]
Filter = Literal["all", "interactive"]
MAX_FRAMES = 100
_MAX_URL = 200
_ENGINE = {
    "outline": "outline", "dom": "dom", "css": "css",
    "markdown": "html", "text": "html", "html": "html",
}  # fmt: skip
_FOR_FRAMES = ("filter", "all", "parts", "depth")
_PDF = "application/pdf"
_MIME = {"markdown": "text/markdown", "html": "text/html"}


@dataclass(frozen=True, slots=True)
class Reading:
    """A page as text; `refs_count` elements in it can be acted on.

    Attributes:
        hidden_chars: characters of the page that a person does not see, and that `text` leaves out
            (0 in mode dom, which marks them element by element instead).
        left_out: visible characters outside the main content.
        about: of a complete outline: what is on top of the page, what has the focus, and why there
            is nothing to read.
    """

    text: str
    mime: str
    url: str
    title: str
    refs_count: int
    hidden_chars: int = 0
    left_out: int = 0
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def head(self) -> str:
        """The line about the page above its outline, and the one that says why it is empty.

        Empty for other readings, which are not about the page's current state.
        """
        if not self.about:
            return ""
        url = truncate(self.url, 60 if self.url.startswith("data:") else _MAX_URL)
        named = self.title not in ("", self.url)
        page = f"page {_quoted(self.title[:_MAX_URL])}" if named else "page"
        parts = [page, url, *on_top(self.about)]
        if count := self.about.get("tools"):
            parts.append(f"offers {count} tool{'s' * (count > 1)} (page_tools)")
        if broken_off := self.about.get("broken_off"):
            parts.append(f"incomplete, its load ended early: {broken_off}")
        why = "" if self.text else self.about["nothing"]
        return f"- {' · '.join(parts)}\n" + (f"- (nothing to read: {why})\n" if why else "")


def on_top(about: Mapping[str, Any]) -> list[str]:
    """Return in words what is on top of the page's main frame and what has the focus."""
    parts = [about["layer"]] if about.get("layer") else []
    parts += [f'message "{about["toast"]}"'] if about.get("toast") else []
    return parts + ([f"focus {about['focus']}"] if about.get("focus") else [])


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


async def read(  # noqa: PLR0913 - the verb's own options, each with its default
    tab: Tab,
    *,
    mode: Mode = "outline",
    filter: Filter = "all",  # noqa: A002 - the verb's own word
    ref: str | None = None,
    selector: str | None = None,
    depth: int | None = None,
    only_main_content: bool = False,
    include_links: bool = True,
) -> Reading:
    """Read what a person sees of the page, or of the element that `ref` or `selector` names.

    depth: levels of the outline or the DOM. Raises stale_ref, element_not_found, invalid_argument.
    """
    options: dict[str, Any] = {"filter": filter, "all": mode == "html", "parts": only_main_content}
    if depth is not None:
        options["depth"] = depth
    options["head"] = mode == "outline" and ref is None and selector is None
    frame = await _scope(tab, options, ref, selector)
    reader, text = await _read_rendered(tab, frame, _ENGINE[mode], options)
    left_out = 0
    if mode in ("markdown", "text", "html"):
        job = PageConversion(text, mode, main=only_main_content, links=include_links)
        converted = await convert_document(job)
        text, left_out = converted.text, converted.left_out
    title = await tab.title()
    mime = _MIME.get(mode, "text/plain")
    about = dict(reader.about)
    if about and len(tab.page_tools):
        about["tools"] = len(tab.page_tools)
    if about and tab.main_frame.mime_type == _PDF:
        about["nothing"] = "a PDF document in Chromium's viewer, which a screenshot shows"
    if about and (why := tab.page_loads.current.broken_off):
        about["broken_off"] = why
    return Reading(text, mime, tab.url, title, reader.refs, reader.hidden, left_out, about)


async def _read_rendered(
    tab: Tab, frame: Frame, function: str, options: Mapping[str, Any]
) -> tuple[_Reader, str]:
    """Read a frame; a young page that shows nothing yet is given time to render.

    So is a document that has just replaced another, which has no root element at first.
    """
    wait = RenderingWait(tab)
    while True:
        reader = _Reader(tab, function, refs_of(tab))
        try:
            text = await reader.read(frame, options)
        except OcdError as error:
            if error.details.get("begun") is not False or wait.is_over:
                raise
        else:
            may_come = reader.without_root or reader.about.get("rendering")
            if text or not may_come or wait.is_over:
                return reader, text
        await wait.look_again()


async def _scope(tab: Tab, options: dict[str, Any], ref: str | None, selector: str | None) -> Frame:
    if ref is not None:
        frame, options["ref"] = await locate_ref(tab, ref)
        return frame
    if selector is None:
        return tab.main_frame
    for frame in frames_to_call(tab.frames()):
        if await matches(tab, frame, selector):
            options["selector"] = selector
            return frame
    raise no_match_error(selector)


class _Reader:
    """One reading, which goes from a frame into the frames of other origins inside it."""

    def __init__(self, tab: Tab, function: str, registry: RefRegistry) -> None:
        self._tab = tab
        self._function = function
        self._registry = registry
        self._read: set[str] = set()
        self.refs = 0
        self.hidden = 0
        self.without_root = False
        self.about: Mapping[str, Any] = {}

    async def read(self, frame: Frame, options: Mapping[str, Any]) -> str:
        """Return the text of a frame, with that of the frames inside it inserted.

        A document without a root element has no text: a new one has none yet, and one whose load
        broke off before its first element never has. Raises stale_ref if the requested element is
        gone.
        """
        self._read.add(frame.frame_id)
        reply = await self._ask(frame, options)
        if await look_further(self._tab, frame, reply):
            reply = await self._ask(frame, options)
        result = reply["result"]
        if result is None and not options.keys() & {"ref", "selector"}:
            self.without_root = len(self._read) == 1
            self.about = {"nothing": "the document is empty"} if options.get("head") else self.about
            return ""
        if result is None:
            raise OcdError(
                "stale_ref",
                "The element was removed from the page.",
                hint="Call `read_page` again.",
            )
        self.refs += int(result["refs"])
        self.hidden += int(result["hidden"])
        self.about = result.get("about") or self.about
        inner = [await self._frame_of_iframe(frame, place) for place in range(int(reply["frames"]))]
        parts: list[str] = [result["parts"][0]]
        for child, depth, after in zip(inner, result["depths"], result["parts"][1:], strict=True):
            parts += (await self._child(child, options, depth), after)
        return "".join(parts)

    async def _ask(self, frame: Frame, options: Mapping[str, Any]) -> dict[str, Any]:
        with self._registry.asking(frame.frame_id) as numbering:
            reply: dict[str, Any] = await engine.call(
                self._tab, frame, self._function, {**options, **numbering}
            )
        self._registry.record(frame.frame_id, reply)
        return reply

    async def _frame_of_iframe(self, frame: Frame, place: int) -> Frame | None:
        """Return the frame that an iframe element shows; None if it is gone."""
        object_id = await engine.handle(self._tab, frame, f"openchrome.frame({place})", needed=1)
        if object_id is None:
            return None
        reply = await frame.cdp.send("DOM.describeNode", {"objectId": object_id})
        frame.cdp.send_nowait("Runtime.releaseObject", {"objectId": object_id})
        frame_id = reply["node"].get("frameId")
        return next((child for child in self._tab.frames() if child.frame_id == frame_id), None)

    async def _child(self, child: Frame | None, options: Mapping[str, Any], depth: int) -> str:
        bullet = "- " if self._function == "outline" else ""
        mark = "" if self._function == "html" else "  " * depth + bullet
        if child is None or child.frame_id in self._read or len(self._read) >= MAX_FRAMES:
            return f"{mark}(frame not read)\n"
        inner = {key: options[key] for key in _FOR_FRAMES if key in options}
        try:
            text = await self.read(child, {**inner, "indent": depth})
            if text or not child.failed or self._function == "html":
                return text
            return f"{mark}(frame not loaded: {truncate(child.url, _MAX_URL)})\n"
        except OcdError as error:
            if error.code in ("tab_gone", "tab_crashed", "browser_gone", "dialog_open"):
                raise
            return f"{mark}(frame not read: {error.message})\n"


async def read_html(
    tab: Tab, *, selector: str | None = None, ref: str | None = None, outer: bool = True
) -> Reading:
    """Return the HTML; without `outer`, without the element's own tag. Raises as `read` does."""
    reading = await read(tab, mode="html", selector=selector, ref=ref)
    if selector is None and ref is None:
        head = f"<head><title>{escape(reading.title)}</title></head>"
        return replace(reading, text=f"<!doctype html>\n<html>{head}{reading.text}</html>")
    return reading if outer else replace(reading, text=_inner_html(reading.text))


def _inner_html(html: str) -> str:
    # Everywhere else the serialiser writes > as &gt;, and it closes every tag that it opens.
    start, end = html.find(">") + 1, html.rstrip().rfind("</")
    return html[start:end] if start <= end else ""
