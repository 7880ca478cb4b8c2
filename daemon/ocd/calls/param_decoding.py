"""Decoding a call's parameters: spelling, unknown names, types, and what every verb takes."""

import re
from collections.abc import Hashable, Mapping
from functools import cache
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, inspect

from ocd.api.errors import OcdError, did_you_mean
from ocd.api.spelling import snake_case
from ocd.verb_api.declaration import MAX_TIMEOUT_MS, UNLISTED, Params, Verb

OutputMode = Literal["inline", "handle", "auto"]


class CommonParams(msgspec.Struct):
    """The parameters that a verb has by its flags, besides its own."""

    tab_id: Annotated[str | None, Meta(description="Default: the latest")] = None
    timeout_ms: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_TIMEOUT_MS)] | None,
        Meta(description="Deadline in ms", extra_json_schema=UNLISTED),
    ] = None
    output_mode: Annotated[
        OutputMode | None,
        Meta(description="auto: a handle if over 32 KB"),
    ] = None
    output_inline_limit_bytes: Annotated[
        int,
        Meta(ge=0, description="auto: most bytes without a handle", extra_json_schema=UNLISTED),
    ] = 32768


def common_names(verb: Verb) -> tuple[str, ...]:
    """Return the names of the common parameters that the verb takes."""
    own = fields_of(verb.params)
    names = [*(["tab_id"] if verb.scope == "tab" else []), "timeout_ms"]
    if verb.large:
        names += ["output_mode", "output_inline_limit_bytes"]
    return tuple(name for name in names if name not in own)


