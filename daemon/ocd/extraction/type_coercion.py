"""A page's text as a value of the declared type; None if it does not fit."""

import re
from typing import Any

from ocd.extraction.dates import iso_date, iso_moment
from ocd.extraction.node_tree import squeeze
from ocd.extraction.numbers import minutes_in, number_in
from ocd.extraction.schema import SchemaField
from ocd.safety.host_canonical import parse_url

LONG = 10_000
_YES = re.compile(
    r"(?:true|yes|y|on|1|✓|✔|☑|ja|oui|sí|si|예|はい|是|in ?stock|available|auf lager|en stock"
    r"|disponible|lieferbar|재고 ?있음|在庫あり|有货)\b",
    re.I,
)
_NO = re.compile(
    r"(?:false|no|n|off|0|✗|✘|☐|nein|non|아니오|いいえ|否|out ?of ?stock|sold ?out|unavailable"
    r"|not available|discontinued|ausverkauft|nicht|agotado|épuisé|품절|在庫なし|缺货)\b",
    re.I,
)
_SCHEMA_ORG = re.compile(r"^https?://(?:www\.)?schema\.org/(\w+)$")
EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+")


def coerce(field: SchemaField, raw: Any, base: str = "", lang: str = "") -> Any:  # noqa: ANN401
    """Return a scalar as the field's type and format want it; None if it cannot be that."""
    value = _single(raw)
    if value is None:
        return None
    if field.enum:
        return _of_enum(field, value)
    if field.kind == "boolean":
        return _boolean(value)
    if field.kind in ("number", "integer"):
        return _number(field, value)
    return _string(field, value, base, lang)


def _single(raw: Any) -> Any:  # noqa: ANN401
    if isinstance(raw, list):
        raw = next((single for single in map(_single, raw) if single not in (None, "")), None)
    if isinstance(raw, dict):
        for key in ("name", "@value", "url", "contentUrl", "value", "text", "@id"):
            if raw.get(key) not in (None, ""):
                return _single(raw[key])
        return _address(raw)
    if isinstance(raw, str):
        raw = squeeze(raw)
        return raw or None
    return raw


def _address(raw: dict[str, Any]) -> str | None:
    keys = ("streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry")
    parts = [str(_single(raw[key]) or "") for key in keys if key in raw]
    return ", ".join(part for part in parts if part) or None


def _of_enum(field: SchemaField, value: Any) -> Any:  # noqa: ANN401
    text = _SCHEMA_ORG.sub(r"\1", str(value)).casefold()
    exact = next((choice for choice in field.enum if str(choice).casefold() == text), None)
    if exact is not None:
        return exact
    return next(
        (choice for choice in field.enum if choice and str(choice).casefold() in text), None
    )


def _boolean(value: Any) -> bool | None:  # noqa: ANN401
    if isinstance(value, bool | int | float):
        return bool(value)
    text = _SCHEMA_ORG.sub(r"\1", str(value)).strip()
    if _NO.match(text):
        return False
    if _YES.match(text):
        return True
    return None


def _number(field: SchemaField, value: Any) -> float | int | None:  # noqa: ANN401
    if isinstance(value, bool):
        return None
    found = value if isinstance(value, int | float) else minutes_in(str(value))
    # A paragraph that happens to have a number in it is not a number.
    if found is None and len(str(value)) <= 80:
        found = number_in(str(value))
    if found is None or field.kind == "number":
        return found
    return round(found)


def _string(field: SchemaField, value: Any, base: str, lang: str) -> str | None:  # noqa: ANN401
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    if field.format == "date":
        return iso_date(text, lang)
    if field.format == "date-time":
        return iso_moment(text, lang)
    if field.format == "email":
        found = EMAIL.search(text)
        return found[0] if found else None
    if field.format in ("uri", "url", "uri-reference"):
        return _url(text, base)
    return _SCHEMA_ORG.sub(r"\1", text)[:LONG]


def _url(text: str, base: str) -> str | None:
    if not text or " " in text or text.lower().startswith(("javascript:", "data:")):
        return None
    try:
        return parse_url(text, base or None).href
    except ValueError:
        return None
