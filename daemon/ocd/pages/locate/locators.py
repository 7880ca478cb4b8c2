"""Locators: a ref, a CSS selector or words resolved to one element of the page."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from ocd.api.errors import OcdError
from ocd.browser.tabs.frames import Frame, frames_to_call
from ocd.browser.tabs.tab import Tab
from ocd.pages.engine import engine
from ocd.pages.engine.empty_elements import look_further
from ocd.pages.engine.refs import Element, acquire_ref, parse_ref, ref_in_line, refs_of
from ocd.pages.locate.click_parts import click_parts
from ocd.pages.locate.matches import (
    MAX_CANDIDATES,
    MIN_SCORE,
    Match,
    ambiguous_error,
    best_matches,
    not_found_error,
    pick_ordinal,
    prefer_roles,
)
from ocd.pages.locate.ordinals import split_ordinal

# Roles of fields that take text, without those in which one can only choose.
FIELD_ROLES = frozenset(("textbox", "searchbox", "combobox", "spinbutton", "slider", "listbox"))
TICK_ROLES = frozenset(("checkbox", "radio", "switch"))
LIST_ROLES = frozenset(("combobox", "listbox"))
TEXT_FIELD_ROLES = FIELD_ROLES - {"listbox", "slider"}
# A match with a lower score does not have all the words in its name: it is of the kind asked for.
_NAMED_SCORE = 58
# The score of a text that consists of exactly the words.
_EXACT_TEXT_SCORE = 90
# The score of a name that consists of exactly the words.
_WHOLE_NAME_SCORE = 98
MAX_ORDINAL_MATCHES = 200
# How often an element is looked up again because the page has replaced it.
_MAX_REPLACED = 5
# The most frames of other origins that are searched; others belong to their page.
MAX_FRAMES = 100
# The deepest nesting of closed shadow trees.
MAX_NESTED = 100

# What is searched: everything visible; what can be acted on; that and what takes clicks together
# with its container; that, and boxes to tick by the words of their row; that and file inputs,
# visible or not; or that and groups of radio buttons.
Among = Literal["all", "acting", "clickable", "ticks", "files", "fields"]
_INVALID = ("valid selector", "valid XPath", "NamespaceError", "XPath")


class ElementName(Protocol):
    """The parameters by which callers name an element."""

    ref: str | None
    selector: str | None
    query: str | None


@dataclass(frozen=True, slots=True)
class Locator:
    """How the caller names an element: exactly one of ref, selector and query.

    Attributes:
        roles: among the matches of words, these roles are preferred.
        ties: prefer them only among equally good matches.
        nth: which of equally good matches, from 1 in page order; -1 for the last.
        texts: words may also mean text that is not a control: if it consists of exactly the words
            and no control matches ("exact"), or like any control ("any": where to drag to, what to
            scroll to).
        among: what words may mean, unless texts is "any".
        value: what is to be written: equally good lists without it are not meant.
    """

    ref: str | None = None
    selector: str | None = None
    query: str | None = None
    roles: frozenset[str] = frozenset()
    nth: int | None = None
    texts: Literal["", "exact", "any"] = ""
    ties: frozenset[str] = frozenset()
    among: Among = "acting"
    value: str | None = None

    @classmethod
    def of(cls, params: ElementName) -> "Locator":
        """Return the locator of a verb's parameters, which may be empty."""
        return cls(params.ref, params.selector, params.query)

    def check(self) -> None:
        """Raise invalid_argument unless exactly one of the three is set."""
        if sum(given is not None for given in (self.ref, self.selector, self.query)) != 1:
            raise OcdError(
                "invalid_argument", "Give exactly one of ref, selector and query.",
                parameter="ref", expected=["ref", "selector", "query"],
            )  # fmt: skip

    def __str__(self) -> str:
        return str(self.ref or self.selector or self.query)


async def call_engine(
    tab: Tab, frame: Frame, function: str, options: dict[str, Any]
) -> dict[str, Any]:
    """Call an engine function that returns refs, and record the numbers that it assigned.

    It is called again if elements turn out to have closed shadow trees, which may have further
    matches.
    """
    registry = refs_of(tab)

    async def ask() -> dict[str, Any]:
        with registry.asking(frame.frame_id) as numbering:
            reply: dict[str, Any] = await engine.call(
                tab, frame, function, {**options, **numbering}
            )
        registry.record(frame.frame_id, reply)
        return reply

    reply = await ask()
    for _ in range(MAX_NESTED):
        if not await look_further(tab, frame, reply):
            break
        reply = await ask()
    result: dict[str, Any] = reply["result"]
    return result


