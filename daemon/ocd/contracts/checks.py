"""Checks of each assertion on evidence: passed, failed, or unknown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from ocd.api.spelling import snake_case, truncate
from ocd.contracts import dom_queries, perceptual_hash
from ocd.contracts.assertions import (
    Console,
    DomCount,
    DomText,
    Leaf,
    Network,
    NoDialog,
    Performance,
    ScreenshotClass,
    Url,
)
from ocd.contracts.expression import Verdict
from ocd.contracts.matching import OPERATORS, SIGNS, collapse_whitespace, pattern_matches
from ocd.contracts.snapshot import Request, Snapshot, level_of

_EXCERPT = 200
_SHOWN = 5
Exemplars = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a leaf. reason: why it is inconclusive; actual: a JSON value, bounded."""

    verdict: Verdict
    expected: str
    actual: Any = None
    reason: str = ""


def excerpt(text: str) -> str:
    """Return the beginning of a text, on one line."""
    return truncate(collapse_whitespace(text[: _EXCERPT * 5]), _EXCERPT)


def _check_result(passed: bool, expected: str, actual: Any) -> CheckResult:  # noqa: ANN401
    return CheckResult("pass" if passed else "fail", expected, actual)


def _unknown(evidence: Snapshot, name: str, expected: str, what: str = "") -> CheckResult:
    why = evidence.unavailable.get(name) or what or f"the evidence has no {name}"
    return CheckResult("inconclusive", expected, None, why)


@singledispatch
def check(leaf: Leaf, evidence: Snapshot, exemplars: Exemplars) -> CheckResult:
    """Judge a leaf; exemplars: hashes by the class ids that are known."""
    raise NotImplementedError(leaf.KIND)


@check.register
def _url(leaf: Url, evidence: Snapshot, _: Exemplars) -> CheckResult:
    expected = "url " + _expectation_text(leaf.contains, leaf.pattern, leaf.equals)
    if evidence.url is None:
        return _unknown(evidence, "url", expected)
    passed = _fits(leaf.contains, leaf.pattern, leaf.equals, evidence.url, lambda text: text)
    return _check_result(passed, expected, evidence.url)


@check.register
def _dom_text(leaf: DomText, evidence: Snapshot, _: Exemplars) -> CheckResult:
    where = f"text of {leaf.selector}" if leaf.selector else "text of the page"
    expected = f"{where} {_expectation_text(leaf.contains, leaf.pattern, leaf.equals)}"
    known, text = dom_queries.text_of(evidence, leaf.selector)
    if not known:
        return _unknown(evidence, "dom_text", expected, f"the evidence has no {where}")
    if text is None:
        return _check_result(False, expected, "no element matches")  # noqa: FBT003
    passed = _fits(leaf.contains, leaf.pattern, leaf.equals, text, collapse_whitespace)
    return _check_result(passed, expected, excerpt(text))


@check.register
def _dom_count(leaf: DomCount, evidence: Snapshot, _: Exemplars) -> CheckResult:
    expected = f"count of {leaf.selector} {SIGNS[leaf.op]} {leaf.value}"
    count = dom_queries.count_of(evidence, leaf.selector)
    if count is None:
        return _unknown(
            evidence, "dom_count", expected, f"the evidence has no count of {leaf.selector}"
        )
    return _check_result(OPERATORS[leaf.op](count, leaf.value), expected, count)


@check.register
def _network(leaf: Network, evidence: Snapshot, _: Exemplars) -> CheckResult:
    method = f"{leaf.method.upper()} " if leaf.method else ""
    expected = f"a {method}request to {leaf.url_pattern}"
    expected += f" with status {', '.join(map(str, leaf.status_in))}" if leaf.status_in else ""
    expected += f" since {leaf.since}" if leaf.since is not None else ""
    if evidence.network is None:
        return _unknown(evidence, "network", expected)
    near = [
        request for request in evidence.network if pattern_matches(leaf.url_pattern, request.url)
    ]
    verdicts = [_request(leaf, request, evidence) for request in near]
    excerpts = [_request_text(request) for request in near[:_SHOWN]]
    actual = {"matching_url": len(near), "requests": excerpts}
    if "pass" in verdicts:
        return CheckResult("pass", expected, {**actual, "matched": verdicts.count("pass")})
    if "inconclusive" in verdicts:
        why = "a matching request has no answer yet, or its time is not known"
        return CheckResult("inconclusive", expected, actual, why)
    if evidence.network_dropped:
        why = f"{evidence.network_dropped} older requests were forgotten"
        return CheckResult("inconclusive", expected, actual, why)
    return CheckResult("fail", expected, actual)


def _request(leaf: Network, request: Request, evidence: Snapshot) -> Verdict:
    """Judge whether a request to the right URL is the one that the assertion describes."""
    if leaf.method and request.method and request.method.upper() != leaf.method.upper():
        return "fail"
    answered = request.status is not None or request.error is not None
    if leaf.status_in and answered and request.status not in leaf.status_in:
        return "fail"
    since = _since(leaf, evidence)
    if since is not None and request.at_ms is not None and request.at_ms < since:
        return "fail"
    unsure = (
        (leaf.method and not request.method)
        or (leaf.status_in and not answered)
        or (leaf.since is not None and (since is None or request.at_ms is None))
    )
    return "inconclusive" if unsure else "pass"


