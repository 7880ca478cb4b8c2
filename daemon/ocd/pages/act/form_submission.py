"""Submitting a form as Enter in one of its fields does."""

from ocd.api.errors import OcdError
from ocd.pages.locate.target import ActionDeadline, Target

_SUBMIT = "function (budget, only) { return openchrome.submitForm(this, budget, only) }"


async def submit_form(target: Target, deadline: ActionDeadline, *, only_form: bool = False) -> bool:
    """Press the button of a field's form, once it can be used; False where there is no form.

    only_form: the page's only form stands for that of an element without one.
    Raises not_enabled.
    """
    answer = await target.element.call(_SUBMIT, deadline.seconds_left * 1000, only_form)
    if "disabled" in answer:
        raise OcdError(
            "not_enabled",
            f"The form's button {answer['disabled']!r} is disabled, so nothing was submitted.",
            hint="`read_page` shows what the form still needs.",
        )
    return "none" not in answer