async def call_in_frames(
    tab: Tab, function: str, options: dict[str, Any], take: Callable[[dict[str, Any]], bool]
) -> None:
    """Call the engine in all frames, the main one first, until `take` returns True."""
    for frame in frames_to_call(tab.frames())[:MAX_FRAMES]:
        try:
            result = await call_engine(tab, frame, function, options)
        except OcdError as error:
            raise_if_invalid_selector(error, options)
            # A frame of another site that is busy or navigating must not hide the page.
            if frame is tab.main_frame or error.code != "script_error":
                raise
            continue
        if take(result):
            return


def raise_if_invalid_selector(error: OcdError, options: dict[str, Any]) -> None:
    """Raise invalid_argument if the page rejects the selector or XPath."""
    if error.code == "script_error" and any(words in error.message for words in _INVALID):
        name = "xpath" if options.get("xpath") else "selector"
        kind = "an XPath" if name == "xpath" else "a CSS selector"
        raise OcdError(
            "invalid_argument", f"Not {kind}: {options.get(name)!r}.", parameter=name
        ) from None


async def search(
    tab: Tab,
    query: str,
    limit: int,
    *,
    among: Among = "all",
    outermost_only: bool = False,
    whole_names_first: bool = False,
) -> tuple[list[Match], int]:
    """Return the elements that match words best, and the number of all matches.

    Args:
        tab: where to search, in all its frames.
        query: the words.
        limit: how many matches to return at most.
        among: what the words may mean.
        outermost_only: of equal matches inside each other, return only the outermost.
        whole_names_first: where something in a frame is called exactly so, return from that frame
            only what has all the words in its name.
    """
    options = {"query": query, "limit": limit, "among": among, "outermost": outermost_only}
    return await _find_words(tab, {**options, "wholeNames": whole_names_first})


async def _find_words(tab: Tab, options: dict[str, Any]) -> tuple[list[Match], int]:
    matches: list[Match] = []
    total = 0

    def take(result: dict[str, Any]) -> bool:
        nonlocal total
        matches.extend(Match(**match) for match in result["matches"])
        total += int(result["total"])
        return False

    await call_in_frames(tab, "find", options, take)
    # The sort is stable, so that the engine's order within a frame is kept.
    matches.sort(key=lambda match: -match.score)
    return matches[: options["limit"]], total


async def count_matches(tab: Tab, at: Locator) -> int:
    """Return the number of elements that match a locator; for words, at most 200.

    Raises stale_ref, invalid_argument.
    """
    at = _ref_in_words(at)
    at.check()
    if at.ref is not None:
        (await element_of_ref(tab, at.ref)).release()
        return 1
    at = await _selector_in_words(tab, at)
    if at.query is not None:
        matches, _ = await search(tab, at.query, MAX_ORDINAL_MATCHES, outermost_only=True)
        return sum(match.score >= MIN_SCORE for match in matches)
    total = 0

    def take(result: dict[str, Any]) -> bool:
        nonlocal total
        total += int(result["total"])
        return False

    options = {"selector": at.selector, "limit": 0, "pierce": True}
    await call_in_frames(tab, "queryDom", options, take)
    return total


async def resolve(tab: Tab, at: Locator) -> tuple[Element, str]:
    """Return the one element that the locator names, and its ref.

    Raises stale_ref, element_not_found, ambiguous (with the candidates), invalid_argument.
    """
    at = _ref_in_words(at)
    at.check()
    if at.ref is not None:
        return await element_of_ref(tab, at.ref), f"e{parse_ref(at.ref)}"
    for _ in range(_MAX_REPLACED):
        try:
            return await _resolve_match(tab, at)
        except OcdError as error:
            # The page has replaced it since, and the replacement is meant.
            if error.code != "stale_ref":
                raise
    return await _resolve_match(tab, at)


async def _resolve_match(tab: Tab, at: Locator) -> tuple[Element, str]:
    ref = await _choose_match(tab, at)
    return await element_of_ref(tab, ref), f"e{parse_ref(ref)}"


async def element_of_ref(tab: Tab, ref: str) -> Element:
    """Return the element of a ref, or the one that unambiguously replaced it; else stale_ref."""
    element = await acquire_ref(tab, ref)
    if element is None:
        name = f"e{parse_ref(ref)}"
        raise OcdError(
            "stale_ref",
            f"{name} is no longer the element that was read: the page has changed it.",
            hint="Read the page again (`read_page` or `find`) and use the new ref.",
            ref=name,
        )  # fmt: skip
    return element


async def _choose_match(tab: Tab, at: Locator) -> str:
    at = await _selector_in_words(tab, at)
    if at.selector is not None:
        matches = best = await _matches_of_selector(tab, at.selector)
        if not matches:
            raise OcdError(
                "element_not_found", f"No element matches {at.selector!r}.",
                hint="Call `find` with words, or `read_page` to see what is there.",
                selector=at.selector,
            )  # fmt: skip
    else:
        matches = await _matches_of_words(tab, at)
        best = await _best_of_words(tab, at, matches)
    if at.nth is not None:
        return pick_ordinal(at, best, at.nth).ref
    if at.among == "clickable" and at.query is not None:
        best = await _choose_part(tab, at, best, matches)
    best = [match for match in best if not match.covered] or best
    if len(best) > 1:
        raise ambiguous_error(at, [match.line for match in best])
    return best[0].ref