def _since(leaf: Network, evidence: Snapshot) -> float | None:
    if leaf.since == "contract_enter":
        return evidence.contract_enter_ms
    return evidence.last_tool_call_ms if leaf.since == "last_tool_call" else leaf.since


def _request_text(request: Request) -> dict[str, Any]:
    data = {"url": excerpt(request.url), "method": request.method, "status": request.status}
    return {**data, **({"error": request.error} if request.error else {})}


@check.register
def _console(leaf: Console, evidence: Snapshot, _: Exemplars) -> CheckResult:
    low, high = leaf.bounds
    levels = {level_of(level) for level in leaf.levels}
    what = "console entries" + (f" of level {', '.join(sorted(levels))}" if levels else "")
    what += f" like {leaf.pattern}" if leaf.pattern else ""
    bounds = [f"≥ {low}"] if low else []
    bounds += [] if high is None else [f"≤ {high}"]
    expected = f"{what} {' and '.join(bounds)}"
    if evidence.console is None:
        return _unknown(evidence, "console", expected)
    entries = [
        entry for entry in evidence.console
        if (not levels or level_of(entry.level) in levels)
        and (leaf.pattern is None or pattern_matches(leaf.pattern, entry.text))
    ]  # fmt: skip
    count = len(entries)
    actual = {"count": count, "entries": [excerpt(entry.text) for entry in entries[:_SHOWN]]}
    if high is not None and count > high:
        return CheckResult("fail", expected, actual)
    if evidence.console_dropped and (count < low or high is not None):
        why = f"{evidence.console_dropped} older entries were forgotten"
        return CheckResult("inconclusive", expected, actual, why)
    return _check_result(count >= low, expected, actual)


@check.register
def _performance(leaf: Performance, evidence: Snapshot, _: Exemplars) -> CheckResult:
    expected = f"{leaf.metric} {SIGNS[leaf.op]} {leaf.value:g}"
    if evidence.performance is None:
        return _unknown(evidence, "performance", expected)
    values = {_metric(name): value for name, value in evidence.performance.items()}
    value = values.get(_metric(leaf.metric))
    if value is None:
        names = ", ".join(sorted(name for name, known in values.items() if known is not None))
        why = f"{leaf.metric} was not measured; known: {names[:500] or 'none'}"
        return CheckResult("inconclusive", expected, None, why)
    return _check_result(OPERATORS[leaf.op](value, leaf.value), expected, value)


def _metric(name: str) -> str:
    """Return a metric's name without its unit, so that LCP, lcp and lcp_ms are one."""
    plain = name.lower() if name.isupper() else snake_case(name)
    return plain.removesuffix("_ms").removesuffix("_bytes")


@check.register
def _screenshot(leaf: ScreenshotClass, evidence: Snapshot, exemplars: Exemplars) -> CheckResult:
    name = f"class {excerpt(leaf.class_id)}" if leaf.class_id else "the exemplar"
    expected = f"distance to {name} ≤ {leaf.distance_max}"
    if evidence.screenshot_hash is None and evidence.screenshot_png_base64 is None:
        return _unknown(evidence, "screenshot", expected)
    hashes = _exemplars(leaf, exemplars)
    if not hashes:
        why = f"there is no exemplar of {name}: oc_evidence_bundle with class_id makes one"
        return CheckResult("inconclusive", expected, None, why)
    own = evidence.screenshot_hash or perceptual_hash.hash_of(
        perceptual_hash.picture_of(
            evidence.screenshot_png_base64 or "", "evidence.screenshot_png_base64"
        ),
        "evidence.screenshot_png_base64",
    )
    nearest = min(perceptual_hash.distance(own, other) for other in hashes)
    return _check_result(nearest <= leaf.distance_max, expected, {"distance": nearest, "hash": own})


def _exemplars(leaf: ScreenshotClass, exemplars: Exemplars) -> Sequence[str]:
    if leaf.hash:
        return [leaf.hash]
    if leaf.exemplar:
        picture = perceptual_hash.picture_of(leaf.exemplar, "contract.exemplar")
        return [perceptual_hash.hash_of(picture, "contract.exemplar")]
    return exemplars.get(leaf.class_id or "", ())


@check.register
def _no_dialog(_leaf: NoDialog, evidence: Snapshot, _: Exemplars) -> CheckResult:
    expected = "no open dialog"
    if evidence.has_open_dialog is None:
        return _unknown(evidence, "has_open_dialog", expected)
    return _check_result(not evidence.has_open_dialog, expected, {"open": evidence.has_open_dialog})


def _expectation_text(contains: str | None, pattern: str | None, equals: str | None) -> str:
    if contains is not None:
        return f"contains {contains!r}"
    return f"matches {pattern}" if pattern is not None else f"is {equals!r}"


def _fits(
    contains: str | None, pattern: str | None, equals: str | None, text: str,
    plain: Callable[[str], str],
) -> bool:  # fmt: skip
    if contains is not None:
        return contains in text or plain(contains) in plain(text)
    if equals is not None:
        return plain(equals) == plain(text)
    return pattern_matches(pattern or "", text)
