"""Which parameters the bare words of a command line stand for."""

from __future__ import annotations

from oc import value_parsing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from typing import Any

# Actions whose one word is their value, as they need no element.
_ALONE = ("press", "accept_dialog")


def assign(
    names: Sequence[str], texts: Sequence[str], known: Mapping[str, Any], given: Container[str]
) -> list[str]:
    """Return the parameters in the order of the texts that are meant for them.

    names: in the order in which they are written without thinking; given: what options have said.
    Where a ref stands, words, a selector and an action that comes first are known for what they
    are: no ref looks like them.
    """
    left = [name for name in names if not _is_given(name, given)]
    found: list[str] = []
    for text in texts:
        ways = _ways(left[0], known) if left else None
        if ways is None or _is_ref(text):
            found += left[:1]
            del left[:1]
        elif (action := _action(left, text, known)) is not None:
            left.remove(action)
            found.append(action)
            if value_parsing.respelt(text) in _ALONE and len(texts) == 2 and not _is_ref(texts[1]):
                del left[0]
        else:
            del left[0]
            selector, words = ways
            found.append(selector if text[:1] in "#.[" and " " not in text else words)
    return [*found, *left]


def distribute(
    names: Sequence[str], texts: Sequence[str], known: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Give one text to each name; the first name that takes many gets what the others leave."""
    many = next((i for i, name in enumerate(names) if value_parsing.takes_many(known[name])), None)
    if many is None or len(texts) <= many:
        return {name: [text] for name, text in zip(names, texts, strict=False)}
    spare = max(0, len(texts) - len(names))
    shares = {name: [text] for name, text in zip(names[:many], texts, strict=False)}
    shares[names[many]] = list(texts[many : many + 1 + spare])
    rest = zip(names[many + 1 :], texts[many + 1 + spare :], strict=False)
    return shares | {name: [text] for name, text in rest}


def _ways(name: str, known: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return how else an element may be named whose ref the parameter takes."""
    ways = _others(name)
    return ways if ways is not None and all(way in known for way in ways) else None


def _others(name: str) -> tuple[str, str] | None:
    whose = name.removesuffix("ref")
    return None if whose == name else (f"{whose}selector", f"{whose}query")


def _is_given(name: str, given: Container[str]) -> bool:
    ways = _others(name)
    return ways is not None and any(way in given for way in ways)


def _is_ref(text: str) -> bool:
    number = text.strip().removeprefix("@").lower().removeprefix("e")
    return number.isascii() and number.isdigit()


def _action(names: Sequence[str], text: str, known: Mapping[str, Any]) -> str | None:
    for name in names:
        if value_parsing.respelt(text) in known[name].get("enum", ()):
            return name
    return None
