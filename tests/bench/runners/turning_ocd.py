"""`ocd run`, with the CPU that its loop's thread uses between two turns written to a file.

`python turning_ocd.py FILE run …`: FILE is JSON when the daemon has ended: longest_ms, turns, and
stacks, the last ones seen of turns that used more than SHOWN_S, longest first. A turn is seen by a
timer of BEAT_S, which is the most that the figure is too high by.
"""

import asyncio
import json
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

from ocd import lifecycle
from ocd.__main__ import main

BEAT_S = 0.005
SHOWN_S = 0.1
LOOK_S = 0.02
MAX_STACKS = 12
FRAMES = 14


class Turns:
    """What the thread that made it has used at its last turn, and the most between two."""

    def __init__(self) -> None:
        self.last = time.thread_time()
        self.longest = 0.0
        self.turns = 0
        self._stacks: dict[int, tuple[float, str]] = {}
        thread = threading.get_ident()
        clock = time.pthread_getcpuclockid(thread)
        threading.Thread(target=self._look, args=(thread, clock), daemon=True).start()

    async def count(self) -> None:
        """Take a turn at every beat, until cancelled."""
        self.last = time.thread_time()
        while True:
            await asyncio.sleep(BEAT_S)
            now = time.thread_time()
            self.longest = max(self.longest, now - self.last)
            self.last = now
            self.turns += 1

    def _look(self, thread: int, clock: int) -> None:
        while True:
            time.sleep(LOOK_S)
            turn, used = self.turns, time.clock_gettime(clock) - self.last
            frame = sys._current_frames().get(thread)
            if used > SHOWN_S and frame is not None:
                stack = "".join(traceback.format_stack(frame)[-FRAMES:])
                self._stacks[turn] = (used, stack)

    def write(self, path: Path) -> None:
        """Write what was found."""
        stacks = sorted(self._stacks.values(), reverse=True)[:MAX_STACKS]
        found = {"longest_ms": self.longest * 1000, "turns": self.turns, "stacks": stacks}
        path.write_text(json.dumps(found, indent=1), encoding="utf-8")


def measure(path: Path) -> None:
    """Have the daemon that this process becomes write its turns to a file."""
    serve = lifecycle.serve

    async def measured(config: Any) -> None:  # noqa: ANN401 - handed on
        turns = Turns()
        try:
            async with asyncio.TaskGroup() as group:
                counting = group.create_task(turns.count())
                await serve(config)
                counting.cancel()
        finally:
            turns.write(path)

    lifecycle.serve = measured  # type: ignore[assignment]


if __name__ == "__main__":
    measure(Path(sys.argv.pop(1)))
    main()
