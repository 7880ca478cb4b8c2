"""Parsing short English instructions into steps, by rules.

Pure: it does not look at a page. A step that no rule matches is refused before anything is done.
"""

import re
from dataclasses import replace

from ocd.api.errors import OcdError
from ocd.pages.instructions.grammar import Step, step_of

MAX_STEPS = 30
UNDERSTOOD = (
    "click X", "double-click X", "right-click X", "hover over X", 'type "text" into X',
    "fill X with text", "clear X", "select X in Y", "check X", "uncheck X", "press Enter in X",
    "search for text", "submit", "scroll down", "scroll down in X", "scroll to X",
    "drag X to Y", "go to URL", "go back", "reload", "wait for X", "wait until X disappears",
    "wait 2 seconds", "accept the dialog",
)  # fmt: skip


# --- quotes -----------------------------------------------------------------------------------

# While rules are tried, each quoted text is replaced by a letter of a private use area.
_FIRST = 0xE000
# No body passes the next opening quote, which would make the search quadratic.
_DOUBLE = r'"([^"]*)"|“([^“”]*)”|„([^„“”]*)[“”]|«([^«»]*)»|\u2018([^\u2018\u2019]*)\u2019|`([^`]*)`'
_OTHERS = re.compile(_DOUBLE)
_QUOTED = re.compile(_DOUBLE + r"|(?<![\w'])'((?:[^']|'(?=\w))*+)'(?!\w)")


class _QuotedTexts:
    def __init__(self, text: str) -> None:
        self.quotes: list[str] = []
        # Words have apostrophes, so a body may go past opening signs: the sign put behind the text
        # ends the first one without an end, and with it all that follow.
        self.text = _QUOTED.sub(self._keep, text + "'").removesuffix("'")

    def _keep(self, match: re.Match[str]) -> str:
        if match.end() == len(match.string):
            return _OTHERS.sub(self._keep_other, match[0])
        return self._keep_other(match)

    def _keep_other(self, match: re.Match[str]) -> str:
        self.quotes.append(next(group for group in match.groups() if group is not None))
        return chr(_FIRST + len(self.quotes) - 1)

    def back(self, text: str, quote: str = "") -> str:
        """Return the text with its quoted texts put back."""
        for number, quoted in enumerate(self.quotes):
            text = text.replace(chr(_FIRST + number), f"{quote}{quoted}{quote}")
        return text

    def has(self, text: str) -> bool:
        return any(_FIRST <= ord(letter) < _FIRST + len(self.quotes) for letter in text)


# --- words around steps -----------------------------------------------------------------------

_POLITE = re.compile(
    r"^(?:(?:step\s*)?\d{1,2}\s*[.):]\s+|[-*•]\s+|(?:please|now|first(?:ly)?(?=,|\s+(?:click|type|go|"
    r"open|select|fill|enter|press))|next|then|and|finally|also|kindly|just|afterwards|"
    r"let'?s|let us|go ahead and|i(?:'d like| want| need)(?: you)? to|(?:can|could|would) you|"
    r"try to)\b[\s,:]*)+",
    re.IGNORECASE,
)
_TAIL = re.compile(r"(?:(?<!\s)\s+(?:please|for me|now)|(?<![.!,])[.!,]+)$", re.IGNORECASE)
_BLANKS = re.compile(r"[^\S\n]+")
# More places to split at than an instruction with MAX_STEPS steps has.
_MAX_CUTS = 60
# White space around such a place stays with the parts, which are stripped later: matching it
# here would take quadratic time.
_HARD = re.compile(
    r"(?:[\n;]|→|->|=>|(?:,\s*+)?\b(?:(?:and )?then|after that)\b|"
    r",\s*+(?:and\s++)?(?:finally|afterwards|next)\b)\s*+(?:,\s*+)?",
    re.IGNORECASE,
)
_VERBS = (
    r"(?:click|tap|press|hit|push|double|right|hover|type|enter|write|input|put|insert|paste|fill|"
    r"set|change|select|choose|pick|check|tick|uncheck|untick|enable|disable|turn|switch|clear|"
    r"empty|search|submit|scroll|drag|go|navigate|open|visit|reload|refresh|wait|focus|accept|"
    r"dismiss|append|toggle|expand|collapse)\b"
)
_SOFT = re.compile(rf"(?:,\s*+(?:and\s++)?|[.!]\s++|(?<!\s)\s+and\s++)(?={_VERBS})", re.IGNORECASE)


def parse(instruction: str) -> list[Step]:
    """Return the steps of an instruction; not_understood quotes the words that no rule matches."""
    aside = _QuotedTexts(instruction)
    # The rules would try every split of a run of spaces; those inside quotes stay.
    aside.text = _BLANKS.sub(" ", aside.text)
    steps: list[Step] = []
    for part in _HARD.split(aside.text):
        if not _normalise(part):
            continue
        found = _split(part, aside)
        if found is None:
            raise _not_understood_error(len(steps) + 1, aside.back(part.strip(), '"'))
        steps += found
    if not steps:
        raise _not_understood_error(1, instruction.strip())
    if len(steps) > MAX_STEPS:
        raise _too_many_error(len(steps))
    return steps


def _too_many_error(number: int) -> OcdError:
    return OcdError(
        "limit_reached", f"Too many steps at once: {number}.",
        hint=f"Give at most {MAX_STEPS}.", limit=MAX_STEPS,
    )  # fmt: skip


def _split(part: str, aside: _QuotedTexts) -> list[Step] | None:
    """Split a part at the first `and` with a step on either side; None if no split has steps only.

    Splits are tried from last to first, so that what follows a place is parsed only once: the
    number of ways to split a text is exponential.
    """
    cuts = [(cut.start(), cut.end()) for cut in _SOFT.finditer(part)]
    if len(cuts) > _MAX_CUTS:
        raise _too_many_error(len(cuts) + 1)
    found: dict[int, list[Step] | None] = {}
    for start in [*(end for _, end in reversed(cuts)), 0]:
        found[start] = _split_clauses(
            part, start, [cut for cut in cuts if cut[0] >= start], found, aside
        )
    return found[0]


def _split_clauses(
    part: str,
    start: int,
    cuts: list[tuple[int, int]],
    found: dict[int, list[Step] | None],
    aside: _QuotedTexts,
) -> list[Step] | None:
    """Return the steps from `start` on, or None; `found` has those from each later cut on."""
    for cut, end in cuts:
        after = found[end]
        before = _step(part[start:cut], aside) if after else None
        if before and after:
            return [before, *after]
    single = _step(part[start:], aside)
    return [single] if single else None


def _normalise(text: str) -> str:
    text = text.strip()
    while (shorter := _TAIL.sub("", _POLITE.sub("", text)).strip()) != text:
        text = shorter
    return text


def _not_understood_error(number: int, words: str) -> OcdError:
    return OcdError(
        "not_understood", f"Step {number} is not understood: {words!r}. Nothing was done.",
        hint='Begin with what to do, quote names and text: click "Sign in"; type "Ada" into Name.',
        step=number, words=words, understands=list(UNDERSTOOD),
    )  # fmt: skip


def _step(text: str, aside: _QuotedTexts) -> Step | None:
    step = step_of(_normalise(text))
    if step is None:
        return None
    return replace(
        step,
        quoted=aside.has(step.place) or aside.has(step.value),
        words=aside.back(step.words, '"'),
        place=aside.back(step.place).strip(),
        value=aside.back(step.value),
        other=aside.back(step.other).strip(),
    )
