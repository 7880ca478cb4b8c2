"""Contracts as callers write them: decoded and checked, with the location of every mistake.

{"kind": "url", "pattern": "/done$"}             a leaf: one statement about the page
{"and": […]}  {"or": […]}  {"not": …}            three-valued logic over others
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from ocd.api.errors import did_you_mean
from ocd.api.spelling import snake_case
from ocd.contracts.assertions import KINDS, Leaf
from ocd.contracts.matching import invalid

MAX_DEPTH = 32
MAX_NODES = 1000
_SYMBOLS = {
    "==": "eq", "=": "eq", "!=": "ne", "<>": "ne", "<": "lt", "<=": "lte", ">": "gt", ">=": "gte",
    "le": "lte", "ge": "gte",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Check:
    """A leaf at its place."""

    leaf: Leaf
    place: str


@dataclass(frozen=True, slots=True)
class AllOf:
    """`and`: all of them."""

    parts: "tuple[Node, ...]"
    place: str


@dataclass(frozen=True, slots=True)
class AnyOf:
    """`or`: one of them."""

    parts: "tuple[Node, ...]"
    place: str


@dataclass(frozen=True, slots=True)
class Not:
    """`not`."""

    part: "Node"
    place: str


Node = Check | AllOf | AnyOf | Not


def decode(contract: object, place: str = "contract") -> Node:
    """Return the contract; `contract` is a JSON value or its text. invalid_argument names places.

    A list, or an object with `assertions`, means all of them.
    """
    if isinstance(contract, str):
        try:
            contract = msgspec.json.decode(contract)
        except (msgspec.DecodeError, RecursionError) as error:
            raise invalid(place, f"not JSON: {error}") from None
    return _Decoding().node(contract, place, 0)


class _Decoding:
    def __init__(self) -> None:
        self.nodes = 0

    def node(self, value: object, place: str, depth: int) -> Node:
        self.nodes += 1
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            raise invalid(place, f"more than {MAX_DEPTH} levels or {MAX_NODES} parts")
        if isinstance(value, list):
            return AllOf(self._parts(value, place, depth), place)
        if not isinstance(value, Mapping):
            raise invalid(place, "expected an object with kind, and, or or not")
        raw = {snake_case(str(key)): item for key, item in value.items()}
        if "kind" in raw:
            return Check(_leaf(raw, place), place)
        return self._decode_group(raw, place, depth)

    def _decode_group(self, raw: dict[str, object], place: str, depth: int) -> Node:
        words = [word for word in ("and", "or", "not", "assertions") if word in raw]
        rest = sorted(raw.keys() - {*words, "name"})
        if len(words) != 1 or rest:
            what = f"unknown field {rest[0]!r}" if rest else "expected one of kind, and, or, not"
            raise invalid(
                f"{place}.{rest[0]}" if rest else place, what,
                did_you_mean(rest[0], ("kind", "and", "or", "not")) if rest else "",
            )  # fmt: skip
        word, inner = words[0], f"{place}.{words[0]}"
        if word == "not" or (word == "assertions" and not isinstance(raw[word], list)):
            part = self.node(raw[word], inner, depth + 1)
            return Not(part, inner) if word == "not" else part
        parts = self._parts(raw[word], inner, depth)
        return AnyOf(parts, inner) if word == "or" else AllOf(parts, inner)

    def _parts(self, value: object, place: str, depth: int) -> tuple[Node, ...]:
        if not isinstance(value, list) or not value:
            # An empty `and` would pass whatever the page is.
            raise invalid(place, "expected a list of at least one contract")
        return tuple(
            self.node(part, f"{place}[{number}]", depth + 1) for number, part in enumerate(value)
        )


def _leaf(raw: dict[str, object], place: str) -> Leaf:
    kind = raw.pop("kind")
    of = KINDS.get(snake_case(kind)) if isinstance(kind, str) else None
    if of is None:
        hint = did_you_mean(str(kind), KINDS, f"Use one of: {', '.join(KINDS)}.")
        raise invalid(f"{place}.kind", f"unknown kind {kind!r}", hint)
    if isinstance(raw.get("op"), str):
        raw["op"] = _SYMBOLS.get(str(raw["op"]), raw["op"])
    try:
        leaf = msgspec.convert(raw, of)
    except msgspec.ValidationError as error:
        raise decode_error(error, place) from None
    leaf.check(place)
    return leaf


def decode_error(error: msgspec.ValidationError, place: str) -> Exception:
    """Return the invalid_argument error of a value at `place` that does not decode."""
    what, _, path = str(error).replace("`", "").partition(" - at $")
    field = what.rpartition("unknown field ")[2] if "unknown field" in what else ""
    return invalid(f"{place}{path}" + (f".{field}" if field else ""), what[0].lower() + what[1:])


def leaves(node: Node) -> Iterator[Leaf]:
    """Yield the leaves, from left to right."""
    match node:
        case Check(leaf, _):
            yield leaf
        case Not(part, _):
            yield from leaves(part)
        case AllOf(parts, _) | AnyOf(parts, _):
            for part in parts:
                yield from leaves(part)


def as_json(node: Node) -> Any:  # noqa: ANN401 - any JSON value
    """Return the contract in its canonical form, from which its hash is computed."""
    match node:
        case Check(leaf, _):
            fields = {k: v for k, v in msgspec.to_builtins(leaf).items() if v not in (None, "")}
            return {"kind": leaf.KIND, **fields}
        case Not(part, _):
            return {"not": as_json(part)}
        case AllOf(parts, _):
            return {"and": [as_json(part) for part in parts]}
        case AnyOf(parts, _):
            return {"or": [as_json(part) for part in parts]}


# --- three-valued logic after Kleene: what is not known is neither true nor false ----------------

Verdict = Literal["pass", "fail", "inconclusive"]


def conjunction(verdicts: Iterable[Verdict]) -> Verdict:
    """Return fail if one fails, else inconclusive if one is, else pass; looks at every one."""
    present = set(verdicts)
    return "fail" if "fail" in present else "inconclusive" if "inconclusive" in present else "pass"


def disjunction(verdicts: Iterable[Verdict]) -> Verdict:
    """Return pass if one passes, else inconclusive if one is, else fail; looks at every one."""
    present = set(verdicts)
    return "pass" if "pass" in present else "inconclusive" if "inconclusive" in present else "fail"


def negation(verdict: Verdict) -> Verdict:
    """Return the opposite verdict; inconclusive stays inconclusive."""
    if verdict == "inconclusive":
        return verdict
    return "fail" if verdict == "pass" else "pass"
