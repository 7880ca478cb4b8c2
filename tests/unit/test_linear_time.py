"""No text from outside takes more than linear time; measured as a ratio."""

import pytest

from support.linear_time import slow
from support.readers import cases, examples

# Each is some twenty seconds of computing, for whichever worker is free.
_BATCHES = 8
pytestmark = pytest.mark.spread


@pytest.mark.timeout(600)
@pytest.mark.parametrize("batch", range(_BATCHES))
def test_ten_times_the_text_costs_at_most_fifteen_times_the_time(batch: int) -> None:
    """Every expression and parser, with hostile texts of 10,000 and 100,000 characters."""
    assert slow([case.name for case in cases()][batch::_BATCHES]) == {}


@pytest.mark.timeout(600)
def test_quadratic_time_is_noticed() -> None:
    """The measurement recognises a quadratic expression, and survives an endless one."""
    names = [case.name for case in examples()]
    assert list(slow(names)) == names
