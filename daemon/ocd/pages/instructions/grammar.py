"""The grammar of one step: a rule for each way of saying it, tried in order."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from ocd.pages.act import input_events
from ocd.pages.locate.ordinals import split_ordinal


@dataclass(frozen=True, slots=True)
class Step:
    """One step: `kind` is a kind that the executor runs; texts are as they were written.

    Attributes:
        place: the words for the element.
        other: the words for a second element.
        value: the text, key, option or address.
        amount: pixels, screens or seconds.
    """

    kind: str
    words: str
    place: str = ""
    value: str = ""
    other: str = ""
    amount: float | None = None
    quoted: bool = False


_ARTICLES = re.compile(
    r"^(?:(?:on|onto|at|to|the|a|an|my|your|this|that|its|called|named|labell?ed)\s+)+",
    re.IGNORECASE,
)
_KIND_FIRST = re.compile(
    r"^(button|link|field|box|checkbox|radio|option|tab|menu|dropdown|input|icon|switch)\s+"
    r"(?:called|named|labell?ed|that says|saying|with (?:the )?(?:text|label|name|title))\s+(.+)$",
    re.IGNORECASE,
)


def _place(step: Step, text: str) -> Step:
    """Return the step with the words for its element, without articles."""
    text = _ARTICLES.sub("", text.strip())
    _, words = split_ordinal(text)
    named = _KIND_FIRST.match(words)
    if named:
        text = f"{text.removesuffix(words)}{named[2]} {named[1]}"
    return replace(step, place=text)


def _key_words(text: str) -> str:
    """Return the chord that words name; empty if they name no key."""
    plain = re.sub(r"^the\s+|(?<!\s)\s+(?:key|arrow)$", "", text.strip(), flags=re.IGNORECASE)
    plain = re.sub(r"^arrow\s+", "", plain, flags=re.IGNORECASE)
    plain = "+".join(part.strip() for part in plain.split("+"))
    plain = re.sub(r"^page\s+(up|down)$", r"page\1", plain, flags=re.IGNORECASE)
    plain = re.sub(r"^space\s*bar$", "space", plain, flags=re.IGNORECASE)
    return plain if " " not in plain and input_events.is_key(plain) else ""


GrammarRule = tuple[re.Pattern[str], Callable[[Step, re.Match[str]], Step | None]]
_RULES: list[GrammarRule] = []


def _rule(pattern: str) -> Callable[[Callable[[Step, re.Match[str]], Step | None]], None]:
    compiled = re.compile(rf"(?:{pattern})$", re.IGNORECASE | re.DOTALL)
    return lambda make: _RULES.append((compiled, make))


def step_of(words: str) -> Step | None:
    """Return the step that a phrase means, None if no rule matches it."""
    for pattern, make in _RULES:
        match = pattern.match(words)
        step = make(Step("", words), match) if match else None
        if step is not None:
            return step
    return None


def _simple(kind: str, value: str = "") -> Callable[[Step, re.Match[str]], Step]:
    return lambda step, _: replace(step, kind=kind, value=value)


def _place_pattern(kind: str) -> Callable[[Step, re.Match[str]], Step]:
    return lambda step, match: _place(replace(step, kind=kind), match["place"])


_ADDRESS = r"(?P<url>(?:https?|file|about|data):\S+|(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:[/?#]\S*)?|localhost\S*|/\S*|[\ue000-\uefff])"  # noqa: E501
_PAGE = r"(?:\s+(?:the\s+|this\s+)?page)?"

# By now a quoted text is a single letter, so an "in" inside it cannot end it.
_VALUE = r"(?P<value>[\ue000-\uefff]|.+)"

# Keys whose names are not names of buttons.
_SURE = frozenset(
    (
        "enter", "return", "tab", "escape", "esc", "backspace", "pageup", "pagedown",
        "arrowup", "arrowdown", "arrowleft", "arrowright",
        *(f"f{number}" for number in range(1, 13)),
    )
)  # fmt: skip

_rule(rf"(?:go|navigate)?\s*back(?:wards?)?(?:\s+(?:one|a)\s+page)?{_PAGE}")(_simple("back"))
_rule(r"(?:return|go|navigate)\s+(?:back\s+)?to\s+(?:the\s+)?previous\s+page")(_simple("back"))
_rule(rf"(?:go\s+|navigate\s+)?forward{_PAGE}")(_simple("forward"))
_rule(rf"(?:reload|refresh){_PAGE}")(_simple("reload"))


@_rule(rf"(?:go|navigate|browse|head)\s+to\s+{_ADDRESS}|(?:open|visit|load)\s+(?P<other>\S+)")
def _navigate(step: Step, match: re.Match[str]) -> Step | None:
    url = match["url"] or match["other"]
    if match["url"] is None and not re.fullmatch(_ADDRESS, url, re.IGNORECASE):
        return None
    return replace(step, kind="navigate", value=url)


@_rule(
    r"scroll(?:\s+the\s+page)?(?:\s+(?P<way>down|up|left|right))?(?:\s+(?:a\s+bit|a\s+little))?"
    r"(?:\s+(?:by\s+)?(?P<much>\d+)\s*(?P<unit>px|pixels?|screens?|pages?|times)?)?"
)
def _scroll(step: Step, match: re.Match[str]) -> Step:
    return _scroll_step(step, match)


def _scroll_step(step: Step, match: re.Match[str]) -> Step:
    much = float(match["much"]) if match["much"] else None
    unit = "pixels" if (match["unit"] or "px").startswith(("px", "pixel")) else "screens"
    direction = (match["way"] or "down").lower()
    return replace(step, kind="scroll", value=direction, amount=much, other=unit)


@_rule(
    r"scroll\s+(?P<way>down|up|left|right)(?:\s+(?:by\s+)?(?P<much>\d+)\s*"
    r"(?P<unit>px|pixels?|screens?|pages?|times)?)?\s+(?:in|inside|within)\s+(?P<place>.+)"
)
def _scroll_inside(step: Step, match: re.Match[str]) -> Step:
    return _place(_scroll_step(step, match), match["place"])


@_rule(
    r"scroll\s+(?P<place>.+?)\s+(?P<way>down|up|left|right)"
    r"(?:\s+(?:by\s+)?(?P<much>\d+)\s*(?P<unit>px|pixels?|screens?|pages?|times)?)?"
)
def _scroll_box(step: Step, match: re.Match[str]) -> Step:
    return _place(_scroll_step(step, match), match["place"])


@_rule(r"scroll\s+(?:to\s+)?(?:the\s+)?(?P<end>top|bottom|end|start)\s+(?:of|in)\s+(?P<place>.+)")
def _scroll_box_end(step: Step, match: re.Match[str]) -> Step | None:
    if match["place"].lower().removeprefix("the ").strip() in ("page", "window"):
        return None
    far = match["end"].lower() in ("bottom", "end")
    return _place(replace(step, kind="scroll", value="bottom" if far else "top"), match["place"])


@_rule(
    r"scroll\s+(?:(?:all\s+the\s+way\s+)?(?:down|up)\s+)?(?:all\s+the\s+way\s+)?to\s+(?:the\s+)?(?:very\s+)?"
    r"(?P<end>top|bottom|end|start|beginning)(?:\s+of\s+(?:the\s+)?page)?"
)
def _scroll_end(step: Step, match: re.Match[str]) -> Step:
    far = match["end"].lower() in ("bottom", "end")
    return replace(step, kind="scroll", value="bottom" if far else "top")


_rule(
    r"scroll\s+(?:(?:down|up)\s+)?(?:to|until|till)\s+(?:you\s+see\s+)?(?P<place>.+?)"
    r"(?:\s+(?:is|are|becomes?)\s+visible|\s+into\s+view|\s+appears?)?"
)(_place_pattern("scroll_into_view"))


@_rule(
    r"(?:wait|pause)(?:\s+for)?\s+(?P<much>\d+(?:\.\d+)?)\s*"
    r"(?P<unit>ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?)"
)
def _wait_time(step: Step, match: re.Match[str]) -> Step:
    unit = match["unit"].lower()
    factor = 0.001 if unit.startswith(("ms", "milli")) else 60 if unit[0] == "m" else 1
    return replace(step, kind="pause", amount=float(match["much"]) * factor)


_rule(
    r"wait\s+(?:for|until|till)\s+(?:the\s+)?(?:page|site|navigation)"
    r"(?:\s+(?:to\s+|has\s+|is\s+)?(?:load(?:s|ed)?|finish(?:es|ed)?(?:\s+loading)?))?"
)(_simple("wait_load"))
_rule(
    r"wait\s+(?:for|until|till)\s+(?P<place>.+?)\s+(?:to\s+|is\s+|are\s+|has\s+|be\s+){0,4}"
    r"(?:disappear(?:s|ed)?|go(?:es)?\s+away|vanish(?:es|ed)?|gone|hidden|closed?s?)"
)(_place_pattern("wait_gone"))
_rule(
    r"wait\s+(?:for|until|till)\s+(?P<place>.+?)(?:\s+(?:to\s+|is\s+|are\s+|be\s+|has\s+){0,4}"
    r"(?:appear(?:s|ed)?|visible|shown?|shows?(?:\s+up)?|there|load(?:s|ed)?|come(?:s)?\s+up))?"
)(_place_pattern("wait"))


@_rule(r"(?P<verb>accept|confirm|ok|dismiss|cancel|close|decline)\s+"
       r"(?:the\s+)?(?:dialog|alert|confirm|prompt|confirmation|popup)"
       r"(?:\s+with\s+(?P<value>.+))?")  # fmt: skip
def _dialog(step: Step, match: re.Match[str]) -> Step:
    accept = match["verb"].lower() in ("accept", "confirm", "ok")
    kind = "accept_dialog" if accept else "dismiss_dialog"
    return replace(step, kind=kind, value=match["value"] or "")


_rule(r"double[\s-]?(?:click|tap)\s+(?P<place>.+)")(_place_pattern("double_click"))
_rule(r"(?:right|context)[\s-]?click\s+(?P<place>.+)")(_place_pattern("right_click"))
_rule(r"(?:hover|mouse|point|move\s+the\s+mouse)\s+(?:(?:over|on|at|to)\s+)?(?P<place>.+)")(
    _place_pattern("hover")
)
_rule(r"focus\s+(?:on\s+)?(?P<place>.+)|click\s+into\s+(?P<other>.+)")(
    lambda step, match: _place(replace(step, kind="focus"), match["place"] or match["other"])
)


@_rule(r"(?:drag(?:\s+and\s+drop)?|drop)\s+(?P<place>.+?)\s+(?:to|onto|on\s+to|into|on|over)\s+"
       r"(?P<other>.+)")  # fmt: skip
def _drag(step: Step, match: re.Match[str]) -> Step:
    step = _place(replace(step, kind="drag"), match["place"])
    return replace(step, other=_ARTICLES.sub("", match["other"]))


_rule(r"(?:check|see|verify|make\s+sure|assert)\s+(?:that|if|whether)\b.*")(lambda _s, _m: None)
_rule(
    r"(?:uncheck|untick|unmark|disable|deactivate|deselect|(?:turn|switch)\s+off)\s+(?P<place>.+)"
)(_place_pattern("uncheck"))
_rule(r"(?:turn|switch|toggle)\s+(?P<place>.+?)\s+off")(_place_pattern("uncheck"))
_rule(
    r"(?:check(?!\s+(?:that|if|whether)\b)|tick|mark|enable|activate|(?:turn|switch)\s+on)\s+(?:off\s+)?(?P<place>.+)"
)(_place_pattern("check"))
_rule(r"(?:turn|switch|toggle)\s+(?P<place>.+?)\s+on")(_place_pattern("check"))
_rule(r"(?:clear|empty|erase)\s+(?:out\s+)?(?P<place>.+)")(_place_pattern("clear"))


def _text_pattern(kind: str) -> Callable[[Step, re.Match[str]], Step]:
    return lambda step, match: _place(
        replace(step, kind=kind, value=match["value"]), match["place"]
    )


_rule(
    rf"(?:select|choose|pick)\s+(?:the\s+)?(?:option\s+|value\s+)?{_VALUE}\s+"
    r"(?:from|in|for|as|under|within|on)\s+(?P<place>.+)"
)(_text_pattern("select"))
_rule(r"(?:select|choose|pick)\s+(?P<place>.+)")(_place_pattern("pick"))
_rule(rf"append\s+{_VALUE}\s+to\s+(?P<place>.+)")(_text_pattern("append"))
_rule(
    r"(?:type|enter|write|input|put|insert|paste|key\s+in)\s+(?:in\s+)?(?:the\s+(?:text|value|word)\s+)?"
    rf"{_VALUE}\s+(?:into|inside)\s+(?P<place>.+)"
)(_text_pattern("fill"))
_rule(
    r"(?:type|enter|write|input|put|insert|paste|key\s+in)\s+(?:the\s+(?:text|value|word)\s+)?"
    rf"{_VALUE}\s+(?:in|to|as|for|on)\s+(?P<place>.+)"
)(_text_pattern("fill"))
_rule(r"fill\s+(?:in\s+|out\s+)?(?P<place>.+?)\s*(?:\s+(?:with|as)\s+|[:=]\s*)(?P<value>.+)")(
    _text_pattern("fill")
)
_rule(r"(?:set|change|update)\s+(?P<place>.+?)\s*(?:\s+to\s+|[:=]\s*)(?P<value>.+)")(
    _text_pattern("fill")
)
_rule(rf"fill\s+(?:in\s+)?{_VALUE}\s+(?:into|in)\s+(?P<place>.+)")(_text_pattern("fill"))
_rule(r"search\s+(?P<place>(?!for\b).+?)\s+for\s+(?P<value>.+)")(_text_pattern("search"))


@_rule(r"search(?:\s+for)?\s+(?P<value>.+)")
def _search(step: Step, match: re.Match[str]) -> Step:
    return replace(step, kind="search", value=match["value"])


@_rule(r"(?:type|write|enter|input)\s+(?P<value>.+)")
def _type(step: Step, match: re.Match[str]) -> Step:
    return replace(step, kind="type", value=match["value"])


@_rule(r"(?:press|hit|push|use)\s+(?P<key>.+?)(?:\s+(?P<many>\d+|two|three|four|five)\s+times"
       r"|\s+(?P<twice>twice))?(?:\s+(?:in|on|into)\s+(?P<place>.+))?")  # fmt: skip
def _press(step: Step, match: re.Match[str]) -> Step | None:
    chord = _key_words(match["key"])
    if not chord:
        return None
    many = match["many"] or ("2" if match["twice"] else "1")
    count = (
        int(many) if many.isdecimal() else ("two", "three", "four", "five").index(many.lower()) + 2
    )
    sure = (
        chord.lower() in _SURE
        or match["key"].lower().endswith(" key")
        or "+" in chord
        or match["place"] is not None
    )
    step = replace(step, kind="press" if sure else "press_or_click", value=chord, amount=count)
    return _place(step, match["place"]) if match["place"] else step


_rule(r"submit(?:\s+(?:the\s+|this\s+)?form)?")(_simple("submit"))
_rule(r"(?:click|tap|press|hit|push)\s+(?P<place>.+)")(_place_pattern("click"))
_rule(
    r"(?:open|follow|visit|expand|collapse|toggle|go\s+to|navigate\s+to|switch\s+to)\s+(?P<place>.+?)"
    r"(?:\s+(?:page|section))?"
)(_place_pattern("click"))
