"""Plans as callers write them, normalized: pure.

{"name"?, "parameters"?: {name: {"default"?, …} | value}, "steps": [step, …], "error_handlers"?,
"success_criteria"?}. A step: {"tool", "args", "order"?, "name"?, "description"?, "timeout_ms"?,
"retries"?, "on_error"?: stop | continue, "parse_result"?: {"format"?: json | text,
"extract_field"?, "store_as"?}}. Both spellings of every key are understood, and `verb` for tool.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ocd.api.errors import OcdError, did_you_mean
from ocd.api.spelling import snake_case_keys

MAX_STEPS = 500
MAX_RETRIES = 10
_ALIASES = {
    "verb": "tool", "params": "args", "arguments": "args", "timeout": "timeout_ms",
    "retry": "retries", "retry_on_fail": "retries", "parse": "parse_result",
}  # fmt: skip
# Metadata of plans that other tools export; running a plan does not need it.
_ABOUT = frozenset({"version", "format", "left_out", "created_at", "updated_at", "id", "plan_id"})
_NAME = re.compile(r"\$\{([A-Za-z_][\w-]*)((?:\.[\w-]+)*)\}")


class ResultParsing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to do with a step's result; `extract_field` is a path such as items.0.title."""

    format: Literal["json", "text"] = "json"
    extract_field: str = ""
    store_as: str = ""


class PlanStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One step: a call of a tool."""

    tool: str
    args: dict[str, Any] = {}
    order: int = 0
    name: str = ""
    description: str = ""
    timeout_ms: Annotated[int, Meta(ge=1, le=600_000)] | None = None
    retries: Annotated[int, Meta(ge=0, le=MAX_RETRIES)] = 0
    on_error: Literal["stop", "continue"] = "stop"
    parse_result: ResultParsing | None = None


class ErrorHandler(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to do when a step fails or has no result.

    condition: step2_error, step2_empty_result, NAME_error, any_error. action: continue after
    its steps, retry the failed step once, or stop.
    """

    condition: str
    action: Literal["continue", "retry", "stop"] = "continue"
    steps: tuple[PlanStep, ...] = ()


