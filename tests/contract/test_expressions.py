"""Every regular expression of ours is registered, and thereby measured by test_linear_time."""

import json

import pytest

from support.expressions import Expression, collect
from support.readers import cases, expressions
from support.syntax_trees import IN_ONE_WORKER

pytestmark = [pytest.mark.timeout(600), IN_ONE_WORKER]
# Those that are compiled from tables while the module is loaded, and the reader that tries them.
_BUILT = {
    "re.search(pattern, agent)": "user agent",
    "re.compile(f'(?:{pattern})$', re.IGNORECASE | re.DOTALL)": "act: parse",
    "re.compile(pattern)": "sanitize: phrases",
}


def _line(one: Expression) -> str:
    given = one.pattern
    is_bytes = isinstance(given, bytes)
    text = given.decode("latin-1") if isinstance(given, bytes) else given
    return json.dumps([one.use, one.flags + ("b" if is_bytes else ""), text])


def test_every_expression_is_registered() -> None:
    """The lines missing from, and left over in, tests/support/expressions.jsonl."""
    used = {_line(one.expression): one.place for one in collect() if one.expression}
    known = {_line(one) for one in expressions()}
    assert {line: used[line] for line in used.keys() - known} == {}
    assert sorted(known - used.keys()) == []


def test_expressions_built_at_run_time_are_registered() -> None:
    """A pattern that only the running code knows goes to RE2, or has a reader that tries it."""
    built = {one.source for one in collect() if one.expression is None}
    readers = {case.name for case in cases()}
    assert built == _BUILT.keys()
    assert set(_BUILT.values()) <= readers
