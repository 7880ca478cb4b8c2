"""Replies of navigating and waiting as text: where the tab is, and what is unusual."""

from __future__ import annotations

from oc.output import human_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

_USUAL = (
    "action", "auth_redirect", "auth_redirect_host", "created", "delay", "elapsed",
    "element_count", "pattern", "redirected", "reused", "selector", "status", "tab_id", "text",
    "title", "type", "url", "visible",
)  # fmt: skip


def navigation_text(result: Mapping[str, Any], notes: tuple[str, ...]) -> str:
    """Return the text of a result, without what is true of every page.

    notes: keys that are shown elsewhere.
    """
    lines = [f"{key}: {result[key]}" for key in ("url", "title") if result.get(key)]
    lines.append(", ".join(_events(result)))
    unusual = {k: v for k, v in result.items() if k not in _USUAL and k not in notes}
    if unusual.get("result") is True:
        del unusual["result"]
    if unusual:
        lines.append(human_text.for_humans(unusual))
    return "\n".join(lines)


def _events(result: Mapping[str, Any]) -> Iterator[str]:
    if "elapsed" in result:
        yield f"waited {result['elapsed']} ms"
        return
    yield f"status: {result.get('status') or 'none'}"
    if "element_count" in result:
        yield f"{result['element_count']} elements"
    if "redirected" in result and "redirected_from" not in result:
        yield "redirected"
    if "created" in result:
        yield f"tab {result['tab_id']} opened"