def apply_aliases(verb: Verb, raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the parameters with aliases replaced by the verb's own names.

    What a tool that is not ours takes stays as it came, under `arguments`.
    """
    if verb.upstream_params is not None:
        mine = set(common_names(verb)) - verb.upstream_params
        own = {key: value for key, value in raw.items() if key not in mine}
        return {"arguments": own, **{key: raw[key] for key in mine if key in raw}}
    present = {snake_case(key) for key in raw}
    names = {key: verb.aliases.get(snake_case(key), key) for key in raw}
    # Both names at once: the other one stays, and is reported as unknown.
    return {key if (name := names[key]) in present else name: raw[key] for key in raw}


def decode_call(verb: Verb, raw: Mapping[str, Any]) -> tuple[CommonParams, Params]:
    """Return the common and the own parameters; `invalid_argument` names the offender."""
    common = common_names(verb)
    params = _spell_params(verb, raw, (*fields_of(verb.params), *common))
    return (
        _convert(verb, {k: v for k, v in params.items() if k in common}, CommonParams),
        _convert(verb, {k: v for k, v in params.items() if k not in common}, verb.params),
    )


def decode_args(verb: Verb, raw: Mapping[str, Any]) -> Params:
    """Return the own parameters alone, as for a task, which has no deadline and no output mode."""
    return _convert(verb, _spell_params(verb, raw, tuple(fields_of(verb.params))), verb.params)


def _spell_params(verb: Verb, raw: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    params: dict[str, Any] = {}
    spelt: dict[str, str] = {}
    for key, value in raw.items():
        name = _match_name(key, names)
        if name is None:
            raise _unknown(verb, key, names)
        if name in spelt:
            raise OcdError(
                "invalid_argument",
                f"{verb.name}: parameter '{name}' is given twice, as '{spelt[name]}' and '{key}'",
                hint=f"Give '{name}' alone.",
                parameter=name,
            )
        spelt[name] = key
        if value is not None or name in _nullable(verb.params):
            params[name] = value
    return params


def _match_name(key: str, names: tuple[str, ...]) -> str | None:
    for name in (key, snake_case(key)):
        if name in names:
            return name
    # Callers of other tools write `timeout`.
    return "timeout_ms" if key == "timeout" and "timeout_ms" in names else None


# What to do rather than give a parameter that no verb takes.
_INSTEAD = {
    "session_id": "Name the session beside the parameters: 'session' in /v1/call, --session of oc "
    "and oc-mcp, /mcp?session=NAME over HTTP.",
    "poll_interval": "Leave it out: waiting ends with the page's events; there is no polling.",
}


def _unknown(verb: Verb, key: str, names: tuple[str, ...]) -> OcdError:
    name = snake_case(key)
    hint = (
        verb.removed_params.get(name)
        or _INSTEAD.get(name)
        or did_you_mean(name, names, f"It takes: {', '.join(names) or 'nothing'}.")
    )
    return OcdError(
        "invalid_argument",
        f"{verb.name} has no parameter '{key}'",
        hint=hint,
        parameter=key,
        expected=list(names),
    )


_S = TypeVar("_S", bound=msgspec.Struct)


def _convert(verb: Verb, params: dict[str, Any], struct_type: type[_S]) -> _S:
    respelled = _respell_object(params, fields_of(struct_type)) if params else params
    try:
        return msgspec.convert(respelled, struct_type)
    except msgspec.ValidationError as error:
        raise _invalid(verb, str(error), struct_type) from None


_PATH = re.compile(r"(?:key in )?\$\.?(.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(\w+)`")


def _invalid(verb: Verb, text: str, struct_type: type) -> OcdError:
    what, _, place = text.rpartition(" - at `")
    match = _PATH.fullmatch(place) if what else None
    what, path = (what if match else text).replace("`", ""), match[1] if match else ""
    missing = _MISSING.match(text)
    if missing and not path:
        message = f"{verb.name} needs the parameter '{missing[1]}'"
        return OcdError("invalid_argument", message, parameter=missing[1])
    choices = _choices(_type_info(struct_type), path)
    hint = f"Use one of: {', '.join(map(str, choices))}." if choices else ""
    return OcdError(
        "invalid_argument",
        f"{verb.name}: parameter '{path}': {what[0].lower()}{what[1:]}",
        hint=hint,
        parameter=path,
        expected=choices or what,
    )


# --- both spellings, at any depth -------------------------------------------------------------


@cache
def _type_info(annotation: Hashable) -> inspect.Type:
    return inspect.type_info(annotation)


@cache
def fields_of(struct_type: type) -> dict[str, inspect.Type]:
    """Return the types of a struct's fields, by the names under which callers give them."""
    info = _type_info(struct_type)
    assert isinstance(info, inspect.StructType)
    return {field.encode_name: field.type for field in info.fields}


@cache
def _nullable(struct_type: type) -> frozenset[str]:
    return frozenset(name for name, info in fields_of(struct_type).items() if _accepts_null(info))


def _accepts_null(info: inspect.Type) -> bool:
    return any(isinstance(branch, (inspect.NoneType, inspect.AnyType)) for branch in branches(info))


def branches(info: inspect.Type) -> tuple[inspect.Type, ...]:
    """Return the types that a union allows, without their constraints."""
    while isinstance(info, inspect.Metadata):
        info = info.type
    if isinstance(info, inspect.UnionType):
        return tuple(branch for type_ in info.types for branch in branches(type_))
    return (info,)


def _respell(value: Any, info: inspect.Type) -> Any:  # noqa: ANN401 - any JSON value
    for branch in branches(info):
        if isinstance(branch, inspect.StructType) and isinstance(value, dict):
            return _respell_object(value, fields_of(branch.cls))
        if isinstance(branch, inspect.ListType) and isinstance(value, list):
            return [_respell(item, branch.item_type) for item in value]
        if isinstance(branch, inspect.LiteralType) and isinstance(value, str):
            return value if value in branch.values else _one_of(value, branch.values)
    return value


def _respell_object(value: dict[str, Any], fields: dict[str, inspect.Type]) -> dict[str, Any]:
    names = {key: _match_name(key, tuple(fields)) for key in value}
    return {
        names[key] or key: _respell(item, fields[name]) if (name := names[key]) else item
        for key, item in value.items()
    }


def _one_of(value: str, values: tuple[object, ...]) -> str:
    alike = [
        choice
        for choice in values
        if isinstance(choice, str) and _normalise_word(choice) == _normalise_word(value)
    ]
    return alike[0] if len(alike) == 1 else value


def _normalise_word(value: str) -> str:
    return snake_case(value).replace("-", "_")


def _choices(info: inspect.Type, path: str) -> list[object]:
    """Return the allowed values at `path` if that is an enumeration."""
    for branch in branches(info):
        if isinstance(branch, inspect.LiteralType) and not path:
            return list(branch.values)
        if isinstance(branch, inspect.StructType) and path:
            name, _, rest = path.partition(".")
            fields = {field.encode_name: field.type for field in branch.fields}
            if name in fields:
                return _choices(fields[name], rest)
    return []
