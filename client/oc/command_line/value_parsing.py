"""Parsing command-line words into JSON values, by a parameter's schema."""

from __future__ import annotations

import os
import sys

from ocd.api.errors import OcdError, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

Schema: TypeAlias = "dict[str, Any]"

_YES_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class InvalidValue(Exception):
    """A text that does not match the schema; the argument says what was expected."""


def parse(label: str, schema: Schema, texts: Sequence[str]) -> Any:  # noqa: ANN401 - a JSON value
    """Return the value of one parameter from its texts; `label` is its name in errors.

    A scalar takes one text. A list takes several, or one JSON array; a list of numbers or of given
    words also takes one text with commas. An object takes JSON text, or several `name=value`.
    """
    try:
        if schema.get("type") == "array":
            return _array(schema, texts)
        named = _by_name(schema)
        if named is not None and texts[0].lstrip()[:1] not in ("{", "["):
            return _pairs(named, texts)
        several = [branch for branch in schema.get("anyOf", ()) if branch.get("type") == "array"]
        if several and (len(texts) > 1 or _has_several(several[0], texts[0])):
            return _array(several[0], texts)
        if schema.get("type") == "object" and not texts[0].lstrip().startswith("{"):
            return _pairs(schema, texts)
        if len(texts) > 1:
            raise OcdError(
                "invalid_argument", f"{label} was given {len(texts)} times but takes one value"
            )
        return _one(schema, texts[0])
    except InvalidValue as unfit:
        message = f"{label} expects {unfit}, not {_quote_all(texts)}"
        raise OcdError("invalid_argument", message, hint=_hint(schema, texts)) from None


def parse_loosely(text: str) -> Any:  # noqa: ANN401 - a JSON value
    """Return the JSON value of a text, or the text itself."""
    try:
        return _json(text)
    except InvalidValue:
        return text


