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
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from support.hostile import Shape

LIMIT_S = 10
SMALL, LARGE = 10_000, 100_000
MOST = 15.0
# Below this, what is measured is the clock and the caches.
_FLOOR_S = 0.0005
# Of the shapes that cost most at the small size so many are tried at the large one.
_WORST, _FASTEST = 1, 2
# A shorter time than this says nothing about how it grows.
_CLOCK_S = 0.00001
_MEASURED = 4
_CHILDREN = 2
TESTS = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Case:
    """Something that reads texts, and the texts; `longest` where longer ones never reach it."""

    name: str
    read: Callable[[str], object]
    shapes: Sequence[Shape]
    longest: int = LARGE
    limit_s: int = LIMIT_S

    def cost(self, shape: Shape, length: int) -> float:
        """Return the CPU seconds that a text of this shape costs."""
        text = shape.text(length)
        begun = time.process_time()
        with suppress(*_refusals()):
            self.read(text)
        return time.process_time() - begun

    def _suspects(self, small: int) -> list[Shape]:
        """Return the shapes that cost most at the small size, and those that grow fastest."""
        grown: dict[Shape, float] = {}
        costs: dict[Shape, float] = {}
        for shape in self.shapes:
            before = self.cost(shape, small // 10)
            costs[shape] = self.cost(shape, small)
            grown[shape] = costs[shape] / max(before, _CLOCK_S)
        dear = sorted(costs, key=costs.__getitem__)[-_WORST:]
        fast = [one for one in sorted(grown, key=grown.__getitem__) if grown[one] > MOST]
        return list(dict.fromkeys([*dear, *fast[-_FASTEST:]]))

    def run(self) -> str:
        """Return what was too slow, "" if nothing was."""
        small, large = min(SMALL, self.longest // 10), self.longest
        for shape in self._suspects(small // 2):
            less, more = self.cost(shape, small), self.cost(shape, large)
            for _ in range(_MEASURED):  # the least of several is the text's, the rest the machine's
                if more <= MOST * max(less, _FLOOR_S):
                    break
                less = max(less, self.cost(shape, small))
                more = min(more, self.cost(shape, large))
            else:
                return f"{shape}: {less:.4f} s for {small} characters, {more:.4f} s for {large}"
        return ""


@cache
def _refusals() -> tuple[type[Exception], ...]:
    from ocd.api.errors import OcdError

    return (OcdError, ValueError)


def slow(names: Iterable[str]) -> dict[str, str]:
    """Run the cases of these names; return those that were too slow, and why."""
    waiting = list(names)[::-1]
    found: dict[str, str] = {}
    with ThreadPoolExecutor(_CHILDREN) as pool:
        for done in [pool.submit(_in_children, waiting, found) for _ in range(_CHILDREN)]:
            done.result()
    return found


def _in_children(waiting: list[str], found: dict[str, str]) -> None:
    while waiting:
        with subprocess.Popen(
            [sys.executable, "-m", "support.linear_time"], cwd=TESTS, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        ) as child:  # fmt: skip
            _serve(child, waiting, found)


def _serve(child: subprocess.Popen[str], waiting: list[str], found: dict[str, str]) -> None:
    """Give a child cases until there are no more, or until one has ended it."""
    assert child.stdin
    assert child.stdout
    while waiting:
        try:
            name = waiting.pop()
        except IndexError:
            break
        child.stdin.write(json.dumps(name) + "\n")
        child.stdin.flush()
        answer = child.stdout.readline()
        if not answer:
            found[name] = "ended its process: more CPU than its limit, or a crash"
            return
        if said := json.loads(answer):
            found[name] = said
    child.stdin.close()


def _main() -> None:
    from support.readers import cases, examples

    known = {case.name: case for case in [*cases(), *examples()]}
    gc.disable()
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
