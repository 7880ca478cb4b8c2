"""Contracts: Kleene's logic against a truth table, leaves on evidence, mistakes by their place."""

import base64
import io
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocd.api.errors import OcdError
from ocd.contracts.expression import Verdict, conjunction, decode, disjunction, negation
from ocd.contracts.perceptual_hash import distance, hash_of
from ocd.contracts.report import report
from ocd.contracts.snapshot import Snapshot, decode_evidence

P, F, U = "pass", "fail", "inconclusive"
AND = {
    (P, P): P, (P, U): U, (P, F): F, (U, P): U, (U, U): U, (U, F): F, (F, P): F, (F, U): F,
    (F, F): F,
}  # fmt: skip
OR = {
    (P, P): P, (P, U): P, (P, F): P, (U, P): P, (U, U): U, (U, F): U, (F, P): P, (F, U): U,
    (F, F): F,
}  # fmt: skip
NOT = {P: F, U: U, F: P}
verdicts = st.sampled_from((P, F, U))

# Three leaves with the three verdicts on EVIDENCE.
LEAVES: dict[str, dict[str, Any]] = {
    P: {"kind": "url", "contains": "example"},
    F: {"kind": "url", "contains": "nowhere"},
    U: {"kind": "dom_text", "contains": "anything"},
}
EVIDENCE = {"url": "http://example.org/"}
trees = st.recursive(
    verdicts.map(LEAVES.__getitem__),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=4).map(lambda parts: {"and": parts})
        | st.lists(inner, min_size=1, max_size=4).map(lambda parts: {"or": parts})
        | inner.map(lambda part: {"not": part})
    ),
    max_leaves=20,
)


def by_table(tree: dict[str, Any]) -> str:
    """Return the verdict by the tables alone, two at a time."""
    for verdict, leaf in LEAVES.items():
        if tree == leaf:
            return verdict
    if "not" in tree:
        return NOT[by_table(tree["not"])]
    table = AND if "and" in tree else OR
    first, *rest = (by_table(part) for part in tree.get("and") or tree["or"])
    for other in rest:
        first = table[first, other]
    return first


def told(contract: object, snapshot: dict[str, Any]) -> dict[str, Any]:
    return report(decode(contract), decode_evidence(snapshot)[0], {})


def verdict_of(contract: object, snapshot: dict[str, Any]) -> str:
    return str(told(contract, snapshot)["verdict"])


@given(st.lists(verdicts, min_size=1, max_size=6))
def test_logic_is_the_truth_table_in_any_order(values: list[Verdict]) -> None:
    both: str = values[0]
    either: str = values[0]
    for value in values[1:]:
        both, either = AND[both, value], OR[either, value]
    assert conjunction(values) == conjunction(values[::-1]) == both
    assert disjunction(values) == disjunction(values[::-1]) == either


@given(verdicts, verdicts)
def test_negation_obeys_de_morgan(one: Verdict, other: Verdict) -> None:
    assert negation(conjunction([one, other])) == disjunction([negation(one), negation(other)])
    assert negation(disjunction([one, other])) == conjunction([negation(one), negation(other)])
    assert negation(negation(one)) == one


@given(trees)
def test_nested_trees_follow_the_truth_tables(tree: dict[str, Any]) -> None:
    """Nested and, or, not with something inconclusive anywhere in them (#699, #705, #707)."""
    assert verdict_of(tree, EVIDENCE) == by_table(tree)
    assert verdict_of({"not": tree}, EVIDENCE) == NOT[by_table(tree)]


@given(trees)
def test_reports_are_deterministic_and_name_their_evidence(tree: dict[str, Any]) -> None:
    first, second = told(tree, EVIDENCE), told(tree, dict(EVIDENCE))
    assert msgspec.json.encode(first) == msgspec.json.encode(second)
    assert bool(first["failed_assertions"]) == (first["verdict"] == F)
    assert bool(first["inconclusive_assertions"]) == (first["verdict"] == U)
    assert (first["inconclusive_reason"] is None) == (first["verdict"] != U)


@pytest.mark.parametrize("kind", ["url", "dom_text", "dom_count", "network", "console"])
def test_missing_evidence_is_inconclusive_also_when_negated(kind: str) -> None:
    leaf = {
        "url": {"pattern": "x"},
        "dom_text": {"contains": "x"},
        "dom_count": {"selector": "a", "value": 0},
        "network": {"url_pattern": "x"},
        "console": {"level": "error", "none": True},
    }[kind]
    contract = {"kind": kind, **leaf}
    assert verdict_of(contract, {"title": "t"}) == U
    assert verdict_of({"not": contract}, {"title": "t"}) == U
    assert verdict_of({"and": [contract, LEAVES[P]]}, EVIDENCE if kind != "url" else {}) == U


