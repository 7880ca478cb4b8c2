"""Crash points: where the crash tests end the process, at numbered steps of every write order.

The stores call `point(name)` after each step. It does nothing unless `arm` was called at start
with a name (config passes $OCD_FAULT); then the n-th visit of that point kills the process.

`strike(place, text)` is called where untrusted text is processed. With OCD_FAULT "place=spin@mark",
the process backtracks there in `re` forever, with the lock held, as soon as the text contains the
mark; with "place=wait@mark" it waits there without computing, and with "place=eat@mark" it
allocates memory until there is none. Standard library only.
"""

import os
import re
import signal
import threading

_fault = ""
_point = ""
_left = 0
_place, _what, _mark = "", "", ""


def arm(fault: str) -> None:
    """Arm a fault: "name" or "name:n" (kill at the n-th visit), or "place=what@mark"."""
    global _fault, _point, _left, _place, _what, _mark
    place, struck, rest = fault.partition("=")
    if struck:
        _fault, _place, (_what, _, _mark) = fault, place, rest.partition("@")
        return
    name, _, visit = fault.partition(":")
    _fault, _point, _left = fault, name, int(visit or 1)


def armed() -> str:
    """Return the armed fault, for a process that is started from here."""
    return _fault


def point(name: str) -> None:
    """Die here, as by kill -9, if this is the armed point."""
    if name == _point:
        _visit()


def _visit() -> None:
    global _left  # noqa: PLW0603 - see arm
    _left -= 1
    if _left == 0:
        if hasattr(signal, "SIGKILL"):
            os.kill(os.getpid(), signal.SIGKILL)
        os._exit(137)  # Windows has no SIGKILL; _exit runs no cleanup either


def strike(place: str, text: str) -> None:
    """Trigger the fault armed for this place, if the text contains the mark."""
    if place == _place and _mark in text:
        {"spin": _backtrack_forever, "wait": _wait, "eat": _exhaust_memory}[_what]()


def _backtrack_forever() -> None:
    re.match("(a|aa)+$", "a" * 200 + "b")


def _wait() -> None:
    threading.Event().wait()


def _exhaust_memory() -> None:
    eaten = []
    while True:
        eaten.append(bytearray(1 << 24))
