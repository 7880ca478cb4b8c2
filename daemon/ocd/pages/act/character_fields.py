"""Codes that are typed into a row of fields, one character each."""

from ocd.pages.act import input_events
from ocd.pages.act.actionability import wait_ready
from ocd.pages.act.field_errors import difference, value_error
from ocd.pages.act.observation import Given
from ocd.pages.locate.target import ActionDeadline, Target

_FOCUS = "function (at) { openchrome.focusCharacter(this, at) }"
_HELD = "function () { return openchrome.charactersIn(this) }"


def stands_for_row(target: Target, text: str) -> bool:
    """Return whether the field is the first of such a row, and the text may be for all of it."""
    return bool(target.about["characters"]) and len(text) != 1


async def fill(target: Target, deadline: ActionDeadline, text: str) -> Given:
    """Type each character into its field; return what the row must hold then.

    Raises wrong_value if there are more or fewer fields, value_differs if they hold something else.
    """
    count = target.about["characters"]
    code = "".join(text.split()) if len(text) != count else text
    if code and len(code) != count:
        raise value_error(target, f"it takes {count} characters.", "Pass all of them.", most=count)
    await wait_ready(target, deadline, point=False, editable=True)
    tab = target.element.tab
    for at in range(count):
        await target.element.call(_FOCUS, at)
        if code:
            await input_events.type_text(tab, code[at])
        else:
            await input_events.press(tab, "Delete")
    held = str(await target.element.call(_HELD))
    if held != code and not target.about["secret"]:
        raise difference(target, code, held)
    return None
