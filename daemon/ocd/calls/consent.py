"""Calls that wait for a person: for consent, or until a tab is given back."""

import time
from dataclasses import dataclass
from hashlib import blake2b

import msgspec

from ocd.api.errors import OcdError
from ocd.api.waiting import wait_for_event
from ocd.api.wire import CallRequest, Progress
from ocd.calls.services import ActiveCall, CallServices
from ocd.oversight.approvals import (
    Approval,
    ApprovalDecision,
    AskingCall,
    ConsentNeededError,
    Grant,
)
from ocd.oversight.leases import TabHeldError
from ocd.storage.journal import MAX_JOURNAL_CHARS
from ocd.verb_api.inline_tasks import OnProgress, without_call_only

# What a call needs to say in time that nobody has answered.
_ANSWER_S = 0.3


@dataclass(frozen=True, slots=True)
class Consent:
    """The consent of a person for one call.

    host_asks: the host behind the call asks the person itself, and calls again.
    """

    services: CallServices
    call: ActiveCall
    on_progress: OnProgress | None
    host_asks: bool

    def is_granted(self, grant: Grant) -> bool:
        """Return whether a person has allowed it, for this call or for its session."""
        granted = grant in self.call.granted
        return granted or self.services.approvals.is_granted(self.call.request.session, grant)

    async def obtain(self, needed: ConsentNeededError) -> None:
        """Wait until a person has allowed it, for this call.

        Raises exfiltration_denied or action_denied if it was denied; consent_needed, with the
        approval's id, if there was no answer by the call's deadline.
        """
        approvals, call = self.services.approvals, self.call
        approval = approvals.ask(needed.question, self._asker())
        answer = approvals.take(approval)
        if answer is None and not self.host_asks:
            self._say(f"Waiting for a person: {_how_to_answer(approval)}")
            began = time.monotonic()
            answer = await approvals.wait(approval, _seconds_left(call))
            call.note_wait(began)
        if answer is None:
            raise unanswered_error(approval)
        if not answer.allowed:
            raise denied_error(approval, answer)
        call.granted.add(needed.question.grant)

    async def wait_free(self, error: TabHeldError) -> None:
        """Wait until the tab is given back; raise human_in_control at the call's deadline."""
        call, began = self.call, time.monotonic()
        self._say(f"{error.message}: waiting until it is given back")
        given_back = await wait_for_event(error.lease.ended, _seconds_left(call))
        call.note_wait(began)
        if not given_back:
            raise OcdError(error.code, error.message, hint=error.hint, **error.details)

    def _asker(self) -> AskingCall:
        call = self.call
        request = call.request
        params = call.redacted_params(self.services.verbs.get(request.verb))
        return AskingCall(
            session=request.session, verb=request.verb, tab_id=call.tab_id, url=call.url,
            params=params.written(call.touched.password_fields, None, MAX_JOURNAL_CHARS),
            digest=_digest(request),
        )  # fmt: skip

    def _say(self, message: str) -> None:
        if self.on_progress is not None:
            self.on_progress(Progress(0, message=message))


def _digest(request: CallRequest) -> str:
    """Return what identifies the same call when it is made again, perhaps by another process."""
    key = [request.session, request.verb, without_call_only(request.params)]
    return blake2b(msgspec.json.encode(key, order="deterministic"), digest_size=16).hexdigest()


def _seconds_left(call: ActiveCall) -> float | None:
    return None if call.deadline is None else call.deadline - time.monotonic() - _ANSWER_S


def _how_to_answer(approval: Approval) -> str:
    return f"oc approvals allow {approval.id} (or: oc approvals deny {approval.id})"


def unanswered_error(approval: Approval) -> OcdError:
    """Return the error for a question that was not answered in time."""
    return OcdError(
        "consent_needed", approval.question.message,
        hint=f"A person answers in a terminal: {_how_to_answer(approval)}. Then call again.",
        **{**approval.question.details, "approval": approval.id},
    )  # fmt: skip


def denied_error(approval: Approval, answer: ApprovalDecision) -> OcdError:
    """Return the error for a call that the person did not allow."""
    question = approval.question
    code = "exfiltration_denied" if question.kind == "data" else "action_denied"
    return OcdError(
        code, f"The person asked did not allow it: {question.refused}",
        hint="Do not try another way: ask what to do instead.",
        **{**question.details, "approval": approval.id, "by": answer.by},
    )  # fmt: skip
