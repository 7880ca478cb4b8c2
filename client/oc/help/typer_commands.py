"""A typer command per entry, for help and completion only."""

import inspect
from collections.abc import Callable, Iterable

import typer

from oc.command_line import command_names, positional_args, value_parsing
from oc.command_line.builtin_commands import GLOBAL_OPTIONS
from oc.command_line.command_names import Entry
from oc.command_line.value_parsing import Schema
from oc.help import known_names


def function(entry: Entry, *, detailed: bool) -> Callable[..., None]:
    """Return a function with the entry's help as docstring and its parameters as signature.

    detailed: with parameters; typer takes a millisecond for each command that has them.
    """
    parameters = list(_parameters(entry)) if detailed else []

    def command(**_given: object) -> None:
        raise AssertionError("commands are run by oc.main")

    command.__doc__ = "\n\n".join(filter(None, (entry["summary"], *_paragraphs(entry))))
    _sign(command, parameters)
    return command


def _paragraphs(entry: Entry) -> Iterable[str]:
    yield entry.get("doc", "")
    names, known = command_names.positional(entry), entry["params"]["properties"]
    if positional_args.takes_element(names, known):
        yield positional_args.ELEMENT_HELP
        if len(names) > 1 and "enum" in known[names[1]]:
            yield positional_args.ACTION_HELP


def root() -> Callable[..., None]:
    """Return the function whose parameters are the options of oc itself."""

    def oc(**_given: object) -> None:
        """Drive a browser, its tasks and their outputs from the shell

        A verb's own name works as well: oc tabs_context is oc tabs context. Arguments can also
        be given as options: oc navigate --url URL.
        """

    version = {"type": "boolean", "default": False, "description": "Print the version"}
    _sign(oc, [*_global_options(()), _option("version", version)])
    return oc


def _sign(function: Callable[..., None], parameters: list[inspect.Parameter]) -> None:
    function.__annotations__ = {p.name: p.annotation for p in parameters}
    function.__dict__["__signature__"] = inspect.Signature(parameters)


def _parameters(entry: Entry) -> Iterable[inspect.Parameter]:
    properties, required = entry["params"]["properties"], entry["params"].get("required", ())
    leading = command_names.positional(entry)
    for name in leading:
        yield _argument(name, properties[name], required=name in required)
    for name, schema in properties.items():
        if name not in leading:
            yield _option(name, schema)
    yield from _global_options(properties)


def _global_options(used_names: Iterable[str]) -> Iterable[inspect.Parameter]:
    for name, schema in GLOBAL_OPTIONS.items():
        if name not in used_names:
            yield _option(name, schema)


def _argument(name: str, schema: Schema, *, required: bool) -> inspect.Parameter:
    many = value_parsing.takes_many(schema)
    info = typer.Argument(
        ... if required else None,
        metavar=name.upper(),
        help=_help(schema),
        autocompletion=_choices(name, schema),
        show_default=False,
    )
    return _parameter(name, list[str] if many else str, info)


def _option(name: str, schema: Schema) -> inspect.Parameter:
    flag, spelt = value_parsing.is_flag(schema), f"--{name.replace('_', '-')}"
    short = {"quiet": ["-q"], "out": ["-o"]}.get(name, [])
    default = _default(schema)
    info = typer.Option(
        default,
        f"{spelt}/--no-{spelt[2:]}" if flag and schema.get("default") is not False else spelt,
        *short,
        help=_help(schema),
        metavar=None if flag else _metavar(name, schema),
        autocompletion=None if flag else _choices(name, schema),
        show_default=default is not None,
    )
    many = value_parsing.takes_many(schema)
    return _parameter(name, bool if flag else list[str] if many else str, info)


def _parameter(name: str, annotation: object, info: object) -> inspect.Parameter:
    # A name may be a keyword (`from`): the underscore is not shown, the option has the name.
    return inspect.Parameter(
        f"{name}_", inspect.Parameter.KEYWORD_ONLY, default=info, annotation=annotation
    )


def _metavar(name: str, schema: Schema) -> str:
    # An enumeration's values are listed in the help, where they keep their letter case.
    text = name if "enum" in schema else value_parsing.describe(schema)
    word = text.upper().replace("_", "-").replace(" ", "-")
    return f"[{word}]" if value_parsing.is_switch_or_value(schema) else word


def _help(schema: Schema) -> str:
    text = str(schema.get("description", ""))
    if "enum" in schema:
        text += f" [{value_parsing.describe(schema)}]"
    if schema.get("type") == "array" and "repeated" not in text:
        text += " (can be repeated)"
    return text.strip()


def _default(schema: Schema) -> bool | str | None:
    default = schema.get("default")
    if default in (None, False, "", [], {}):
        return None
    return default if isinstance(default, bool) else str(default)


def _choices(name: str, schema: Schema) -> Callable[[str], list[str]] | None:
    items = schema.get("items", schema)
    if "enum" in items:
        return lambda incomplete: [c for c in map(str, items["enum"]) if c.startswith(incomplete)]
    if known_names.is_known(name):
        return lambda incomplete: [
            known for known in known_names.names_for(name) if known.startswith(incomplete)
        ]
    return None
