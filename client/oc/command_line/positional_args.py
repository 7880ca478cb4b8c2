"""Assigning positional arguments of a command line to parameters."""

from __future__ import annotations

from oc.command_line import value_parsing
from oc.command_line.command_names import is_ref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from typing import Any

# The help text of commands that act on an element, which `assign` implements.
ELEMENT_HELP = (
    "REF is a ref from the latest reading (e12), or else words that describe the element, or a CSS "
    "selector such as '#save' or '[name=x]' (any other one needs its option)."
)
ACTION_HELP = "The action may come first when a ref follows it: oc interact click e12."


def assign(
    names: Sequence[str], texts: Sequence[str], schemas: Mapping[str, Any], options: Container[str]
) -> list[str]:
    """Return the parameters that the positional arguments are for, in the arguments' order.

    Where a ref belongs, any text that is not one is a query for the element. A ref that an option
    stands in for (`--query`, `--selector`) is left out.

    Args:
        names: the positional parameters in their usual order.
        texts: the positional arguments.
        schemas: every parameter of the command, with its schema.
        options: the parameters that options have given.
    """
    left = [name for name in names if not _is_replaced(name, options)]
    if _is_action_first(left, texts, schemas):
        left[:2] = [left[1], left[0]]
    return [_name_for(name, text, schemas) for name, text in zip(left, texts, strict=False)] + left[
        len(texts) :
    ]


def is_lone_action(
    names: Sequence[str], texts: Sequence[str], schemas: Mapping[str, Any], options: Container[str]
) -> bool:
    """Return whether an action is given in place of an element, without a ref after it."""
    return (
        len(names) > 1
        and _ref_replacements(names[0], schemas) is not None
        and not _is_replaced(names[0], options)
        and bool(texts)
        and _is_choice(schemas[names[1]], texts[0])
        and not _is_action_first(names, texts, schemas)
    )


def distribute(
    names: Sequence[str], texts: Sequence[str], schemas: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Give one text to each name; the first name that takes several gets the surplus."""
    many = next(
        (i for i, name in enumerate(names) if value_parsing.takes_many(schemas[name])), None
    )
    if many is None or len(texts) <= many:
        return {name: [text] for name, text in zip(names, texts, strict=False)}
    spare = max(0, len(texts) - len(names))
    shares = {name: [text] for name, text in zip(names[:many], texts, strict=False)}
    shares[names[many]] = list(texts[many : many + 1 + spare])
    rest = zip(names[many + 1 :], texts[many + 1 + spare :], strict=False)
    return shares | {name: [text] for name, text in rest}


def takes_element(names: Sequence[str], schemas: Mapping[str, Any]) -> bool:
    """Return whether the first positional parameter is an element's ref, or words for it."""
    return bool(names) and _ref_replacements(names[0], schemas) is not None


def _is_action_first(
    names: Sequence[str], texts: Sequence[str], schemas: Mapping[str, Any]
) -> bool:
    return (
        len(names) > 1
        and len(texts) > 1
        and _ref_replacements(names[0], schemas) is not None
        and _is_choice(schemas[names[1]], texts[0])
        and is_ref(texts[1])
    )


def _name_for(name: str, text: str, schemas: Mapping[str, Any]) -> str:
    replacements = _ref_replacements(name, schemas)
    return name if replacements is None or is_ref(text) else replacements[1]


def _ref_replacements(name: str, schemas: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the selector and query parameters that stand in for a ref; None for other names."""
    whose = name.removesuffix("ref")
    found = (f"{whose}selector", f"{whose}query")
    return found if whose != name and all(name in schemas for name in found) else None


def _is_replaced(name: str, options: Container[str]) -> bool:
    whose = name.removesuffix("ref")
    return whose != name and any(f"{whose}{way}" in options for way in ("selector", "query"))


def _is_choice(schema: Mapping[str, Any], text: str) -> bool:
    return value_parsing.respell(text) in schema.get("enum", ())
