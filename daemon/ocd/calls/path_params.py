"""Parameters by path: values read from files, and files that parameters name.

A parameter declared with `extra=PAYLOAD` has a companion `<name>_path`; one with READS_PATH or
WRITES_PATH names a file. Both are checked here, before any verb sees them.
"""

import asyncio
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from ocd.api.errors import OcdError
from ocd.api.spelling import snake_case
from ocd.calls.param_decoding import branches, fields_of
from ocd.safety.file_access import FileAccess, missing_file
from ocd.safety.param_redaction import RedactedParams
from ocd.verb_api.declaration import FileSource, Params, Verb

MAX_PAYLOAD_BYTES = 16 * 1024 * 1024


_S = TypeVar("_S", bound=msgspec.Struct)


# --- values that come from files --------------------------------------------------------------


@cache
def companions(params_type: type) -> dict[str, str]:
    """Return the parameters with a companion, by the companion's name: {"code_path": "code"}."""
    return {
        f"{name}_path": name
        for name, extra in extras_of(params_type).items()
        if extra.get("payload")
    }


async def read_path_params(
    verbs: Mapping[str, Verb], verb: Verb, raw: Mapping[str, Any], files: FileAccess
) -> Mapping[str, Any]:
    """Return the parameters with companions replaced by what their files hold.

    Raises source_conflict, source_missing, request_too_large, and what reading the path raises.
    """
    raw = await _read_nested(verbs, verb, raw, files)
    names = companions(verb.params)
    if not names:
        return raw
    spelled = {snake_case(key): key for key in raw if raw[key] is not None}
    read = {}
    for companion, name in names.items():
        path = raw[spelled[companion]] if companion in spelled else None
        if path is not None and name in spelled:
            raise OcdError(
                "source_conflict",
                f"{verb.name} was given both '{name}' and '{name}_path'",
                hint=f"Give one of {name} and {name}_path.",
                parameter=name,
            )
        if path is not None:
            read[name] = await _value_of(verb, name, path, files)
        elif name not in spelled and name in _required_fields(verb.params):
            raise _absent(verb, name, spelled)
    return {key: value for key, value in raw.items() if snake_case(key) not in names} | read


async def _read_nested(
    verbs: Mapping[str, Verb], verb: Verb, raw: Mapping[str, Any], files: FileAccess
) -> Mapping[str, Any]:
    # The arguments of another verb, as oc_task_start takes them.
    for name, extra in extras_of(verb.params).items():
        inner = verbs.get(str(raw.get(extra.get("arguments_of", ""))))
        if inner is not None and isinstance(raw.get(name), dict):
            return {**raw, name: await read_path_params(verbs, inner, raw[name], files)}
    return raw


async def _value_of(verb: Verb, name: str, path: object, files: FileAccess) -> Any:  # noqa: ANN401 - JSON
    if not isinstance(path, str):
        raise OcdError(
            "invalid_argument", f"{verb.name}: parameter '{name}_path' is not a string",
            parameter=f"{name}_path",
        )  # fmt: skip
    data = await asyncio.to_thread(_read, files, path)
    text = _text(verb, name, path, data)
    kinds = branches(fields_of(verb.params)[name])
    if any(isinstance(kind, inspect.StrType) for kind in kinds):
        return text
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        message = f"{verb.name}: {path} is not JSON: {error}"
        raise OcdError("invalid_argument", message, parameter=f"{name}_path", path=path) from None


def _read(files: FileAccess, path: str) -> bytes:
    real = files.resolve_readable(path)
    try:
        with Path(real).open("rb") as file:
            data = file.read(MAX_PAYLOAD_BYTES + 1)
    except OSError as error:
        raise missing_file(real, error) from error
    if len(data) > MAX_PAYLOAD_BYTES:
        raise OcdError(
            "request_too_large", f"{path} is larger than 16 MiB", path=path, limit=MAX_PAYLOAD_BYTES
        )
    return data


