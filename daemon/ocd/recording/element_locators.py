"""Locators for recorded elements: by role and name, else by an attribute."""

import json
import re
from collections.abc import Mapping
from typing import Any

# In the order in which they can be relied on.
_ATTRIBUTES = ("data-testid", "data-test", "name", "aria-label", "placeholder", "alt", "title")

_NUMBER = re.compile(r"\d")
Target = Mapping[str, Any]


def by_words(target: Target) -> str:
    """Return the element as a query: its line in the outline, and what surrounds it.

    An empty string for one without a name.
    """
    if not target.get("name"):
        return ""
    quoted = target["name"].replace("\\", "\\\\").replace('"', '\\"')
    line = f'{target["role"]} "{quoted}"'
    if row := target.get("row"):
        return f"{line} in row: {row}"
    # Beside a row, numbers change: a total, a date of today.
    around = " ".join(w for w in target.get("around", "").split() if not _NUMBER.search(w))
    return f"{line} in: {around}" if around else line


def by_selector(target: Target) -> str:
    """Return a CSS selector of the element, by a meaningful attribute if it has one."""
    attributes = target.get("attributes", {})
    for name in _ATTRIBUTES:
        value = attributes.get(name)
        if value and not value.endswith("…"):
            return f"{target.get('tag', '')}[{name}={json.dumps(value, ensure_ascii=False)}]"
    return str(target.get("selector", ""))


def locator_params(target: Target) -> dict[str, str]:
    """Return the parameters that name the element to an acting verb."""
    words = by_words(target)
    return {"query": words} if words else {"selector": by_selector(target)}


def targets(action: Mapping[str, Any]) -> list[Target]:
    """Return the elements that an action was about."""
    found = action.get("targets", [action["target"]] if "target" in action else [])
    return list(found)


def element_text(target: Target) -> str:
    """Return the element for people: button "Delete"."""
    return f'{target["role"]} "{target["name"]}"' if target.get("name") else str(target["role"])


def action_line(action: Mapping[str, Any]) -> str:
    """Return one line that describes an action."""
    params = action.get("params", {})
    word = params.get("action", action["verb"])
    about = ", ".join(element_text(target) for target in targets(action))
    value = next((params[key] for key in ("url", "value", "text", "type") if key in params), None)
    value_text = "" if value is None else json.dumps(value, ensure_ascii=False)[:80]
    return " ".join(part for part in (str(word), about, value_text) if part)
