"""The queue of waiting tasks: first come, first served, a few at once."""

from collections import deque

from ocd.ledger.task_run import TaskRun


class TaskQueue:
    """Gives turns to runs. A run waits for its event `turn`, and ends its turn with `leave`."""

    def __init__(self, max_at_once: int) -> None:
        self._max_at_once = max_at_once
        self._waiting: deque[TaskRun] = deque()
        self._at_work = 0

    @property
    def max_at_once(self) -> int:
        """How many runs have a turn at once; may be changed at any time."""
        return self._max_at_once

    @max_at_once.setter
    def max_at_once(self, value: int) -> None:
        self._max_at_once = value
        self._start_next()

    def join(self, run: TaskRun) -> None:
        """Put a run at the end of the queue."""
        self._waiting.append(run)
        self._start_next()

    def leave(self, run: TaskRun) -> None:
        """Give a run's turn to the next one, or remove it from the queue."""
        if run.holds_turn:
            run.holds_turn = False
            self._at_work -= 1
        elif run in self._waiting:
            self._waiting.remove(run)
        self._start_next()

    def _start_next(self) -> None:
        while self._waiting and self._at_work < self._max_at_once:
            run = self._waiting.popleft()
            if not run.stopping:
                run.holds_turn = True
                self._at_work += 1
                run.turn.set()

    def __repr__(self) -> str:
        return f"TaskQueue({self._at_work} at work, {len(self._waiting)} waiting)"
