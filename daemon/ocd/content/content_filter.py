"""Markdown shortened to blocks with content (prune) or blocks that match words (bm25).

Pure. Headings stay with the blocks that stay below them; removed blocks are counted.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ocd.api.errors import OcdError
from ocd.api.spelling import snake_case_keys
from ocd.content.tokens import terms

Kind = Literal["prune", "bm25"]
DEFAULTS = {"min_words": 5, "max_sections": 80, "bm25_threshold": 0.0, "prune_threshold": 0.15}

_FENCE = re.compile(r"\s*(```+|~~~+)")
_HEADING = re.compile(r"(#{1,6})\s")
_LINK = re.compile(
    r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?:\s\"[^\"]*\")?\)"
)
_SENTENCE = re.compile(r"[.!?…。！？:]\s*$")  # noqa: RUF001 - sentences of other scripts end, too
# BM25's usual constants, and how many words make a block a full one.
_K, _B = 1.5, 0.75
_FULL = 40


@dataclass(slots=True)
class Block:
    """A paragraph, list, table or fence of code; `above` are the places of its headings."""

    text: str
    level: int = 0  # of a heading, else 0
    above: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FilteredText:
    """The shortened text, with counts of characters and blocks."""

    text: str
    facts: dict[str, Any] = field(default_factory=dict)


def filter_blocks(
    text: str, kind: Kind, query: str | None, options: Mapping[str, float] | None
) -> FilteredText:
    """Return the text without the blocks that say little, or nothing about `query`.

    Raises invalid_argument for bm25 without a query and for unknown options.
    """
    limits = _limits(options or {})
    words = terms(query or "")
    if kind == "bm25" and not words:
        raise OcdError(
            "invalid_argument", "content_filter bm25 needs words to look for.",
            hint="Pass query, for example query='shipping costs'.", parameter="query",
        )  # fmt: skip
    blocks = list(_blocks(text))
    text_places = [place for place, block in enumerate(blocks) if not block.level]
    scores = (
        _relevant(blocks, text_places, words) if kind == "bm25" else _dense(blocks, text_places)
    )
    chosen = _choose_blocks(blocks, text_places, scores, kind, limits)
    with_headings = sorted({*chosen, *(above for place in chosen for above in blocks[place].above)})
    short = "\n\n".join(blocks[place].text for place in with_headings)
    short += "\n" if short else ""
    facts = {
        "type": kind, "raw_chars": len(text), "fit_chars": len(short),
        "reduction_ratio": round(1 - len(short) / len(text), 3) if text else 0.0,
        "sections_seen": len(text_places), "sections_kept": len(chosen),
        "query": query if kind == "bm25" else None,
    }  # fmt: skip
    return FilteredText(short, facts)


def _limits(options: Mapping[str, float]) -> dict[str, float]:
    values = snake_case_keys(options)
    unknown = sorted(values.keys() - DEFAULTS.keys())
    if unknown:
        raise OcdError(
            "invalid_argument", f"filter_options has no {unknown[0]!r}.",
            parameter="filter_options", expected=sorted(DEFAULTS),
        )  # fmt: skip
    return {**DEFAULTS, **values}


def _blocks(text: str) -> Iterator[Block]:
    headings: list[tuple[int, int]] = []  # level, place
    for place, part in enumerate(_parts(text)):
        match = _HEADING.match(part)
        level = len(match[1]) if match else 0
        if level:
            headings = [known for known in headings if known[0] < level]
        yield Block(part, level, tuple(at for _, at in headings))
        if level:
            headings.append((level, place))


def _parts(text: str) -> Iterator[str]:
    """Yield the blocks of a Markdown text: between blank lines, fences whole, headings alone."""
    lines: list[str] = []
    fence = ""
    for line in text.splitlines():
        opened = _FENCE.match(line)
        ends = not line.strip() or bool(_HEADING.match(line))
        if not fence and ends and lines:
            yield "\n".join(lines)
            lines = []
        if fence or line.strip():
            lines.append(line)
        if opened and not fence:
            fence = opened[1]
        elif opened and opened[1].startswith(fence) and line.strip() == opened[1]:
            fence = ""
        elif not fence and _HEADING.match(line):
            yield "\n".join(lines)
            lines = []
    if lines:
        yield "\n".join(lines)


def _choose_blocks(
    blocks: Sequence[Block],
    text_places: Sequence[int],
    scores: Mapping[int, float],
    kind: Kind,
    limits: Mapping[str, float],
) -> list[int]:
    least = limits[f"{kind}_threshold"]
    few = limits["min_words"]
    fits = [
        place
        for place in text_places
        if (scores[place] > least if kind == "bm25" else scores[place] >= least)
        and (_is_data(blocks[place].text) or len(terms(blocks[place].text, ())) >= few)
    ]
    return sorted(sorted(fits, key=lambda at: -scores[at])[: max(int(limits["max_sections"]), 0)])


def _is_data(text: str) -> bool:
    # Tables and code say much with few words.
    return text.startswith("|") or bool(_FENCE.match(text))


def _dense(blocks: Sequence[Block], text_places: Sequence[int]) -> dict[int, float]:
    """Return each block's density from 0 (menus) to 1 (prose, data): text that is not links."""
    scores = {}
    for place in text_places:
        text = blocks[place].text
        bare = len(_LINK.sub("", text).strip(" -*+|\n\t0123456789."))
        length = len(_LINK.sub(r"\1", text).strip(" -*+|\n\t0123456789."))
        density = min(bare / length, 1.0) if length else 0.0
        full = min(len(terms(text, ())) / _FULL, 1.0)
        sentence = 1.0 if _SENTENCE.search(text) else 0.0
        scores[place] = 1.0 if _is_data(text) else density * (0.5 + 0.4 * full + 0.1 * sentence)
    return scores


def _relevant(
    blocks: Sequence[Block], text_places: Sequence[int], query: Sequence[str]
) -> dict[int, float]:
    """Return each block's BM25 score for the query; its headings count as part of it."""
    counts = {}
    for place in text_places:
        about = " ".join([*(blocks[at].text for at in blocks[place].above), blocks[place].text])
        counts[place] = Counter(terms(_LINK.sub(r"\1", about), query))
    sizes = {place: counts[place].total() for place in text_places}
    mean = sum(sizes.values()) / len(sizes) if sizes else 1.0
    scores = dict.fromkeys(text_places, 0.0)
    for word in dict.fromkeys(query):
        having = [place for place in text_places if counts[place][word]]
        rarity = math.log(1 + (len(text_places) - len(having) + 0.5) / (len(having) + 0.5))
        for place in having:
            often = counts[place][word]
            length = 1 - _B + _B * sizes[place] / (mean or 1.0)
            scores[place] += rarity * often * (_K + 1) / (often + _K * length)
    return scores