def _text(verb: Verb, name: str, path: str, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise OcdError(
            "invalid_argument", f"{verb.name}: {path} is not UTF-8 text (byte {error.start})",
            parameter=f"{name}_path", path=path,
        ) from None  # fmt: skip


def _absent(verb: Verb, name: str, params: Iterable[str]) -> OcdError:
    # What the caller gave in its place may be a parameter that there is not, and has an answer.
    hints = [verb.removed_params[key] for key in params if key in verb.removed_params]
    return OcdError(
        "source_missing", f"{verb.name} needs '{name}' or '{name}_path'",
        hint=" ".join(hints) or f"Give one of {name} and {name}_path.", parameter=name,
    )  # fmt: skip


def include_stored_params(verb: Verb, raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the parameters with those declared WHEN_STORED set, if the output may be stored."""
    if raw.get("output_mode", raw.get("outputMode")) not in ("handle", "auto"):
        return raw
    stored = [name for name, extra in extras_of(verb.params).items() if extra.get("when_stored")]
    return {**raw, **{name: True for name in stored if raw.get(name) is None}}


# --- files that parameters name ---------------------------------------------------------------


async def check_file_params(verb: Verb, params: Params, files: FileAccess) -> Params:
    """Return the parameters with every path checked; in a thread, if there can be one."""
    if not names_files(verb.params):
        return params
    return await asyncio.to_thread(check_paths, params, files)


def check_paths(params: _S, files: FileAccess) -> _S:
    """Return the parameters with every path made real and checked, at any depth.

    Raises path_not_absolute, path_outside_roots, path_denied, file_not_found; source_conflict and
    source_missing for a file that is given by both its content and its path, or by neither.
    """
    if isinstance(params, FileSource):
        _check_source(params)
    changes: dict[str, Any] = {}
    extras = extras_of(type(params))
    for name in params.__struct_fields__:
        before = getattr(params, name)
        after = _check_value(before, extras.get(name, {}).get("path"), files)
        if after is not before:
            changes[name] = after
    return msgspec.structs.replace(params, **changes) if changes else params


@cache
def names_files(params_type: type) -> bool:
    """Return whether these parameters can name a file, at any depth."""
    return any(_names_file(info) for info in fields_of(params_type).values())


def _names_file(info: inspect.Type) -> bool:
    if _extra(info).get("path"):
        return True
    return any(
        names_files(branch.cls)
        if isinstance(branch, inspect.StructType)
        else isinstance(branch, (inspect.ListType, inspect.VarTupleType))
        and _names_file(branch.item_type)
        for branch in branches(info)
    )


def _check_value(value: Any, use: object, files: FileAccess) -> Any:  # noqa: ANN401 - any parameter
    if isinstance(value, str) and use:
        return files.resolve_readable(value) if use == "read" else files.resolve_writable(value)
    if isinstance(value, msgspec.Struct):
        return check_paths(value, files)
    if isinstance(value, (list, tuple)):
        items = [_check_value(item, use, files) for item in value]
        changed = any(new is not old for new, old in zip(items, value, strict=True))
        return type(value)(items) if changed else value
    return value


def _check_source(source: FileSource) -> None:
    ways = [name for name in ("content", "file_path") if getattr(source, name) is not None]
    who = source.name or source.file_path or "a file"
    if len(ways) == 2:
        raise OcdError(
            "source_conflict", f"{who} was given both 'content' and 'file_path'",
            hint="Give one of them.", file=who,
        )  # fmt: skip
    if not ways:
        raise OcdError(
            "source_missing", f"{who} has neither 'content' nor 'file_path'",
            hint="Give file_path, an absolute path, or content in base64.", file=who,
        )  # fmt: skip


# --- what the declarations say ----------------------------------------------------------------


@cache
def extras_of(params_type: type) -> dict[str, dict[str, Any]]:
    """Return the `Meta(extra=…)` of each field of a struct."""
    return {name: _extra(info) for name, info in fields_of(params_type).items()}


def _extra(info: inspect.Type) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while isinstance(info, inspect.Metadata):
        found |= info.extra or {}
        info = info.type
    return found


@cache
def _required_fields(params_type: type[Params]) -> frozenset[str]:
    info = inspect.type_info(params_type)
    assert isinstance(info, inspect.StructType)
    return frozenset(field.encode_name for field in info.fields if field.required)


def written_params(verb: Verb | None, raw: Mapping[str, Any]) -> RedactedParams:
    """Return the part of a call's parameters that may be recorded, as the caller sent them."""
    if verb is None or verb.upstream_params is not None:
        return RedactedParams(raw)
    params = {snake_case(key): value for key, value in raw.items()}
    return RedactedParams(params, secret_params(verb.params))


def secret_params(params_type: type[Params]) -> set[str]:
    """Return the parameters whose values are never recorded."""
    return {name for name, extra in extras_of(params_type).items() if extra.get("secret")}
