"""The state machine of a task: its transitions, and its final states."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ocd.ledger import states
from ocd.ledger.states import Outcome, TaskMeta, TaskProgress

NOW = "2026-03-01T12:00:00.000Z"
PENDING = TaskMeta(task_id="0" * 16, kind="crawl", status="PENDING", created_at=NOW)

outcomes = st.builds(Outcome, status=st.sampled_from(["COMPLETED", "FAILED", "CANCELLED"]))
changes = st.one_of(
    st.just(lambda meta: states.begin(meta, NOW)),
    st.just(lambda meta: states.ask_cancel(meta, NOW)),
    st.builds(lambda n: lambda meta: states.advance(meta, TaskProgress(n)), st.integers(0, 9)),
    st.builds(lambda one: lambda meta: states.end(meta, one, NOW), outcomes),
    st.just(lambda meta: states.reap(meta, Outcome(status="FAILED"), NOW)),
)
ALLOWED = {
    ("PENDING", "RUNNING"),
    ("PENDING", "CANCELLED"),
    ("PENDING", "FAILED"),  # by reaping alone, see below
    ("RUNNING", "COMPLETED"),
    ("RUNNING", "FAILED"),
    ("RUNNING", "CANCELLED"),
}


@given(st.lists(changes, max_size=12))
def test_only_allowed_transitions_happen(history: list) -> None:
    """Whatever is done in whatever order, only allowed transitions happen, and an end stays."""
    meta = PENDING
    for change in history:
        after = change(meta)
        if meta.terminal:
            assert after == meta
        elif after.status != meta.status:
            assert (meta.status, after.status) in ALLOWED
        assert (after.ended_at is not None) == after.terminal
        meta = after


@given(outcomes)
def test_a_pending_task_ends_only_by_cancelling(outcome: Outcome) -> None:
    """PENDING becomes FAILED by reaping alone, and never COMPLETED."""
    ended = states.end(PENDING, outcome, NOW)
    assert ended.status == ("CANCELLED" if outcome.status == "CANCELLED" else "PENDING")
    assert states.reap(PENDING, Outcome(status="FAILED"), NOW).status == "FAILED"


def test_the_first_cancel_request_counts() -> None:
    """cancel_requested_at is set once, and never on a task that has ended."""
    asked = states.ask_cancel(PENDING, NOW)
    assert states.ask_cancel(asked, "later").cancel_requested_at == NOW
    ended = replace(PENDING, status="COMPLETED")
    assert states.ask_cancel(ended, NOW).cancel_requested_at is None


def test_callers_see_the_task_without_the_ledgers_own_keys() -> None:
    """A task as shown has exactly the keys of the specification."""
    assert " ".join(states.public(PENDING)) == (
        "task_id kind status session pid pid_started_at created_at started_at ended_at "
        "cancel_requested_at args_summary progress result_path error"
    )


@given(st.integers(0, 4_000_000_000_000))
def test_times_are_read_back_as_they_were_written(milliseconds: int) -> None:
    """RFC 3339 with milliseconds, and nothing is rounded."""
    text = states.timestamp(milliseconds)
    assert states.milliseconds(text) == milliseconds
    assert datetime.fromisoformat(text).tzinfo == UTC


def test_times_of_callers_may_have_any_offset() -> None:
    """An offset counts; without one it is UTC; words are refused."""
    assert states.milliseconds("1970-01-01T01:00:01+01:00") == 1000
    assert states.milliseconds("1970-01-01T00:00:01") == 1000
    with pytest.raises(ValueError, match="yesterday"):
        states.milliseconds("yesterday")
