"""`make soak`: a daemon under mixed calls, hostile pages and kills; exit 1 if it broke a promise.

`PYTHONPATH=tests python -m soak --minutes 3`. What must hold: no answer is `internal`, no call
outlives its deadline, no session loses a tab unless its own process or the browser was killed, and
the daemon's memory does not grow: in the last third at most 1.05 of the second third (in 15 minutes
these are the minutes 10 to 15 and 5 to 10). Every error's words are in the report.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from statistics import mean
from typing import Any

import psutil

from soak.callers import Keeper, Notes, Visitor
from soak.killing import KINDS, kill_now_and_then
from soak.pages import Pages
from support.daemon import Daemon

GROWTH = 1.05
SAMPLE_S = 5.0


def main() -> int:
    """Run, print the report, return the exit status."""
    options = _options()
    notes, over = Notes(), threading.Event()
    samples: list[dict[str, float]] = []
    Daemon.forks = False  # a forked one's memory is partly its parent's
    with Pages() as pages, Daemon() as daemon:
        people: list[Visitor | Keeper] = [
            Visitor(daemon, pages, notes, over, number, options.seed)
            for number in range(options.callers)
        ]
        people += [Keeper(daemon, pages, notes, over, 900 + n, options.seed) for n in range(2)]
        threads = [threading.Thread(target=person.run) for person in people]
        threads.append(threading.Thread(target=_kill, args=(daemon, notes, over, options)))
        for thread in threads:
            thread.start()
        _watch(daemon, notes, options.minutes * 60, samples)
        over.set()
        for thread in threads:
            thread.join(120)
        log = daemon.home.path / "log"
        tracebacks = _tracebacks(log)
    report = _report(notes, samples, tracebacks)
    text = json.dumps(report, indent=1, ensure_ascii=False)
    if options.report:
        options.report.write_text(text, encoding="utf-8")
    print(text)
    return 1 if report["broken"] else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--callers", type=int, default=6)
    parser.add_argument("--kill-every", type=float, default=8, help="seconds between two kills")
    parser.add_argument("--kinds", nargs="+", choices=sorted(set(KINDS)), default=KINDS)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 100_000)
    parser.add_argument("--report", type=Path, help="where to write the report, too")
    options = parser.parse_args()
    print(f"seed {options.seed}", file=sys.stderr)
    return options


def _kill(daemon: Daemon, notes: Notes, over: threading.Event, options: argparse.Namespace) -> None:
    kill_now_and_then(
        daemon, notes, over, seed=options.seed, every_s=options.kill_every, kinds=options.kinds
    )


def _watch(daemon: Daemon, notes: Notes, seconds: float, samples: list[dict[str, float]]) -> None:
    """Look at the daemon's process until the time is over, or it has ended."""
    process = psutil.Process(daemon.identity.pid)
    pause = threading.Event()
    while notes.at < seconds:
        pause.wait(SAMPLE_S)
        if not daemon.identity.alive:
            notes.fault("the daemon has ended")
            return
        children = process.children(recursive=True)
        samples.append({
            "at": notes.at, "rss": process.memory_info().rss, "fds": process.num_fds(),
            "zombies": sum(_is_zombie(child) for child in children),
        })  # fmt: skip


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _tracebacks(logs: Path) -> list[str]:
    """Return what the daemon logged as errors, each once."""
    found: Counter[str] = Counter()
    for path in sorted(logs.glob("ocd*")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if "ERROR" in line or "Traceback" in line or '"level": "error"' in line.lower():
                found[line[:400]] += 1
    return [f"{count} x {line}" for line, count in found.most_common(60)]


def _report(notes: Notes, samples: list[dict[str, float]], tracebacks: list[str]) -> dict[str, Any]:
    broken = list(notes.faults)
    third = len(samples) // 3
    growth = None
    if third:
        before = mean(sample["rss"] for sample in samples[third : 2 * third])
        after = mean(sample["rss"] for sample in samples[2 * third :])
        growth = round(after / before, 3)
        if growth > GROWTH:
            broken.append(f"memory grew to {growth} of what it was in the third before")
    return {
        "broken": broken,
        "calls": notes.codes.total(),
        "codes": dict(notes.codes.most_common()),
        "kills": dict(Counter(kind for _, kind in notes.kills)),
        "kill_times": [[round(at, 1), kind] for at, kind in notes.kills],
        "growth": growth,
        "rss_mb": [round(sample["rss"] / 2**20, 1) for sample in samples[:: max(1, third // 4)]],
        "fds": [samples[0]["fds"], samples[-1]["fds"]] if samples else [],
        "zombies": max((sample["zombies"] for sample in samples), default=0),
        "logged": tracebacks,
        "texts": {code: dict(texts.most_common()) for code, texts in notes.texts.items()},
    }


if __name__ == "__main__":
    sys.exit(main())
