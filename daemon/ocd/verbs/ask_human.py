"""The verb that asks a person to act on a page: oc_ask_human."""

import asyncio
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Protocol, TypedDict

from msgspec import Meta

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.api.waiting import wait_for_event
from ocd.browser.sessions.session import Sessions
from ocd.browser.tabs.tab import Tab
from ocd.content.line_diff import difference
from ocd.ledger.cancellation import TaskStopped, stoppable
from ocd.ledger.task_handle import TaskHandle
from ocd.oversight.approvals import Approval, Approvals, AskingCall, Question, person_grant
from ocd.oversight.leases import Lease, Leases, lease_of
from ocd.verb_api.declaration import MAX_TIMEOUT_MS, Output, Params, task_verb
from ocd.verb_api.nested_calls import NestedCalls


class TabAddresses(Protocol):
    """Where the dashboard shows the tabs of sessions."""

    def tab_address(self, session: str, tab_id: str) -> str | None:
        """Return the address at which it shows a tab; None while it is off."""
        ...

    async def tab_link(self, session: str, tab_id: str) -> str | None:
        """Return a link that admits one browser and shows it a tab; None without a dashboard."""
        ...


@dataclass(frozen=True, slots=True)
class HumanRequests:
    """The parts of the daemon that asking a person needs.

    Attributes:
        dashboard: returns the source of the tabs' addresses.
    """

    approvals: Approvals
    leases: Leases
    sessions: Sessions
    calls: NestedCalls
    dashboard: Callable[[], TabAddresses]


class AskHuman(Params):
    """Ask a person to do something on a page, and wait until it is done

    For what an agent cannot or may not do: a captcha, a login, a second factor, a payment. The
    person sees the reason in the dashboard and in `oc approvals`, acts in the tab, and confirms or
    declines. Returns what changed on the page.
    """

    reason: Annotated[
        str, Meta(min_length=1, max_length=2000, description="What the person should do, and why")
    ]
    tab_id: Annotated[str | None, Meta(description="Tab (default: latest)")] = None
    timeout_ms: Annotated[
        int, Meta(ge=1, le=MAX_TIMEOUT_MS, description="How long to wait for the person")
    ] = MAX_TIMEOUT_MS


class AskHumanResult(TypedDict):
    """What has changed on the page while the person acted."""

    done: bool
    by: Annotated[str, Meta(description="Where the person answered")]
    waited_s: float
    tab_id: str
    url: str
    title: str
    changed: Annotated[dict[str, int], Meta(description="Lines of the outline")]
    change: Annotated[str, Meta(description="Those lines")]


@task_verb(
    "oc_ask_human", AskHuman, needs=HumanRequests,
    returns=AskHumanResult,
    capability="core", tier=3,
    page_keys=("change", "title"),
    example={"reason": "Please solve the captcha"},
)  # fmt: skip
async def oc_ask_human(people: HumanRequests, work: TaskHandle, params: AskHuman) -> Output:
    tab = people.sessions.get(call_context.current().session).tab(params.tab_id)
    began, before = time.monotonic(), await _read(people, tab)
    question = Question(
        kind="person", grant=person_grant(work.task_id), message=params.reason,
        refused=params.reason, details={"task_id": work.task_id},
    )  # fmt: skip
    asker = AskingCall(
        session=tab.session_name, verb="oc_ask_human", tab_id=tab.id, url=tab.url,
        digest=work.task_id,
    )  # fmt: skip
    approval = people.approvals.ask(question, asker)
    work.progress(0, 1, f"Waiting for a person: {_how_to_answer(people, tab, approval)}")
    try:
        deadline = began + params.timeout_ms / 1000
        by = await stoppable(work, _wait_for_person(people, tab, approval, deadline))
    except TaskStopped:
        raise OcdError("cancelled", f"Nobody is needed any more: {params.reason}") from None
    finally:
        people.approvals.withdraw(approval)
    after = await _read(people, tab)
    change = difference(before, after)
    work.progress(1, 1)
    return Output(
        data={
            "done": True, "by": by, "waited_s": round(time.monotonic() - began, 1),
            "tab_id": tab.id, "url": tab.url, "title": await tab.title(),
            "changed": change.counts, "change": change.text(),
        },
        origin=tab.origin,
    )  # fmt: skip


def _how_to_answer(people: HumanRequests, tab: Tab, approval: Approval) -> str:
    command = (
        f"oc approvals allow {approval.id} once it is done (or: oc approvals deny {approval.id})"
    )
    address = people.dashboard().tab_address(tab.session_name, tab.id)
    return f"{address}, or {command}" if address else command


async def _read(people: HumanRequests, tab: Tab) -> str:
    reply = await people.calls.run("read_page", {"tab_id": tab.id}, lent=True)
    return reply.content or ""


async def _wait_for_person(
    people: HumanRequests, tab: Tab, approval: Approval, deadline: float
) -> str:
    """Return where a person has answered, or who has given the tab back.

    Raises:
        OcdError: action_denied if the person declined; timeout if nobody answered in time.
    """
    ended = asyncio.Event()
    with _watching(people, tab, approval, ended) as handed_back:
        await wait_for_event(ended, deadline - time.monotonic())
    if approval.answer is not None and not approval.answer.allowed:
        raise OcdError(
            "action_denied", f"The person declined: {approval.question.message}",
            hint="Continue without it, or suggest an alternative.", by=approval.answer.by,
        )  # fmt: skip
    if approval.answer is not None:
        return approval.answer.by
    if handed_back:
        return handed_back[0].holder
    raise OcdError(
        "timeout", f"Not done in time: {approval.question.message}",
        hint="Ask again, with more timeout_ms.", tab_id=tab.id,
    )  # fmt: skip


@contextmanager
def _watching(
    people: HumanRequests, tab: Tab, approval: Approval, ended: asyncio.Event
) -> Generator[list[Lease]]:
    """Set `ended` when the person has answered or given the tab back; yield who gave it back."""
    leases: list[Lease] = [lease] if (lease := lease_of(tab)) else []
    handed_back: list[Lease] = []

    def on_lease() -> None:
        handed_back.extend(lease for lease in leases if lease.end == "released")
        if (now := lease_of(tab)) is not None:
            leases[:] = [now]
        if handed_back:
            ended.set()

    def on_queue() -> None:
        if approval.answer is not None:
            ended.set()

    stop = (people.leases.watch(on_lease), people.approvals.watch(on_queue))
    try:
        yield handed_back
    finally:
        for end in stop:
            end()
