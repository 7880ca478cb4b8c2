"""What matches words on a page, the best of it, and the errors where that is none or several."""

from dataclasses import dataclass

from ocd.api.errors import OcdError

# A match with a lower score is a guess; and the best must be this much above the next.
MIN_SCORE = 40
MIN_LEAD = 3
MAX_CANDIDATES = 8


@dataclass(slots=True)
class Match:
    """A matching element: its line of the outline, its ref and its score.

    within: the ref of the clickable box around a text, where clickable elements are searched.
    covered: whether something else is over it, which is asked of the best matches alone.
    alike: whether it stands in another item than the first match, of the same kind, such as a row.
    spread: whether it is a box with the words in several of its items, none of which has all.
    """

    line: str
    ref: str
    role: str
    name: str
    score: int
    acts: bool
    seen: bool
    at: int = 0
    within: str = ""
    covered: bool = False
    alike: bool = False
    spread: bool = False


def best_matches(ties: frozenset[str], matches: list[Match]) -> list[Match]:
    """Return the matches that fit best; of these, those of the roles in `ties` if any are."""
    if not matches or matches[0].score < MIN_SCORE:
        return []
    best = [match for match in matches if match.score > matches[0].score - MIN_LEAD]
    return [match for match in best if match.role in ties] or best


def prefer_roles(matches: list[Match], roles: frozenset[str]) -> list[Match]:
    """Return the matches of these roles; all of them if none is."""
    fitting = [match for match in matches if match.role in roles and match.score >= MIN_SCORE]
    return fitting or matches


def pick_ordinal(named: object, best: list[Match], nth: int) -> Match:
    """Return one of several matches, in the page's order; raises element_not_found."""
    ordered = sorted(best, key=lambda match: match.at)
    index = nth if nth < 0 else nth - 1
    if index >= len(ordered):
        raise OcdError(
            "element_not_found", f"Only {len(best)} elements match {str(named)!r}.",
            hint="Use the ref of one of the candidates.",
            candidates=[match.line for match in ordered[:MAX_CANDIDATES]],
        )  # fmt: skip
    return ordered[index]


def not_found_error(named: object, near: list[Match]) -> OcdError:
    """Return the error for words that mean nothing on the page, with what comes close."""
    details = {"candidates": [match.line for match in near[:5]]} if near else {}
    hint = "Did you mean one of the candidates? Use its ref." if near else (
        "`read_page` shows what is there; `wait_for` waits for what may "
        "still appear."
    )  # fmt: skip
    return OcdError(
        "element_not_found", f"No actionable element matches {str(named)!r}.", hint=hint, **details
    )


def ambiguous_error(named: object, lines: list[str]) -> OcdError:
    """Return the error for a locator that matches several elements, given by their lines."""
    return OcdError(
        "ambiguous", f"{len(lines)} elements match {str(named)!r} equally well.",
        hint="Use the ref of the one you mean, or add words that distinguish it.",
        candidates=lines,
    )  # fmt: skip
