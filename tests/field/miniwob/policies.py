"""The table of policies: by the name of a page of MiniWoB++, what an agent would do on it."""

from __future__ import annotations

from collections.abc import Callable

from field.miniwob.episode import Episode

Policy = Callable[[Episode], None]
POLICIES: dict[str, Policy] = {}


def policy(*tasks: str) -> Callable[[Policy], Policy]:
    """Enter a function for the tasks."""

    def enter(function: Policy) -> Policy:
        POLICIES.update(dict.fromkeys(tasks, function))
        return function

    return enter
