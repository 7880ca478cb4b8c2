"""Crawler traps: paths that repeat themselves, and endless calendars."""

import re

WARNINGS: dict[str, str] = {
    "repeating_path": "URLs were left out because their paths repeat themselves",
    "calendar": "date URLs were left out, each found through a hundred similar ones",
}
# How often one segment, or a group of them, may be repeated in a row.
_MAX_SINGLE, _MAX_GROUPS = 4, 3
_MAX_GROUP_LENGTH = 4
_MIN_SLASHES = 3 + _MAX_SINGLE
# How many dates in a row may lead to each other: eight years of months.
MAX_DATES = 100
_DATE = re.compile(
    r"(?:19|20|21)[0-9]{2}[/-]?[01]?[0-9]|[?&](?:year|month|date|day|week)[a-z]{0,9}="
)
_NUMBERS = re.compile(r"[0-9]+")


def trap_reason(url: str, dates: int) -> str:
    """Return the kind of trap that a URL leads into, "" if none.

    Args:
        url: the URL.
        dates: how many pages of dates in a row led to it.
    """
    if dates > MAX_DATES:
        return "calendar"
    return "repeating_path" if repeats_itself(url) else ""


def repeats_itself(url: str) -> bool:
    """Return whether the path repeats segments as no folders do: /a/b/a/b/a/b."""
    if url.count("/") < _MIN_SLASHES:
        return False
    segments = url.partition("?")[0].split("/")[3:]
    for length in range(1, _MAX_GROUP_LENGTH + 1):
        most = _MAX_SINGLE if length == 1 else _MAX_GROUPS
        alike = 0
        for one, other in zip(segments, segments[length:], strict=False):
            alike = alike + 1 if one == other and one else 0
            if alike >= length * (most - 1):
                return True
    return False


def dates_in_row(url: str, parent: str, before: int) -> int:
    """Return how many pages of dates in a row led to the URL; 0 if it is not one, or the first.

    Args:
        url: the URL.
        parent: the page that links to it.
        before: how many led to that page.
    """
    if not _DATE.search(url) or _NUMBERS.sub("0", url) != _NUMBERS.sub("0", parent):
        return 0
    return before + 1
