"""Dates as people and machines write them, to ISO 8601."""

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

from ocd.extraction.numbers import ascii_digits

_MONTHS = """
january jan januar janvier enero gennaio janeiro januari stycznia
february feb februar février fevrier febrero febbraio fevereiro februari lutego
march mar märz maerz mars marzo março maart marca
april apr avril abril aprile kwietnia
may mai mayo maggio maio mei maja
june jun juni juin junio giugno junho czerwca
july jul juli juillet julio luglio julho lipca
august aug août aout agosto augustus sierpnia
september sep sept septembre septiembre settembre setembro września
october oct oktober okt octobre octubre ottobre outubro października
november nov novembre noviembre novembro listopada
december dec dezember dez décembre decembre diciembre dicembre dezembro grudnia
"""
_MONTH = {
    name: number + 1
    for number, line in enumerate(_MONTHS.strip().splitlines())
    for name in line.split()
}
_NAMES = "|".join(sorted(_MONTH, key=len, reverse=True))
_ISO = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):?(\d{2})(?::?(\d{2}))?(?:[.,]\d+)?"
    r"\s?(Z|[+-]\d{2}:?\d{2})?)?"
)
_CJK = re.compile(r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]")
_YEAR_FIRST = re.compile(r"\b(\d{4})\s?[./]\s?(\d{1,2})\s?[./]\s?(\d{1,2})\b")
_DAY_MONTH = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|\.|º)?\s+(?:de\s+|of\s+)?({_NAMES})\b\.?,?\s+(?:de\s+)?(\d{{4}})",
    re.IGNORECASE,
)
_MONTH_DAY = re.compile(
    rf"\b({_NAMES})\b\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:\s*+,)?\s++(\d{{4}})", re.IGNORECASE
)
_NUMERIC = re.compile(r"\b(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})\b")
_CLOCK = re.compile(r"\b(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([ap]\.?m\.?)?", re.IGNORECASE)
_STAMP = re.compile(r"\d{10}(?:\d{3})?$")


def iso_date(text: str, lang: str = "") -> str | None:
    """Return the first date in a text as YYYY-MM-DD, or None."""
    found = _day(ascii_digits(text), lang)
    return found[0].isoformat() if found else None


def iso_moment(text: str, lang: str = "") -> str | None:
    """Return the first date of a text, with its time if it has one, as ISO 8601."""
    plain = ascii_digits(text).strip()
    match = _ISO.search(plain)
    if match:
        return _iso_moment(match)
    found = _day(plain, lang)
    if found is None:
        return None
    day, end = found
    clock = _CLOCK.search(plain, end)
    if clock is None:
        return day.isoformat()
    hour = int(clock[1])
    if clock[4]:
        hour = hour % 12 + (12 if clock[4][0] in "pP" else 0)
    if hour > 23 or int(clock[2]) > 59:
        return day.isoformat()
    return f"{day.isoformat()}T{hour:02}:{clock[2]}:{clock[3] or '00'}"


def _iso_moment(match: re.Match[str]) -> str | None:
    year, month, day, hour, minute, second, zone = match.groups()
    if _date_from(year, month, day) is None:
        return None
    if hour is None:
        return f"{year}-{month}-{day}"
    if zone and zone != "Z" and ":" not in zone:
        zone = f"{zone[:3]}:{zone[3:]}"
    return f"{year}-{month}-{day}T{hour}:{minute}:{second or '00'}{zone or ''}"


def _day(text: str, lang: str) -> tuple[date, int] | None:
    for pattern, order in (
        (_ISO, (1, 2, 3)), (_CJK, (1, 2, 3)), (_YEAR_FIRST, (1, 2, 3)), (_DAY_MONTH, (3, 2, 1)),
        (_MONTH_DAY, (3, 1, 2)),
    ):  # fmt: skip
        match = pattern.search(text)
        found = _date_from(*(match[place] for place in order)) if match else None
        if match and found:
            return found, match.end()
    numeric = _NUMERIC.search(text)
    if numeric:
        found = _numeric(numeric, lang)
        return (found, numeric.end()) if found else None
    return _machine(text)


def _numeric(match: re.Match[str], lang: str) -> date | None:
    one, sign, other, year = match.groups()
    if len(year) == 2:
        year = f"20{year}" if int(year) < 70 else f"19{year}"
    # Only Americans put the month first, and only with slashes or dashes.
    american = sign != "." and (lang.lower() in ("", "en", "en-us")) and int(one) <= 12
    month, day = (one, other) if american or int(other) > 12 else (other, one)
    return _date_from(year, month, day)


def _machine(text: str) -> tuple[date, int] | None:
    if _STAMP.match(text.strip()):
        seconds = int(text.strip()[:10])
        return datetime.fromtimestamp(seconds, UTC).date(), len(text)
    try:
        return parsedate_to_datetime(text).date(), len(text)
    except (TypeError, ValueError, IndexError, OverflowError):  # a zone of many digits, too
        return None


def _date_from(year: str, month: str, day: str) -> date | None:
    number = _MONTH.get(month.lower()) or (int(month) if month.isdecimal() else 0)
    try:
        return date(int(year), number, int(day))
    except ValueError:
        return None
