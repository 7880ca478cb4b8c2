"""The errors about values: what a control does not accept, and what it holds instead."""

from typing import Any

from ocd.api.errors import OcdError
from ocd.pages.act.actionability import unusable_error
from ocd.pages.locate.target import Target

_QUOTED = 500  # characters of either text in an error's details
_OPTION_HINT = "Choose one of its options, by label or value."
_LIST_HINT = "That is one option here; `form_input` takes a list of several."
_SHOWN = 60  # characters of the held text in its message


def value_error(target: Target, message: str, hint: str = "", **details: Any) -> OcdError:  # noqa: ANN401
    """Return the error for a value that the control does not accept."""
    text = f"{_name(target)}: {message}"
    return OcdError("wrong_value", text, hint=hint, ref=target.ref, **details)


def raise_refusal(target: Target, answer: dict[str, Any]) -> None:
    """Raise the error for the reason (`why`) with which the engine refused, if it did."""
    reason = answer.get("why")
    if reason is None:
        return
    if reason == "option_not_found":
        raise OcdError(
            "option_not_found", f"{_name(target)} has no option {answer['text']!r}.",
            hint=_LIST_HINT if str(answer["text"]).startswith("[") else _OPTION_HINT,
            ref=target.ref, options=answer["options"], total=answer["total"],
        )  # fmt: skip
    if reason == "no_options":
        raise value_error(
            target, "it did not open a list of options.", "Click it, and read what appears."
        )
    if reason == "wrong_value":
        raise value_error(target, f"{answer['text']}.", "Pass the value in that form.")
    raise unusable_error(target, answer)


def difference(target: Target, expected: Any, held: Any, said: str = "") -> OcdError:  # noqa: ANN401
    """Return the error for a control that holds something other than it was given.

    said: the first text that the page has shown since, for the hint.
    """
    details = {"ref": target.ref, "held": _excerpt(held)}
    if not target.about["secret"]:
        details["expected"] = _excerpt(expected)
    hint = f"The page says: {said}" if said else "The page may cut it, or put back what was there."
    text = f"{_name(target)} {_what_differs(held)}."
    return OcdError("value_differs", text, hint=hint, **details)


def _excerpt(value: Any) -> Any:  # noqa: ANN401
    return value[:_QUOTED] if isinstance(value, str) else value


def _name(target: Target) -> str:
    return f"{target.about['role']} {target.about['name']!r} ({target.ref})"


def _what_differs(held: Any) -> str:  # noqa: ANN401
    if isinstance(held, bool):
        return f"is {'checked' if held else 'unchecked'} again"
    if isinstance(held, str) and (len(held) > _SHOWN or "\n" in held):
        return "holds different text from what it was given"
    return f"holds {held!r}, not what it was given"
