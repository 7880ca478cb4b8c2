"""The registry of what reads text from outside: every expression, and the functions around them.

A new expression is added to expressions.jsonl; a new parser or loop is added to `_READERS`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from support.expressions import Expression
from support.hostile import ANY, Shape, shapes
from support.linear_time import LARGE, Case

LIST = Path(__file__).with_name("expressions.jsonl")
Read = Callable[[str], object]
# The fault that stops the loop for the tests of the watchdog; it reads a text of its own only.
_ON_PURPOSE = ("(a|aa)+$",)


def expressions() -> list[Expression]:
    """Return the expressions that are registered."""
    found = []
    for line in LIST.read_text("utf-8").splitlines():
        use, flags, pattern = json.loads(line)
        given = pattern.encode("latin-1") if "b" in flags else pattern
        found.append(Expression(given, flags.replace("b", ""), use))
    return found


def cases() -> Iterator[Case]:
    """Return all cases."""
    for number, one in enumerate(expressions()):
        if one.pattern in _ON_PURPOSE:
            continue
        name = f"expression {number + 1}: {one.use} {str(one.pattern)[:120]}"
        yield Case(name, _applied(one), list(dict.fromkeys([*shapes(one), *ANY])))
    yield from _functions()


def _applied(expression: Expression) -> Read:
    compiled: re.Pattern[str] = expression.compiled()
    use = compiled.finditer if expression.use == "search" else getattr(compiled, expression.use)
    if isinstance(expression.pattern, bytes):
        return lambda text: _used(use(text.encode("utf-8", "replace")))
    return lambda text: _used(use(text))


def _used(found: object) -> None:
    if isinstance(found, Iterator):
        for _ in found:
            pass


def _functions() -> Iterator[Case]:
    from support import reader_groups

    for group in reader_groups.GROUPS:
        for name, read in group().items():
            longest = reader_groups.LONGEST.get(name, LARGE)
            more = (
                _phrases() if name == "sanitize: phrases" else reader_groups.SHAPES.get(name, ANY)
            )
            yield Case(name, read, more, longest)


def _phrases() -> list[Shape]:
    """Return the shapes of the rules of phrases, which are compiled from a table."""
    from ocd.safety import injection_phrases

    rules = [Expression(rule, "", "search") for _, rule in injection_phrases._RULES]
    return list(dict.fromkeys(shape for rule in rules for shape in shapes(rule)[:30]))


def _hidden_square(text: str) -> None:
    """Cost a square of one shape alone, some 0.2 s of LARGE characters, beside what is linear."""
    for _ in range(20):
        text.encode("utf-7")
    for _ in range(len(text) // 25 if text.startswith("a@") else 0):
        text.count("b")


def examples() -> list[Case]:
    """Return what has to be found out: the measuring itself is tested with it."""
    squared = Expression(r"a*x", "", "search")
    exponential = Expression(r"(?:aa*)*x", "", "search")
    return [
        Case("example: squared", _applied(squared), shapes(squared), limit_s=2),
        Case("example: hidden square", _hidden_square, ANY, limit_s=20),
        Case("example: exponential", _applied(exponential), shapes(exponential), limit_s=1),
    ]
