"""Submitting a form as Enter in one of its fields does."""

from ocd.api.errors import OcdError
from ocd.pages.locate.target import ActionDeadline, Target

_SUBMIT = "function (budget, only) { return openchrome.submitForm(this, budget, only) }"


async def submit_form(target: Target, deadline: ActionDeadline, *, only_form: bool = False) -> bool:
    """Press the submit button of a field's form, once it is enabled; False without a form.

    only_form: for an element without a form, use the only form of the page. Raises not_enabled.
    """
    answer = await target.element.call(_SUBMIT, deadline.seconds_left * 1000, only_form)
    if "disabled" in answer:
        raise OcdError(
            "not_enabled",
            f"The form's button {answer['disabled']!r} is disabled, so nothing was submitted.",
            hint="`read_page` shows what the form still needs.",
        )
    return "none" not in answer