@pytest.mark.parametrize(
    ("leaf", "snapshot", "verdict"),
    [
        ({"kind": "url", "pattern": "/done$"}, {"url": "http://a/done"}, P),
        ({"kind": "url", "pattern": "^done"}, {"url": "http://a/done"}, F),
        ({"kind": "dom_text", "contains": "a b"}, {"dom_text": "x a\n  b"}, P),
        ({"kind": "dom_text", "selector": "h1", "contains": "x"}, {"dom_text": {"h1": "xy"}}, P),
        ({"kind": "dom_text", "selector": "h1", "contains": "x"}, {"dom_text": {"h2": "xy"}}, U),
        ({"kind": "dom_text", "selector": "h1", "contains": "x"}, {"dom_text": {"h1": None}}, F),
        ({"kind": "dom_text", "selector": "h1", "contains": "x"}, {"dom_text": "x"}, U),
        ({"kind": "dom_text", "selector": "p", "contains": "hi"}, {"dom": "<p>oh hi</p>"}, P),
        ({"kind": "dom_count", "selector": "p", "op": ">=", "value": 2}, {"dom": "<p>1<p>2"}, P),
        ({"kind": "dom_count", "selector": "p", "value": 2}, {"domCount": {"p": 1}}, F),
        ({"kind": "dom_count", "selector": "p:::", "value": 2}, {"dom": "<p>"}, U),
        ({"kind": "no_dialog"}, {"has_open_dialog": False}, P),
        ({"kind": "no_dialog"}, {"hasOpenDialog": True}, F),
        ({"kind": "no_dialog"}, {"contract_facts": {"has_open_dialog": True}}, F),
        ({"kind": "performance", "metric": "LCP", "value": 10}, {"performance": {"lcp_ms": 9}}, P),
        ({"kind": "performance", "metric": "lcp", "value": 1}, {"performance": {"lcp_ms": 9}}, F),
        ({"kind": "performance", "metric": "cls", "value": 1}, {"performance": {"lcp_ms": 9}}, U),
        ({"kind": "performance", "metric": "cls", "value": 1}, {"performance": {"cls": None}}, U),
    ],
)
def test_each_condition_is_judged_on_its_evidence(
    leaf: dict[str, Any], snapshot: dict[str, Any], verdict: str
) -> None:
    assert verdict_of(leaf, snapshot) == verdict


@pytest.mark.parametrize(
    ("leaf", "entries", "verdict"),
    [
        ({}, [{"url": "/api", "status": 500}], P),
        ({}, [], F),
        ({"status_in": [200]}, [{"url": "/api", "status": 500}], F),
        ({"status_in": [200]}, [{"url": "/api"}], U),
        ({"status_in": [200]}, [{"url": "/api", "error": "net::ERR_FAILED"}], F),
        ({"status_in": [200]}, [{"url": "/api"}, {"url": "/api", "status": 200}], P),
        ({"method": "post"}, [{"url": "/api", "method": "GET"}], F),
        ({"method": "post"}, [{"url": "/api"}], U),
        ({"since": "contract_enter"}, [{"url": "/api", "ts": 900}], F),
        ({"since": "contract_enter"}, [{"url": "/api", "ts": 1000}], P),
        ({"since": "contract_enter"}, [{"url": "/api"}], U),
        ({"since": "last_tool_call"}, [{"url": "/api", "ts": 1000}], U),
        ({"since": 950}, [{"url": "/api", "at": "1970-01-01T00:00:01Z"}], P),
    ],
)
def test_network_conditions_count_requests_since_the_contract_began(
    leaf: dict[str, Any], entries: list[dict[str, Any]], verdict: str
) -> None:
    contract = {"kind": "network", "urlPattern": "/api$", **leaf}
    assert verdict_of(contract, {"network": entries, "contract_enter_ms": 1000}) == verdict


def test_dropped_entries_make_absence_inconclusive() -> None:
    """A dropped entry may have been the one: found is found, but not found is unknown."""
    network = {"kind": "network", "url_pattern": "/api"}
    assert verdict_of(network, {"network": [], "network_dropped": 3}) == U
    assert verdict_of(network, {"network": [{"url": "/api"}], "network_dropped": 3}) == P
    quiet = {"kind": "console", "level": "error", "max": 0}
    assert verdict_of(quiet, {"console": [], "console_dropped": 1}) == U
    loud = {"console": [{"level": "error", "text": "x"}], "console_dropped": 1}
    assert verdict_of(quiet, loud) == F


@pytest.mark.parametrize(
    ("leaf", "verdict"),
    [
        ({"level": "error"}, F),
        ({"level": "warn", "none": True}, P),
        ({"level": ["error", "info"], "max": 2}, P),
        ({"pattern": "^hello", "min": 1}, P),
        ({"pattern": "^hello", "min": 2}, F),
        ({"level": "error", "none": False}, P),
    ],
)
def test_console_conditions_match_level_and_text(leaf: dict[str, Any], verdict: str) -> None:
    entries = [{"type": "error", "message": "bad"}, {"level": "info", "text": "hello"}]
    assert verdict_of({"kind": "console", **leaf}, {"console": entries}) == verdict


