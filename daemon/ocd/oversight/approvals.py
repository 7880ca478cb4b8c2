"""The approvals queue (a part of the daemon): everything that waits for a person's consent.

The first answer counts, whether from the terminal, the host or the dashboard. The queue is in
memory: after a restart, a call asks again. Changes of other MCP servers are listed by a source,
which remembers them.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any, Literal, Protocol

from ocd.api.bounded_dict import BoundedDict
from ocd.api.errors import OcdError
from ocd.api.timestamps import now, rfc3339
from ocd.api.waiting import wait_for_event
from ocd.api.wire import ApprovalScope

# An approval that no call waits for is kept so long, for a call that is made again.
KEEP_S = 900.0
MAX_APPROVALS = 200
_SESSIONS = 1000

Kind = Literal["data", "action", "tools", "person"]
# What an answer for the session covers, such as ("data", "address", "https://example.com").
Grant = tuple[str, ...]
Listener = Callable[[], None]


def person_grant(task_id: str) -> Grant:
    """Return the grant that identifies the question by which a task asks for a person."""
    return ("person", task_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question for a person.

    Args:
        kind: What waits: data that leaves, an action, tools of another server, or a person's turn.
        grant: What an answer for the session covers.
        message: What exactly would happen.
        refused: The same in few words, for who is refused.
        details: The same for programs.
    """

    kind: Kind
    grant: Grant
    message: str
    refused: str
    details: Mapping[str, Any]


class ConsentNeededError(OcdError):
    """A call may not continue before a person has answered its question."""

    def __init__(self, question: Question) -> None:
        super().__init__("consent_needed", question.message, **question.details)
        self.question = question


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingCall:
    """The call that asks: what a person is shown of it, and what identifies a repetition."""

    session: str
    verb: str
    params: object = None
    tab_id: str | None = None
    url: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalDecision:
    """A person's decision, and where it was made: terminal, elicitation or dashboard."""

    allowed: bool
    scope: ApprovalScope
    by: str


