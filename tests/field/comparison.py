"""Our crawl beside the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from field.truth import Truth, normalise

# What sanitising takes out of any text without a word: zero-width space, soft hyphen.
_UNSEEN = dict.fromkeys((0x200B, 0xAD))


@dataclass
class Difference:
    """Sets of URLs; all empty when the crawl found what there is."""

    found: int = 0
    missed: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    surplus: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    depths: list[str] = field(default_factory=list)
    own_words: list[str] = field(default_factory=list)  # texts with a note of OpenChrome's in them

    @property
    def faults(self) -> list[str]:
        """Return what must not be, one line each."""
        lists = vars(self).items()
        return [f"{name}: {one}" for name, ones in lists if name != "found" for one in ones]


def compare(records: Iterable[dict[str, Any]], truth: Truth) -> Difference:
    """Return how the pages of a crawl differ from the truth."""
    difference = Difference()
    urls: Counter[str] = Counter()
    for record in records:
        if record.get("error") or "html" not in record["content_type"]:
            continue
        url = normalise(record["final_url"])
        urls[url] += 1
        if url not in truth.pages:
            difference.surplus.append(url)
            continue
        if _seen(record["title"]) != _seen(truth.pages[url]):
            difference.titles.append(f"{url}: {record['title']!r}, not {truth.pages[url]!r}")
        if record["depth"] != truth.depths[url]:
            difference.depths.append(f"{url}: {record['depth']}, not {truth.depths[url]}")
        if "[OpenChrome" in record["title"] + record["content"]:
            difference.own_words.append(url)
    difference.found = len(truth.pages.keys() & urls.keys())
    difference.missed = sorted(truth.pages.keys() - urls.keys())
    difference.twice = [url for url, count in urls.items() if count > 1]
    return difference


def _seen(title: str) -> str:
    return " ".join(title.translate(_UNSEEN).split())
