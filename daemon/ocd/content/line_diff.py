"""Line diff of two readings of a page. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_REF = re.compile(r"\[ref=(e\d+)\]")
# Several controls of one kind on one line: `toolbar > button: "Cut" [ref=e3] | "Copy" [ref=e4]`,
# with the states that all of them have behind the kind.
_BAR = re.compile(
    r"(?:^| > )(button|clickable|draggable|link|menuitem(?:checkbox|radio)?|tab)"
    r"((?: [a-z]+)*): (?=\[ref=|\"|\()"
)
_BETWEEN = re.compile(r" \| (?=\[ref=|\"|\()")
# Beyond this share of different lines the reading itself says more than the difference.
MUCH = 0.5


@dataclass(frozen=True, slots=True)
class LineDiff:
    """Added and removed lines, and changed pairs (before, after) of one element or place."""

    added: Sequence[str]
    removed: Sequence[str]
    changed: Sequence[tuple[str, str]]
    unchanged: int

    @property
    def ratio(self) -> float:
        """The share of lines that are different: 0 for none, 1 for all."""
        different = len(self.added) + len(self.removed) + 2 * len(self.changed)
        total = different + 2 * self.unchanged
        return different / total if total else 0.0

    @property
    def counts(self) -> dict[str, int]:
        """How many lines of each kind there are."""
        return {
            "added": len(self.added),
            "removed": len(self.removed),
            "changed": len(self.changed),
            "unchanged": self.unchanged,
        }

    def text(self) -> str:
        """Return the lines with a sign in front: - removed, ~ changed (before → after), + added."""
        lines = [f"- {line}" for line in self.removed]
        lines += [f"~ {before} → {after}" for before, after in self.changed]
        lines += [f"+ {line}" for line in self.added]
        return "".join(f"{line}\n" for line in lines)

    @property
    def refs(self) -> list[str]:
        """The refs on lines that were added."""
        return list(dict.fromkeys(ref for line in self.added for ref in _REF.findall(line)))


def difference(before: str, after: str) -> LineDiff:
    """Compare two readings: a moved line is unchanged, two lines of one ref are a change."""
    old, new = _lines(before), _lines(after)
    left, come = Counter(old), Counter(new)
    same = (left & come).total()
    gone, added = _only(old, left - come), _only(new, come - left)
    by_ref = {refs[0]: line for line in gone if (refs := _REF.findall(line))}
    changed: list[tuple[str, str]] = []
    fresh: list[str] = []
    for line in added:
        refs = _REF.findall(line)
        was = by_ref.pop(refs[0], None) if refs else None
        if was is None:
            fresh.append(line)
        else:
            changed.append((was, line))
    rest = Counter(gone) - Counter(was for was, _ in changed)
    return LineDiff(fresh, _only(gone, rest), changed, same)


def _lines(text: str) -> list[str]:
    """Return the lines without indentation and dashes; controls on one line get a line each."""
    found: list[str] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        words = line.removeprefix("- ")
        bar = _BAR.search(words)
        if bar is None or "[ref=" not in words[bar.end() :]:
            found.append(words)
        else:
            found += [words[: bar.start()]] if bar.start() else []
            items = _BETWEEN.split(words[bar.end() :])
            found += [f"{bar[1]} {item}{bar[2]}" for item in items]
    return found


def _only(lines: Sequence[str], counts: Counter[str]) -> list[str]:
    """Return these lines in their order, each as often as `counts` says."""
    left = Counter(counts)
    found = []
    for line in lines:
        if left[line] > 0:
            left[line] -= 1
            found.append(line)
    return found
