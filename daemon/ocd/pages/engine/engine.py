"""The script that reads a page, in the page: put into a document's isolated world once.

Its files lie in `page/`; together they define `openchrome` there (see the end of serialise.js),
where the page's own scripts neither see nor touch it.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ocd.browser.tabs import evaluate
from ocd.browser.tabs.frames import Frame

if TYPE_CHECKING:
    from ocd.browser.tabs.tab import Tab

_FILES = (
    "nodes", "names", "likeness", "legibility", "visible", "covering", "refs", "identity", "states",
    "outline", "serialise",
    "seeking", "finding", "acting", "changes", "choosing", "spots", "files",
    "observing", "inspecting", "annotating", "styles", "summary",
    "harvesting", "evidence",
)  # fmt: skip
_CALL = "(name, args) => globalThis.openchrome ? [openchrome[name](...args)] : null"


@cache
def source() -> str:
    """Return the engine as one expression; running it again in a document changes nothing."""
    folder = Path(__file__).with_name("page")
    parts = [folder.joinpath(f"{name}.js").read_text(encoding="utf-8") for name in _FILES]
    return "if (!globalThis.openchrome) (() => {'use strict';\n" + "\n".join(parts) + "\n})()"


async def call(tab: "Tab", frame: Frame, name: str, *args: object) -> Any:  # noqa: ANN401
    """Call a function of the engine in a frame and return its JSON value."""
    there = frame.world is not None  # else the document is new
    for _ in range(3):
        if there:
            answer = await tab.evaluate(_CALL, args=[name, args], isolated=True, frame=frame)
            if answer is not None:
                return answer[0]
        await tab.evaluate(source(), isolated=True, frame=frame)
        there = True
    return None


async def handle(tab: "Tab", frame: Frame, expression: str) -> str | None:
    """Return the remote object id of an expression about `openchrome`; None for null.

    The engine must be there already. Whoever asks releases the object.
    """
    tab.check_usable()
    context = await evaluate.isolated_context(frame)
    params = {"expression": expression, "contextId": context, "objectGroup": "openchrome-handles"}
    reply = await frame.cdp.send("Runtime.evaluate", params)
    if "exceptionDetails" in reply:
        evaluate.value_of(reply)
    found = reply["result"].get("objectId")
    return str(found) if found else None
