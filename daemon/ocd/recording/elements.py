"""A recorded element, named so that it is found again: by role and name, else by an attribute."""

import json
from collections.abc import Mapping
from typing import Any

# In the order in which they can be relied on.
_ATTRIBUTES = ("data-testid", "data-test", "name", "aria-label", "placeholder", "alt", "title")

Target = Mapping[str, Any]


def by_words(target: Target) -> str:
    """Return the element as a query: its line in the outline, and what stands around it.

    An empty string for one without a name.
    """
    if not target.get("name"):
        return ""
    quoted = target["name"].replace("\\", "\\\\").replace('"', '\\"')
    around = target.get("row") or target.get("around", "")
    return f'{target["role"]} "{quoted}"' + (f" in: {around}" if around else "")


def by_selector(target: Target) -> str:
    """Return a CSS selector of the element, by an attribute if it has one that says something."""
    attributes = target.get("attributes", {})
    for name in _ATTRIBUTES:
        value = attributes.get(name)
        if value and not value.endswith("…"):
            return f"{target.get('tag', '')}[{name}={json.dumps(value, ensure_ascii=False)}]"
    return str(target.get("selector", ""))


def aim(target: Target) -> dict[str, str]:
    """Return the parameters that name the element to an acting verb."""
    words = by_words(target)
    return {"query": words} if words else {"selector": by_selector(target)}


def targets(action: Mapping[str, Any]) -> list[Target]:
    """Return the elements that an action was about."""
    found = action.get("targets", [action["target"]] if "target" in action else [])
    return list(found)


def spoken(target: Target) -> str:
    """Return the element for people: button "Delete"."""
    return f'{target["role"]} "{target["name"]}"' if target.get("name") else str(target["role"])


def sentence(action: Mapping[str, Any]) -> str:
    """Return in one line what an action was."""
    params = action.get("params", {})
    word = params.get("action", action["verb"])
    about = ", ".join(spoken(one) for one in targets(action))
    value = next((params[key] for key in ("url", "value", "text", "type") if key in params), None)
    given = "" if value is None else json.dumps(value, ensure_ascii=False)[:80]
    return " ".join(part for part in (str(word), about, given) if part)
