"""The report of a contract: identical bytes for the same contract and evidence."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec

from ocd.contracts.checks import CheckResult, Exemplars, check, excerpt
from ocd.contracts.expression import (
    AllOf,
    AnyOf,
    Check,
    Node,
    Not,
    Verdict,
    as_json,
    conjunction,
    disjunction,
    negation,
)
from ocd.contracts.snapshot import Snapshot

_CATEGORIES = {
    "url": "navigation", "dom_text": "content", "dom_count": "content", "network": "network",
    "console": "console", "performance": "performance", "screenshot_class": "visual",
    "no_dialog": "dialog",
}  # fmt: skip
_MAX_LISTED = 100
_MAX_REASONS = 10
_encode = msgspec.json.Encoder(order="deterministic").encode


@dataclass(frozen=True, slots=True)
class ReportNode:
    """A node with its verdict; a leaf has its judgement, others have parts."""

    node: Node
    verdict: Verdict
    parts: "tuple[ReportNode, ...]" = ()
    judgement: CheckResult | None = None


def evaluate(node: Node, evidence: Snapshot, exemplars: Exemplars) -> ReportNode:
    """Check every part of the contract, whatever the results of the others."""
    match node:
        case Check(leaf, _):
            judgement = check(leaf, evidence, exemplars)
            return ReportNode(node, judgement.verdict, (), judgement)
        case Not(part, _):
            inner = evaluate(part, evidence, exemplars)
            return ReportNode(node, negation(inner.verdict), (inner,))
        case AllOf(parts, _) | AnyOf(parts, _):
            judged = tuple(evaluate(part, evidence, exemplars) for part in parts)
            join = conjunction if isinstance(node, AllOf) else disjunction
            return ReportNode(node, join(child.verdict for child in judged), judged)


def report(node: Node, evidence: Snapshot, exemplars: Exemplars) -> dict[str, Any]:
    """Return verdict, failed_assertions, inconclusive_assertions, reasons, facts and digests.

    failed_assertions has the leaves that made a fail what it is, inconclusive_assertions those
    that kept the verdict from being known.
    """
    judged = evaluate(node, evidence, exemplars)
    causes = _causes(judged) if judged.verdict != "pass" else []
    failed = [_list_checks(*cause) for cause in causes] if judged.verdict == "fail" else []
    unknown = [_list_checks(*cause) for cause in causes] if judged.verdict == "inconclusive" else []
    reasons = list(dict.fromkeys(f"{leaf['location']}: {leaf['reason']}" for leaf in unknown))
    first = causes[0] if judged.verdict == "fail" else None
    return {
        "verdict": judged.verdict,
        "failed_assertions": failed[:_MAX_LISTED],
        "failed_count": len(failed),
        "inconclusive_assertions": unknown[:_MAX_LISTED],
        "inconclusive_reason": "; ".join(reasons[:_MAX_REASONS]) or None,
        "failure_category": _category(first[0]) if first else None,
        "failure_reason": _sentence(_list_checks(*first)) if first else None,
        "evidence": facts(judged, evidence),
        "contract_digest": digest(as_json(node)),
        "evidence_digest": digest(msgspec.to_builtins(evidence)),
    }


def digest(value: object) -> str:
    """Return the SHA-256 of a JSON value, whatever the order of its keys."""
    return f"sha256:{sha256(_encode(value)).hexdigest()}"


def _causes(judged: ReportNode, *, negated: bool = False) -> list[tuple[ReportNode, bool]]:
    """Return the leaves that gave this verdict, each with whether a `not` turned it around."""
    if judged.judgement is not None:
        return [(judged, negated)]
    turned = isinstance(judged.node, Not)
    expected = negation(judged.verdict) if turned else judged.verdict
    return [
        cause
        for part in judged.parts
        if part.verdict == expected
        for cause in _causes(part, negated=negated != turned)
    ]


def _list_checks(judged: ReportNode, negated: bool) -> dict[str, Any]:
    assert isinstance(judged.node, Check)
    assert judged.judgement is not None
    leaf, judgement = judged.node.leaf, judged.judgement
    return {
        "name": leaf.name or leaf.KIND,
        "kind": leaf.KIND,
        "expected": f"not: {judgement.expected}" if negated else judgement.expected,
        "actual": judgement.actual,
        "location": judged.node.place,
        **({"reason": judgement.reason} if judgement.reason else {}),
    }


def _category(judged: ReportNode) -> str:
    assert isinstance(judged.node, Check)
    return _CATEGORIES[judged.node.leaf.KIND]


def _sentence(listed: dict[str, Any]) -> str:
    actual = listed["actual"]
    actual_text = actual if isinstance(actual, str) else _encode(actual).decode()
    return f"{listed['location']}: expected {listed['expected']}; found {excerpt(actual_text)}"


def facts(judged: ReportNode, evidence: Snapshot) -> dict[str, Any]:
    """Return the facts behind the verdict: the page, and by place what each leaf was checked on."""
    page = {"url": evidence.url, "title": evidence.title}
    leaves = list(_leaves(judged))
    return {
        **{key: value for key, value in page.items() if value is not None},
        "assertions": [
            {"location": leaf.node.place, "verdict": leaf.verdict, "actual": leaf.judgement.actual}
            for leaf in leaves[:_MAX_LISTED]
            if leaf.judgement is not None
        ],
        "assertion_count": len(leaves),
    }


def _leaves(judged: ReportNode) -> list[ReportNode]:
    if judged.judgement is not None:
        return [judged]
    return [leaf for part in judged.parts for leaf in _leaves(part)]
