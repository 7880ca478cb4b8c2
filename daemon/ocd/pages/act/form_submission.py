"""Submitting a form as Enter in one of its fields does, and what keeps a browser from it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ocd.api.errors import OcdError
from ocd.pages.locate.target import ActionDeadline, Target

if TYPE_CHECKING:
    from ocd.pages.act.observation import ActionResult

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


def refusals(invalid: Sequence[Mapping[str, Any]], names: dict[str, str]) -> list[dict[str, Any]]:
    """Return as `failed` fields those that the browser finds invalid; names: of fields, by ref."""
    failed = []
    for field in invalid:
        ref, name = field["ref"], field["name"]
        error = OcdError("wrong_value", f"{field['role']} {name!r} ({ref}): {field['message']}")
        failed.append({"field": names.get(ref, name or ref), "error": error.body()})
    return failed


def check_submitted(done: "ActionResult") -> None:
    """Raise fields_failed if the browser's validation has stopped the form from being submitted."""
    if invalid := done.changed.get("invalid"):
        failed = refusals(invalid, {})
        raise OcdError(
            "fields_failed",
            f"Not submitted: {failed[0]['error']['message']}",
            hint="Fill it in, and submit again.",
            filled=0, failed=failed, changed=done.changed, submitted=False,
        )  # fmt: skip
