"""Lines of a reading that an earlier reading had, such as a site's menus. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ocd.api.spelling import truncate
from ocd.safety.host_canonical import resolve_url

_REF = re.compile(r" ?\[ref=e\d+\]|(?<= with ref=)e\d+|(?<= options: as )e\d+")
# Not places of the page itself, which each page has, nor what goes on from the row's first address.
_TARGET = re.compile(r"→ ([^\s#…]\S*)")
# Fewer lines in a row stand alike on any two pages.
_MIN_LINES = 3
# Places of one line that are looked at for the longest run.
_PLACES = 8
_NAME_CHARS = 50
# A reading of which less is left out is given whole.
LITTLE = 0.1


@dataclass(frozen=True, slots=True)
class Shortened:
    """A reading with one line in place of each known run.

    added, left_out: the numbers of lines that are new, and that were replaced.

    share: of the characters, how much is left out.
    """

    text: str
    added: int
    left_out: int
    share: float


def without_repeats(after: str, url: str, before: str, before_url: str) -> Shortened:
    """Return a reading without the runs of lines that an earlier one had, at any depth.

    Lines are alike whatever their refs, and wherever their links are written from.
    """
    lines = after.splitlines()
    known = _EarlierLines([_key(line, before_url) for line in before.splitlines()])
    keys = [_key(line, url) for line in lines]
    out: list[str] = []
    left_out = at = 0
    while at < len(lines):
        # What is not summed up of a run is not looked for again: that would take quadratic time.
        end = at + max(1, known.run(keys, at))
        run = lines[at : at + _trim(lines, at, end - at)]
        summary = _summary(run)
        if len(run) >= _MIN_LINES and sum(map(len, run)) > len(summary):
            left_out += len(run)
            out.append(summary)
            at += len(run)
        out += lines[at:end]
        at = end
    text = "".join(f"{line}\n" for line in out)
    share = 1 - len(text) / len(after) if after else 0.0
    return Shortened(text, len(lines) - left_out, left_out, share)


class _EarlierLines:
    """The lines of an earlier reading, and the positions of each."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys
        self._places: Mapping[str, list[int]] = _places(keys)

    def run(self, keys: Sequence[str], start: int) -> int:
        """Return how many lines from there on follow each other in the earlier reading, too."""
        places = self._places.get(keys[start], ())
        return max((self._alike(keys, start, place) for place in places), default=0)

    def _alike(self, keys: Sequence[str], start: int, place: int) -> int:
        pairs = zip(range(start, len(keys)), range(place, len(self._keys)), strict=False)
        length = 0
        for one, other in pairs:
            if keys[one] != self._keys[other]:
                break
            length += 1
        return length


def _places(keys: Sequence[str]) -> Mapping[str, list[int]]:
    found: defaultdict[str, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        if len(found[key]) < _PLACES:
            found[key].append(place)
    return found


def _key(line: str, url: str) -> str:
    def resolve(target: re.Match[str]) -> str:
        return f"→ {resolve_url(url, target[1])}"

    return _TARGET.sub(resolve, _REF.sub("", line.strip()))


def _trim(lines: Sequence[str], start: int, length: int) -> int:
    """Return a run's length without the lines at its end that are parents of what follows."""
    end = start + length
    if end < len(lines):
        while end > start and _depth(lines[end - 1]) < _depth(lines[end]):
            end -= 1
    return end - start


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _summary(run: Sequence[str]) -> str:
    if not run:
        return ""
    names = list(_names(run))
    indent = run[0][: _depth(run[0])]
    return f"{indent}- as before: {names[0]} to {names[-1]} ({len(run)} lines)"


def _names(run: Sequence[str]) -> Iterator[str]:
    for line in (run[0], run[-1]):
        name = _REF.sub("", line.strip().removeprefix("- ")).partition(" → ")[0]
        yield truncate(name, _NAME_CHARS)
