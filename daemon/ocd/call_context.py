"""The call context: one frozen CallContext in the daemon's only context variable."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar, Token
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from ocd.api.wire import Client
from ocd.oversight.approvals import ConsentNeededError, Grant
from ocd.safety.file_access import FileAccess
from ocd.safety.param_redaction import IsPasswordField
from ocd.safety.session_taint import Way

# What a call takes to be answered once all is known, on a busy machine.
_ANSWER_S = 0.25

MaySend = Callable[[Way, str], None]
ObtainConsent = Callable[[ConsentNeededError], Awaitable[None]]


class MayAct(Protocol):
    """Raises if a verb may not act on one of these origins; acts: it changes something."""

    def __call__(self, verb: str, origins: Sequence[str], *, acts: bool) -> None:
        """Raise action_denied or consent_needed."""
        ...


# Whether a list of tools has a catalog entry.
IsListed = Callable[[Mapping[str, Any]], bool]


class AllowedVerbs(Protocol):
    """The verbs that a call may use; see verb_api.capabilities."""

    def check(self, name: str, group: str) -> None:
        """Raise CAPABILITY_DISABLED if the verb `name` of this group is not allowed."""
        ...

    def check_unknown(self, name: str) -> None:
        """Raise CAPABILITY_DISABLED if an unknown name belongs to a group that is not allowed."""
        ...


@dataclass(slots=True)
class TouchedElement:
    """An element that a call has named, with the engine's description.

    Attributes:
        named: the caller's ref, selector or words.
        about: its role, name and whether it holds a secret; with TouchedElements.with_identity also
            what identifies it in a later load of the page.
    """

    named: str
    about: dict[str, Any]


@dataclass(eq=False, slots=True)
class TouchedElements:
    """Elements that a call has resolved or acted on, for the journal and recordings.

    with_identity: identities are wanted. nested_calls: how many others it has made in its session.
    """

    with_identity: bool = False
    elements: list[TouchedElement] = field(default_factory=list[TouchedElement])
    nested_calls: int = 0

    @property
    def password_fields(self) -> IsPasswordField | None:
        """What `is_password_field` is for; None if no elements were touched."""
        return self.is_password_field if self.elements else None

    def is_password_field(self, names: set[str]) -> bool:
        """Return whether what is given to an element of these names may be a password.

        So it may be for a name that led to no element. No names: what has the focus gets it.
        """
        if not names:
            return any(element.about["secret"] and not element.named for element in self.elements)
        if any(element.about["secret"] and element.named in names for element in self.elements):
            return True
        return bool(self.elements) and names.isdisjoint(element.named for element in self.elements)


def _send_freely(_way: Way, _target: str) -> None:
    pass


async def _ask_nobody(needed: ConsentNeededError) -> None:
    raise needed


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """What a call carries; set by `run_call` and inherited by tasks that the call starts.

    It has no parameters: what a call begins in the background would keep them in memory.

    Args:
        verb: The verb that runs.
        session: The session that it was called in.
        client: Who called it.
        files: The files that it may name.
        capabilities: The verbs that it may use; None: all that the daemon has.
        is_listed: What its host lists of tools; None: what the daemon lists.
        capability_waived: The calling verb chose this one: its own capability is enough.
        may_send: Asked before data leaves; raises if it may not.
        may_act: Asked before a verb acts on a page; None: there are no rules.
        obtain_consent: Waits until a person has allowed what those two ask about; raises
            if that was denied, or nobody has answered in time.
        granted: What a person has allowed the calls that this one is nested in.
        can_ask: The host behind the call can ask a person.
        touched: The elements that it has touched.
        deadline: When it must be answered, by the monotonic clock; None for tasks.
        depth: How many calls it is nested in.
    """

    verb: str = ""
    session: str = "default"
    client: Client = field(default_factory=Client)
    files: FileAccess = field(default_factory=FileAccess)
    capabilities: AllowedVerbs | None = None
    is_listed: IsListed | None = None
    capability_waived: bool = False
    may_send: MaySend = _send_freely
    may_act: MayAct | None = None
    obtain_consent: ObtainConsent = _ask_nobody
    granted: frozenset[Grant] = frozenset()
    can_ask: bool = False
    touched: TouchedElements = field(default_factory=TouchedElements)
    deadline: float | None = None
    depth: int = 0

    def nested(self, *, capability_waived: bool) -> "CallContext":
        """Return the context of a call that this one makes."""
        return replace(self, depth=self.depth + 1, capability_waived=capability_waived)


_CURRENT: ContextVar[CallContext] = ContextVar("CALL_CONTEXT")


def current() -> CallContext:
    """Return the context of the running call; an empty one outside of calls."""
    return _CURRENT.get(None) or CallContext()


def enter(context: CallContext) -> Token[CallContext]:
    """Make it the current context until the returned token is passed to `leave`; for run_call."""
    return _CURRENT.set(context)


def leave(token: Token[CallContext]) -> None:
    """Restore the context that was current before `enter`."""
    _CURRENT.reset(token)


def wants_identity() -> bool:
    """Return whether the running call wants the identities of the elements that it touches."""
    return current().touched.with_identity


def note_element(named: str, about: dict[str, Any]) -> None:
    """Note an element as touched; `named` is empty if it was found by its place."""
    current().touched.elements.append(TouchedElement(named, about))


def seconds_left(most_s: float) -> float:
    """Return `most_s`, or the time that the running call has left to answer, if that is less."""
    deadline = current().deadline
    if deadline is None:
        return most_s
    return max(0.0, min(most_s, deadline - time.monotonic() - _ANSWER_S))