def resolve_indirection(text: str) -> str:
    """Return standard input for `-`, a file's text for `@file`, `@…` for `@@…`."""
    if text == "-":
        return sys.stdin.read()
    if not text.startswith("@"):
        return text
    if text.startswith("@@"):
        return text[1:]
    try:
        with open(text[1:], encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        message = f"Cannot read {text[1:]}: {reason}"
        hint = f"For text that begins with @, write @{text}"
        raise OcdError("file_not_found", message, hint=hint, path=text[1:]) from None


def is_flag(schema: Schema) -> bool:
    """Return whether a parameter is a switch: `--name` and `--no-name`, without a value."""
    return schema.get("type") == "boolean"


def is_switch_or_value(schema: Schema) -> bool:
    """Return whether a parameter is off by default, and given as a switch or with a value."""
    kinds = [branch.get("type") for branch in schema.get("anyOf", ())]
    return "boolean" in kinds and schema.get("default") is False


def is_switch(schema: Schema) -> bool:
    """Return whether `--name` and `--no-name` may be given without a value."""
    return is_flag(schema) or is_switch_or_value(schema)


def accepts(schema: Schema, text: str) -> bool:
    """Return whether the text may be a parameter's value."""
    try:
        _one(schema, text)
    except InvalidValue:
        return False
    return True


def takes_many(schema: Schema) -> bool:
    """Return whether a parameter takes several texts."""
    return schema.get("type") in ("array", "object") or _by_name(schema) is not None


def _by_name(schema: Schema) -> Schema | None:
    """Return the branch whose values have names, if no branch accepts any text."""
    branches = schema.get("anyOf", ())
    if any(branch.get("type") == "string" for branch in branches):
        return None
    found = (branch for branch in branches if isinstance(branch.get("additionalProperties"), dict))
    return next(found, None)


def _array(schema: Schema, texts: Sequence[str]) -> list[Any]:
    if len(texts) == 1 and texts[0].lstrip().startswith("["):
        # A CSS selector may begin like this, too; it is a single item then.
        value = parse_loosely(texts[0])
        if isinstance(value, list):
            return value
    items = schema.get("items", {})
    if _has_no_commas(items):  # a point: 100,200
        texts = [part.strip() for text in texts for part in text.split(",")]
    return [_one(items, text) for text in texts]


def _has_several(schema: Schema, text: str) -> bool:
    """Return whether one text gives several values of a list: `markdown,links`."""
    return _has_no_commas(schema.get("items", {})) and "," in text and text.lstrip()[:1] != "["


def _has_no_commas(schema: Schema) -> bool:
    """Return whether none of the schema's values has a comma in it: numbers, and given words."""
    if branches := schema.get("anyOf"):
        return all(map(_has_no_commas, branches))
    return "enum" in schema or schema.get("type") in ("number", "integer")


def _pairs(schema: Schema, texts: Sequence[str]) -> dict[str, Any]:
    items = schema.get("additionalProperties")
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise InvalidValue("a JSON object or name=value")
        found[name] = _one(items, value) if isinstance(items, dict) else value
    return found


def _one(schema: Schema, text: str) -> Any:  # noqa: ANN401 - a JSON value
    if "enum" in schema:
        return _choice(schema["enum"], text)
    if "anyOf" in schema:
        return _any_of(schema["anyOf"], text)
    return _READERS.get(schema.get("type", ""), parse_loosely)(text)


def _any_of(branches: Sequence[Schema], text: str) -> Any:  # noqa: ANN401 - a JSON value
    # Any text is a string, so that branch must be tried last.
    textual = any(branch.get("type") == "string" and "enum" not in branch for branch in branches)
    for branch in sorted(branches, key=lambda branch: branch.get("type") == "string"):
        try:
            value = _one(branch, text)
        except InvalidValue:
            continue
        # Where text is allowed, 007, +49 and "no" are text: a number would lose characters.
        if textual and isinstance(value, (bool, int, float)) and _number_text(value) != text:
            continue
        if textual and isinstance(value, list) and not _are_items(branch, value):
            continue  # for example text for a code editor
        return value
    raise InvalidValue(" or ".join(map(describe, branches)))


def _are_items(branch: Schema, values: list[Any]) -> bool:
    texts = branch.get("items", {}).get("type") == "string"
    return not texts or all(isinstance(text, str) for text in values)


def _number_text(value: float) -> str:
    return ("false", "true")[value] if isinstance(value, bool) else repr(value)


def _choice(choices: Sequence[Any], text: str) -> Any:  # noqa: ANN401 - a JSON value
    for spelling in (text, respell(text)):
        for choice in choices:
            if str(choice) == spelling:
                return choice
    raise InvalidValue(f"one of {', '.join(map(str, choices))}")


def respell(text: str) -> str:
    """Return an enumeration value as the catalog spells it: `double_click` for doubleClick."""
    lower = "".join(f"_{c.lower()}" if c.isupper() else c for c in text)
    return lower.replace("-", "_").lstrip("_")


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InvalidValue("a whole number") from None


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise InvalidValue("a number") from None
    if value - value != 0:
        raise InvalidValue("a finite number")
    return int(value) if value.is_integer() else value


def _boolean(text: str) -> bool:
    if text.lower() not in _YES_NO:
        raise InvalidValue("true or false")
    return _YES_NO[text.lower()]


def _object(text: str) -> dict[str, Any]:
    value = _json(text)
    if not isinstance(value, dict):
        raise InvalidValue("a JSON object")
    return value


def _list(text: str) -> list[Any]:
    value = _json(text)
    if not isinstance(value, list):
        raise InvalidValue("a JSON array")
    return value


def _json(text: str) -> Any:  # noqa: ANN401 - a JSON value
    import json

    try:
        return json.loads(text, parse_constant=_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidValue(f"JSON ({error})") from None


def _constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_READERS: dict[str, Callable[[str], Any]] = {
    "string": str,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "object": _object,
    "array": _list,
}


def describe(schema: Schema) -> str:
    """Return in a word or two what a parameter expects."""
    if "enum" in schema:
        return "|".join(map(str, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(map(describe, schema["anyOf"]))
    names = {"integer": "number", "object": "JSON object", "array": "JSON array", "string": "text"}
    kind = str(schema.get("type", "JSON"))
    return names.get(kind, kind)


def _quote_all(texts: Sequence[str]) -> str:
    quoted = " ".join(texts)
    return repr(quoted if len(quoted) <= 60 else quoted[:60] + "…")


def _hint(schema: Schema, texts: Sequence[str]) -> str:
    if "enum" in schema:
        return did_you_mean(texts[0], map(str, schema["enum"]))
    if schema.get("type") == "object":
        if os.path.isfile(texts[0]):
            return f"To read the file, write @{texts[0]}"
        return """Quote JSON for the shell: '{"name": "value"}'"""
    return ""
