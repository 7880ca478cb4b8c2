"""Text in fields: put in the place of what they hold, or at its end."""

import re

from ocd.pages.act import editors, input_events
from ocd.pages.act.actionability import SELECT_ALL, wait_ready, wait_selected
from ocd.pages.act.dates import date_pickers
from ocd.pages.act.field_errors import value_error
from ocd.pages.act.observation import Given
from ocd.pages.act.pending_work import PendingWork
from ocd.pages.locate.found_element import found_option
from ocd.pages.locate.target import ActionDeadline, Target

_MASK = re.compile(r"[-_/.:()+]")
_IGNORED_TEXT = "function () { return openchrome.ignoredText(this) }"
_TO_END = "function () { return openchrome.caretToEnd(this) }"
_KEY_UP = "function (key) { return openchrome.hearKeyUp(this, key) }"
_SUBSTITUTE = "function () { return openchrome.findSubstitute(this) }"
_ABOUT = "function (whole) { return openchrome.elementFacts(this, whole) }"
_STATE = "function () { return openchrome.stateOf(this) }"


async def type_for_list(target: Target, deadline: ActionDeadline, text: str) -> None:
    """Type into a field, and wait for deferred work: most fields filter their lists late."""
    pending = PendingWork(target.element.frame)
    pending.begin()
    await replace_text(target, deadline, text)
    await pending.wait_done()
    if date_pickers.is_date_or_time(text) and await target.element.call(_STATE) != text:
        # A picker that has opened meanwhile starts with the current time.
        await replace_text(target, deadline, text)


async def has_mask(target: Target) -> bool:
    """Return whether a field shows the signs between the parts of its text by itself."""
    held = await target.element.call(_STATE)
    return isinstance(held, str) and _MASK.search(held) is not None


async def type_keys(target: Target, deadline: ActionDeadline, text: str) -> Given:
    """Type a text key by key in place of what the field holds: some masks only follow keys."""
    await wait_selected(target, deadline)
    await input_events.press(target.element.tab, "Delete")
    await input_events.press(target.element.tab, "Home")
    await input_events.type_text(target.element.tab, text)
    return {"text": text}


async def caret_to_end(target: Target) -> int:
    """Focus a text field, with the caret after its text; return its length, if known."""
    caret = await target.element.call(_TO_END)
    if not caret["placed"]:
        await input_events.press(target.element.tab, editors.END)
    return int(caret["length"])


async def append_text(target: Target, deadline: ActionDeadline, text: str) -> Given:
    """Append a text to what the field holds; return what the field must contain then."""
    max_length = target.about["most"]
    await wait_ready(target, deadline, point=False, editable=True)
    length = await caret_to_end(target)
    if max_length is not None and length + len(text.encode("utf-16-le")) // 2 > max_length:
        hint = "Shorten the text."
        raise value_error(
            target, f"it accepts at most {max_length} characters.", hint, most=max_length
        )
    await _enter_text(target, text)
    return {"text": text}


async def replace_text(target: Target, deadline: ActionDeadline, text: str) -> str:
    """Replace the text of the field; return what it holds then, "" if that is not known."""
    held = await _replace_text(target, deadline, text)
    if await target.element.call(_SUBSTITUTE):
        return await _fill_substitute(target, text)
    return held


async def _replace_text(target: Target, deadline: ActionDeadline, text: str) -> str:
    if target.about["kind"] in editors.KINDS:
        await editors.replace_text(target, deadline, text)
        return ""
    max_length = target.about["most"]
    if max_length is not None and len(text.encode("utf-16-le")) > 2 * max_length:
        hint = "Shorten the text."
        raise value_error(
            target, f"it accepts at most {max_length} characters.", hint, most=max_length
        )
    if not await wait_selected(target, deadline):
        # Something took the focus away; a click may bring it back.
        x, y = await wait_ready(target, deadline, editable=True)
        await input_events.click(target.element.tab, x, y)
        await target.element.call(SELECT_ALL)
    if not text:
        await input_events.insert_text(target.element.tab, text)
        return ""
    held = await _enter_text(target, text)
    if target.about["secret"]:
        return ""
    if not held and "\n" not in text and await target.element.call(_IGNORED_TEXT):
        # Some fields only react to keys.
        await input_events.type_text(target.element.tab, text)
        held = await target.element.call(_STATE)
    elif isinstance(held, str) and text in held and len(held.strip()) > len(text.strip()):
        # On focus it has filled itself, or selected a part of its text.
        await target.element.call(SELECT_ALL)
        held = await _enter_text(target, text)
    return str(held or "")


async def _fill_substitute(target: Target, text: str) -> str:
    """Write into the field that the page has put in the place of one that got the focus."""
    element = await found_option(target)
    about = await element.call(_ABOUT, False)  # noqa: FBT003 - to JavaScript
    target.move_to(Target(element, target.ref, about))
    await target.element.call(SELECT_ALL)
    return str(await _enter_text(target, text) or "")


async def _enter_text(target: Target, text: str) -> object:
    """Insert a text, and dispatch the keyup of its last key; return what the field holds then."""
    await input_events.insert_text(target.element.tab, text)
    return await target.element.call(_KEY_UP, text.rstrip()[-1:])
