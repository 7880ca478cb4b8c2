"""Three-valued logic after Kleene: what is not known is neither true nor false."""

from collections.abc import Iterable
from typing import Literal

Verdict = Literal["pass", "fail", "inconclusive"]


def conjunction(verdicts: Iterable[Verdict]) -> Verdict:
    """Return fail if one fails, else inconclusive if one is, else pass; looks at every one."""
    seen = set(verdicts)
    return "fail" if "fail" in seen else "inconclusive" if "inconclusive" in seen else "pass"


def disjunction(verdicts: Iterable[Verdict]) -> Verdict:
    """Return pass if one passes, else inconclusive if one is, else fail; looks at every one."""
    seen = set(verdicts)
    return "pass" if "pass" in seen else "inconclusive" if "inconclusive" in seen else "fail"


def negation(verdict: Verdict) -> Verdict:
    """Return the opposite; what is inconclusive stays so."""
    if verdict == "inconclusive":
        return verdict
    return "fail" if verdict == "pass" else "pass"
