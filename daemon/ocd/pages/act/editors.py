"""Rich-text and code editors: text is inserted exactly as given and compared afterwards."""

import sys

from ocd.pages.act import input_events
from ocd.pages.act.actionability import wait_ready
from ocd.pages.act.field_errors import difference
from ocd.pages.locate.target import ActionDeadline, Target

# The kinds of fields that are editors: of prose, in the page's own elements, and of code.
KINDS = ("rich", "code")
_ON_MAC = sys.platform == "darwin"
_ALL = "Meta+a" if _ON_MAC else "Control+a"
END = "Meta+ArrowDown" if _ON_MAC else "Control+End"
_SELECT_ALL = "function () { return openchrome.selectAll(this) }"
_TEXT = "function () { return openchrome.editorText(this) }"
_PASTE = "function (text) { return openchrome.pasteText(this, text) }"
_WRITTEN = "function (text) { return openchrome.writtenText(this, text) }"


async def replace_text(target: Target, deadline: ActionDeadline, text: str) -> str:
    """Replace all text of the editor; return what it holds then.

    Raises value_differs if that is something else, and what wait_ready raises.
    """
    await wait_ready(target, deadline, point=False, editable=True)
    return await _write(target, deadline, text, text)


async def append_text(target: Target, deadline: ActionDeadline, text: str) -> str:
    """Append text to what the editor holds; return what it holds then. Raises as replace_text."""
    await wait_ready(target, deadline, point=False, editable=True)
    await _select_all(target, deadline)
    before = str(await target.element.call(_TEXT)).rstrip("\n")
    return await _write(target, deadline, text, before + text, at_end=True)


async def type_text(target: Target, text: str) -> None:
    """Type text at the caret: key by key, but lines that an editor would indent as one piece."""
    lines = text.rstrip("\n")
    if target.about["kind"] not in KINDS or "\n" not in lines:
        await input_events.type_text(target.element.tab, text)
        return
    await insert(target, lines)
    await input_events.type_text(target.element.tab, text[len(lines) :])


async def insert(target: Target, text: str) -> None:
    """Insert text at the caret as one piece, which the editor neither indents nor completes."""
    pastes = target.about["kind"] == "code" and text
    if not pastes or not await target.element.call(_PASTE, text):
        await input_events.insert_text(target.element.tab, text)


async def _write(
    target: Target, deadline: ActionDeadline, text: str, expected: str, *, at_end: bool = False
) -> str:
    """Write so that the editor holds `expected`: `text` at its end, or else in place of all."""
    code = target.about["kind"] == "code"
    await _select_all(target, deadline)
    if at_end:
        await input_events.press(target.element.tab, END)
    if text or not at_end:
        await insert(target, text)
    written = await _read_back(target, deadline, expected)
    if not written["same"] and not code and not at_end:
        # Some editors only accept what is typed or pasted.
        await _select_all(target, deadline)
        if await target.element.call(_PASTE, text):
            written = await _read_back(target, deadline, expected)
    if code:
        await input_events.press(target.element.tab, END)
    if written["same"]:
        return str(written["text"])
    raise difference(target, expected, str(written["text"]))


async def _select_all(target: Target, deadline: ActionDeadline) -> None:
    tab = target.element.tab
    if not await target.element.call(_SELECT_ALL):
        # Something took the focus away; a click may bring it back.
        x, y = await wait_ready(target, deadline, editable=True)
        await input_events.click(tab, x, y)
        await target.element.call(_SELECT_ALL)
    if target.about["kind"] == "code":
        await input_events.press(tab, _ALL)


async def _read_back(target: Target, deadline: ActionDeadline, expected: str) -> dict[str, object]:
    if target.about["kind"] == "code":
        await _select_all(target, deadline)
    written: dict[str, object] = await target.element.call(_WRITTEN, expected)
    return written
