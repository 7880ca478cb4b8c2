"""The lines about what several actions have changed, one after the other."""

import re
from collections.abc import Iterable, Sequence

_SAID = re.compile(r'^[+-] (?:text: (?P<text>.+)|[^"\[]*"(?P<name>(?:[^"\\]|\\.)+)")')
_OPPOSITES = {"+": "-", "-": "+"}
_CUT = "…"


def join(earlier: Iterable[str], later: Iterable[str]) -> list[str]:
    """Return the lines of two actions, without what only the time between them has seen.

    That is what the first brought and the second took away, such as a message about a field that
    is half filled; and likewise what went and came again, unless it came with a new ref.
    """
    lines = list(earlier)
    for line in later:
        passing = next((one for one in lines if _is_undone(one, line)), None)
        if passing is None:
            lines.append(line)
        else:
            lines.remove(passing)
    return lines


def without_values_of(ref: str, lines: Sequence[str]) -> list[str]:
    """Return the lines without those about values that a field had before it was filled."""
    return [line for line in lines if not (line.startswith("~ ") and f"[ref={ref}] value:" in line)]


def _is_undone(line: str, later: str) -> bool:
    if _OPPOSITES.get(line[:1]) != later[:1] or (later[0] == "+" and "[ref=" in later):
        return False
    words, then = _words_of(line), _words_of(later)
    if not words or not then:
        return False
    cut, other = sorted((words, then), key=lambda text: text.endswith(_CUT), reverse=True)
    return other.startswith(cut.removesuffix(_CUT)) if cut.endswith(_CUT) else words == then


def _words_of(line: str) -> str:
    said = _SAID.match(line)
    return (said["text"] or said["name"]) if said else ""
