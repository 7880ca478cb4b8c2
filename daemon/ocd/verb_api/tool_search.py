"""Finding verbs by what a caller wants to do, in the caller's words."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ocd.api.tool_schema import describe
from ocd.content.tokens import terms

Entry = Mapping[str, Any]

# What a word is worth by where it stands.
_NAME, _SUMMARY, _TEXT, _PARAMETER = 4.0, 3.0, 1.0, 0.5
# Words of a question that say nothing about the tool.
_FILLERS = (
    "a an and all are as at be by can do does every find for from get give how i in into is it its "
    "me my of on one or out page pages please show so some something that the them then this to "
    "tool use using want web what when where which will with you your"
)


def rank(entries: Iterable[Entry], query: str) -> list[Entry]:
    """Return the entries that have words of the query, best first.

    A word counts by where it stands, and by how few of the entries have it; of two entries with as
    much, the one with more of the words is meant.
    """
    found = sorted(entries, key=lambda entry: str(entry["name"]))
    fillers = set(terms(_FILLERS))
    words = [word for word in terms(query) if word not in fillers] or terms(query)
    indexed = [_weights(entry) for entry in found]
    holders = Counter(word for weights in indexed for word in weights)
    rarity = {word: math.log(1 + len(found) / holders[word]) for word in words if holders[word]}

    def score(weights: Mapping[str, float]) -> float:
        scores = [rarity[word] * weights[word] for word in rarity if word in weights]
        return sum(scores) * len(scores)

    scored = [(score(weights), entry) for entry, weights in zip(found, indexed, strict=True)]
    return [entry for worth, entry in sorted(scored, key=lambda pair: -pair[0]) if worth]


def _weights(entry: Entry) -> dict[str, float]:
    """Return the words of an entry, each with the weight of the best place where it occurs."""
    weights: dict[str, float] = {}
    for worth, text in (
        (_PARAMETER, " ".join(_parameter_texts(entry["params"]))),
        (_TEXT, describe(entry)),
        (_SUMMARY, entry["summary"]),
        (_NAME, entry["name"].replace("_", " ")),
    ):
        for word in terms(text):
            weights[word] = max(worth, weights.get(word, 0.0))
    return weights


def _parameter_texts(schema: Mapping[str, Any]) -> Iterable[str]:
    for name, one in schema.get("properties", {}).items():
        yield name.replace("_", " ")
        yield one.get("description", "")
        yield from (str(choice).replace("_", " ") for choice in one.get("enum", ()))
