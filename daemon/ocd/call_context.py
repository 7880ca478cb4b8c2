"""The elements that a call has met: for those who write calls down."""

import time
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

# What a call takes to be answered once all is known, on a busy machine.
_ANSWER_S = 0.25


@dataclass(slots=True)
class TouchedElement:
    """One element as a call named it, and what the engine says about it.

    named: the ref, selector or words of the caller. about: role, name, secret, and with `identity`
    what tells the element again on another day.
    """

    named: str
    about: dict[str, Any]


@dataclass(eq=False, slots=True)
class TouchedElements:
    """What one call has met so far.

    whole: identities are wanted. calls: how many others it has made in its session.
    kept: its parameters as they may be kept, once somebody has asked for that.
    deadline: when the call must be answered, by the monotonic clock.
    """

    whole: bool = False
    elements: list[TouchedElement] = field(default_factory=list)
    calls: int = 0
    kept: Any = None
    deadline: float | None = None

    def hides(self, names: set[str]) -> bool:
        """Return whether what is given to an element of these names may be a password.

        So it may be for a name that led to no element. No names: what has the focus gets it.
        """
        if not names:
            return any(one.about["secret"] and not one.named for one in self.elements)
        if any(one.about["secret"] and one.named in names for one in self.elements):
            return True
        return bool(self.elements) and names.isdisjoint(one.named for one in self.elements)


# Those of the call that is served in this context; the dispatcher sets it.
MET: ContextVar[TouchedElements | None] = ContextVar("MET", default=None)


def wanted() -> bool:
    """Return whether the call that runs wants the identities of the elements that it meets."""
    met = MET.get()
    return met is not None and met.whole


def seconds_left(most_s: float) -> float:
    """Return `most_s`, or what the call that runs has left for a last look, if that is less."""
    met = MET.get()
    if met is None or met.deadline is None:
        return most_s
    return max(0.0, min(most_s, met.deadline - time.monotonic() - _ANSWER_S))


def note(named: str, about: dict[str, Any]) -> None:
    """Note an element; `named` is empty if it was found by its place."""
    met = MET.get()
    if met is not None:
        met.elements.append(TouchedElement(named, about))
