"""Texts that a date or time picker may be asked to take."""

import pytest

from ocd.pages.act.dates.date_pickers import is_date_or_time

DATES = (
    "2024-05-03", "5/3/2024", "11/11/11", "3 May 2024", "3. März 2024", "5 de mayo de 2024",
    "Friday, 3 May 2024", "May 3rd, 2024 5:30 pm", "17:45", "00:00", "5.30am", "5:30 p.m.",
    "2024-05-03T17:45", "2024-05-03T17:45:00Z", "2024年5月3日", "05/03/2024 \u2013 05/09/2024",
)  # fmt: skip
OTHERS = (
    "", "May", "7", "Room 5", "0-3-e3", "a1b2", "3x4", "user1@host2.com", "v1.2 of the third draft",
    "12 Main Street, flat 4, Leeds", "1" * 30 + "-" + "a" * 30, "12 " + "ab" * 18 + "!",
)  # fmt: skip


@pytest.mark.parametrize("text", DATES)
def test_dates_and_times_are_recognised_in_many_notations(text: str) -> None:
    assert is_date_or_time(text)


@pytest.mark.parametrize("text", OTHERS)
def test_other_texts_with_numbers_are_not_dates(text: str) -> None:
    assert not is_date_or_time(text)