class SuccessCriteria(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When the plan succeeded; it considers what steps stored, never the parameters."""

    min_data_items: int = 0
    required_fields: tuple[str, ...] = ()
    contract: Any = None


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A plan; every step has its order."""

    steps: Annotated[tuple[PlanStep, ...], Meta(min_length=1, max_length=MAX_STEPS)]
    name: str = ""
    description: str = ""
    parameters: dict[str, Any] = {}
    error_handlers: tuple[ErrorHandler, ...] = ()
    success_criteria: SuccessCriteria = SuccessCriteria()

    def all_steps(self) -> Iterator[PlanStep]:
        """Yield the steps, including those of the handlers."""
        yield from self.steps
        for handler in self.error_handlers:
            yield from handler.steps

    def names_stored(self) -> set[str]:
        """Return the names under which steps store their results."""
        return {s.parse_result.store_as for s in self.all_steps() if s.parse_result}

    def names_used(self) -> set[str]:
        """Return every name that occurs as ${name} in a step's arguments."""
        return {match[1] for s in self.all_steps() for match in _names_in(s.args)}

    def defaults(self) -> dict[str, Any]:
        """Return the values of the parameters that have one."""
        found = {}
        for name, declared in self.parameters.items():
            if not isinstance(declared, dict):
                found[name] = declared
            elif "default" in declared:
                found[name] = declared["default"]
        return found


def plan_of(raw: object) -> Plan:
    """Return the plan that a caller has written; invalid_argument says where it is wrong."""
    if isinstance(raw, list):
        raw = {"steps": raw}
    if not isinstance(raw, dict):
        raise _plan_error("expected an object with steps")
    fields = {key: value for key, value in snake_case_keys(raw).items() if key not in _ABOUT}
    fields["steps"] = _steps(fields.get("steps"))
    fields["error_handlers"] = [_handler(handler) for handler in fields.get("error_handlers") or []]
    if "success_criteria" in fields:
        fields["success_criteria"] = _criteria(fields["success_criteria"])
    try:
        return msgspec.convert({k: v for k, v in fields.items() if v is not None}, Plan)
    except msgspec.ValidationError as error:
        raise _plan_error(str(error)) from None


def _plan_error(why: str, hint: str = "") -> OcdError:
    hint = hint or 'A plan: {"steps": [{"tool": "navigate", "args": {"url": "…"}}]}'
    return OcdError(
        "invalid_argument", f"execute_plan: invalid plan: {why}", hint=hint, parameter="plan"
    )


def _steps(raw: object) -> list[dict[str, Any]]:
    if not isinstance(raw, list):
        raise _plan_error("steps must be a list")
    return [_step(one, number) for number, one in enumerate(raw, 1)]


def _step(raw: object, number: int) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise _plan_error(f"step {number} must be an object")
    fields = {_ALIASES.get(key, key): value for key, value in snake_case_keys(raw).items()}
    if isinstance(fields.get("retries"), bool):
        fields["retries"] = int(fields["retries"])
    if isinstance(fields.get("parse_result"), dict):
        fields["parse_result"] = snake_case_keys(fields["parse_result"])
    present = {key: value for key, value in fields.items() if value is not None}
    return {"order": number, **present}


def _handler(raw: object) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise _plan_error("an error handler must be an object")
    fields = snake_case_keys(raw)
    return {**fields, "steps": _steps(fields.get("steps") or [])}


def _criteria(raw: object) -> Any:  # noqa: ANN401 - checked by the conversion
    fields = snake_case_keys(raw) if isinstance(raw, dict) else raw
    if isinstance(fields, dict) and fields.pop("custom_check", None):
        raise _plan_error("custom_check is not supported", "Use a contract, as in `oc_assert`.")
    return fields


# --- values ------------------------------------------------------------------------------------


def _names_in(value: Any) -> Iterator[re.Match[str]]:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        yield from _NAME.finditer(value)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _names_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from _names_in(item)


def substitute(value: Any, values: Mapping[str, Any], declared: set[str]) -> Any:  # noqa: ANN401 - JSON
    """Return the value with ${name} and ${name.path} replaced; once, never what was put in.

    A string that is just one name becomes the value itself. Undeclared names stay as they are:
    scripts have such templates, too. Raises invalid_argument for one without a value.
    """
    if isinstance(value, dict):
        return {key: substitute(item, values, declared) for key, item in value.items()}
    if isinstance(value, list):
        return [substitute(item, values, declared) for item in value]
    if not isinstance(value, str) or "${" not in value:
        return value
    only = _NAME.fullmatch(value)
    if only and only[1] in declared:
        return _value(only, values)

    def text(match: re.Match[str]) -> str:
        if match[1] not in declared:
            return match[0]
        found = _value(match, values)
        return found if isinstance(found, str) else msgspec.json.encode(found).decode()

    return _NAME.sub(text, value)


def _value(match: re.Match[str], values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
    if match[1] not in values:
        raise OcdError(
            "invalid_argument", f"execute_plan: {match[0]} has no value",
            hint=f'Pass it: params {{"{match[1]}": …}}', parameter=f"params.{match[1]}",
        )  # fmt: skip
    return get_at_path(values[match[1]], match[2].lstrip("."))


def get_at_path(value: Any, path: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value at a path of keys and positions (items.0.title); None if there is none."""
    for key in filter(None, path.split(".")):
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def check_params(plan: Plan, values: Mapping[str, Any]) -> None:
    """Raise invalid_argument for a missing parameter, or one that the plan does not have."""
    own = set(plan.parameters)
    missing = sorted((own & plan.names_used()) - set(values) - set(plan.defaults()))
    if missing := [name for name in missing if name not in plan.names_stored()]:
        raise OcdError(
            "invalid_argument", f"execute_plan: the plan needs {', '.join(missing)}",
            hint=f'Pass it: params {{"{missing[0]}": …}}', parameter=f"params.{missing[0]}",
        )  # fmt: skip
    takes = own | plan.names_used()
    for name in values:
        if name not in takes:
            hint = did_you_mean(name, takes, f"It takes: {', '.join(sorted(own)) or 'nothing'}.")
            message = f"execute_plan: the plan has no parameter '{name[:200]}'"
            raise OcdError("invalid_argument", message, hint=hint, parameter=f"params.{name[:200]}")


def unmet_criteria(criteria: SuccessCriteria, outputs: Mapping[str, Any]) -> list[str]:
    """Return the criteria that the outputs do not meet."""
    missing = []
    sizes = [len(value) for value in outputs.values() if isinstance(value, (list, dict))]
    if max(sizes, default=0) < criteria.min_data_items:
        missing.append(f"{criteria.min_data_items} items, found {max(sizes, default=0)}")
    return missing + [name for name in criteria.required_fields if not _has(outputs, name)]


def _has(outputs: Mapping[str, Any], name: str) -> bool:
    if get_at_path(dict(outputs), name) is not None:
        return True
    return any(_within(value, name) for value in outputs.values())


def _within(value: Any, name: str) -> bool:  # noqa: ANN401 - any JSON value
    if isinstance(value, list):
        return bool(value) and all(get_at_path(item, name) is not None for item in value)
    return get_at_path(value, name) is not None
