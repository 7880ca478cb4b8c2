"""Kills processes of the daemon's Chromium, one kind after the other."""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Sequence

import psutil

from soak.callers import Notes
from support.daemon import Daemon
from support.processes import browsers, words_of

_MARKS = {
    "renderer": "--type=renderer",
    "gpu": "--type=gpu-process",
    "network": "--utility-sub-type=network.mojom.NetworkService",
}
KINDS = ("renderer", "gpu", "network", "renderer", "browser")


def kill_now_and_then(
    daemon: Daemon,
    notes: Notes,
    over: threading.Event,
    *,
    seed: int,
    every_s: float,
    kinds: Sequence[str] = KINDS,
) -> None:
    """Kill one process about every `every_s` seconds until `over` is set, in turn of `kinds`."""
    chance = random.Random(seed)
    number = 0
    while not over.wait(every_s * chance.uniform(0.5, 1.5)):
        kind = kinds[number % len(kinds)]
        number += 1
        victims = _find(daemon, kind)
        if victims:
            # Before the deed: who finds its tab gone must find the reason, too.
            notes.kills.append((notes.at, kind))
            victim = chance.choice(victims)
            with contextlib.suppress(psutil.NoSuchProcess):
                victim.kill()


def _find(daemon: Daemon, kind: str) -> list[psutil.Process]:
    parents = browsers(daemon.home.base)
    if kind == "browser":
        return parents
    found = []
    for parent in parents:
        try:
            children = parent.children(recursive=True)
        except psutil.NoSuchProcess:
            continue
        found += [child for child in children if _MARKS[kind] in words_of(child)]
    return found
