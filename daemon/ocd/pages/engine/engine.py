"""The page engine: scripts in a document's isolated world, loaded in parts when needed.

Its files are in `browser/injected/`, in a folder for each purpose; together they define
`openchrome` there (see the end of readings.js), where the page's own scripts can neither see nor
change it. Sending and compiling them would be most of the cost of the first call on a new document.
So a target is given their source once, as a script that Chromium runs in each of its documents and
that only defines the loader; and a page that is only read loads only the first part. Files use what
their own part and the parts before it declare, in any order. Where a document has no loader, the
source is sent, and functions are properties of that world's global object: no name of a window's
own is used.
"""

import logging
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from ocd.api.errors import OcdError
from ocd.browser.injected import load
from ocd.browser.tabs import evaluate
from ocd.browser.tabs.frames import Frame

if TYPE_CHECKING:
    from ocd.browser.cdp.connection import CdpSession
    from ocd.browser.tabs.tab import Tab

logger = logging.getLogger(__name__)


def _in(folder: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{folder}/{name}" for name in names)


_ELEMENTS = _in("elements", (
    "documents", "composed_tree", "roles", "internal_roles", "accessible_names", "generated_text",
    "counters", "formula_text", "refs", "row_keys", "identity", "element_words", "element_states",
    "hints", "owned_elements", "field_labels",
))  # fmt: skip
_VISIBILITY = _in("visibility", (
    "style_groups", "legibility", "page_effects", "element_view", "visibility", "shut_boxes",
    "shown_elements", "covered_elements", "window_covers",
))  # fmt: skip
_READING = _in("reading", (
    "acting_elements", "outline_elements", "outline_draft", "outline_walk", "outline",
    "outline_rows", "line_runs", "row_words", "outline_repeats", "outline_lines",
    "readings", "rejected_fields", "page_now", "pagination",
))  # fmt: skip
_FINDING = _in("finding", (
    "reacquired_elements", "element_walk", "radio_groups", "checkbox_groups",
    "segmented_fields", "character_fields", "list_values", "table_cells", "own_places",
    "word_forms", "search_query",
    "spoken_parts", "editor_texts", "find",
))  # fmt: skip
_ACTING = _in("acting", (
    "recorded_elements", "selector_matches", "click_points", "frame_geometry",
    "native_fields", "actionability", "layout_rest", "editors", "option_changes",
    "attribute_changes", "form_submission", "change_watch", "page_changes", "list_options",
    "comboboxes", "chosen_values", "offered_lists", "field_groups",
    "held_values", "written_fields", "hit_test", "drag_and_drop", "scroll_until", "file_inputs",
))  # fmt: skip
_DATES = _in("dates", ("pickers", "calendars"))
_CAPTURE = _in("capture", (
    "formulas", "serialise_html", "serialise_dom", "interactive_elements", "page_state",
    "annotate", "page_styles", "page_summary", "extraction_capture", "evidence",
    "element_properties",
))  # fmt: skip
PARTS = (_ELEMENTS + _VISIBILITY + _READING, _FINDING, _ACTING + _DATES + _CAPTURE)
# How many parts a call of these functions needs; other functions need all of them.
_NEEDED = {
    **dict.fromkeys(("outline", "has", "describeLayers", "showsText", "pagination"), 1),
    "find": 2,
}
_MAX_STEPS = 8  # attempts at sending and calling, if the page keeps navigating
# An element of the page may have the id "openchrome", which makes it a global.
INSTALLED = "Object.hasOwn(globalThis, 'openchrome')"
_THERE = f"{INSTALLED} ? openchrome.parts : 0"
_HAS_LOADER = "Object.hasOwn(globalThis, 'openchromeLoad') && openchromeLoad"
# The sessions of targets whose documents have the loader.
_with_loader: "WeakSet[CdpSession]" = WeakSet()
_CALL = (
    f"(name, args) => {INSTALLED} && name in openchrome ? [openchrome[name](...args)] : {_THERE}"
)


@cache
def source(there: int, needed: int) -> str:
    """Return the parts after the first `there`, up to number `needed`."""
    files = [name for part in PARTS[there:needed] for name in part]
    return "\n".join(["'use strict';", *map(load, files), f"openchrome.parts = {needed};"])


@cache
def loader() -> str:
    """Return the script that defines `openchromeLoad(needed)`, which installs the missing parts.

    It returns false where parts were installed in another way. Each part is nested in the function
    of the part before it, whose names it uses. V8 compiles a part when it is first called, and
    reuses the compiled code in later documents; it does not do that for scripts sent to a single
    document by Runtime.evaluate, where the first call costs about three times as much.
    """
    nested = ""
    for part in reversed(PARTS):
        next_part = f"loadNext = () => {{\n{nested}\n}};" if nested else ""
        nested = "\n".join(["'use strict';", *map(load, part), next_part])
    return f"""(() => {{
let loaded = 0;
let loadNext = () => {{
{nested}
}};
globalThis.openchromeLoad = (needed) => {{
if (({_THERE}) !== loaded) return false;
while (loaded < needed) {{
loadNext();
openchrome.parts = ++loaded;
}}
return true;
}};
}})();"""


async def call(tab: "Tab", frame: Frame, name: str, *args: object) -> Any:  # noqa: ANN401
    """Call a function of the engine in a frame and return its JSON value.

    Raises script_error if the page keeps navigating before the engine can be called.
    """
    needed = _NEEDED.get(name, len(PARTS))
    for _ in range(_MAX_STEPS):
        if _parts_in(frame) >= needed:
            answer = await tab.evaluate(_CALL, args=[name, args], isolated=True, frame=frame)
        else:
            # Reading twice does no harm, so it is called together with the parts that it needs.
            then = evaluate.source_of(f"(...args) => [openchrome.{name}(...args)]", args)
            answer = await _send(tab, frame, needed, then if name in _NEEDED else "")
        if isinstance(answer, list):
            return answer[0]
        frame.engine_parts = answer or 0
    raise evaluate.page_left(begun=False)


def _parts_in(frame: Frame) -> int:
    return frame.engine_parts if frame.world is not None else 0  # otherwise the document is new


async def ensure(tab: "Tab", frame: Frame) -> None:
    """Install all parts in a frame, for calls on objects that the engine did not return."""
    frame.engine_parts = await tab.evaluate(_THERE, isolated=True, frame=frame)
    if frame.engine_parts < len(PARTS):
        frame.engine_parts = await _send(tab, frame, len(PARTS))


async def _send(tab: "Tab", frame: Frame, needed: int, then: str = "") -> Any:  # noqa: ANN401
    """Run the missing parts, then an expression, and return its value.

    Returns the number of installed parts if there is no expression, if another call has installed
    the parts meanwhile, or if the document has been replaced.
    """
    await _register_loader(frame)
    answer = await _install(tab, frame, needed, f"{_HAS_LOADER}({needed}) ? ({then or needed}) : 0")
    if answer == 0:  # a document without scripts of its own, or older than the loader
        there = _parts_in(frame)
        answer = await _install(tab, frame, needed, f"{source(there, needed)}\n{then}")
    return answer


async def _register_loader(frame: Frame) -> None:
    """Have the loader in the target's documents, this one included."""
    if frame.cdp in _with_loader:
        return
    _with_loader.add(frame.cdp)
    registration = {"source": loader(), "worldName": evaluate.WORLD, "runImmediately": True}
    try:
        await frame.cdp.send("Page.addScriptToEvaluateOnNewDocument", registration)
    except OcdError as error:
        _with_loader.discard(frame.cdp)  # the next document's first call asks again
        logger.debug("no loader in %s: %s", frame.frame_id, error.message)


async def _install(tab: "Tab", frame: Frame, needed: int, script: str) -> Any:  # noqa: ANN401
    """Run a script that installs parts and return its value; for 0 it has installed none."""
    there, world = _parts_in(frame), frame.world
    try:
        if there == 0:
            answer = await tab.evaluate(script, isolated=True, frame=frame)
        else:
            # Only to this document: without the earlier parts they fail, and cannot be sent again.
            tab.check_usable()
            answer = await evaluate.evaluate(frame, script, context=world)
    except OcdError as error:
        if error.code != "script_error":
            raise
        if error.details.get("begun") is False and frame.world == world:
            frame.world = None
        # A script that declares a name twice fails before it begins.
        now = await tab.evaluate(_THERE, isolated=True, frame=frame) or 0
        if now == there:
            raise
        return now
    if answer != 0 and world in (None, frame.world):
        frame.engine_parts = needed
    return answer


async def handle(
    tab: "Tab",
    frame: Frame,
    expression: str,
    *,
    needed: int = len(PARTS),
    group: str = "openchrome-handles",
) -> str | None:
    """Return the remote object id of an expression about `openchrome`; None for null.

    The caller releases the object; through its group only if the caller owns that.

    Args:
        tab: the tab.
        frame: the frame.
        expression: JavaScript.
        needed: the number of parts that it, and calls on the object, need.
        group: CDP's object group.
    """
    for _ in range(4):
        tab.check_usable()
        context = await evaluate.isolated_context(frame)
        there = f"({_THERE})"
        params = {
            "expression": f"{there} < {needed} ? {there} : ({expression})",
            "contextId": context, "objectGroup": group,
        }  # fmt: skip
        reply = await frame.cdp.send("Runtime.evaluate", params)
        if "exceptionDetails" in reply:
            evaluate.value_of(reply)
        if reply["result"]["type"] != "number":
            object_id = reply["result"].get("objectId")
            return str(object_id) if object_id else None
        frame.engine_parts = reply["result"]["value"] if context == frame.world else 0
        frame.engine_parts = await _send(tab, frame, needed)
    raise evaluate.page_left(begun=False)
