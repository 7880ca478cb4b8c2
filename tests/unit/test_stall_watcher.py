"""The stall watcher: it counts time in which the event loop could have run and did not."""

import os
from pathlib import Path

import pytest

from ocd.cli.stalls import stall_of
from ocd.runtime.watcher import HangReport, Process, Stall, countable_s


@pytest.mark.parametrize(
    ("states", "elapsed", "used", "counted"),
    [
        (["R"], 1.0, 1.0, 1.0),  # it computes
        (["R"], 1.0, 0.1, 0.1),  # it waits for a processor: the machine is busy
        (["S", "S"], 1.0, 0.0, 1.0),  # it waits for something that does not come
        (["S", "R"], 1.0, 0.2, 0.2),  # another thread may hold the lock, and waits for a processor
        (["S", "D"], 1.0, 0.0, 0.0),  # the disk is slow
        (["T", "T"], 1.0, 0.0, 0.0),  # SIGSTOP
        (["t", "R"], 1.0, 0.0, 0.0),  # a debugger
        (["Z"], 1.0, 0.0, 0.0),
        ([""], 1.0, 0.0, 1.0),  # no /proc here
    ],
)
def test_time_counted_in_a_round(
    states: list[str], elapsed: float, used: float, counted: float
) -> None:
    assert countable_s(states, elapsed, used) == counted


class Frozen(Process):
    """A process that sleeps and does nothing."""

    def cpu_s(self) -> float:
        return 1.0

    def states(self) -> list[str]:
        return ["S"]


def test_a_round_without_turns_of_our_own_counts_as_one_round() -> None:
    stall = Stall(Frozen(os.getpid()), longest_round_s=2.0)
    stall.add(3600.0)  # the machine was suspended, or we were stopped
    assert stall.seconds == 2.0
    stall.end()
    assert stall.seconds == 0.0


def test_process_times_are_read_from_proc() -> None:
    own = Process(os.getpid())
    assert own.cpu_s() > 0
    assert own.states()[0] == "R"
    assert not own.is_ours  # we are not our own parent
    assert Process(os.getppid()).is_ours


def test_watching_continues_when_a_report_cannot_be_written(tmp_path: Path) -> None:
    report = HangReport(str(tmp_path / "gone" / "stalls.log"), 7)
    report.write("no turn")
    assert not report.has_room
    assert not (tmp_path / "gone").exists()


STACKS = """\
Thread 0x01 (most recent call first):
  File "/lib/threading.py", line 5 in wait

Current thread 0x02 (most recent call first):
  File "/lib/re/__init__.py", line 166 in match
  File "/x/site-packages/ocd/crawl/urls.py", line 45 in join
  File "/x/site-packages/ocd/cli/run.py", line 9 in run
"""
HEADER = "2026-11-22T10:00:00Z pid 7: no turn of the event loop for 5 s; the stacks:\n"


def test_a_stall_is_described(tmp_path: Path) -> None:
    path = tmp_path / "stalls.log"
    path.write_text(HEADER + STACKS)
    said = stall_of(7, path)
    assert said is not None
    assert said.endswith(
        "in `match` (lib/re/__init__.py, line 166), called by `join` (ocd/crawl/urls.py, line 45)"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        STACKS,
        HEADER.replace("pid 7", "pid 8") + STACKS,
        HEADER + STACKS + "2026-11-22T10:00:09Z pid 7: the loop continues after 9 s\n",
        HEADER + STACKS + "2026-11-22T10:00:09Z pid 7: ended by the watchdog after 30 s\n",
    ],
)
def test_other_reports_are_ignored(tmp_path: Path, text: str) -> None:
    path = tmp_path / "stalls.log"
    path.write_text(text)
    assert stall_of(7, path) is None


def test_truncated_stack_reports(tmp_path: Path) -> None:
    path = tmp_path / "stalls.log"
    path.write_text(HEADER + "Current thread 0x02")
    said = stall_of(7, path)
    assert said is not None
    assert said.endswith("in an unknown place")
