"""Whether texts cost no more than linear time: measured in children, each case under its own limit.

Run as a program it is such a child: it reads the names of cases and answers with what they cost.
"""

from __future__ import annotations

import gc
import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median

from support.hostile import Shape

# The dearest take 6 s where nothing else runs.
LIMIT_S = 40
SMALL, LARGE = 10_000, 100_000
MAX_RATIO = 15.0
# Below this, what is measured is the caches: a square takes a second at LARGE.
_FLOOR_S = 0.002
# All shapes are tried at these parts of the longest text; the dearest and the fastest growing ones
# are looked at again at full length.
_TRIED = 0.01, 0.1
_DEAREST, _FASTEST = 1, 2
_TRIES = 3
# A shorter time than this says nothing about how it grows.
_CLOCK_S = 0.00005
_MEASURED = 4
# A square with a small factor hides behind what is linear: what grows so much by LARGE is tried
# with longer texts, and must grow three times as fast as they do, and go on with it.
_GROWS = 11.5
_LONGER, _HIDDEN, _DOUBLED = 4, 3.0, 3.0
TESTS = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Case:
    """A reader of texts, and its texts; `longest`: the longest text that can reach it."""

    name: str
    read: Callable[[str], object]
    shapes: Sequence[Shape]
    longest: int = LARGE
    limit_s: int = LIMIT_S

    def cost(self, shape: Shape, length: int) -> float:
        """Return the CPU seconds that a text of this shape costs."""
        text = shape.text(length)
        begun = time.thread_time()
        with suppress(*_refusals()):
            self.read(text)
        return time.thread_time() - begun

    def _least(self, shape: Shape, length: int) -> float:
        # Once is not enough: an interrupt would make any shape the dearest.
        return min(self.cost(shape, length) for _ in range(_TRIES))

    def _suspects(self) -> list[Shape]:
        """Return the shapes that cost most at the sizes tried, and those that grow fastest."""
        short, long = (int(self.longest * part) for part in _TRIED)
        grown: dict[Shape, float] = {}
        costs: dict[Shape, float] = {}
        for shape in self.shapes:
            before, costs[shape] = self._least(shape, short), self.cost(shape, long)
            if costs[shape] > _GROWS * before:
                costs[shape] = min(costs[shape], self._least(shape, long))
            grown[shape] = costs[shape] / max(before, _CLOCK_S)
        dear = sorted(costs, key=costs.__getitem__)[-_DEAREST:]
        return list(dict.fromkeys([*dear, *sorted(grown, key=grown.__getitem__)[-_FASTEST:]]))

    def run(self) -> str:
        """Return what was too slow, "" if nothing was."""
        return next(filter(None, map(self._slowness, self._suspects())), "")

    def _slowness(self, shape: Shape) -> str:
        small, large = min(SMALL, self.longest // 10), self.longest
        costs = [self.cost(shape, small)]
        less, more = costs[0], self.cost(shape, large)
        for _ in range(_MEASURED):  # a machine that is busy elsewhere makes any one of them dear
            if more > MAX_RATIO * max(less, _FLOOR_S):
                costs.append(self.cost(shape, small))
                less, more = median(costs), min(more, self.cost(shape, large))
        # What else the machine does pushes a long text out of the caches; a square goes on growing.
        if more > MAX_RATIO * max(less, _FLOOR_S):
            return self._growth(shape, large) and (
                f"{shape}: {less:.4f} s for {small} characters, {more:.4f} s for {large}"
            )
        if more > _GROWS * less and large == LARGE:
            return self._slowness_of_longer(shape, less)
        return ""

    def _slowness_of_longer(self, shape: Shape, less: float) -> str:
        """Return whether texts longer than LARGE cost more than linear time."""
        long = _LONGER * LARGE
        for _ in range(_TRIES):
            linear = max(less, self.cost(shape, SMALL), _FLOOR_S / 2) * long / SMALL
            if self.cost(shape, long) <= _HIDDEN * linear:
                return ""
        return self._growth(shape, long)

    def _growth(self, shape: Shape, length: int) -> str:
        """Return what a text of this length and one twice as long cost, "" if that is linear."""
        # Measured in turns: what else the machine does makes both dear.
        pairs = [(self.cost(shape, length), self.cost(shape, 2 * length)) for _ in range(_TRIES)]
        if median(most / more for more, most in pairs) <= _DOUBLED:
            return ""
        more, most = pairs[-1]
        return f"{shape}: {more:.4f} s for {length} characters, {most:.4f} s for {2 * length}"


@cache
def _refusals() -> tuple[type[Exception], ...]:
    from ocd.api.errors import OcdError

    return (OcdError, ValueError)


def slow(names: Iterable[str]) -> dict[str, str]:
    """Run the cases of these names; return those that were too slow, and why."""
    waiting = list(names)[::-1]
    found: dict[str, str] = {}
    while waiting:
        with subprocess.Popen(
            [sys.executable, "-m", "support.linear_time"], cwd=TESTS, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        ) as child:  # fmt: skip
            _serve(child, waiting, found)
    return found


def _serve(child: subprocess.Popen[str], waiting: list[str], found: dict[str, str]) -> None:
    """Give a child process cases until there are no more, or until one has ended it."""
    assert child.stdin
    assert child.stdout
    while waiting:
        name = waiting.pop()
        child.stdin.write(json.dumps(name) + "\n")
        child.stdin.flush()
        answer = child.stdout.readline()
        if not answer:
            found[name] = "ended its process: more CPU than its limit, or a crash"
            return
        if slowness := json.loads(answer):
            found[name] = slowness
    child.stdin.close()


def _main() -> None:
    from support.readers import cases, examples

    known = {case.name: case for case in [*cases(), *examples()]}
    gc.disable()
    gc.freeze()  # what was imported stays, and need not be gone through after each case
    for line in sys.stdin:
        case = known[json.loads(line)]
        usage = resource.getrusage(resource.RUSAGE_SELF)
        used = math.ceil(usage.ru_utime + usage.ru_stime)
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (used + case.limit_s, hard))
        print(json.dumps(case.run()), flush=True)  # noqa: T201 - the answer
        gc.collect()


if __name__ == "__main__":
    _main()