@dataclass(eq=False, slots=True)
class Approval:
    """One question in the queue.

    waiting: how many calls wait for its answer, at the longest until waits_until (seconds of the
    epoch; 0: without an end). touched: when it was last asked or answered, by the queue's clock.
    """

    question: Question
    asker: AskingCall
    touched: float
    id: str = field(default_factory=lambda: f"ap_{token_hex(3)}")
    asked_at: str = field(default_factory=now)
    answer: ApprovalDecision | None = None
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: int = 0
    waits_until: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return what a person is shown."""
        asker = self.asker
        return {
            "approval": self.id, "kind": self.question.kind, "asks": self.question.message,
            "session": asker.session, "verb": asker.verb, "tab_id": asker.tab_id, "url": asker.url,
            "params": asker.params, "details": dict(self.question.details),
            "asked_at": self.asked_at, "waiting": self.waiting > 0,
            "waits_until": rfc3339(self.waits_until) if self.waiting and self.waits_until else None,
        }  # fmt: skip


class ApprovalSource(Protocol):
    """A source of questions that outlive the daemon."""

    async def pending(self) -> list[dict[str, Any]]:
        """Return the pending questions, each in the form of Approval.to_dict."""
        ...

    async def answer(self, approval_id: str, *, allowed: bool) -> bool:
        """Apply a decision; False if the approval is not from this source."""
        ...


class Approvals:
    """The queue. report: writes an event to the journal."""

    def __init__(
        self,
        report: Callable[[dict[str, Any]], None],
        sources: tuple[ApprovalSource, ...] = (),
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._report = report
        self._sources = sources
        self._clock = clock
        self._approvals: dict[str, Approval] = {}
        self._granted = BoundedDict[str, set[Grant]](_SESSIONS)
        self._listeners: set[Listener] = set()

    # --- asking ------------------------------------------------------------------------------

    def is_granted(self, session: str, grant: Grant) -> bool:
        """Return whether a person has allowed it for the session."""
        return grant in self._granted.get(session, ())

    def ask(self, question: Question, asker: AskingCall) -> Approval:
        """Return the approval of a question: that of an earlier, identical call, or a new one.

        Raises limit_reached where too many calls wait.
        """
        self._forget_old()
        for known in self._approvals.values():
            if known.question.grant == question.grant and known.asker.digest == asker.digest:
                known.touched = self._clock()
                return known
        if len(self._approvals) >= MAX_APPROVALS:
            raise OcdError(
                "limit_reached", f"{MAX_APPROVALS} approvals are already waiting for an answer",
                hint="List them: oc approvals", limit=MAX_APPROVALS,
            )  # fmt: skip
        approval = Approval(question, asker, self._clock())
        self._approvals[approval.id] = approval
        self._report({"event": "approval_asked", **_event(approval), "asks": question.message})
        self.notify()
        return approval

    async def wait(self, approval: Approval, timeout_s: float | None) -> ApprovalDecision | None:
        """Wait for the answer and take it; None if it does not come in time."""
        approval.waiting += 1
        approval.waits_until = 0.0 if timeout_s is None else time.time() + timeout_s
        self.notify()
        try:
            await wait_for_event(approval.answered, timeout_s)
        finally:
            approval.waiting -= 1
            approval.touched = self._clock()
            self.notify()
        return self.take(approval)

    async def wait_answered(self, approval_id: str) -> None:
        """Wait until somebody has answered it, without taking the answer."""
        approval = self._approvals.get(approval_id)
        if approval is None:
            return
        approval.waiting += 1
        try:
            await approval.answered.wait()
        finally:
            approval.waiting -= 1

    def take(self, approval: Approval) -> ApprovalDecision | None:
        """Return the answer for the call that asked, for whom it is given once; None: none yet."""
        if approval.answer is not None and not approval.waiting:
            self._approvals.pop(approval.id, None)
        return approval.answer

    def find(self, grant: Grant) -> Approval | None:
        """Return the pending approval with this grant, or None."""
        waiting = (approval for approval in self._approvals.values() if approval.answer is None)
        return next((approval for approval in waiting if approval.question.grant == grant), None)

    def withdraw(self, approval: Approval) -> None:
        """Withdraw a question that no longer needs an answer."""
        if self._approvals.pop(approval.id, None) and approval.answer is None:
            self._report({"event": "approval_withdrawn", **_event(approval)})
            self.notify()

    def _forget_old(self) -> None:
        oldest = self._clock() - KEEP_S
        for approval in list(self._approvals.values()):
            if not approval.waiting and approval.touched < oldest:
                self.withdraw(approval)

    # --- answering ---------------------------------------------------------------------------

    async def list(self) -> list[dict[str, Any]]:
        """Return the pending questions, oldest first."""
        self._forget_old()
        found = [
            approval.to_dict() for approval in self._approvals.values() if approval.answer is None
        ]
        for source in self._sources:
            found += await source.pending()
        return found

    async def answer(self, approval_id: str, answer: ApprovalDecision) -> None:
        """Decide; not_found if nothing of this id waits, for example because it was answered."""
        approval = self._approvals.get(approval_id)
        if approval is not None and approval.answer is None:
            self._decide(approval, answer)
            return
        for source in self._sources:
            if await source.answer(approval_id, allowed=answer.allowed):
                event = {"approval": approval_id, "kind": "tools"}
                self._report({"event": "approval_answered", **event, **_decision(answer)})
                self.notify()
                return
        raise OcdError(
            "not_found", f"No approval '{approval_id}' is waiting for an answer",
            hint="It was answered or has expired. List them: oc approvals",
            approval=approval_id,
        )  # fmt: skip

    def _decide(self, approval: Approval, answer: ApprovalDecision) -> None:
        approval.answer = answer
        approval.touched = self._clock()
        if answer.allowed and answer.scope == "session":
            self._grant(approval.asker.session, approval.question.grant)
        approval.answered.set()
        self._report({"event": "approval_answered", **_event(approval), **_decision(answer)})
        self.notify()

    def _grant(self, session: str, grant: Grant) -> None:
        self._granted[session] = {*self._granted.get(session, ()), grant}

    # --- watching ----------------------------------------------------------------------------

    def watch(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` after each change of the queue; the returned function ends that."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def notify(self) -> None:
        """Tell the listeners that the queue has changed."""
        for listener in list(self._listeners):
            listener()

    def __repr__(self) -> str:
        return f"Approvals({len(self._approvals)})"


def _event(approval: Approval) -> dict[str, Any]:
    asker = approval.asker
    return {"approval": approval.id, "kind": approval.question.kind, "session": asker.session,
            "tool": asker.verb, "tab_id": asker.tab_id}  # fmt: skip


def _decision(answer: ApprovalDecision) -> dict[str, Any]:
    decision = "allowed" if answer.allowed else "denied"
    return {"decision": decision, "scope": answer.scope, "by": answer.by}
