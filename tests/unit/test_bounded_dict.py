"""BoundedDict: how many items it keeps, and which."""

from hypothesis import given
from hypothesis import strategies as st

from ocd.api.bounded_dict import BoundedDict


@given(st.integers(1, 5), st.lists(st.integers(0, 8)))
def test_it_keeps_the_keys_that_were_set_last(size: int, keys: list[int]) -> None:
    """Oldest first, each with its latest value."""
    bounded = BoundedDict[int, int](size)
    for number, key in enumerate(keys):
        bounded[key] = number
    latest = {key: number for number, key in enumerate(keys)}
    expected = sorted(latest.items(), key=lambda item: item[1])[-size:]
    assert list(bounded.items()) == expected


def test_setdefault_keeps_the_bound() -> None:
    """A missing key is added like any other, and the oldest goes."""
    bounded = BoundedDict[str, int](2)
    for key in "abca":
        bounded.setdefault(key, len(bounded))
    assert list(bounded) == ["c", "a"]
    assert bounded.get("b") is None
