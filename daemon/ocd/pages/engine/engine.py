"""The page engine: the scripts that run in a document's isolated world, injected once.

Its files lie in `browser/injected/`; together they define `openchrome` there (see the end of
serialise_html.js), where the page's own scripts neither see nor touch it.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

from ocd.browser.injected import load
from ocd.browser.tabs import evaluate
from ocd.browser.tabs.frames import Frame

if TYPE_CHECKING:
    from ocd.browser.tabs.tab import Tab

_FILES = (
    "documents", "composed_tree", "roles", "accessible_names", "style_groups", "legibility",
    "visibility", "covered_elements", "refs", "row_keys", "identity", "element_states",
    "acting_elements", "hints", "owned_elements", "outline", "outline_lines", "formulas",
    "serialise_html", "element_walk", "field_labels", "find", "click_points", "actionability",
    "layout_rest", "editors", "option_changes", "attribute_changes", "page_changes", "comboboxes",
    "pickers", "field_groups", "hit_test", "drag_and_drop", "scroll_until", "file_inputs",
    "interactive_elements", "page_state", "page_now", "annotate", "page_styles", "page_summary",
    "extraction_capture", "evidence", "element_properties",
)  # fmt: skip
# An element of the page may be called "openchrome".
INSTALLED = "Object.hasOwn(globalThis, 'openchrome')"
_CALL = f"(name, args) => {INSTALLED} ? [openchrome[name](...args)] : null"


@cache
def source() -> str:
    """Return the engine as one expression; running it again in a document changes nothing."""
    return f"if (!{INSTALLED}) (() => {{'use strict';\n" + "\n".join(map(load, _FILES)) + "\n})()"


async def call(tab: "Tab", frame: Frame, name: str, *args: object) -> Any:  # noqa: ANN401
    """Call a function of the engine in a frame and return its JSON value.

    Raises script_error for a page that goes on to another document whenever the engine is there.
    """
    installed = frame.world is not None  # else the document is new
    for _ in range(3):
        if installed:
            answer = await tab.evaluate(_CALL, args=[name, args], isolated=True, frame=frame)
            if answer is not None:
                return answer[0]
        await tab.evaluate(source(), isolated=True, frame=frame)
        installed = True
    raise evaluate.page_left(begun=False)


async def handle(tab: "Tab", frame: Frame, expression: str) -> str | None:
    """Return the remote object id of an expression about `openchrome`; None for null.

    The engine must be installed already. The caller releases the object.
    """
    tab.check_usable()
    context = await evaluate.isolated_context(frame)
    params = {"expression": expression, "contextId": context, "objectGroup": "openchrome-handles"}
    reply = await frame.cdp.send("Runtime.evaluate", params)
    if "exceptionDetails" in reply:
        evaluate.value_of(reply)
    object_id = reply["result"].get("objectId")
    return str(object_id) if object_id else None