def _ref_in_words(at: Locator) -> Locator:
    """Return the locator of the ref in a line of an outline that was given as words."""
    ref = ref_in_line(at.query or "")
    return at if ref is None else replace(at, query=None, ref=ref)


async def _selector_in_words(tab: Tab, at: Locator) -> Locator:
    """Return the locator of the selector that was given in place of words; else the same one.

    It is one if the page says nothing of the kind ("#general") and it matches something.
    """
    words = at.query
    if words is None or not _looks_like_selector(words):
        return at
    named, _ = await search(tab, words, MAX_CANDIDATES, outermost_only=True)
    if any(words.casefold() in match.name.casefold() for match in named):
        return at
    try:
        found = await _matches_of_selector(tab, words)
    except OcdError as error:
        if error.code != "invalid_argument":
            raise
        return at
    return replace(at, query=None, selector=words) if found else at


def _looks_like_selector(words: str) -> bool:
    """Return whether words may be a CSS selector: #id, .class, [name=x], input[name=x]."""
    return words[:1] in ("#", ".", "[") or ("[" in words and words.endswith("]"))


async def _best_of_words(tab: Tab, at: Locator, matches: list[Match]) -> list[Match]:
    """Return the best of the matches, and the one of several that an ordinal means.

    Both, where they differ: "Last page" may be the last of several pages, and a name.
    """
    best = best_matches(at.ties, matches)
    if at.nth is None and not (best and best[0].score >= _EXACT_TEXT_SCORE):
        one = await _one_of_several(tab, at, required=not best)
        if one is not None:
            best = [one, *(match for match in best if match.ref != one.ref)]
    if not best:
        raise not_found_error(at, matches)
    return best


async def _one_of_several(tab: Tab, at: Locator, *, required: bool) -> Match | None:
    """Return the element that words with an ordinal mean, such as "second Delete button".

    None without an ordinal, and if only one element is called so: that is no first one of several.
    Raises element_not_found if there are too few and it is required.
    """
    nth, words = split_ordinal(str(at.query))
    if nth is None:
        return None
    each = replace(at, query=words, nth=nth)
    equal = best_matches(each.ties, await _matches_of_words(tab, each))
    if not equal or (len(equal) == 1 and equal[0].score >= _NAMED_SCORE):
        return None
    if nth > len(equal) and not required:
        return None
    return pick_ordinal(each, equal, nth)


async def _choose_part(
    tab: Tab, at: Locator, best: list[Match], matches: list[Match]
) -> list[Match]:
    """Return what the words mean in a box whose parts each match some of them.

    If only the box takes clicks, it makes no difference which of its parts is clicked, unless
    these are controls or stand in different items, which the box can tell apart.
    """
    if len(best) > 1 and any(match.acts or match.alike for match in best):
        return best
    if best[0].spread and await _takes_clicks(tab, best[0].ref):
        raise not_found_error(at, matches)
    box = best[0].within or best[0].ref
    parts = [match for match in matches if match.within == box]
    is_part = bool(best[0].within)
    if any(match.within != box for match in best if is_part) or len(best if is_part else parts) < 2:
        return best
    if not is_part and (len(best) > 1 or best[0].score >= _WHOLE_NAME_SCORE):
        return best
    async with await element_of_ref(tab, box) as element:
        found = await click_parts(element)
    if found.listens and (not found.parts or best[0].role in str(at.query).lower().split()):
        return best[:1]
    return best if is_part else best + parts


async def _takes_clicks(tab: Tab, ref: str) -> bool:
    async with await element_of_ref(tab, ref) as element:
        return (await click_parts(element)).listens


async def _matches_of_words(tab: Tab, at: Locator) -> list[Match]:
    limit = MAX_CANDIDATES if at.nth is None else MAX_ORDINAL_MATCHES
    query, among = str(at.query), "all" if at.texts == "any" else at.among
    options = {"query": query, "limit": limit, "among": among, "value": at.value}
    matches, _ = await _find_words(tab, {**options, "outermost": among == "all"})
    matches = prefer_roles(matches, at.roles)
    found = bool(matches) and matches[0].score >= MIN_SCORE
    if at.texts == "exact" and not found:
        any_text, _ = await search(tab, query, limit, outermost_only=True)
        return [match for match in any_text if match.score >= _EXACT_TEXT_SCORE] or matches
    return matches


async def _matches_of_selector(tab: Tab, selector: str) -> list[Match]:
    matches: list[Match] = []

    def take(result: dict[str, Any]) -> bool:
        matches.extend(Match(**match) for match in result["matches"])
        return len(matches) > 0

    await call_in_frames(tab, "candidates", {"selector": selector}, take)
    return matches
