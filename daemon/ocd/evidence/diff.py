"""Comparing two evidence bundles part by part; every difference is one entry."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ocd.content.depth_limit import flat_tree
from ocd.contracts import perceptual_hash

# Beyond this many pairs of lines the order is ignored: only which lines there are is compared.
_MAX_LINE_PAIRS = 2_000_000
_MAX_TEXT = 300
_REF = re.compile(r"\s?\[ref=e\d+\]")
Difference = dict[str, Any]
# A bundle as its parts' values: outline, html, network, console, facts, screenshot_hash.
Material = Mapping[str, Any]


def compare(a: Material, b: Material) -> dict[str, Any]:
    """Return same, summary by part, screenshot_distance, performance, not_compared, differences.

    What differs at every load (times, bytes in memory) is reported beside the differences.
    """
    differences: list[Difference] = []
    summary: dict[str, dict[str, int]] = {}
    not_compared: list[dict[str, str]] = []
    for part, differ in _PARTS.items():
        sides = [name for name, side in (("a", a), ("b", b)) if side.get(part) is None]
        if sides:
            if len(sides) == 1:
                reason = f"only {'b' if sides == ['a'] else 'a'} has it"
                not_compared.append({"part": part, "reason": reason})
            continue
        found = [
            {"part": _NAMES.get(part, part), **difference}
            for difference in differ(a[part], b[part])
        ]
        summary[_NAMES.get(part, part)] = dict(
            Counter(difference["change"] for difference in found)
        )
        differences += found
    distance = _distance(a.get("screenshot_hash"), b.get("screenshot_hash"))
    return {
        "same": not differences and not distance and not not_compared,
        "summary": summary,
        "screenshot_distance": distance,
        "performance": _metrics(a, b),
        "not_compared": not_compared,
        "differences": differences,
    }


def _distance(one: str | None, other: str | None) -> int | None:
    return None if one is None or other is None else perceptual_hash.distance(one, other)


def _metrics(a: Material, b: Material) -> dict[str, Any]:
    """Return the metrics that differ, each as {a, b}."""
    one, other = ((side.get("facts") or {}).get("performance") or {} for side in (a, b))
    names = sorted({**one, **other})
    return {
        name: {"a": one.get(name), "b": other.get(name)}
        for name in names
        if one.get(name) != other.get(name)
    }


def _clip(value: object) -> object:
    if isinstance(value, str) and len(value) > _MAX_TEXT:
        return f"{value[:_MAX_TEXT]}… ({len(value)} characters)"
    return value


# --- the outline, line by line ------------------------------------------------------------------


def _lines(before: str, after: str) -> Iterator[Difference]:
    # Refs are assigned again with every reading: they say nothing about the page.
    a, b = (_REF.sub("", text).splitlines() for text in (before, after))
    start = _alike(a, b)
    end = _alike(a[start:][::-1], b[start:][::-1])
    old, new = a[start : len(a) - end], b[start : len(b) - end]
    if len(old) * len(new) > _MAX_LINE_PAIRS:
        yield from _multisets(old, new, "line")
        return
    import difflib  # only needed where lines are compared

    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag != "equal":
            yield from _changed_lines(old[i:i_end], new[j:j_end], start + i, start + j)


def _alike(a: Sequence[str], b: Sequence[str]) -> int:
    """Return how many lines are the same at the beginning."""
    return next(
        (n for n, (one, other) in enumerate(zip(a, b, strict=False)) if one != other),
        min(len(a), len(b)),
    )


def _changed_lines(old: list[str], new: list[str], at_a: int, at_b: int) -> Iterator[Difference]:
    both = min(len(old), len(new))
    for n in range(max(len(old), len(new))):
        change = "changed" if n < both else "removed" if n < len(old) else "added"
        entry: Difference = {"change": change}
        if n < len(old):
            entry |= {"line_a": at_a + n + 1, "before": _clip(old[n].strip())}
        if n < len(new):
            entry |= {"line_b": at_b + n + 1, "after": _clip(new[n].strip())}
        yield entry


def _multisets(old: Sequence[str], new: Sequence[str], what: str) -> Iterator[Difference]:
    """Yield what one list has more often than the other, in order of appearance."""
    counts_a, counts_b = Counter(old), Counter(new)
    for change, key, more in (
        ("removed", "before", counts_a - counts_b),
        ("added", "after", counts_b - counts_a),
    ):
        for text, count in more.items():
            yield {"change": change, "what": what, key: _clip(text), "count": count}


# --- the other parts ----------------------------------------------------------------------------


def _tags(before: str, after: str) -> Iterator[Difference]:
    a, b = _tag_counts(before), _tag_counts(after)
    for tag in sorted(a.keys() | b.keys()):
        if a[tag] != b[tag]:
            change = "added" if not a[tag] else "removed" if not b[tag] else "changed"
            yield {"change": change, "what": f"<{tag}>", "before": a[tag], "after": b[tag]}


def _tag_counts(html: str) -> Counter[str]:
    return Counter(node.tag or "" for node in flat_tree(html).css("*"))


def _requests(before: Any, after: Any) -> Iterator[Difference]:  # noqa: ANN401 - JSON
    def request_name(entry: Mapping[str, Any]) -> str:
        status = entry.get("status")
        outcome = status if status is not None else entry.get("error") or "no answer"
        return f"{entry.get('method') or 'GET'} {entry.get('url')} {outcome}"

    yield from _multisets(
        _entries_by_name(before, request_name), _entries_by_name(after, request_name), "request"
    )


def _messages(before: Any, after: Any) -> Iterator[Difference]:  # noqa: ANN401 - JSON
    def message_name(entry: Mapping[str, Any]) -> str:
        level = entry.get("level") or entry.get("type") or "log"
        return f"{level}: {entry.get('text', entry.get('message', ''))}"

    yield from _multisets(
        _entries_by_name(before, message_name), _entries_by_name(after, message_name), "entry"
    )


def _entries_by_name(log: Any, name: Callable[[Mapping[str, Any]], str]) -> list[str]:  # noqa: ANN401 - JSON
    entries = log.get("entries", []) if isinstance(log, Mapping) else log
    return [name(entry) for entry in entries if isinstance(entry, Mapping)]


def _facts(before: Any, after: Any) -> Iterator[Difference]:  # noqa: ANN401 - JSON
    a, b = ({k: v for k, v in _flat(of, "") if not _changing(k)} for of in (before, after))
    for key in sorted(a.keys() | b.keys()):
        if key not in a:
            yield {"change": "added", "what": key, "after": _clip(b[key])}
        elif key not in b:
            yield {"change": "removed", "what": key, "before": _clip(a[key])}
        elif a[key] != b[key]:
            yield {
                "change": "changed", "what": key,
                "before": _clip(a[key]), "after": _clip(b[key]),
            }  # fmt: skip


def _changing(key: str) -> bool:
    return key == "captured_at" or key.startswith("performance.")


def _flat(value: object, path: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _flat(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _flat(item, f"{path}[{number}]")
    else:
        yield path, value


_NAMES = {"html": "dom"}
_PARTS: dict[str, Callable[[Any, Any], Iterator[Difference]]] = {
    "outline": _lines, "html": _tags, "network": _requests, "console": _messages, "facts": _facts,
}  # fmt: skip
