"""Numbers as people write them: prices, thousands, decimals, other digits, durations."""

import math
import re
import unicodedata

_NUMBER = re.compile(r"[-+\u2212]?\s?\d[\d.,'\u2019\u00a0\u202f\u066b\u066c ]*")
_SCALE = re.compile(
    r"\s*(k|m|b|bn|mio|mrd|thousand|million|billion|tsd|만|억|万|億)\b|\s*(만|억|万|億)", re.I
)
_SCALES = {
    "k": 1e3, "thousand": 1e3, "tsd": 1e3, "m": 1e6, "mio": 1e6, "million": 1e6, "b": 1e9,
    "bn": 1e9, "mrd": 1e9, "billion": 1e9, "만": 1e4, "万": 1e4, "억": 1e8, "億": 1e8,
}  # fmt: skip
_ISO_DURATION = re.compile(
    r"P(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?"
    r"(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$"
)
_SYMBOLS = {
    "€": "EUR", "£": "GBP", "₩": "KRW", "₹": "INR", "₽": "RUB", "₺": "TRY", "₪": "ILS",
    "฿": "THB", "₫": "VND", "₴": "UAH", "zł": "PLN", "원": "KRW", "円": "JPY", "元": "CNY",
    "R$": "BRL", "C$": "CAD", "A$": "AUD", "US$": "USD", "HK$": "HKD", "$": "USD", "¥": "JPY",
}  # fmt: skip
_CODES = re.compile(
    r"\b(USD|EUR|GBP|JPY|CNY|KRW|INR|CHF|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RUB|BRL|MXN|TRY|ILS"
    r"|THB|VND|SGD|HKD|TWD|ZAR|AED|SAR|UAH|IDR|PHP|MYR)\b"
)


def number_in(text: str) -> float | int | None:
    """Return the first number of a text: 1299.5 for "$1,299.50" and for "1.299,50 EUR"."""
    match = _NUMBER.search(ascii_digits(text))
    if match is None:
        return None
    value = _value(match[0])
    if value is None:
        return None
    scale = _SCALE.match(ascii_digits(text), match.end())
    if scale:
        value *= _SCALES[(scale[1] or scale[2]).lower()]
    return int(value) if value == int(value) else value


def ascii_digits(text: str) -> str:
    """Return the text with the digits of every script as 0 to 9."""
    if text.isascii():
        return text
    return "".join(
        str(unicodedata.decimal(letter)) if letter.isdecimal() else letter for letter in text
    )


def _value(text: str) -> float | None:
    text = text.strip().replace("\u2212", "-").replace("\u066b", ".").replace("\u066c", ",")
    # A space groups thousands only: "2 300" is one number, "4 12" are two.
    grouped = re.match(r"[-+]?\s?\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)", text)
    if not grouped:
        text = re.split(r"(?<=\d)[ \u00a0\u202f]", text, maxsplit=1)[0]
    text = re.sub(r"['\u2019\u00a0\u202f ]", "", text).rstrip(".,")
    for one, other in ((".", ","), (",", ".")):
        if one in text and other in text and text.rindex(one) > text.rindex(other):
            text = text.replace(other, "").replace(one, ".")
            break
    else:
        text = _without_thousands(text)
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _without_thousands(text: str) -> str:
    for sign in (".", ","):
        if sign not in text:
            continue
        head, *groups = text.split(sign)
        thousands = all(len(group) == 3 for group in groups) and head.lstrip("+-") not in ("", "0")
        if len(groups) > 1 or (thousands and sign == ","):
            return text.replace(sign, "")
        if thousands and len(head.lstrip("+-")) <= 3 and sign == ".":
            # "1.299" is a price of thousands in half of the world; "0.299" and "4.5" are not.
            return text.replace(sign, "")
        return text.replace(sign, ".")
    return text


def minutes_in(text: str) -> float | int | None:
    """Return an ISO 8601 duration in minutes, None if it is not one."""
    match = _ISO_DURATION.match(text.strip())
    if match is None or not any(match.groups()):
        return None
    weeks, days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    total = weeks * 10080 + days * 1440 + hours * 60 + minutes + seconds / 60
    if not math.isfinite(total):
        return None
    return int(total) if total == int(total) else total


def currency_in(text: str) -> str:
    """Return the ISO code of the currency that a price names, "" if it names none."""
    code = _CODES.search(text)
    if code:
        return code[1]
    found = [symbol for symbol in _SYMBOLS if symbol in text]
    return _SYMBOLS[max(found, key=len)] if found else ""
