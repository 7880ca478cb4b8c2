"""Crash points: where the crash tests end the process, at numbered steps of every write order.

The stores call `point(name)` after each step. It does nothing unless `arm` was called at start
with a name (config passes $OCD_FAULT); then the n-th visit of that point kills the process.
Standard library only.
"""

import os
import signal

_armed = ""
_left = 0


def arm(fault: str) -> None:
    """Kill this process at the n-th visit of a point: `fault` is "name" or "name:n"; "" disarms."""
    global _armed, _left
    name, _, visit = fault.partition(":")
    _armed, _left = name, int(visit or 1)


def point(name: str) -> None:
    """Die here, as by kill -9, if this is the armed point."""
    if name == _armed:
        _visit()


def _visit() -> None:
    global _left  # noqa: PLW0603 - see arm
    _left -= 1
    if _left == 0:
        if hasattr(signal, "SIGKILL"):
            os.kill(os.getpid(), signal.SIGKILL)
        os._exit(137)  # Windows has no SIGKILL; _exit runs no cleanup either
