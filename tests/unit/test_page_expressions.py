"""The regular expressions of page scripts take at most linear time on any text of a page."""

import pytest

from support.page_expressions import literals, slow, sources

# Those that are put together while the script runs: alternatives of fixed words, and a caller's.
_BUILT = 6


@pytest.mark.timeout(600)
def test_ten_times_the_text_costs_the_scripts_at_most_fifteen_times_the_time() -> None:
    """Every literal, with hostile texts of 10,000 and 100,000 characters, in V8."""
    assert slow(sorted({one for script in sources() for one in literals(script)})) == []


@pytest.mark.timeout(600)
def test_quadratic_time_is_noticed() -> None:
    """The measurement recognises a quadratic expression, and survives an endless one."""
    assert len(slow([("a*x", "")], limit_s=2)) == 1
    assert len(slow([("^(?:aa*)*x", "")], limit_s=1)) == 1


def test_regex_literals_are_distinguished_from_divisions() -> None:
    """None are found in comments and strings; in templates, only between the braces."""
    script = "a = b / c / d; // /no/\nconst r = /[/]x/g; `/no/ ${f(/yes/)}`; s = '/no/';"
    assert list(literals(script)) == [("[/]x", "g"), ("yes", "")]


def test_expressions_built_at_run_time_are_counted() -> None:
    """A new one that page text can reach must become a literal, or be bounded."""
    assert sum(script.count("RegExp(") for script in sources()) == _BUILT