@pytest.mark.parametrize(
    ("contract", "place"),
    [
        ({"kind": "ulr"}, "contract.kind"),
        ({}, "contract"),
        ({"and": []}, "contract.and"),
        ({"and": {"kind": "no_dialog"}}, "contract.and"),
        ({"or": [{"kind": "no_dialog"}, 7]}, "contract.or[1]"),
        ({"not": {"kind": "url", "patern": "x"}}, "contract.not.patern"),
        ({"kind": "url"}, "contract"),
        ({"kind": "url", "pattern": "("}, "contract.pattern"),
        ({"kind": "url", "pattern": "a", "equals": "b"}, "contract"),
        ({"kind": "network", "url_pattern": "x", "status_in": ["200"]}, "contract.status_in[0]"),
        ({"kind": "dom_count", "selector": "a", "op": "~", "value": 1}, "contract.op"),
        ({"kind": "console", "min": 3, "max": 2}, "contract"),
        ({"and": [{"kind": "no_dialog"}], "or": []}, "contract"),
        ({"and": [{"kind": "no_dialog"}], "xor": []}, "contract.xor"),
        ("{", "contract"),
        ("null", "contract"),
    ],
)
def test_mistakes_in_contracts_are_located(contract: object, place: str) -> None:
    with pytest.raises(OcdError) as caught:
        decode(contract)
    assert caught.value.code == "invalid_argument"
    assert caught.value.details["parameter"] == place
    assert caught.value.message.startswith(place)


def test_a_contract_deeper_or_larger_than_the_bounds_is_refused() -> None:
    deep: dict[str, Any] = {"kind": "no_dialog"}
    for _ in range(40):
        deep = {"not": deep}
    for contract in (deep, {"and": [{"kind": "no_dialog"}] * 1001}, "[" * 100_000):
        with pytest.raises(OcdError) as caught:
            decode(contract)
        assert caught.value.code == "invalid_argument"


@pytest.mark.parametrize(
    ("snapshot", "place"),
    [
        ({"network": [{"url": 3}]}, "evidence.network[0].url"),
        ({"url": 3}, "evidence.url"),
        ({"dom_count": {"a": -1}}, "evidence.dom_count"),
        ([], "evidence"),
    ],
)
def test_mistakes_in_evidence_are_located(snapshot: object, place: str) -> None:
    with pytest.raises(OcdError) as caught:
        decode_evidence(snapshot)
    assert str(caught.value.details["parameter"]).startswith(place)


def test_unknown_evidence_keys_are_reported() -> None:
    assert decode_evidence({"dom_txt": "x", "observed": {}}) == (Snapshot(), ["dom_txt"])


def test_a_catastrophic_pattern_takes_linear_time() -> None:
    text = "a" * 200_000 + "!"
    assert verdict_of({"kind": "dom_text", "pattern": "^(a+)+$"}, {"dom_text": text}) == F


def picture(*, shade: int, box: tuple[int, int, int, int], size: int = 400) -> bytes:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (size, size), (250, 250, 250))
    scale = size / 400
    ImageDraw.Draw(image).rectangle([side * scale for side in box], fill=(shade, shade, 200))
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


def test_similar_pictures_have_similar_hashes() -> None:
    one = hash_of(picture(shade=20, box=(40, 40, 200, 360)))
    assert distance(one, one) == 0
    assert distance(one, hash_of(picture(shade=28, box=(40, 40, 200, 360), size=800))) <= 10
    assert distance(one, hash_of(picture(shade=20, box=(240, 200, 380, 390)))) > 20


def test_screenshot_class_with_an_exemplar_a_hash_and_a_class() -> None:
    shown = picture(shade=20, box=(40, 40, 200, 360))
    text = base64.b64encode(shown).decode()
    snapshot = {"screenshot_png_base64": f"data:image/png;base64,{text}"}
    leaf: dict[str, Any] = {"kind": "screenshot_class", "distance_max": 4}
    assert verdict_of({**leaf, "exemplar": text}, snapshot) == P
    assert (
        verdict_of({**leaf, "hash": f"{int(hash_of(shown), 16) ^ (2**64 - 1):016x}"}, snapshot) == F
    )
    assert verdict_of({**leaf, "class_id": "unknown"}, snapshot) == U
    known = report(
        decode({**leaf, "class_id": "c"}), decode_evidence(snapshot)[0], {"c": [hash_of(shown)]}
    )
    assert known["verdict"] == P
    with pytest.raises(OcdError, match="screenshot_png_base64"):
        verdict_of({**leaf, "exemplar": text}, {"screenshot_png_base64": "bm8gcGljdHVyZQ=="})
